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
