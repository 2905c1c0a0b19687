package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/malloc/allocator"
)

// A configuration is an allocator with what is set for it.
type configuration struct {
	name    string
	library string   // that is loaded before all others; "" for none
	set     []string // variables
	offered bool     // nobody named it: it is left out where this C library does not know it
}

// env returns the variables of the configuration; before is what LD_PRELOAD holds already.
func (c configuration) env(before string) []string {
	if c.library == "" {
		return c.set
	}
	preload := c.library
	if before != "" {
		preload += ":" + before
	}
	return append([]string{"LD_PRELOAD=" + preload}, c.set...)
}

// configurations returns what was asked for beside the program's own allocator.
func configurations(with, vary []string) ([]configuration, error) {
	choices, err := choose(with)
	if err != nil {
		return nil, err
	}
	return configured(choices, with, vary)
}

// configured returns allocators and settings as configurations.
func configured(choices []allocator.Choice, with, vary []string) ([]configuration, error) {
	var out []configuration
	add := func(c configuration) error {
		if slices.ContainsFunc(out, func(x configuration) bool { return x.name == c.name }) {
			return hint.Usage("name each allocator and each setting once", "%s is there twice", c.name)
		}
		out = append(out, c)
		return nil
	}
	for _, c := range choices {
		if c.Library == "" {
			continue // the baseline is there in any case
		}
		if err := add(configuration{name: c.Name, library: c.Library}); err != nil {
			return nil, err
		}
	}
	for _, text := range vary {
		c, err := setting(text)
		if err == nil {
			err = add(c)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 && len(with) > 0 {
		return nil, hint.Usage("name another allocator, or a setting with --vary", "--with %s has nothing to be "+
			"compared with", strings.Join(with, ","))
	}
	if len(out) == 0 {
		return nil, hint.New("apt-get install libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4 libtbbmalloc2, or give "+
			"a setting: --vary M_ARENA_MAX=1", "no allocator is installed here but that of the C library")
	}
	return out, nil
}

// wantedOf is configurations of what was asked for: of memcost held those that may give memory back sooner.
func wantedOf(o Options, with []string) ([]configuration, error) {
	if o.Alloc.Held == nil {
		return configurations(with, o.Vary)
	}
	if len(with)+len(o.Vary) == 0 {
		return nil, nil // it is looked at as it is
	}
	if slices.Equal(with, []string{allInstalled}) {
		with = []string{allocator.GLIBC}
		for _, c := range allocator.Installed() {
			with = append(with, c.Name)
		}
	}
	var choices []allocator.Choice
	vary := poolsOff(o.Args[0])
	if len(with) > 0 {
		var err error
		if choices, err = choose(with); err != nil {
			return nil, err
		}
	} else {
		vary = nil
	}
	for _, name := range with {
		vary = append(vary, allocator.Returning(name)...)
	}
	out, err := configured(choices, with, slices.Concat(vary, o.Vary))
	for i := range out {
		out[i].offered = i >= len(out)-len(o.Vary)-len(vary) && i < len(out)-len(o.Vary)
	}
	return out, err
}

// poolsOff returns the variables by which a program that keeps memory in a pool of its own leaves that to malloc.
func poolsOff(program string) []string {
	switch name := filepath.Base(program); {
	case strings.HasPrefix(name, "python"):
		return []string{"PYTHONMALLOC=malloc"}
	case strings.HasPrefix(name, "php"):
		return []string{"USE_ZEND_ALLOC=0"}
	}
	return nil
}

// allInstalled stands for every allocator that is installed.
const allInstalled = "all"

func choose(with []string) ([]allocator.Choice, error) {
	if len(with) == 0 {
		return allocator.Installed(), nil
	}
	var out []allocator.Choice
	for _, name := range with {
		c, err := allocator.Choose(name)
		if err != nil {
			return nil, fmt.Errorf("--with %s: %w", name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// setting reads a value of --vary: parameters of mallopt (M_ARENA_MAX=1), variables, and LD_PRELOAD
// with the name or the file of an allocator, with spaces between them. A variable that one
// allocator alone reads has the program run under that one.
func setting(text string) (configuration, error) {
	var c configuration
	var words, tunables []string
	under := ""
	wrong := func(advice string, err error) (configuration, error) {
		return c, hint.Usage(advice, "--vary %s: %w", text, err)
	}
	for word := range strings.FieldsSeq(text) {
		name, value, given := strings.Cut(word, "=")
		switch {
		case !given || name == "":
			return wrong("for example --vary M_ARENA_MAX=1, or --vary MALLOC_CONF=narenas:1",
				fmt.Errorf("%q is no setting NAME=VALUE", word))
		case name == "LD_PRELOAD":
			choice, err := allocator.Choose(value)
			if err != nil {
				return c, fmt.Errorf("--vary %s: %w", text, err)
			}
			under, c.library = choice.Name, choice.Library
			continue
		case strings.HasPrefix(name, "M_"):
			t, err := allocator.Tunables(word)
			if err != nil {
				return wrong("for example --vary M_TRIM_THRESHOLD=0,M_TOP_PAD=0", err)
			}
			tunables = append(tunables, t)
		case name == "GLIBC_TUNABLES":
			tunables = append(tunables, value)
		default:
			if err := source.CheckValue(word); err != nil {
				return c, fmt.Errorf("--vary %w", err)
			}
			c.set = append(c.set, word)
		}
		words = append(words, word)
	}
	if len(tunables) > 0 {
		c.set = append(c.set, "GLIBC_TUNABLES="+strings.Join(tunables, ":"))
	}
	if under == "" {
		var err error
		if under, c.library, err = readerOf(c.set); err != nil {
			return c, fmt.Errorf("--vary %s: %w", text, err)
		}
	}
	c.name = strings.TrimSpace(under + " " + strings.Join(words, " "))
	return c, nil
}

// readerOf returns the allocator that reads one of some variables, with its library; "" where they
// are for the program.
func readerOf(variables []string) (name, library string, err error) {
	for _, v := range variables {
		variable, _, _ := strings.Cut(v, "=")
		reader := allocator.ReaderOf(variable)
		if reader == "" || reader == allocator.GLIBC {
			continue
		}
		c, err := allocator.Choose(reader)
		return c.Name, c.Library, err
	}
	if len(variables) > 0 && !slices.ContainsFunc(variables, func(v string) bool {
		variable, _, _ := strings.Cut(v, "=")
		return allocator.ReaderOf(variable) == allocator.GLIBC
	}) {
		return "", "", nil // it is for the program
	}
	return allocator.GLIBC, "", nil
}

// A tunable is one that a loader lists.
type tunable struct {
	name     string
	min, max uint64
	bounded  bool
}

// tunablesOf asks the loader of a program for its tunables; none where it does not tell them (the
// GNU C library before 2.33, musl).
func tunablesOf(ctx context.Context, r *proc.Runner, loader string) []tunable {
	if loader == "" {
		return nil
	}
	res, err := r.Run(ctx, proc.Cmd{Path: loader, Args: []string{"--list-tunables"}, Timeout: 10 * time.Second})
	if err != nil || res.ExitCode != 0 {
		return nil
	}
	return parseTunables(string(res.Stdout))
}

// parseTunables reads lines like "glibc.malloc.perturb: 0 (min: 0, max: 255)".
func parseTunables(text string) (out []tunable) {
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(line, ":")
		if !ok || !strings.HasPrefix(name, "glibc.") {
			continue
		}
		t := tunable{name: name}
		_, limits, _ := strings.Cut(rest, "(min: ")
		low, high, ok := strings.Cut(strings.TrimRight(limits, ")\n"), ", max: ")
		if ok {
			var errLow, errHigh error
			t.min, errLow = strconv.ParseUint(low, 0, 64)
			t.max, errHigh = strconv.ParseUint(high, 0, 64)
			t.bounded = errLow == nil && errHigh == nil
		}
		out = append(out, t)
	}
	return out
}

// checkTunables returns the error of settings that the C library would ignore without a word: a
// tunable that it does not have, or a value that it does not take.
func checkTunables(known []tunable, set []string) error {
	if len(known) == 0 {
		return nil
	}
	for _, v := range set {
		value, ok := strings.CutPrefix(v, "GLIBC_TUNABLES=")
		if !ok {
			continue
		}
		for one := range strings.SplitSeq(value, ":") {
			if err := checkTunable(known, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkTunable(known []tunable, one string) error {
	name, text, _ := strings.Cut(one, "=")
	at := slices.IndexFunc(known, func(t tunable) bool { return t.name == name })
	if at < 0 {
		var names []string
		for _, t := range known {
			names = append(names, t.name)
		}
		advice := hint.Meant(name, names, "the program's loader lists them: ld.so --list-tunables")
		return hint.Usage(advice, "this C library has no tunable %s", name)
	}
	v, err := strconv.ParseUint(text, 0, 64)
	if t := known[at]; t.bounded && (err != nil || v < t.min || v > t.max) {
		return hint.Usage(fmt.Sprintf("it takes a number from %d to %d", t.min, t.max),
			"the C library ignores %s=%s", name, text)
	}
	return nil
}
