package stat

import (
	"math"
	"slices"
)

const (
	// leastLag1 is the number of rounds from which the lag-1 autocorrelation says
	// anything: its correction divides by n − 3.
	leastLag1 = 5
	// lagSlack is the lag-1 autocorrelation that counts as none. Without it half of all
	// runs with independent rounds would pay for a correlation that they do not have.
	lagSlack = 0.03
	// mostLag1 bounds what is believed of an estimate, which near 1 says little: 0.95
	// gives 39 rounds for one.
	mostLag1 = 0.95
	// tauSlope is the τ that lag 1 stands for where part of the noise is independent
	// from round to round: r = 0.25 is what AR(0.5) of half the variance shows, and its
	// τ is 2 = 1 + 4·0.25. (1+r)/(1−r), right for a pure AR(1), gives 1.67.
	tauSlope = 4
	// poolWeight is the number of rounds that the other comparisons of a run can weigh
	// at most against a comparison's own: comparisons differ in their true
	// autocorrelation by about 1/√80 = 0.11. Of 223 ratios of a run of all studies, 8 rounds
	// each, lag 1 had a variance of 0.221; that of independent rounds is 0.209, so that
	// 0.012 = 0.11² is left.
	poolWeight = 80
	// farSpreads is the distance from θ, in robust standard deviations and √τ, from
	// which a sequence of rounds that wander cannot have come by chance; see
	// [DependentSequences].
	farSpreads = 4
)

// Lag1 returns the correlation of successive rounds of d, between −1 and 1. It is robust:
// each value is centred by the median, divided by 1.4826 MAD and cut at ±2.5, so that
// an outlier neither makes nor hides a correlation. The bias of short series, which is
// about −(1 + 3ρ)/n for n rounds with their own mean (Marriott and Pope 1954, Kendall
// 1954), is taken back; its standard error for independent rounds is about 1/√n.
// It is 0 for fewer than 5 rounds, for rounds that are all alike, and where [Check]
// refuses a value.
func Lag1(d []float64) float64 {
	n := float64(len(d))
	if len(d) < leastLag1 || Check(d) != nil {
		return 0
	}
	z := clipped(d)
	var cross, squares float64
	for i, x := range z {
		squares += x * x
		if i > 0 {
			cross += x * z[i-1]
		}
	}
	if squares == 0 {
		return 0
	}
	return max(-1, min((n*cross/squares+1)/(n-3), 1))
}

// clipped returns d, centred and scaled robustly, cut at ±2.5, with mean 0.
func clipped(d []float64) []float64 {
	centre, scale := centreScale(d)
	z := make([]float64, len(d))
	mean := 0.0
	for i, x := range d {
		z[i] = standardize(x-centre, scale)
		mean += z[i] / float64(len(d))
	}
	for i := range z {
		z[i] -= mean
	}
	return z
}

// centreScale returns the median of d and 1.4826 times the median absolute deviation.
func centreScale(d []float64) (centre, scale float64) {
	sorted := slices.Sorted(slices.Values(d))
	centre = middle(sorted)
	return centre, madScale * medianAbs(sorted, centre)
}

// A Pool holds what the comparisons of one run say together about how rounds depend on
// each other. One comparison of ten rounds hardly knows its own autocorrelation; twenty
// of them, measured on the same machine at the same time, know it well. The zero Pool
// knows nothing.
type Pool struct{ sum, rounds float64 }

// Add takes the rounds of one comparison.
func (p *Pool) Add(d []float64) {
	p.sum += float64(len(d)) * Lag1(d)
	p.rounds += float64(len(d))
}

// Tau estimates the autocorrelation time of d: how many of its rounds tell as much as one
// independent round would (1 + 2 Σ of the autocorrelations at all lags; Sokal 1997). It
// is 1 where the rounds look independent, and about 2 where half of the variance is
// AR(0.5), 3 for AR(0.5), 19 for AR(0.9).
//
// The lag-1 autocorrelation r of d and the mean over the others in the pool are weighed by
// their rounds, the others' by 80 at most; τ is the larger of 1 + 4r and (1+r)/(1−r).
// If d was added to the pool it is taken out of the others; the zero Pool leaves d
// alone, which a run of ten rounds pays for in errors and power (see docs/method.md).
func (p Pool) Tau(d []float64) float64 {
	n, r := float64(len(d)), Lag1(d)
	if others := p.rounds - n; others > 0 {
		mean := (p.sum - n*r) / others
		weight := 1 / (1.0/poolWeight + 1/others)
		r = (n*r + weight*mean) / (n + weight)
	}
	r = max(0, min(r-lagSlack, mostLag1))
	return max(1+tauSlope*r, (1+r)/(1-r))
}

// DependentSequences returns [ConfidenceSequences] where tau rounds count as one: the
// hulls of the values that the tempered e-process does not exclude. They contain those of
// independent rounds, and are not bounded where the rounds are too few for their τ and
// agree no better than rounds that wander do.
//
// A value more than 4√τ robust standard deviations away from the median of d is judged
// without tempering: rounds that wander give many of one sign, but not ones that agree
// among themselves so much better than with it. Without this a ratio of 7 with a
// noise of 5% would wait for the tenth round and more because of a correlation that
// makes no difference.
func DependentSequences(d []float64, tau float64, alphas ...float64) []Interval {
	if !(tau > 1) || len(d) == 0 || Check(d) != nil {
		return ConfidenceSequences(d, alphas...)
	}
	found := sequences(d, alphas, 1, tau)
	centre, scale := centreScale(d)
	far := farSpreads * math.Sqrt(tau) * scale
	out, tempered := found[0], found[1]
	for i, alone := range out {
		near := tempered[i]
		out[i] = Interval{max(near.Lo, min(alone.Lo, centre-far)), min(near.Hi, max(alone.Hi, centre+far))}
	}
	return out
}
