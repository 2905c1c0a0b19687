package stat

import (
	"cmp"
	"math"
	"slices"
)

const (
	// exactTies is the number of figures of both samples together up to which orders with ties
	// are counted exactly.
	exactTies = 50
	// exactSizes is the size of the larger sample up to which orders without ties are.
	exactSizes = 50
)

// MannWhitney returns the two-sided p of the Mann–Whitney test that two samples come from one
// distribution (Mann and Whitney 1947): the share of the orders in which U is at least as far from
// its mean. It is exact for samples without ties of up to 50 figures each, and with ties for up to
// 50 together (Klotz 1966); else it is from the normal approximation with corrections for ties and
// continuity. It is 1 where all figures are equal, and NaN where a sample is empty or holds a NaN.
func MannWhitney(a, b []float64) float64 {
	m, n := len(a), len(b)
	if m == 0 || n == 0 || slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return math.NaN()
	}
	ranks, sum := doubleRanks(a, b)
	ties := tieTerm(ranks)
	// Twice U of the sample for which it is smaller.
	u := min(sum-m*(m+1), 2*m*n-(sum-m*(m+1)))
	switch {
	case ranks[0] == ranks[len(ranks)-1]:
		return 1
	case ties == 0 && max(m, n) <= exactSizes:
		return min(1, 2*orderShare(m, n, u/2))
	case ties > 0 && m+n <= exactTies:
		if u == m*n {
			return 1
		}
		most := u + min(m, n)*(min(m, n)+1)
		p := subsetShare(ranks, min(m, n), most)
		// The upper tail is the lower one of the ranks counted from above.
		slices.Reverse(ranks)
		for i := range ranks {
			ranks[i] = 2*(m+n+1) - ranks[i]
		}
		return min(1, p+subsetShare(ranks, min(m, n), most))
	}
	all := float64(m + n)
	sd := math.Sqrt(float64(m) * float64(n) / 12 * (all + 1 - ties/(all*(all-1))))
	z := (float64(m*n)/2 - float64(u)/2 - 0.5) / sd
	return min(1, math.Erfc(z/math.Sqrt2))
}

// doubleRanks returns twice the rank of each figure of both samples together, ascending, where
// those of a tie share the mean of their ranks; and the sum of those of a.
func doubleRanks(a, b []float64) (ranks []int, sumOfA int) {
	type figure struct {
		v   float64
		ofA bool
	}
	all := make([]figure, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, figure{v, true})
	}
	for _, v := range b {
		all = append(all, figure{v, false})
	}
	slices.SortFunc(all, func(x, y figure) int { return cmp.Compare(x.v, y.v) })
	ranks = make([]int, len(all))
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].v == all[i].v {
			end++
		}
		rank := i + 1 + end // twice the mean of i+1 to end
		for ; i < end; i++ {
			if ranks[i] = rank; all[i].ofA {
				sumOfA += rank
			}
		}
	}
	return ranks, sumOfA
}

// tieTerm returns the sum of t³ − t over the ties, each of t figures.
func tieTerm(ranks []int) float64 {
	sum := 0.0
	for i := 0; i < len(ranks); {
		end := i + 1
		for end < len(ranks) && ranks[end] == ranks[i] {
			end++
		}
		t := float64(end - i)
		sum += t*t*t - t
		i = end
	}
	return sum
}

// orderShare returns the share of the orders of two samples without ties in which U is u at most.
func orderShare(m, n, u int) float64 {
	if u >= m*n/2 && m*n%2 == 0 || u > m*n/2 {
		return 1
	}
	below, all := 0.0, 1.0
	for i := 1; i <= min(m, n); i++ {
		all = all * float64(max(m, n)+i) / float64(i)
	}
	for _, c := range orderCounts(min(m, n), max(m, n))[:u+1] {
		below += c
	}
	return below / all
}

// subsetShare returns the share of the subsets of m ranks, of ascending ones, with a sum of most at
// most.
func subsetShare(ranks []int, m, most int) float64 {
	counts := make([][]float64, m+1) // by size and sum
	for k := range counts {
		counts[k] = make([]float64, most+1)
	}
	counts[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, m); k > 0; k-- {
			room := most - r*(m-k+1) // those that are still to come are no smaller than r
			if room < 0 {
				break
			}
			for s, c := range counts[k-1][:room+1] {
				counts[k][r+s] += c
			}
		}
	}
	below, all := 0.0, 1.0
	for _, c := range counts[m] {
		below += c
	}
	for i := 1; i <= m; i++ {
		all = all * float64(len(ranks)-m+i) / float64(i)
	}
	return below / all
}

// BenjaminiHochberg reports which of some p-values stand when all are counted together, at a false
// discovery rate of alpha (Benjamini and Hochberg 1995): right for independent tests, and for
// those that depend on each other positively. A NaN is no test.
func BenjaminiHochberg(p []float64, alpha float64) []bool {
	var order []int
	for i, x := range p {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]bool, len(p))
	for k := len(order); k > 0; k-- {
		if p[order[k-1]] <= alpha*float64(k)/float64(len(order)) {
			for _, i := range order[:k] {
				out[i] = true
			}
			break
		}
	}
	return out
}

// Shift estimates how many times as large b is as a, two unpaired samples of positive
// figures, with an interval at level 1 − alpha.
//
// It works on logarithms: the estimate is exp of the two-sample Hodges–Lehmann shift,
// the median of all ln b_j − ln a_i (Hodges and Lehmann 1963), and the interval is that
// of the Mann–Whitney test, from the k-th smallest to the k-th largest of those
// differences (Moses' method: Hollander, Wolfe and Chicken, Nonparametric Statistical
// Methods, 3rd ed. 2014, section 4.3). Without ties it excludes 1 exactly where the
// two-sided test has p ≤ alpha; with ties it is conservative.
//
// The samples must be independent, and b distributed as a multiple of a. The interval is
// valid for one look at the data.
//
// The ratio is NaN when a sample is empty or holds a figure that is not positive and
// finite. The interval is [0, +Inf] when the samples are too small for alpha.
//
// The differences are never listed: a rank is found by bisection, 64 times O(n), so that
// samples of any size can be used in full.
func Shift(a, b []float64, alpha float64) (ratio float64, iv Interval) {
	iv = Interval{0, math.Inf(1)}
	x, y := sortedLogs(a), sortedLogs(b)
	if x == nil || y == nil {
		return math.NaN(), iv
	}
	pairs := len(x) * len(y)
	lower := rankedDifference(x, y, (pairs+1)/2)
	upper := lower
	if pairs%2 == 0 {
		upper = rankedDifference(x, y, pairs/2+1)
	}
	ratio = math.Exp((lower + upper) / 2)
	if k := criticalRank(len(x), len(y), alpha); k > 0 {
		iv.Lo = math.Exp(rankedDifference(x, y, k))
		iv.Hi = math.Exp(rankedDifference(x, y, pairs+1-k))
	}
	return ratio, iv
}

// sortedLogs returns the logarithms of v, ascending; nil when v is empty or holds a
// value without a logarithm.
func sortedLogs(v []float64) []float64 {
	var out []float64
	for _, x := range v {
		if !(x > 0) || math.IsInf(x, 1) {
			return nil
		}
		out = append(out, math.Log(x))
	}
	slices.Sort(out)
	return out
}

// rankedDifference returns the rank-th smallest (from 1) of y_j − x_i, for
// ascending x and y: the smallest float64 that has at least rank differences up
// to it.
func rankedDifference(x, y []float64, rank int) float64 {
	lo, hi := orderedBits(y[0]-x[len(x)-1]), orderedBits(y[len(y)-1]-x[0])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if differencesUpTo(x, y, fromOrderedBits(mid)) >= rank {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return fromOrderedBits(lo)
}

// differencesUpTo counts the pairs with y_j − x_i ≤ v, for ascending x and y.
func differencesUpTo(x, y []float64, v float64) int {
	count, j := 0, 0
	for _, s := range x {
		for j < len(y) && y[j]-s <= v {
			j++
		}
		count += j
	}
	return count
}

const (
	// exactSum is the number of orders of two samples up to which they are counted
	// exactly: all counts are then whole numbers that a float64 can represent.
	exactSum = 1 << 52
	// exactPairs bounds the length of the distribution of U.
	exactPairs = 10_000_000
)

// criticalRank returns the largest k with P(U ≤ k − 1) ≤ alpha/2, where U is the
// Mann–Whitney statistic of samples of m and n figures from one distribution: 0
// when there is none. It is exact where there are at most exactSum orders (up to
// 27 and 27), and from the normal approximation with continuity correction
// beyond, which errs by a rank or two to the safe side.
func criticalRank(m, n int, alpha float64) int {
	if !(alpha > 0 && alpha < 1) {
		return 0
	}
	m, n = min(m, n), max(m, n)
	orders := 1.0
	for i := 1; i <= m && orders <= exactSum; i++ {
		orders = orders * float64(n+i) / float64(i)
	}
	if orders > exactSum || m*n > exactPairs {
		mean, sd := float64(m)*float64(n)/2, math.Sqrt(float64(m)*float64(n)*float64(m+n+1)/12)
		z := math.Sqrt2 * math.Erfinv(alpha-1) // the alpha/2 quantile of the normal distribution
		return max(int(math.Floor(mean+0.5+sd*z)), 0)
	}
	below := 0.0
	for u, c := range orderCounts(m, n) {
		if below += c; below > alpha/2*orders {
			return u
		}
	}
	return m * n / 2
}

// orderCounts returns, for u up to mn/2, in how many orders of two samples
// without ties U is u: the coefficients of the Gaussian binomial
// Π (1 − q^(n+i)) / (1 − q^i), i from 1 to m (Mann and Whitney 1947).
func orderCounts(m, n int) []float64 {
	c := make([]float64, m*n/2+1)
	c[0] = 1
	for i := 1; i <= m; i++ {
		for u := len(c) - 1; u >= n+i; u-- {
			c[u] -= c[u-n-i]
		}
		for u := i; u < len(c); u++ {
			c[u] += c[u-i]
		}
	}
	return c
}
