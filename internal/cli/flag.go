package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/base/hint"
)

// A flag is declared once: what it takes, what --help says of it, what it can stand beside, and
// whether a run that is resumed may change it. It is the value that pflag sets, so that its rules
// are found from any command that has it.
type flag struct {
	name  string // with its letter, where it has one: "output,o"
	help  string // with the name of its value in `quotes`
	more  string // in brackets behind that, with the default: "calibration included"
	takes taking
	eg    string // a value that it takes
	bare  string // its value where none is given; "" needs one

	shows  bool         // it says how an answer is shown, and nothing of how it is measured
	of     subject      // what it says something of; 0: of everything
	resume subject      // the runs that it may change where they are resumed
	needs  string       // the flag without which it says nothing
	not    string       // the flags that exclude it
	check  func() error // when all flags are read, also where it is not given
	offers cobra.CompletionFunc
}

// A subject is what a command line is about. Some flags say nothing of some of them.
type subject uint

const (
	ofStudies  subject = 1 << iota // a run of studies or packages, with their claims
	ofPackages                     // sides that are built of packages
	ofPrograms                     // sides that are built already
	ofCommands                     // sides that are command lines
	ofHistory
	ofSearch
	onSlurm
	onSSH
	onKubernetes
	onShell

	ofSides   = ofPackages | ofPrograms | ofCommands
	schedules = onSlurm | onSSH | onKubernetes | onShell
)

var subjects = []string{"a run of studies", "benchmarks of packages", "programs that are built already",
	"commands (--command)", "a search through history", "a search", "slurm", "ssh", "kubernetes", "shell"}

// String lists the subjects, with commas between them.
func (s subject) String() string {
	var out []string
	for i, name := range subjects {
		if s&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

func (f *flag) Set(text string) error { return f.takes.read(text) }
func (f *flag) String() string        { return f.takes.shown }
func (f *flag) Type() string          { return f.takes.kind }

// A taking is how the text of a flag becomes its value.
type taking struct {
	kind  string // as --help calls it where the flag has no name for it
	shown string // the default
	read  func(text string) error
}

// take has a function read the value, whose default is that which it has.
func take[T comparable](to *T, kind string, read func(string) (T, error)) taking {
	var zero T
	shown := ""
	if *to != zero {
		shown = strings.TrimSuffix(fmt.Sprint(*to), "m0s")
		if len(shown) < len(fmt.Sprint(*to)) {
			shown += "m"
		}
	}
	return taking{kind, shown, func(text string) error {
		v, err := read(text)
		if err == nil {
			*to = v
		}
		return err
	}}
}

func toggle(to *bool) taking { return take(to, "bool", strconv.ParseBool) }

func word(to *string) taking {
	return take(to, "string", func(s string) (string, error) { return s, nil })
}

// words take one more each time; check may be nil.
func words(to *[]string, check func(string) error) taking {
	return taking{"strings", "", func(text string) error {
		text = strings.TrimSpace(text) // see source.Shield
		if check != nil {
			if err := check(text); err != nil {
				return err
			}
		}
		*to = append(*to, text)
		return nil
	}}
}

// commaList takes several with commas between them; each has to be one of the names, if there are any.
func commaList(to *[]string, what string, names ...string) taking {
	given := false
	return taking{"strings", strings.Join(*to, ","), func(text string) error {
		if !given {
			*to, given = nil, true
		}
		for _, word := range Words(text, ",") {
			if len(names) > 0 && !slices.Contains(names, word) {
				return unknown(what, word, names)
			}
			*to = append(*to, word)
		}
		return nil
	}}
}

// checked takes a text that a function approves of.
func checked(to *string, check func(string) error) taking {
	return take(to, "string", func(s string) (string, error) { return s, check(s) })
}

// positive takes a time of at least so long, and more than none.
func positive(to *time.Duration, least time.Duration) taking {
	return take(to, "duration", func(s string) (time.Duration, error) {
		d, err := readTime(s)
		switch {
		case err != nil:
			return 0, err
		case d <= 0:
			return 0, errors.New("must be a positive time")
		case d < least:
			return 0, fmt.Errorf("must be at least %v", least)
		}
		return d, nil
	})
}

func readTime(s string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(s, 64); err == nil && s != "0" {
		return 0, hint.New("write "+s+"s, "+s+"m or "+s+"h", "a time needs a unit")
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("not a time")
	}
	return d, nil
}

// between takes a number of a range.
func between(to *int, least, most int) taking {
	return take(to, "int", func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil:
			return 0, errors.New("not a whole number")
		case n < least && most == unlimited:
			return 0, fmt.Errorf("must be %d or more", least)
		case n < least || n > most:
			return 0, fmt.Errorf("must be between %d and %d", least, most)
		}
		return n, nil
	})
}

// unlimited is the end of a range that has none.
const unlimited = int(^uint(0) >> 1)

// share takes "1%" or "0.01".
func share(to *float64) taking {
	t := take(to, "string", func(s string) (float64, error) {
		number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if percent {
			v /= 100
		}
		if err != nil || !(v > 0 && v < 1) {
			return 0, errors.New("not a share between 0 and 100%")
		}
		return v, nil
	})
	if *to != 0 {
		t.shown = fmt.Sprintf("%g%%", 100**to)
	}
	return t
}

// choice takes one of several names; what they are is said where another is given.
func choice(to *string, what string, names []string) taking {
	return checked(to, func(s string) error {
		if slices.Contains(names, s) {
			return nil
		}
		return unknown(what, s, names)
	})
}

func unknown(what, word string, names []string) error {
	return hint.New(hint.Meant(word, names, fmt.Sprintf("the %ss are %s", what, strings.Join(names, ", "))),
		"unknown %s", what)
}

// offer completes a flag with names.
func offer(names ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
}

// flags are those of a group, or those that a command alone has.
type flags []*flag

// pick returns some flags of a group. A command may say more of one, "budget: default: 2m", or say it
// in other words, "long = print every figure".
func (fs flags) pick(names ...string) flags {
	var out flags
	for _, text := range names {
		name, other, differs := strings.Cut(text, " = ")
		if !differs {
			name, other, _ = strings.Cut(text, ": ")
		}
		i := slices.IndexFunc(fs, func(f *flag) bool { return f.long() == name })
		f := *fs[i]
		if differs {
			f.help = other
		} else {
			f.more = cmp.Or(other, f.more)
		}
		out = append(out, &f)
	}
	return out
}

// says is what --help says of the flag.
func (f *flag) says() string {
	var more []string
	if f.needs != "" {
		more = append(more, "with --"+f.needs)
	}
	if f.of&schedules != 0 {
		more = append(more, f.of.String())
	}
	if f.more != "" {
		more = append(more, f.more)
	}
	if f.takes.shown != "" {
		more = append(more, "default: "+f.takes.shown)
	}
	if len(more) == 0 {
		return f.help
	}
	return f.help + " (" + strings.Join(more, "; ") + ")"
}

// long returns the name of a flag without its letter.
func (f *flag) long() string {
	name, _, _ := strings.Cut(f.name, ",")
	return name
}

// register gives a command its flags, and has them checked before it runs.
func register(cmd *cobra.Command, groups ...flags) {
	for _, f := range slices.Concat(groups...) {
		name, letter, _ := strings.Cut(f.name, ",")
		set := cmd.Flags().VarPF(f, name, letter, f.says())
		set.NoOptDefVal, set.DefValue = f.bare, "" // says has it
		if f.takes.kind == "bool" {
			set.NoOptDefVal = "true"
		}
		if f.offers != nil {
			cmd.RegisterFlagCompletionFunc(name, f.offers)
		}
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) }
}

// each calls a function with the flags of a command, in the order of their names, until it fails:
// with those that were given, or with all.
func each(cmd *cobra.Command, given bool, fn func(*flag) error) (err error) {
	visit := cmd.Flags().VisitAll
	if given {
		visit = cmd.Flags().Visit
	}
	visit(func(x *pflag.Flag) {
		if f, ok := x.Value.(*flag); ok && err == nil {
			err = fn(f)
		}
	})
	return err
}

// checkFlags refuses flags that make no sense beside each other.
func checkFlags(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	err := each(cmd, true, func(f *flag) error {
		if f.needs != "" && !given(f.needs) {
			needed := cmd.Flags().Lookup(f.needs).Value.(*flag)
			return hint.Usage(needed.example(cmd), "--%s needs --%s", f.long(), f.needs)
		}
		for _, other := range strings.Fields(f.not) {
			if given(other) {
				return hint.Usage("leave one of them out", "--%s and --%s exclude each other", f.long(), other)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(cmd, false, func(f *flag) error {
		if f.check == nil {
			return nil
		}
		return f.check()
	})
}

// example is the advice how to write a flag.
func (f *flag) example(cmd *cobra.Command) string {
	if f.eg == "" {
		return cmd.CommandPath() + " --help lists the flags"
	}
	return "for example --" + f.long() + " " + f.eg
}

// refuse refuses the given flags that a function picks; says is what is wrong with them.
func refuse(cmd *cobra.Command, wrong func(*flag) bool, advice, says string) error {
	return each(cmd, true, func(f *flag) error {
		if wrong(f) {
			return hint.Usage(advice, "--%s %s", f.long(), says)
		}
		return nil
	})
}

// fits refuses the flags that say nothing of what a command line is about.
func fits(cmd *cobra.Command, s subject) error {
	return each(cmd, true, func(f *flag) error {
		if f.of == 0 || f.of&s != 0 {
			return nil
		}
		return hint.Usage(fmt.Sprintf("leave it out: --%s is for %v", f.long(), f.of), "--%s says nothing of %v",
			f.long(), s)
	})
}

// measures refuses the flags that say how to measure, but some, because nothing is measured, or
// because something else says how.
func measures(cmd *cobra.Command, because, advice string, but ...string) error {
	return refuse(cmd, func(f *flag) bool { return !f.shows && !slices.Contains(but, f.long()) }, advice,
		"says how to measure, and "+because)
}

// mayChange refuses the flags that a run cannot take which is gone on with.
func mayChange(cmd *cobra.Command, of subject) error {
	var may []string
	each(cmd, false, func(f *flag) error {
		if f.resume&of != 0 {
			may = append(may, "--"+f.long())
		}
		return nil
	})
	advice := "begin a run of its own"
	switch n := len(may); n {
	case 0:
	case 1:
		advice = "only " + may[0] + " may change"
	default:
		advice = "only " + strings.Join(may[:n-1], ", ") + " and " + may[n-1] + " may change"
	}
	return refuse(cmd, func(f *flag) bool { return !f.shows && f.resume&of == 0 }, advice,
		"cannot be changed by --resume: the run goes on as it began")
}

// flagError says what is wrong with a flag, and how it is written.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		f, ours := value.GetFlag().Value.(*flag)
		switch cause := errors.Unwrap(value); {
		case hint.IsUsage(cause):
			return cause
		case ours:
			_, advised := hint.Split(cause)
			advice := ""
			if len(advised) == 0 {
				advice = f.example(cmd)
			}
			return hint.Usage(advice, "--%s %q: %w", f.long(), value.GetValue(), cause)
		}
	case errors.As(err, &missing):
		if f, ours := missing.GetFlag().Value.(*flag); ours {
			return hint.Usage(f.example(cmd), "--%s needs a value", f.long())
		}
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name, _, _ = strings.Cut(letters, "=")
		}
		return hint.Usage(hint.Meant("--"+name, longFlags(cmd), otherCommands(cmd, name)), "%w", err)
	}
	return hint.Usage(cmd.CommandPath()+" --help lists the flags", "%w", err)
}

// longFlags returns the names of a command's flags, with their hyphens.
func longFlags(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

// otherCommands says which commands have a flag that one does not have.
func otherCommands(cmd *cobra.Command, name string) string {
	var have []string
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		if c.Flags().Lookup(name) != nil {
			have = append(have, c.CommandPath())
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look(cmd.Root())
	advice := cmd.CommandPath() + " --help lists the flags"
	if len(have) > 0 {
		advice = fmt.Sprintf("it is a flag of %s; %s", strings.Join(have, ", "), advice)
	}
	return advice
}

// oneHyphen refuses a flag with one hyphen before its name: pflag takes -bench for -b with the
// value ench.
func oneHyphen(cmd *cobra.Command, args []string) error {
	fl := cmd.Flags()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, hyphen := strings.CutPrefix(arg, "-")
		name, _, joined := strings.Cut(name, "=")
		var f *pflag.Flag
		switch {
		case arg == "--" || !hyphen && cmd.Annotations[ownArguments] != "":
			return nil
		case !hyphen || name == "":
			continue
		case strings.HasPrefix(name, "-"):
			f = fl.Lookup(name[1:])
		case len(name) > 1 && fl.Lookup(name) != nil:
			advice := "did you mean --" + name + "?"
			if letter := fl.Lookup(name).Shorthand; letter != "" {
				advice = "did you mean --" + name + ", or -" + letter + "?"
			}
			return hint.Usage(advice, "-%s: a flag has two hyphens before its name", name)
		default:
			f, joined = fl.ShorthandLookup(name[:1]), joined || len(name) > 1
		}
		if f != nil && f.NoOptDefVal == "" && !joined {
			i++ // its value
		}
	}
	return nil
}

// ownArguments marks a command whose first argument is a program with flags of its own.
const ownArguments = "program"
