package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Discoveries selects among the p-values of many comparisons, so that of what it selects the share alpha at most is
// expected to be wrong, whatever the comparisons have to do with each other. p[i] is that of comparison i, at any look;
// a NaN counts and is never selected. level is that of the intervals of the selected.
//
// Up to four comparisons it is Bonferroni's: p ≤ α/m. For more it is e-BH (Wang and Ramdas, "False discovery rate control with
// e-values", JRSS B 84, 2022): the e-value of a comparison is what stakes at three levels return, half at α/2m, a quarter at
// α/16 and a quarter at α/4, each of which pays its inverse where p is no greater. With m of them, sorted, k is the
// largest number of which the k-th is m/(αk) or more. Benjamini and Yekutieli's procedure, which p-values
// of any dependence need otherwise, asks ln m times as much of one that stands alone.
func Discoveries(p []float64, alpha float64) (selected []bool, level float64) {
	selected = make([]bool, len(p))
	m := float64(len(p))
	if !(alpha > 0) || m == 0 {
		return selected, alpha
	}
	if len(p) <= fewComparisons {
		for i := range p {
			selected[i] = p[i] <= alpha/m
		}
		return selected, alpha / m
	}
	e := make([]float64, len(p))
	for i := range p {
		for _, s := range [][2]float64{{1. / 2, alpha / (2 * m)}, {1. / 4, alpha / 16}, {1. / 4, alpha / 4}} {
			if p[i] <= s[1] {
				e[i] += s[0] / s[1]
			}
		}
	}
	sorted := slices.Sorted(slices.Values(e))
	slices.Reverse(sorted)
	k := 0
	for i := range sorted {
		if sorted[i] >= m/(alpha*float64(i+1))*(1-1e-9) {
			k = i + 1
		}
	}
	if k == 0 {
		return selected, alpha / m
	}
	for i := range e {
		selected[i] = e[i] >= sorted[k-1]
	}
	return selected, alpha * float64(k) / m
}

// fewComparisons is the number up to which each is asked for its share of α.
const fewComparisons = 4

// ClopperPearson returns the exact two-sided 1 − alpha interval for a
// probability of which k successes were seen in n trials (Clopper and Pearson
// 1934). It is [0, 1] when n is 0, and both ends are NaN when k is outside 0..n
// or alpha outside (0, 1).
func ClopperPearson(k, n int, alpha float64) Interval {
	if k < 0 || k > n || !(alpha > 0 && alpha < 1) {
		return Interval{math.NaN(), math.NaN()}
	}
	iv := Interval{0, 1}
	if k > 0 {
		iv.Lo = mathext.InvRegIncBeta(float64(k), float64(n-k+1), alpha/2)
	}
	if k < n {
		iv.Hi = mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-alpha/2)
	}
	return iv
}
