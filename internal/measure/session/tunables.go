package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

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
		advice := "the program's loader lists them: ld.so --list-tunables"
		if near := hint.Nearest(name, names); near != "" {
			advice = "did you mean " + near + "?"
		}
		return hint.Usage(advice, "this C library has no tunable %s", name)
	}
	v, err := strconv.ParseUint(text, 0, 64)
	if t := known[at]; t.bounded && (err != nil || v < t.min || v > t.max) {
		return hint.Usage(fmt.Sprintf("it takes a number from %d to %d", t.min, t.max),
			"the C library ignores %s=%s", name, text)
	}
	return nil
}
