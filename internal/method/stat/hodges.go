package stat

import (
	"math"
	"slices"
)

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
