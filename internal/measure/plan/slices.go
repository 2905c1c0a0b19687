package plan

import (
	"math"
	"slices"
	"time"
)

// The lengths of the slices of samples whose processes take turns; docs/decisions/0009-slices.md
// says how they were chosen.
const (
	// MostSlices is how many slices a sample has at most, and LeastSlices at least: a robust
	// centre of fewer is none.
	MostSlices  = 30
	LeastSlices = 8
	// leastSlice is the least loop time of a slice. Between two slices stand a pass with N = 1
	// and two collections, which take half a millisecond.
	leastSlice = 2 * time.Millisecond
	// sliceCycles is how many cycles of the collector a slice holds, where there are any: with
	// fewer, the slices without the last one would be told from those with it, and a robust
	// centre would choose between them.
	sliceCycles = 2
	// longestSlice is the loop time beyond which slices are as long as samples.
	longestSlice = 40 * time.Millisecond
	// sliceShare is the part of a sample's loop time that all of its slices take together: they
	// tell more in it than a sample of a process that runs alone.
	sliceShare = 0.5
	// mostTurns is how many processes take turns at most: all of them are in memory at once.
	mostTurns = 8
)

// Slices returns how many slices a sample of a case has and how many iterations each of them
// runs. cycles are those of the collector in an operation, where it runs at all, else 0. It is
// not ok for a case that is better measured by processes that run alone.
func (p *Plan) Slices(c Case, cycles float64) (n int64, slices int, ok bool) {
	most := p.Options.Slices
	if most < LeastSlices || c.Estimate <= 0 || !takesTurns(p, c) {
		return 0, 0, false
	}
	whole := p.SampleOf(c.Suite).Seconds() * sliceShare
	slice := max(leastSlice.Seconds(), whole/float64(most))
	if cycles > 0 {
		slice = max(slice, sliceCycles/cycles*c.Estimate)
	}
	n = int64(math.Ceil(slice / c.Estimate))
	slice = float64(n) * c.Estimate
	slices = min(max(int(math.Round(whole/slice)), LeastSlices), most)
	return n, slices, n >= 2 && slice <= max(longestSlice.Seconds(), whole/float64(most))
}

// TakesTurns reports whether samples of some case may be taken in turns.
func (p *Plan) TakesTurns() bool {
	return p.Options.Slices > 0 && slices.ContainsFunc(p.Cases, func(c Case) bool { return takesTurns(p, c) })
}

// takesTurns reports whether samples of a case may be taken in turns: those of a Go benchmark
// that runs with two configurations or more.
func takesTurns(p *Plan, c Case) bool {
	n := inRound(p, c.Suite)
	return p.Kind(c) == GoTest && n >= 2 && n < mostTurns
}
