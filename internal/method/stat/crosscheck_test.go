package stat

import (
	"fmt"
	"math"
	"slices"
)

// A Summary holds what one comparison amounts to after N rounds, with the checks
// that a series of rounds should pass as Warnings: the tests use it to look at the
// method from several sides at once.
type Summary struct {
	N        int
	Median   float64  // of d, NaN when there is none
	HL       float64  // the Hodges–Lehmann estimate, the one to report
	CS       Interval // ConfidenceSequence at the level asked for
	T        Interval // TSequence at the same level, for cross-checking
	Warnings []error
}

// Summarize returns the summary of d at level alpha.
func Summarize(d []float64, alpha float64) Summary {
	s := Summary{N: len(d), Median: Median(d), HL: HodgesLehmann(d), CS: Whole(), T: Whole()}
	if err := Check(d); err != nil {
		s.Median = math.NaN()
		s.Warnings = []error{err}
		return s
	}
	s.CS, s.T = ConfidenceSequence(d, alpha), TSequence(d, alpha)
	warn := func(format string, args ...any) {
		s.Warnings = append(s.Warnings, fmt.Errorf(format, args...))
	}
	if least := MinRounds(alpha); s.N < least {
		warn("only %d rounds: nothing can be decided at α = %g before %d", s.N, alpha, least)
	}
	if half, changed := effectChanged(d, alpha, s.CS); changed {
		warn("the effect changed during the run: no constant fits both the first %d rounds and all %d", half, s.N)
	}
	if value, times := mostFrequent(d); 2*times > s.N && times < s.N {
		warn("%d of %d rounds differ by exactly %g: an exact metric, or a clock too coarse for it", times, s.N, value)
	}
	if r, doubtful := serialCorrelation(d); doubtful {
		warn("autocorrelated: lag-1 r = %.2f: the test of no difference stands, but the interval takes rounds to be "+
			"alike", r)
	}
	return s
}

// effectChanged reports whether the running intersection of the confidence
// sequence is empty, looking at n, n/2, n/4, … rounds (cheap, and at most alpha
// of constant effects are called changed whichever looks are taken), and the
// number of rounds at which it became so, going back. all is the interval at n.
func effectChanged(d []float64, alpha float64, all Interval) (rounds int, changed bool) {
	for n := len(d) / 2; n >= MinRounds(alpha); n /= 2 {
		if all = all.Intersect(ConfidenceSequence(d[:n], alpha)); all.IsEmpty() {
			return n, true
		}
	}
	return 0, false
}

// mostFrequent returns the value that d holds most often, the smallest of
// several, and how often.
func mostFrequent(d []float64) (value float64, times int) {
	sorted := slices.Sorted(slices.Values(d))
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		if to-from > times {
			value, times = sorted[from], to-from
		}
		from = to
	}
	return value, times
}

const (
	// serialLeast is the number of rounds from which the normal approximation to
	// a rank correlation serves at the 1% level.
	serialLeast = 20
	// serialZ is the 99.5% point of the normal distribution: one in a hundred
	// runs with independent rounds is doubted without cause.
	serialZ = 2.5758
)

// serialCorrelation returns the lag-1 correlation of the ranks of d, and whether
// it is too far from the −1/n of independent rounds for chance (Wald and
// Wolfowitz 1943; variance about 1/n). Ranks, because one outlier hides any
// correlation of the values.
func serialCorrelation(d []float64) (r float64, doubtful bool) {
	n := float64(len(d))
	ranks := midRanks(d)
	centre := (n + 1) / 2
	var cross, squares float64
	for i, rank := range ranks {
		squares += (rank - centre) * (rank - centre)
		if i > 0 {
			cross += (rank - centre) * (ranks[i-1] - centre)
		}
	}
	if squares == 0 {
		return 0, false
	}
	r = cross / squares
	return r, len(d) >= serialLeast && math.Abs(r+1/n) > serialZ/math.Sqrt(n)
}

// midRanks returns the ranks of d, from 1, ties sharing their mean rank.
func midRanks(d []float64) []float64 {
	sorted := slices.Sorted(slices.Values(d))
	ranks := make([]float64, len(d))
	for i, x := range d {
		below, _ := slices.BinarySearch(sorted, x)
		upTo, _ := slices.BinarySearchFunc(sorted, x, func(e, x float64) int {
			if e <= x {
				return -1
			}
			return 1
		})
		ranks[i] = float64(below+1+upTo) / 2
	}
	return ranks
}

// tStar is the squared t statistic at which the mixture is tightest.
const tStar = 20

// TSequence returns the Gaussian-mixture t confidence sequence for the mean of
// d, the cross-check of [ConfidenceSequence]. With c = t*/(−2 ln α + ln(1 − 2 ln α)),
// t* = 20, and k = ((n+c)/(c α²))^(1/n) its half-width around the mean is
//
//	s √( ((n−1)/n) (k−1) / (1 − k c/(n+c)) )
//
// where s is the sample standard deviation; it is infinite where the denominator
// is not positive, for fewer than two rounds, when alpha is outside (0, 1), and
// when [Check] refuses a value. It inverts the scale-invariant e-process
// √(c/(n+c)) · ((1 + t²/(n−1)) / (1 + c/(n+c) · t²/(n−1)))^(n/2) of Lai (1976);
// see Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for
// Gaussian means with unknown variance" (2023). Unlike the e-process of this
// package it assumes independent normal rounds.
func TSequence(d []float64, alpha float64) Interval {
	if len(d) < 2 || !(alpha > 0 && alpha < 1) || Check(d) != nil {
		return Whole()
	}
	factor := tFactor(len(d), alpha)
	if math.IsInf(factor, 1) {
		return Whole()
	}
	mean, sd := meanSD(d)
	return Interval{mean - factor*sd, mean + factor*sd}
}

// tFactor returns the half-width of [TSequence] in standard deviations.
func tFactor(n int, alpha float64) float64 {
	logAlpha := math.Log(alpha)
	c := tStar / (-2*logAlpha + math.Log(1-2*logAlpha))
	size := float64(n)
	k := math.Exp((math.Log((size+c)/c) - 2*logAlpha) / size)
	denominator := 1 - k*c/(size+c)
	if !(denominator > 0) {
		return math.Inf(1)
	}
	return math.Sqrt((size - 1) / size * (k - 1) / denominator)
}
