package explain

import (
	"slices"

	"memcost/internal/sites"
)

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
		x, y := objects(&c.r.Sites[a], benchmark), objects(&c.r.Sites[b], benchmark)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
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
