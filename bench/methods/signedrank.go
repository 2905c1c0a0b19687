package methods

import (
	"cmp"
	"math"
	"slices"
)

// exactRanks is the number of differences up to which the distribution of the signed
// ranks is computed exactly: n(n+1) probabilities, n times.
const exactRanks = 400

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test of d being
// symmetric about 0 (Wilcoxon 1945; Hollander, Wolfe and Chicken, Nonparametric
// Statistical Methods, 3rd ed. 2014, section 3.1). Zeros are left out, as Wilcoxon did;
// ties share the mean of their ranks, and the distribution is the exact one given the
// ties, up to 400 differences, and the normal one with continuity correction beyond.
// It is 1 where no difference is left.
func SignedRank(d []float64) float64 {
	ranks, sum := doubledRanks(d)
	n := len(ranks)
	if n == 0 {
		return 1
	}
	total := 0
	for _, r := range ranks {
		total += r
	}
	low := min(sum, total-sum)
	if n <= exactRanks {
		return min(1, 2*upTo(rankSums(ranks), low))
	}
	squares := 0.0
	for _, r := range ranks {
		squares += float64(r) * float64(r)
	}
	// Of the doubled sum: mean total/2, variance squares/4; half a rank is 1.
	z := (float64(low) + 1 - float64(total)/2) / math.Sqrt(squares/4)
	return min(1, math.Erfc(-z/math.Sqrt2))
}

// doubledRanks returns twice the rank of |d| of each difference but zeros, and the sum
// of those of the positive ones. Twice, because a rank that ties share may be a half.
func doubledRanks(d []float64) (ranks []int, positive int) {
	var left []float64
	for _, x := range d {
		if x != 0 {
			left = append(left, x)
		}
	}
	slices.SortFunc(left, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for i := 0; i < len(left); {
		j := i
		for j < len(left) && math.Abs(left[j]) == math.Abs(left[i]) {
			j++
		}
		for _, x := range left[i:j] {
			rank := i + 1 + j // twice the mean of the ranks i+1 to j
			ranks = append(ranks, rank)
			if x > 0 {
				positive += rank
			}
		}
		i = j
	}
	return ranks, positive
}

// rankSums returns the probability of each sum of a random half of the ranks: each is in
// it with probability 1/2.
func rankSums(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	p := make([]float64, total+1)
	p[0] = 1
	reached := 0
	for _, r := range ranks {
		reached += r
		for s := reached; s >= 0; s-- {
			p[s] /= 2
			if s >= r {
				p[s] += p[s-r] / 2
			}
		}
	}
	return p
}

func upTo(p []float64, last int) float64 {
	sum := 0.0
	for _, x := range p[:last+1] {
		sum += x
	}
	return sum
}

// SignedRankInterval returns the interval at level 1 − alpha of the centre of d that
// belongs to the test: from the k-th smallest to the k-th largest mean of two
// differences, each with itself among them (Tukey 1949). It is unbounded where there are
// too few differences for alpha. It is valid for one look.
func SignedRankInterval(d []float64, alpha float64) (lo, hi float64) {
	n := len(d)
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	k, below := 0, 0.0 // the largest k with P(sum of ranks ≤ k−1) ≤ α/2
	for s, p := range rankSums(ranks) {
		if s%2 != 0 {
			continue
		}
		if below += p; below > alpha/2 {
			break
		}
		k = s/2 + 1
	}
	if k == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	var means []float64
	for i, x := range d {
		for _, y := range d[i:] {
			means = append(means, (x+y)/2)
		}
	}
	slices.Sort(means)
	return means[k-1], means[len(means)-k]
}
