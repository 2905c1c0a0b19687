package methods

import (
	"math"
	"slices"
	"sort"
)

// The limits of tango's rule: |z| and the change in percent (its --noise-threshold).
const (
	tangoZ     = 2.6
	tangoNoise = 1.0
)

// Tango reports whether tango would call two sides different, and with which sign, from
// pairs of times in nanoseconds per operation: 1 where the candidate is slower, −1 where
// it is faster, 0 for no difference.
//
// It is the rule of github.com/bazhenov/tango, tango-bench/src/lib.rs (functions
// calculate_run_result, DiffEstimate::build and iqr_variance_thresholds) at commit
// 4b00d95446ee: the mean difference is at least 2.6 standard errors from 0 and above 1%
// of the mean of the baseline; outliers are left out as with --filter-outliers.
//
// What is not tango here is the pair: tango runs the two programs at the same time or in
// slices of milliseconds, thousands of pairs of the same two processes. The pairs here
// are of fresh processes.
func Tango(baseline, candidate []float64) int {
	diff := make([]float64, len(baseline))
	for i := range diff {
		diff[i] = candidate[i] - baseline[i]
	}
	lo, hi, filter := tangoRange(diff)
	var kept, of []float64
	for i, d := range diff {
		if !filter || lo <= d && d <= hi {
			kept, of = append(kept, d), append(of, baseline[i])
		}
	}
	n := float64(len(kept))
	if n == 0 {
		return 0
	}
	mean, variance := moments(kept)
	base, _ := moments(of)
	z, percent := mean/(math.Sqrt(variance)/math.Sqrt(n)), mean/base*100
	switch {
	case !(math.Abs(z) >= tangoZ && math.Abs(percent) > tangoNoise):
		return 0
	case mean > 0:
		return 1
	}
	return -1
}

// moments returns the mean and the variance (n − 1; 0 for one figure).
func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / math.Max(float64(len(x)-1), 1)
	}
	return mean, variance
}

// tangoRange returns the range of the differences that count, and false where all do.
//
// The index of the upper threshold is counted from the upper quartile and compared with
// the length of all differences, as in the source: so as many of the largest are left
// out as there are outliers among the smallest, and none where those have no outlier.
func tangoRange(diff []float64) (lo, hi float64, filter bool) {
	const leastIQR = 1 // ns
	x := slices.Sorted(slices.Values(diff))
	n := len(x)
	q1, q3 := n/4, n*3/4-1
	if q1 >= q3 {
		return 0, 0, false
	}
	iqr := math.Max(x[q3]-x[q1], leastIQR)
	low := sort.SearchFloat64s(x[:q1], x[q1]-iqr*1.5)
	high := sort.SearchFloat64s(x[q3:], x[q3]+iqr*1.5)
	if low == 0 || high >= n {
		return 0, 0, false
	}
	out := min(low, n-high)
	return x[out], x[n-out-1], true
}
