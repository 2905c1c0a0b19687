package explain

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites/join"
)

// Sources are what the compiler and the binary say of one package.
type Sources struct {
	join.Asked        // what was joined
	Folder     string // of the package, from its module's folder, with slashes; "." is that itself
	// Diagnostics is the output of the compiler with -gcflags=-m=2. It tells what allocates
	// nothing from what was not compiled: a file for another system, or a generic function
	// that nobody uses. Where it is nil, each place counts as compiled.
	Diagnostics []byte
}

// said is Sources in the form in which budgets ask.
type said struct {
	Sources
	compiled map[string]map[int]bool // by the last part of a file's name and line; nil if not known
	sites    []escape.Site
	calls    []binary.Call
}

func readBudget(s Sources) (*said, error) {
	out := &said{Sources: s, sites: escape.All(s.Log, s.Source, s.Path)}
	if s.Diagnostics != nil {
		out.compiled = compiled(s.Diagnostics)
	}
	if s.Program == nil {
		return out, nil
	}
	var err error
	out.calls, err = s.Program.Calls(func(pkg string) bool { return strings.TrimSuffix(pkg, "_test") == s.Path })
	if err != nil {
		return nil, fmt.Errorf("reading the calls in the binary of %s: %w", s.Path, err)
	}
	return out, nil
}

// compiled returns where functions are that the compiler was given: it prints of each
// whether it can be inlined.
func compiled(diagnostics []byte) map[string]map[int]bool {
	out := map[string]map[int]bool{}
	for line := range strings.Lines(string(diagnostics)) {
		at, text, ok := strings.Cut(line, ": ")
		if !ok || !strings.HasPrefix(text, "can inline ") && !strings.HasPrefix(text, "cannot inline ") {
			continue
		}
		file, number, ok := strings.Cut(at, ".go:")
		number, _, _ = strings.Cut(number, ":")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		file = base(file + ".go")
		if out[file] == nil {
			out[file] = map[int]bool{}
		}
		out[file][n] = true
	}
	return out
}

// base is the last part of a path: the files of a package lie in one folder, whatever the
// compiler and the linker put before their names.
func base(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// missing says why nothing is known of a budget's place, "" where the compiler saw it.
func (s *said) missing(b Budget) string {
	if s.compiled == nil {
		return ""
	}
	lines, ok := s.compiled[base(b.File)]
	switch {
	case !ok:
		return b.File + " was not compiled"
	case b.declared != 0 && !lines[b.declared]:
		return b.Function + " was not compiled"
	}
	return ""
}

// statements returns what the compiler says of a budget's lines: what it puts on the heap,
// and what it leaves to the run. Static data and the arguments of panics are left out.
func (s *said) statements(b Budget) []escape.Site {
	var out []escape.Site
	seen := map[[2]int]bool{}
	for _, x := range s.sites {
		at := [2]int{x.Line, x.Col}
		if base(x.File) != base(b.File) || x.Line < b.First || x.Line > b.Last || seen[at] || x.Static ||
			!x.Certain() && !x.Conditional() || x.Cause == escape.PanicArgument && !x.Certain() {
			continue
		}
		seen[at] = true
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(x, y escape.Site) int {
		if x.Line != y.Line {
			return x.Line - y.Line
		}
		return x.Col - y.Col
	})
	return out
}

// A called is a function of the runtime that is called on behalf of a line.
type called struct {
	line   int
	target string
}

// called returns the calls at a budget's lines, those of functions inlined there included,
// once each.
func (s *said) called(b Budget) []called {
	var out []called
	for _, c := range s.calls {
		for _, f := range c.Chain { // the innermost frame that is in the place
			if base(f.File) != base(b.File) || f.Line < b.First || f.Line > b.Last || !s.owns(f.Func) {
				continue
			}
			if x := (called{f.Line, c.Target}); !slices.Contains(out, x) && !b.panicsAt(b.File, f.Line) {
				out = append(out, x)
			}
			break
		}
	}
	slices.SortStableFunc(out, func(x, y called) int { return x.line - y.line })
	return out
}

// owns reports whether a function is of the package or of its external tests.
func (s *said) owns(function string) bool {
	return strings.TrimSuffix(binary.PackageOf(function), "_test") == s.Path
}
