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

// HodgesLehmann returns the one-sample Hodges–Lehmann estimate of the centre of
// d: the median of the n(n+1)/2 Walsh averages (d_i + d_j)/2 with i ≤ j. The
// result is exact, not iterated to a tolerance. It is NaN when d is empty or
// holds a value that [Check] refuses.
//
// The sums are never listed (200 million at n = 20,000). Their rank-k value is
// found by bisection over the float64s themselves, at most 64 halvings, each
// counting in O(n) how many sums are no larger. Float addition is monotone, so
// the count is exact for the rounded sums.
func HodgesLehmann(d []float64) float64 {
	n := len(d)
	if n == 0 || Check(d) != nil {
		return math.NaN()
	}
	x := slices.Sorted(slices.Values(d))
	sums := n * (n + 1) / 2
	rank := (sums + 1) / 2
	lower := rankedSum(x, rank)
	upper := lower
	if sums%2 == 0 && sumsUpTo(x, lower) == rank {
		upper = nextSum(x, lower)
	}
	return (lower + upper) / 4
}

// rankedSum returns the rank-th smallest (from 1) of x_i + x_j, i ≤ j, for an
// ascending x: the smallest float64 that has at least rank sums up to it.
func rankedSum(x []float64, rank int) float64 {
	lo, hi := orderedBits(2*x[0]), orderedBits(2*x[len(x)-1])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if sumsUpTo(x, fromOrderedBits(mid)) >= rank {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return fromOrderedBits(lo)
}

// sumsUpTo counts the pairs i ≤ j with x_i + x_j ≤ v, for an ascending x.
func sumsUpTo(x []float64, v float64) int {
	count, j := 0, len(x)-1
	for i := range x {
		for j >= i && x[i]+x[j] > v {
			j--
		}
		if j < i {
			break
		}
		count += j - i + 1
	}
	return count
}

// nextSum returns the smallest x_i + x_j above v, i ≤ j, or +Inf.
func nextSum(x []float64, v float64) float64 {
	next, j := math.Inf(1), len(x)-1
	for i := range x {
		for j >= i && x[i]+x[j] > v {
			j--
		}
		if first := max(i, j+1); first < len(x) {
			next = min(next, x[i]+x[first])
		}
	}
	return next
}

// orderedBits maps float64s to integers in the same order (−0 just below +0).
func orderedBits(f float64) uint64 {
	b := math.Float64bits(f)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func fromOrderedBits(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}
