package explain

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// Check holds budgets to what the compiler and the binary say of packages, and to a report
// on them, with benchmarks or without. It returns what it finds, in the order of the budgets.
// A budget in a package that is not given cannot be checked.
func Check(budgets []Budget, r *sites.Report, packages []Sources) ([]Finding, error) {
	folders := map[string]*said{}
	for _, p := range packages {
		s, err := readBudget(p)
		if err != nil {
			return nil, fmt.Errorf("checking the budgets: %w", err)
		}
		folders[path.Clean(p.Folder)] = s
	}
	var out []Finding
	for _, b := range budgets {
		c := checker{Budget: b, r: r, said: folders[path.Dir(b.File)]}
		if c.said == nil {
			out = append(out, c.unchecked("its package was not looked at"))
			continue
		}
		out = append(out, c.check()...)
	}
	return out, nil
}

// check holds one budget to all sources.
func (c checker) check() []Finding {
	sites := c.sites()
	statements, calls := c.statements(c.Budget), c.called(c.Budget)
	allocates := len(sites)+len(statements)+len(calls) > 0
	reason := c.missing(c.Budget)
	switch {
	case !allocates && reason != "":
		return []Finding{c.unchecked(reason)}
	case c.Allocs > 0 && allocates && !c.measured():
		return []Finding{c.unchecked("a budget above 0 is checked by a benchmark, and none was run")}
	}
	out := c.benchmarks(sites)
	if c.Allocs > 0 {
		return out
	}
	certain, conditional := map[int]bool{}, map[int]bool{}
	for _, x := range statements {
		f := c.at(x.Line, x.Col, Compiler)
		if x.Certain() {
			certain[x.Line] = true
			f.State, f.Says = Broken, c.sayCompiler(x.Expr, x.Line, x.Cause.Words())
		} else {
			conditional[x.Line] = true
			f.State, f.Says = Note, c.sayNote(x.Expr, x.Line)
		}
		out = append(out, f)
	}
	for _, x := range calls {
		if f, ok := c.call(x, certain[x.line], conditional[x.line]); ok {
			out = append(out, f)
		}
	}
	return out
}

// call returns what a call means where the compiler puts something on the heap at its line,
// or leaves it to the run.
func (c checker) call(x called, certain, conditional bool) (Finding, bool) {
	f := c.at(x.line, 0, Binary)
	sure := binary.Certain(x.target)
	switch {
	case certain:
		return f, false // it is said already
	case sure && !(conditional && strings.HasPrefix(x.target, "runtime.makeslice")):
		f.State, f.Says = Broken, c.sayBinary(x)
	case conditional:
		return f, false
	default:
		f.State, f.Says = Note, c.sayNote("the call of "+x.target, x.line)
	}
	return f, true
}

// benchmarks returns a finding if one of them counted more than the budget allows, with
// the one that counted most.
func (c checker) benchmarks(sites []int) []Finding {
	if c.r.Mode != "benchmarks" { // of tests and of profiles nobody knows the operations
		return nil
	}
	sums := make([]float64, len(c.r.Benchmarks))
	for _, i := range sites {
		for b := range sums {
			sums[b] += objects(&c.r.Sites[i], b)
		}
	}
	most, broken := -1, 0
	for i, sum := range sums {
		if sum <= c.Allocs+tolerance {
			continue
		}
		broken++
		if most < 0 || sum > sums[most] {
			most = i
		}
	}
	if most < 0 {
		return nil
	}
	sites = c.byObjects(sites, most)
	s := &c.r.Sites[sites[0]]
	return []Finding{{Budget: c.Budget, State: Broken, Source: Benchmark, Package: s.Package, Function: s.Function,
		File: s.File, Path: s.Path, Line: s.Line, Column: s.Col, Site: sites[0], Measured: sums[most],
		Says: c.sayMeasured(sites, most, sums[most], broken-1)}}
}

// at returns a finding at a line of the budget's place, with the site that the report has
// there.
func (c checker) at(line, column int, source Source) Finding {
	f := Finding{Budget: c.Budget, Source: source, Package: c.Path, Function: c.Function, File: c.File, Line: line,
		Column: column}
	f.Site = slices.IndexFunc(c.r.Sites, func(s sites.Site) bool {
		return s.File == c.File && s.Line == line && (column == 0 || s.Col == column)
	})
	if f.Site >= 0 {
		f.Path = c.r.Sites[f.Site].Path
	}
	return f
}

func (c checker) unchecked(reason string) Finding {
	return Finding{Budget: c.Budget, State: Unchecked, Function: c.Function, File: c.File, Line: c.First, Site: -1,
		Says: "The budget of " + c.Place() + " cannot be checked: " + reason + "."}
}

// tolerance is how many allocations per operation above its budget a benchmark may count:
// what the first operations set up is shared among all of them.
const tolerance = 0.01

// A checker holds one budget to what is known.
type checker struct {
	Budget
	*said
	r *sites.Report
}

// sites returns the indexes of the report's sites that the budget is for: at its lines, or
// inlined into them.
func (c checker) sites() []int {
	var out []int
	for i := range c.r.Sites {
		s := &c.r.Sites[i]
		inlined := func(f sites.Frame) bool { return c.has(f.File, f.Line) }
		if c.has(s.File, s.Line) || slices.ContainsFunc(s.Chain, inlined) {
			out = append(out, i)
		}
	}
	return out
}

// measured reports whether a benchmark of the report was counted.
func (c checker) measured() bool {
	return c.r.Mode == "benchmarks" &&
		slices.ContainsFunc(c.r.Benchmarks, func(b sites.Benchmark) bool { return b.Failed == "" && b.N > 0 })
}

// byObjects orders sites by what they made in a benchmark, most first.
func (c checker) byObjects(sites []int, benchmark int) []int {
	sites = slices.Clone(sites)
	slices.SortStableFunc(sites, func(a, b int) int {
		return cmp.Compare(objects(&c.r.Sites[b], benchmark), objects(&c.r.Sites[a], benchmark))
	})
	return sites
}

// objects returns how many objects a site makes per operation of a benchmark.
func objects(s *sites.Site, benchmark int) float64 {
	sum := 0.0
	for _, cost := range s.Costs {
		if cost.Benchmark == benchmark {
			sum += cost.Objects
		}
	}
	return sum
}

// Sources are what the compiler and the binary say of one package.
type Sources struct {
	join.Asked        // what was joined
	Folder     string // of the package, from its module's folder, with slashes; "." is that itself
}

// said is Sources in the form in which budgets ask.
type said struct {
	Sources
	compiled map[string]map[int]bool // by the last part of a file's name and line; nil if not known
	sites    []escape.Site
	calls    []binary.Call
}

func readBudget(s Sources) (*said, error) {
	out := &said{Sources: s, sites: escape.All(s.Log, s.Source, s.Path), compiled: compiled(s.Log)}
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
// whether it can be inlined. That tells what allocates nothing from what was not compiled: a file
// for another system, or a generic function that nobody uses. Without a log each place counts as
// compiled.
func compiled(log *escape.Log) map[string]map[int]bool {
	if log == nil {
		return nil
	}
	out := map[string]map[int]bool{}
	for _, d := range log.Diagnostics {
		if d.Kind != escape.Compiled {
			continue
		}
		file := join.Base(d.File)
		if out[file] == nil {
			out[file] = map[int]bool{}
		}
		out[file][d.Line] = true
	}
	return out
}

// missing says why nothing is known of a budget's place, "" where the compiler saw it.
func (s *said) missing(b Budget) string {
	if s.compiled == nil {
		return ""
	}
	lines, ok := s.compiled[join.Base(b.File)]
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
		if join.Base(x.File) != join.Base(b.File) || x.Line < b.First || x.Line > b.Last || seen[at] || x.Static ||
			!x.Certain() && !x.Conditional() || x.Cause == escape.PanicArgument && !x.Certain() {
			continue
		}
		seen[at] = true
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(x, y escape.Site) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
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
			if join.Base(f.File) != join.Base(b.File) || f.Line < b.First || f.Line > b.Last || !s.owns(f.Func) {
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

// mostParts is how many sites a sentence names.
const mostParts = 3

// subject begins each sentence: "Decode has a budget of 0 allocations, and ".
func (c checker) subject() string {
	noun := "allocations"
	if c.Allocs == 1 {
		noun = "allocation"
	}
	return fmt.Sprintf("%s has a budget of %s %s, and ", c.Place(), strconv.FormatFloat(c.Allocs, 'f', -1, 64), noun)
}

// sayMeasured takes the sites in the order of what they made.
func (c checker) sayMeasured(sites []int, benchmark int, sum float64, others int) string {
	var parts []string
	for _, i := range sites {
		s := &c.r.Sites[i]
		n := objects(s, benchmark)
		if n == 0 {
			break
		}
		if len(parts) == mostParts {
			parts = append(parts, "and more")
			break
		}
		parts = append(parts, fmt.Sprintf("%s at %s:%d", countOf(n), s.File, s.Line))
	}
	also := ""
	if others == 1 {
		also = "; another benchmark breaks it, too"
	} else if others > 1 {
		also = fmt.Sprintf("; %d other benchmarks break it, too", others)
	}
	return fmt.Sprintf("%s%s makes %s per operation there: %s%s.", c.subject(), c.named(benchmark), countOf(sum),
		strings.Join(parts, ", "), also)
}

// named returns a benchmark's name as its function has it.
func (c checker) named(benchmark int) string {
	name := c.r.Benchmarks[benchmark].Name
	switch {
	case c.r.Mode == "profile":
		return "the profile"
	case c.r.Mode == "tests", strings.HasPrefix(name, "Benchmark"):
		return name
	}
	return "Benchmark" + name
}

func (c checker) sayCompiler(what string, line int, cause string) string {
	text := fmt.Sprintf("%sthe compiler puts %s on the heap at %s:%d", c.subject(), what, c.File, line)
	if cause != "" {
		text += ": " + cause
	}
	return text + "."
}

func (c checker) sayBinary(x called) string {
	return fmt.Sprintf("%sthe machine code of %s:%d calls %s, which %s; the compiler does not say so.", c.subject(),
		c.File, x.line, x.target, binary.Does(x.target))
}

func (c checker) sayNote(what string, line int) string {
	return fmt.Sprintf("%s%s at %s:%d allocates in some runs only, which does not break it.", c.subject(), what,
		c.File, line)
}

// count prints a number of allocations with three digits at most.
func countOf(n float64) string {
	if n >= 1000 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}
