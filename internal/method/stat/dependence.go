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
	// from round to round: r = 0.25 is what AR(0.5) of half the variance shows, whose
	// τ is 2 = 1 + 4·0.25, where (1+r)/(1−r), right for a pure AR(1), gives 1.67. The rest is for
	// what short series hide: by simulation errors are then those of the table in docs/method.md.
	tauSlope = 5.5
	// poolWeight is the number of rounds that the other comparisons of a run can weigh
	// at most against a comparison's own: comparisons differ in their true
	// autocorrelation by about 1/√80 = 0.11. Of 223 ratios of a run of all studies, 8 rounds
	// each, lag 1 had a variance of 0.221; that of independent rounds is 0.209, so that
	// 0.012 = 0.11² is left.
	poolWeight = 80
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

// tau estimates the autocorrelation time of d: how many of its rounds tell as much as one
// independent round would (1 + 2 Σ of the autocorrelations at all lags; Sokal 1997). It
// is 1 where the rounds look independent, and about 2 where half of the variance is
// AR(0.5), 3 for AR(0.5), 19 for AR(0.9).
//
// The lag-1 autocorrelation r of d and the mean over the others of the pool are weighed by
// their rounds, the others' by 80 at most; τ is the larger of 1 + 4r and (1+r)/(1−r).
func (others Pool) tau(d []float64) float64 {
	n, r := float64(len(d)), Lag1(d)
	if others.rounds > 0 {
		mean := others.lags / others.rounds
		weight := 1 / (1.0/poolWeight + 1/others.rounds)
		r = (n*r + weight*mean) / (n + weight)
	}
	r = max(0, min(r-lagSlack, mostLag1))
	return max(1+tauSlope*r, (1+r)/(1-r))
}

// clipAt is the distance from the median, in robust standard deviations, at which a round is cut.
const clipAt = 2.5

// standardize returns a deviation in scales, cut at ±2.5. It is 0 for no deviation, and ±2.5 for any other where the scale
// is 0: where most rounds are the same.
func standardize(deviation, scale float64) float64 {
	switch {
	case deviation == 0:
		return 0
	case scale == 0:
		return math.Copysign(clipAt, deviation)
	}
	return max(-clipAt, min(deviation/scale, clipAt))
}

// Spread returns the centre of d, its median, and its robust standard deviation: 1.4826 times the
// median absolute deviation. Both are NaN without values.
func Spread(d []float64) (centre, sd float64) {
	if len(d) == 0 || Check(d) != nil {
		return math.NaN(), math.NaN()
	}
	return centreScale(d)
}
