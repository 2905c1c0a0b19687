package stat

import (
	"math"
	"slices"
)

// sidedSteps is how often the distance from the data doubles, from 1/8 of their spread on.
const sidedSteps = 16

// LogEAgainst returns ln of an e-value against "the effect lies in [lo, hi]", after the
// rounds of d. Either end may be infinite: against "at most hi" only bets on more than θ
// are made, against "at least lo" only bets on less, and against an interval (or one
// value, lo = hi) half of the stake on each. The e-value is the least over all θ in [lo, hi]:
// for the true one it is at most an e-process that starts at 1, under the assumptions of
// [LogE], so that it ever reaches 1/α with probability α at most.
//
// The least is looked for at the ends, at the data between them and halfway between data
// (of quantiles, where the data are many), beside the values where E jumps, and at
// distances from the data that double up to 2^12 spreads.
//
// It is 0 when nothing can be said: no round, an interval that holds everything, or lo > hi;
// and NaN when [Check] refuses a value or an end is NaN.
func LogEAgainst(d []float64, lo, hi float64) float64 { return leastAgainst(d, lo, hi, 1) }

// leastAgainst is [LogEAgainst] where tau rounds count as one.
func leastAgainst(d []float64, lo, hi, tau float64) float64 {
	switch {
	case math.IsNaN(lo) || math.IsNaN(hi) || Check(d) != nil:
		return math.NaN()
	case len(d) == 0 || lo > hi || math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return 0
	case math.IsInf(lo, 1) || math.IsInf(hi, -1):
		return 0 // no value of an effect is infinite
	}
	r, least := newRounds(d), math.Inf(1)
	for _, theta := range allowedGrid(d, lo, hi) {
		least = min(least, r.mixture(theta).logAgainst(lo, hi, tau))
	}
	return least
}

// DependentLogEAgainst is [LogEAgainst] where tau rounds count as one, as [DependentLogE] is
// [LogE]: where the whole of [lo, hi] is far from the data it is not tempered.
func DependentLogEAgainst(d []float64, lo, hi, tau float64) float64 {
	if !(tau > 1) || len(d) == 0 || Check(d) != nil {
		return LogEAgainst(d, lo, hi)
	}
	centre, scale := centreScale(d)
	if max(lo-centre, centre-hi) >= farSpreads*math.Sqrt(tau)*scale {
		return LogEAgainst(d, lo, hi)
	}
	return leastAgainst(d, lo, hi, tau)
}

// allowedGrid returns the values in [lo, hi] at which the least E is looked for.
func allowedGrid(d []float64, lo, hi float64) []float64 {
	sorted := slices.Sorted(slices.Values(d))
	n := len(sorted)
	spread := sorted[n-1] - sorted[0]
	var grid []float64
	take := func(theta float64) {
		if lo <= theta && theta <= hi {
			grid = append(grid, theta)
		}
	}
	for _, end := range []float64{lo, hi} {
		if !math.IsInf(end, 0) {
			take(end)
		}
	}
	for _, x := range jumps(d) {
		take(x - beside*spread)
		take(x)
		take(x + beside*spread)
	}
	knots := min(n, max(gridBudget/n, gridLeast), gridMost)
	for i := range knots {
		x := sorted[at(i, knots, n)]
		take(x)
		if i+1 < knots {
			take(x + (sorted[at(i+1, knots, n)]-x)/2)
		}
	}
	// Outside the data E⁺ and E⁻ hardly change, but they do.
	for step := range sidedSteps {
		far := spread * reachOf(2*step)
		take(sorted[0] - far)
		take(sorted[n-1] + far)
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}
