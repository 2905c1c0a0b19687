package stat

import (
	"fmt"
	"math"
	"slices"
)

// maxUsable bounds what the package computes with: sums and differences of two
// values, times the farthest reach of a scan, still fit a float64.
const maxUsable = 1e150

// madScale makes the median absolute deviation of normal data estimate its standard
// deviation: 1/Φ⁻¹(3/4).
const madScale = 1.4826

// Check returns an error that names the first value of d that no statistic can
// use (NaN, infinite, or beyond ±1e150), and nil when there is none.
func Check(d []float64) error {
	for i, x := range d {
		if !(math.Abs(x) <= maxUsable) {
			return fmt.Errorf("round %d of %d: the difference is %v, which cannot be used: a sample is missing, "+
				"zero or damaged", i+1, len(d), x)
		}
	}
	return nil
}

// Median returns the middle value of x, or the mean of the two middle values.
// It is NaN when x is empty or holds a NaN. x is not modified.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Quantile returns the q-quantile of x, 0 ≤ q ≤ 1, by linear interpolation
// between order statistics (definition 7 of Hyndman and Fan 1996, the default
// of R and NumPy). It is NaN when x is empty or holds a NaN, or when q is
// outside [0, 1]. x is not modified.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 || !(q >= 0 && q <= 1) || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	whole, part := math.Modf(q * float64(len(x)-1))
	at := int(whole)
	// The equality keeps ties exact and infinities out of 0·Inf.
	if part == 0 || sorted[at] == sorted[at+1] {
		return sorted[at]
	}
	return (1-part)*sorted[at] + part*sorted[at+1]
}

// mergeSorted merges the ascending batch into the ascending slice sorted and
// returns the result, which may share sorted's array. Merging from the back
// makes a batch of one an insertion.
func mergeSorted(sorted, batch []float64) []float64 {
	i := len(sorted) - 1
	sorted = append(sorted, batch...)
	j := len(batch) - 1
	for at := len(sorted) - 1; j >= 0; at-- {
		if i >= 0 && sorted[i] > batch[j] {
			sorted[at] = sorted[i]
			i--
		} else {
			sorted[at] = batch[j]
			j--
		}
	}
	return sorted
}

// middle returns the median of an ascending, non-empty slice.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// medianAbs returns the median over x of |x − theta| for an ascending,
// non-empty x, bit for bit what sorting the distances would give, in O(log n):
// the h values nearest to theta are neighbours in x, so that only the start of
// that window is searched for.
func medianAbs(x []float64, theta float64) float64 {
	n := len(x)
	h := (n + 1) / 2
	lo, hi := 0, n-h
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if theta-x[mid] > x[mid+h]-theta {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	last := max(math.Abs(x[lo]-theta), math.Abs(x[lo+h-1]-theta))
	if n%2 == 1 {
		return last
	}
	next := math.Inf(1)
	if lo > 0 {
		next = math.Abs(x[lo-1] - theta)
	}
	if lo+h < n {
		next = min(next, math.Abs(x[lo+h]-theta))
	}
	return (last + next) / 2
}

// meanSD returns the mean and the sample standard deviation of at least two values. It
// makes two passes, because the differences may be tiny beside their mean. Equal values
// give exactly their value and 0.
func meanSD(d []float64) (mean, sd float64) {
	for _, x := range d {
		mean += (x - d[0]) / float64(len(d))
	}
	mean += d[0]
	var squares float64
	for _, x := range d {
		squares += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(squares / float64(len(d)-1))
}
