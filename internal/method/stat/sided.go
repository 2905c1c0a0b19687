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

// DependentLogEAgainst is [LogEAgainst] where tau rounds count as one, with tempered bets: where the whole of [lo, hi] is far from the data it is not tempered.
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

// everyLook is the number of rounds up to which every round is looked at again; from then
// on every twentieth part of the rounds.
const everyLook = 64

// Looks returns the numbers of rounds, ascending and up to n, at which it is asked whether
// something has been decided. What was decided at one of them stays decided: by Ville's
// inequality an e-process ever reaches 1/α with probability α at most, and to ask less
// often only costs power. n itself is always among them.
func Looks(n int) []int {
	var out []int
	for i := 1; i < n; {
		out = append(out, i)
		if i++; i > everyLook {
			i = max(i, (i-1)+(i-1)/20)
		}
	}
	if n > 0 {
		out = append(out, n)
	}
	return out
}

// AtMostLogEAgainst returns, for every number of rounds from 1 to len(d), a value that
// [LogEAgainst] of those rounds does not exceed: ln E at the finite ends of [lo, hi]. It
// costs little for all of them, so that the least over the whole interval is looked for
// only where the ends alone would decide. It is nil where neither end is finite and where
// [Check] refuses a value.
func AtMostLogEAgainst(d []float64, lo, hi float64) []float64 {
	var ends []*EProcess
	for _, end := range []float64{lo, hi} {
		if !math.IsInf(end, 0) {
			ends = append(ends, NewEProcess(end))
		}
	}
	if len(ends) == 0 || lo > hi || Check(d) != nil {
		return nil
	}
	out := make([]float64, len(d))
	for i, x := range d {
		out[i] = math.Inf(1)
		for _, p := range ends {
			p.Add(x)
			out[i] = min(out[i], p.mix.logAgainst(lo, hi, 1))
		}
	}
	return out
}

// UnanimousLogE returns ln of E after n rounds that all lie far on one side of what is tested,
// with bets on both sides: it passes 1/α at [MinRounds].
func UnanimousLogE(n int) float64 { return alike(n, 1/madScale).logE(1) }

// MinSidedRounds returns the smallest number of rounds after which a one-sided test at level
// alpha can decide: 6 at 0.05. It is math.MaxInt where alpha is not positive.
func MinSidedRounds(alpha float64) int {
	if !(alpha > 0) {
		return math.MaxInt
	}
	n := 1
	for alike(n, 1/madScale).logSided(1, 1) < -math.Log(alpha) { // as UnanimousLogE, with bets on one side
		n++
	}
	return n
}

// Growth estimates how much ln E grows in a round for an effect that lies z robust standard
// deviations of a round inside what is to be shown. It is 0.66 where the noise hardly matters
// (ln(1 + tanh(2.5/1.4826)), the best of the bets), and about z²/2 for a small z: with 1 it takes
// 14 rounds to a decision at 0.05, as in the simulation of METHOD. It serves to foretell,
// never to decide.
func Growth(z float64) float64 {
	const most, half = 0.66, 1.3 // z² at half of the most
	switch {
	case !(z > 0):
		return 0
	case math.IsInf(z, 1):
		return most
	}
	return most * z * z / (z*z + half)
}

// Spread returns the centre of d, its median, and its robust standard deviation: 1.4826 times the
// median absolute deviation. Both are NaN without values.
func Spread(d []float64) (centre, sd float64) {
	if len(d) == 0 || Check(d) != nil {
		return math.NaN(), math.NaN()
	}
	return centreScale(d)
}
