// This part of the package reads what the sides of a comparison are: a revision of the user's code, a Go
// toolchain, settings of the environment, build flags, or several of these at once.

package source

import (
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
)

// WorkTree is the revision that stands for the files as they lie in the work tree.
const WorkTree = "."

// A Side is what one side of a comparison differs in from the files as they lie, built with
// the local toolchain.
type Side struct {
	Words    []string // as they were typed; none is the work tree as it is
	Revision string   // "HEAD~1"; WorkTree or "" is the files as they lie
	Go       string   // "go1.25.4"; "" is the local one
	Flags    []string // of the go command, one word each
	Env      []string // NAME=VALUE
}

// Name returns what the side is called in all that users read.
func (s Side) Name() string {
	words := slices.Clone(s.Words)
	for i, w := range words {
		if w == WorkTree {
			words[i] = "work tree"
		} else if w == s.Revision && wholeHash.MatchString(w) { // as git merge-base gives it
			words[i] = (&plan.Source{Commit: w}).Short()
		}
	}
	if len(words) == 0 {
		return "work tree"
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ") // in files it stands on one line
}

// wholeHash is that of a commit with all its digits, of SHA-1 or SHA-256.
var wholeHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// AtRevision reports whether the side's files are those of a commit, which need not lie in the
// work tree.
func (s Side) AtRevision() bool { return s.Revision != "" && s.Revision != WorkTree }

const advice = "a side is a revision (HEAD~1, v1.2, or . for the files as they lie), a toolchain (go1.25.4), a " +
	"setting (GOGC=off), a build flag (-gcflags=-l), or several of them in quotes: 'HEAD~1 GOGC=off'"

// Parse reads one side.
func Parse(text string) (Side, error) {
	text = strings.TrimSpace(text)
	words, err := split(text)
	if err != nil {
		return Side{}, hint.Usage("close the quotes", "the side %q: %w", text, err)
	}
	if len(words) == 0 {
		return Side{}, hint.Usage(advice, "the side %q is empty", text)
	}
	s := Side{Words: words}
	for _, w := range words {
		if err := s.add(w); err != nil {
			return Side{}, hint.Usage("", "the side %q: %w", text, err)
		}
	}
	return s, nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

func (s *Side) add(word string) error {
	switch {
	case strings.HasPrefix(word, "-"):
		if err := CheckFlag(word); err != nil {
			return err
		}
		s.Flags = append(s.Flags, word)
	case variable.MatchString(word):
		if err := CheckVariable(word); err != nil {
			return err
		}
		s.Env = append(s.Env, word)
	case version.IsValid(word):
		if s.Go != "" {
			return hint.New("name each as a side of its own", "%s and %s are two toolchains", s.Go, word)
		}
		s.Go = word
	case IsPackage(word) && word != WorkTree:
		return hint.New("name packages behind the sides: memcost compare HEAD~1 . ./codec",
			"%s is a package, and no side", word)
	case s.Revision != "":
		return hint.New("name each as a side of its own", "%s and %s are two revisions", s.Revision, word)
	default:
		s.Revision = word
	}
	return nil
}

// CheckVariable reports a variable of the environment that makes no side.
func CheckVariable(setting string) error {
	switch name, _, _ := strings.Cut(setting, "="); {
	case name == "GOMAXPROCS":
		return hint.New("use --cpu 1,2",
			"%s: the number of CPUs is part of a case, not of a configuration", setting)
	case name == "GOFLAGS":
		return hint.New("name the flags themselves: -gcflags=-l", "%s: build flags are no setting of a program",
			setting)
	case name == "GOTOOLCHAIN":
		return hint.New("name the toolchain itself: go1.25.4", "%s: a toolchain is no setting of a program", setting)
	case strings.HasPrefix(name, "M_"):
		return hint.New("memcost compare with the study malloc takes it: memcost compare . "+setting+" malloc",
			"%s is a setting of the C library's malloc, which Go programs do not use", setting)
	}
	return CheckValue(setting)
}

// values are what Go's runtime reads of its variables. It takes no notice of anything else, or does
// not start.
var values = map[string]struct {
	form   *regexp.Regexp
	advice string
}{
	"GOGC":       {regexp.MustCompile(`^(off|-?[0-9]+)$`), "GOGC=200, GOGC=off"},
	"GOMEMLIMIT": {regexp.MustCompile(`^(off|[0-9]+([KMGT]iB|B)?)$`), "GOMEMLIMIT=512MiB, GOMEMLIMIT=off"},
	"GODEBUG":    {regexp.MustCompile(`^[a-z0-9]+=[^,]+(,[a-z0-9]+=[^,]+)*$`), "GODEBUG=madvdontneed=0,gctrace=1"},
}

// CheckValue reports a value that Go's runtime cannot read, of a setting NAME=VALUE.
func CheckValue(setting string) error {
	name, value, _ := strings.Cut(setting, "=")
	if v, known := values[name]; known && value != "" && !v.form.MatchString(value) {
		return hint.Usage("for example "+v.advice, "%s: Go's runtime cannot read %q as %s", setting, value, name)
	}
	return nil
}

// IsPackage reports whether an argument looks like packages: a path (./codec, /src/codec), a
// pattern (./...), or an import path (example.com/m/codec).
func IsPackage(arg string) bool {
	first, _, below := strings.Cut(arg, "/")
	return arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") ||
		filepath.IsAbs(arg) || strings.Contains(arg, "...") ||
		below && strings.Contains(first, ".") && !strings.ContainsAny(arg, " ~^@=:")
}

// flags are the build flags of the go command by which configurations may differ.
var flags = []string{"asmflags", "buildmode", "buildvcs", "compiler", "gccgoflags", "gcflags", "installsuffix",
	"ldflags", "linkshared", "mod", "modcacherw", "modfile", "overlay", "pgo", "tags", "toolexec", "trimpath"}

// CheckFlag reports what is no build flag, or one with which times mean nothing.
func CheckFlag(word string) error {
	name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
	switch {
	case distorts(name):
		if value == "false" {
			return nil
		}
		return hint.New("such a build changes what every memory access costs", "%s: times taken with it mean nothing",
			word)
	case !slices.Contains(flags, name):
		advice := "go help build lists them; flags of the test binary stand behind --, as in: -- -size=100"
		if near := hint.Nearest(name, flags); near != "" {
			advice = "did you mean -" + near + "? " + advice
		}
		return hint.New(advice, "%s is no build flag that makes a configuration", word)
	case !given && !slices.Contains([]string{"trimpath", "linkshared", "modcacherw", "buildvcs"}, name):
		return hint.New(fmt.Sprintf("write it as one word: '-%s=VALUE'", name), "%s has no value", word)
	}
	return nil
}

// distorts reports whether a build flag changes what every memory access costs.
func distorts(name string) bool {
	return slices.Contains([]string{"race", "asan", "msan"}, name) || strings.HasPrefix(name, "cover")
}

// CheckVary reports what --vary cannot take.
func CheckVary(v string) error {
	if !strings.HasPrefix(v, "-") {
		name, _, ok := strings.Cut(v, "=")
		switch {
		case !ok || name == "":
			return hint.Usage("an environment variable (GOGC=off) or a build flag (-gcflags=-l)",
				"--vary %q: not a setting", v)
		case name == "GOMAXPROCS":
			return hint.Usage("use --cpu 1,2",
				"--vary %s: the number of CPUs is part of a case, not of a configuration", v)
		}
		if err := CheckValue(v); err != nil {
			return fmt.Errorf("--vary %w", err)
		}
		return nil
	}
	if name, _, _ := strings.Cut(strings.TrimLeft(v, "-"), "="); distorts(name) {
		return hint.Usage("such a build changes what every memory access costs",
			"--vary %s: times taken with it mean nothing", v)
	}
	return nil
}

// Absolute returns build flags that name files by their paths from dir, so that they mean the
// same files wherever the go command runs.
func Absolute(dir string, words []string) ([]string, error) {
	var out []string
	for _, w := range words {
		name, file, given := strings.Cut(strings.TrimLeft(w, "-"), "=")
		isFile := given && slices.Contains([]string{"pgo", "modfile", "overlay"}, name) &&
			!slices.Contains([]string{"auto", "off", ""}, file)
		if !isFile {
			out = append(out, w)
			continue
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if _, err := os.Stat(file); err != nil {
			return nil, hint.Usage("name a file that is here", "%s: %w", w, err)
		}
		out = append(out, "-"+name+"="+file)
	}
	return out, nil
}

// split returns the words of a side; what stands in quotes stays together.
func split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// Arguments tells the sides among the arguments of memcost compare from the packages; isStudy
// knows the names of the shipped studies.
//
// The first two are sides, unless the second one is a package, and the others where they do
// not look like packages. A side that stands alone is compared with the files as they lie: a
// revision or a toolchain is the old side then, and settings are the new one.
func Arguments(args []string, isStudy func(string) bool) (sides []Side, packages []string, err error) {
	for i, arg := range args {
		named := IsPackage(arg) && (arg != WorkTree || i > 1) || i > 0 && isStudy(arg)
		switch {
		case i == 0 && named:
			return nil, nil, hint.Usage("name the sides first: memcost compare HEAD~1 . "+arg,
				"%s is a package, and stands where the old side is named", arg)
		case named:
			packages = append(packages, arg)
		default:
			s, err := Parse(arg)
			if err != nil {
				return nil, nil, err
			}
			sides = append(sides, s)
		}
	}
	switch {
	case len(sides) == 0:
		return nil, nil, hint.Usage("memcost compare HEAD~1 . compares the last commit but one with the files as "+
			"they lie", "there is nothing to compare: name two sides")
	case len(sides) > 1:
		return sides, packages, nil
	}
	here := Side{}
	switch s := sides[0]; {
	case !s.AtRevision() && s.Go == "" && len(s.Flags)+len(s.Env) == 0:
		return nil, nil, hint.Usage("memcost compare HEAD . says what the changes do that are not committed",
			"the work tree alone is one side: name another")
	case s.AtRevision() || s.Go != "":
		return []Side{s, here}, packages, nil
	default:
		return []Side{here, s}, packages, nil
	}
}

// Shield returns the arguments of a command line with a space before each that is a build flag
// (-gcflags=-l), or is probably meant for one, so that it is a side, and no flag of the
// command. What stands behind -- stays.
func Shield(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		name, dashed := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if dashed && len(name) > 2 && name[0] != '-' && (slices.Contains(flags, name) ||
			hint.Nearest(name, flags) != "") {
			out[i] = " " + arg
		}
	}
	return out
}

// Names returns the names of sides, each of them once: a side that comes again, which shows
// the noise, has a number.
func Names(sides []Side) []string {
	var names []string
	for _, s := range sides {
		name := s.Name()
		for i := 2; slices.Contains(names, name); i++ {
			name = fmt.Sprintf("%s (%d)", s.Name(), i)
		}
		names = append(names, name)
	}
	return names
}

// An Error is that of a side that cannot be built or read.
type Error struct {
	Name string
	Err  error
}

func (e *Error) Error() string { return "the side " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
