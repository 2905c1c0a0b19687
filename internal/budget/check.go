package budget

import (
	"slices"

	"memcost/internal/alloccalls"
	"memcost/internal/why"
)

// tolerance is how many allocations per operation above its budget a benchmark may count:
// what the first operations set up is shared among all of them.
const tolerance = 0.01

// Check holds budgets to a report, with benchmarks or without, and returns what it finds, in
// the order of the budgets. seen says what the compiler was given; nil knows nothing of
// that, so that each place counts as compiled.
func Check(budgets []Budget, r *why.Report, seen Seen) []Finding {
	var out []Finding
	for _, b := range budgets {
		c := checker{b, r}
		sites := c.sites()
		reason := seen.why(b)
		switch {
		case len(sites) == 0 && reason != "":
			out = append(out, c.unchecked(reason))
			continue
		case b.Allocs > 0 && len(sites) > 0 && !c.measured():
			out = append(out, c.unchecked("a budget above 0 is checked by a benchmark, and none was run"))
			continue
		}
		out = append(out, c.benchmarks(sites)...)
		for _, i := range sites {
			if f, ok := c.site(i); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// A checker holds one budget to a report.
type checker struct {
	Budget
	r *why.Report
}

// sites returns the indexes of the sites that the budget is for: at its lines, or inlined
// into them.
func (c checker) sites() []int {
	var out []int
	for i := range c.r.Sites {
		s := &c.r.Sites[i]
		inlined := func(f why.Frame) bool { return c.has(f.File, f.Line) }
		if c.has(s.File, s.Line) || slices.ContainsFunc(s.Chain, inlined) {
			out = append(out, i)
		}
	}
	return out
}

// measured reports whether a benchmark of the report was counted.
func (c checker) measured() bool {
	return slices.ContainsFunc(c.r.Benchmarks, func(b why.Benchmark) bool { return b.Failed == "" && b.N > 0 })
}

// benchmarks returns a finding if one of them counted more than the budget allows, with
// the one that counted most.
func (c checker) benchmarks(sites []int) []Finding {
	sums := make([]float64, len(c.r.Benchmarks))
	for _, i := range sites {
		for _, cost := range c.r.Sites[i].Costs {
			if cost.Benchmark >= 0 && cost.Benchmark < len(sums) {
				sums[cost.Benchmark] += cost.Objects
			}
		}
	}
	most, more := -1, 0
	for i, sum := range sums {
		if sum <= c.Allocs+tolerance {
			continue
		}
		more++
		if most < 0 || sum > sums[most] {
			most = i
		}
	}
	if most < 0 {
		return nil
	}
	f := c.at(c.largest(sites, most))
	f.State, f.Source, f.Measured = Broken, Benchmark, sums[most]
	f.Says = c.sayMeasured(sites, most, sums[most], more-1)
	return []Finding{f}
}

// largest returns the site that made most objects in a benchmark.
func (c checker) largest(sites []int, benchmark int) int {
	return slices.MaxFunc(sites, func(a, b int) int {
		x, y := objects(&c.r.Sites[a], benchmark), objects(&c.r.Sites[b], benchmark)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return b - a // the first of equal ones
	})
}

// site returns what the compiler and the binary say of a site, if that matters for a budget
// of 0.
func (c checker) site(i int) (Finding, bool) {
	s := &c.r.Sites[i]
	if c.Allocs > 0 || c.panicking(s) {
		return Finding{}, false
	}
	f := c.at(i)
	class := s.Class
	if class == why.NeverExecuted {
		class = s.Would
	}
	switch {
	case class == why.CertainHeap && s.Says != "":
		f.State, f.Source, f.Says = Broken, Compiler, c.sayCompiler(s)
	case class != why.Conditional && slices.ContainsFunc(s.Calls, alloccalls.Certain):
		f.State, f.Source, f.Says = Broken, Binary, c.sayBinary(s)
	case class == "":
		return Finding{}, false
	case s.Says != "":
		f.State, f.Source, f.Says = Note, Compiler, c.sayNote(s)
	default:
		f.State, f.Source, f.Says = Note, Binary, c.sayNote(s)
	}
	return f, true
}

// panicking reports whether a site allocates only when the program panics.
func (c checker) panicking(s *why.Site) bool {
	return s.Cause.Key == "panic" || c.panicsAt(s.File, s.Line)
}

func (c checker) at(i int) Finding {
	s := &c.r.Sites[i]
	return Finding{Budget: c.Budget, Package: s.Package, Function: s.Function, File: s.File, Path: s.Path, Line: s.Line,
		Column: s.Col, Site: i}
}

func (c checker) unchecked(reason string) Finding {
	return Finding{Budget: c.Budget, State: Unchecked, Function: c.Function, File: c.File, Line: c.First, Site: -1,
		Says: "The budget of " + c.Place() + " cannot be checked: " + reason + "."}
}
