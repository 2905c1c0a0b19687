package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// EBH is the e-BH procedure (Wang and Ramdas, "False discovery rate control with
// e-values", 2022). logE[i] is the natural logarithm of the stopped e-value of
// hypothesis i. With m of them, sorted descending, k is the largest number with
// E_(k) ≥ m/(alpha k), and the k largest are selected. The expected share of true
// nulls among the selected is at most alpha under any dependence. Intervals of
// the selected belong at level 1 − alpha·k/m. A NaN counts as a hypothesis (it is
// part of m) and is never selected.
func EBH(logE []float64, alpha float64) (selected []bool, k int) {
	selected = make([]bool, len(logE))
	if !(alpha > 0) {
		return selected, 0
	}
	sorted := make([]float64, 0, len(logE))
	for _, e := range logE {
		if !math.IsNaN(e) {
			sorted = append(sorted, e)
		}
	}
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	threshold := math.Inf(1)
	for i, e := range sorted {
		if need := math.Log(float64(len(logE)) / (alpha * float64(i+1))); e >= need {
			k, threshold = i+1, e
		}
	}
	for i, e := range logE {
		// Hypotheses with equal e-values are selected together: if k of them pass, k+1
		// do.
		selected[i] = k > 0 && e >= threshold
	}
	return selected, k
}

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
