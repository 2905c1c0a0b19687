package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestDistributionsAreThoseOfGonum(t *testing.T) {
	same := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
			t.Errorf("%s: %v, and gonum has %v", what, got, want)
		}
	}
	for _, n := range []float64{0.7, 1, 2, 3, 3.5, 10, 99, 1e4} {
		theirs := distuv.StudentsT{Sigma: 1, Nu: n}
		for _, p := range []float64{1e-9, 1e-4, 0.01, 0.025, 0.3, 0.49} {
			same("the quantile of t", student(n).upper(p), -theirs.Quantile(p))
		}
		for _, x := range []float64{-40, -1, -0.1, 0, 0.1, 1, 2.5, 40} {
			same("t above", student(n).survival(x), theirs.Survival(x))
		}
		for _, m := range []float64{1, 4, 200} {
			for _, x := range []float64{0, 0.1, 1, 3, 100} {
				same("F above", fSurvival(n, m, x), distuv.F{D1: n, D2: m}.Survival(x))
			}
		}
	}
}

func TestStudentMean(t *testing.T) {
	// Of 1 to 5 the standard deviation is 1.5811, and t(4, 0.975) 2.7764.
	mean, half := StudentMean([]float64{1, 2, 3, 4, 5}, 0.05)
	if mean != 3 || math.Abs(half-1.96324) > 1e-5 {
		t.Errorf("%v ± %v", mean, half)
	}
}
