package stat

import (
	"cmp"
	"math"
	"slices"
)

// ConfidenceSequence returns the 1 − alpha confidence sequence at n = len(d)
// rounds: the hull of {θ : E_n(θ) < 1/alpha}. It may be asked after every round
// and still errs with probability at most alpha in all, at θ = 0 for identical
// arms whatever the noise, elsewhere if d is symmetric about θ.
//
// It is (−Inf, +Inf) before [MinRounds] rounds and when [Check] refuses a value,
// and one point when all values are equal. It is [Empty] when no θ is accepted,
// which hardly happens at one n: some θ always balances the signs. It is the
// intersection over rounds that becomes empty when the effect is not constant.
// The width does not tend to 0: a bet of λ gains nothing from a deviation below
// about λ/2, so that half of it stays near 0.075 s for the smallest λ, 0.15.
// The ends are found by a scan and then bisected to 1e-4 of the width, rounded
// outward. The scan is a grid (see grid.go), so that a sliver of accepted θ
// beyond the ends, narrower than the grid, can be missed.
func ConfidenceSequence(d []float64, alpha float64) Interval {
	return ConfidenceSequences(d, alpha)[0]
}

// ConfidenceSequences returns [ConfidenceSequence] at several levels for little
// more than the cost of one. A smaller alpha gives an interval that contains
// that of a larger one.
func ConfidenceSequences(d []float64, alphas ...float64) []Interval {
	out := make([]Interval, len(alphas))
	smallest := math.Inf(1)
	for i, alpha := range alphas {
		out[i] = Whole()
		if alpha > 0 && len(d) >= MinRounds(alpha) {
			smallest = min(smallest, alpha)
		}
	}
	if math.IsInf(smallest, 1) || Check(d) != nil {
		return out
	}
	s := newScan(d, smallest)
	for i, alpha := range alphas {
		if alpha >= smallest {
			out[i] = s.hull(alpha)
		}
	}
	return out
}

// A scan holds ln E_n at ascending values of θ, from one that the smallest alpha
// asked for excludes to another.
type scan struct {
	rounds *rounds
	at     []scanned
}

type scanned struct{ theta, logE float64 }

func newScan(d []float64, alpha float64) *scan {
	s := &scan{rounds: newRounds(d)}
	for _, theta := range scanGrid(d, slices.Sorted(slices.Values(d)), alpha) {
		s.at = append(s.at, scanned{theta, s.rounds.logE(theta)})
	}
	// The accepted set may lie between two grid points. Its deepest point is searched
	// near the lowest E found; two passes of 8 narrow a gap 81-fold.
	for range 2 {
		s.refine(8)
	}
	return s
}

// refine adds points more values of θ on either side of the lowest E.
func (s *scan) refine(points int) {
	low := 0
	for i := range s.at {
		if s.at[i].logE < s.at[low].logE {
			low = i
		}
	}
	var more []scanned
	for i := max(low-1, 0); i < min(low+1, len(s.at)-1); i++ {
		from, to := s.at[i].theta, s.at[i+1].theta
		for j := 1; j <= points; j++ {
			theta := from + (to-from)*float64(j)/float64(points+1)
			more = append(more, scanned{theta, s.rounds.logE(theta)})
		}
	}
	s.at = append(s.at, more...)
	slices.SortFunc(s.at, func(a, b scanned) int { return cmp.Compare(a.theta, b.theta) })
}

// hull returns the smallest interval around {θ : E_n(θ) < 1/alpha}.
func (s *scan) hull(alpha float64) Interval {
	limit := -math.Log(alpha)
	accepted := func(p scanned) bool { return p.logE < limit }
	first := slices.IndexFunc(s.at, accepted)
	if first < 0 {
		return Empty()
	}
	last := len(s.at) - 1
	for !accepted(s.at[last]) {
		last--
	}
	// The grid ends outside the accepted set, except where all values are equal:
	// then it is that one value, the edges meet there, and so does the interval.
	lo := edge{in: s.at[first].theta, out: s.at[max(first-1, 0)].theta}
	hi := edge{in: s.at[last].theta, out: s.at[min(last+1, len(s.at)-1)].theta}
	least := 1e-12 * (s.at[len(s.at)-1].theta - s.at[0].theta)
	for !lo.done || !hi.done {
		width := hi.in - lo.in
		for _, e := range []*edge{&lo, &hi} {
			if !e.done {
				e.halve(width, least, func(theta float64) bool { return s.rounds.logE(theta) < limit })
			}
		}
	}
	return Interval{lo.end(), hi.end()}
}

// An edge is an end of the accepted set, between a value inside and one outside.
type edge struct {
	in, out float64
	moved   bool // in is no longer the grid point that it was
	done    bool
}

// halve bisects once, and reports whether in and out are within 1e-4 of width. While in
// has not moved it goes on to least: E jumps at d_1 and where most rounds are tied, and
// an end found there is that value exactly.
func (e *edge) halve(width, least float64, accepted func(float64) bool) {
	mid := e.in + (e.out-e.in)/2
	tolerance := least
	if e.moved {
		tolerance = 1e-4 * width
	}
	if math.Abs(e.out-e.in) <= tolerance || mid == e.in || mid == e.out {
		e.done = true
		return
	}
	if accepted(mid) {
		e.in, e.moved = mid, true
	} else {
		e.out = mid
	}
}

// end returns the outer side, or the grid point itself where E jumps at it.
func (e *edge) end() float64 {
	if e.moved {
		return e.out
	}
	return e.in
}
