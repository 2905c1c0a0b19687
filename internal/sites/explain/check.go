package explain

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"memcost/internal/gotool/binary"
	"memcost/internal/sites"
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
