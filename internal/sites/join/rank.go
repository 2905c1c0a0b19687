package join

import "slices"

// leastObjects is how many objects an operation makes at least of a benchmark that counts for the
// ranks: a buffer that grows once in a thousand operations is not what a package costs.
const leastObjects = 0.01

// counts reports whether a benchmark counts for the ranks. Where all allocate so little, all do.
func counts(b Benchmark, all []Benchmark) bool {
	much := func(b Benchmark) bool { return b.Bytes > 0 && b.Objects >= leastObjects }
	return much(b) || b.Bytes > 0 && !slices.ContainsFunc(all, much)
}

// rank computes by what the sites are ranked.
func (a *analysis) rank(all []*gathered) {
	benches := 0.0
	ran := a.report.Benchmarks
	for i, b := range ran {
		if !counts(b, ran) {
			continue
		}
		benches++
		for _, g := range all {
			if t := g.tallies[i]; t != nil {
				g.share += t.bytes / b.Bytes
			}
		}
	}
	for _, g := range all {
		if benches > 0 {
			g.share /= benches
		}
	}
}
