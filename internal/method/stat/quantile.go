package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The distributions that the package needs, by the regularized incomplete beta function (Abramowitz and
// Stegun, "Handbook of Mathematical Functions", 26.5.27 and 26.6.2). gonum's stat/distuv has them in the
// same form; with it come gonum's matrices and LAPACK, 2.5 MB of the program. A test holds the two together.

// student is Student's t distribution with so many degrees of freedom.
type student float64

// survival returns the probability of a value above x.
func (freedom student) survival(x float64) float64 {
	if x == 0 {
		return 0.5
	}
	n := float64(freedom)
	tail := 0.5 * mathext.RegIncBeta(n/2, 0.5, n/(x*x+n))
	if x < 0 {
		return 1 - tail
	}
	return tail
}

// upper returns the value that is exceeded with probability p, below one half.
func (freedom student) upper(p float64) float64 {
	n := float64(freedom)
	t := mathext.InvRegIncBeta(n/2, 0.5, 2*p)
	return math.Sqrt(n * (1 - t) / t)
}

// fSurvival returns the probability of a ratio above x of two mean squares with so many degrees of freedom.
func fSurvival(freedom, freedomBelow, x float64) float64 {
	return 1 - mathext.RegIncBeta(freedom/2, freedomBelow/2, freedom*x/(freedom*x+freedomBelow))
}

// StudentMean returns the mean of two values or more, and the half-width of its confidence interval by
// Student's t: of level 1 − alpha, if they are independent and normal.
func StudentMean(x []float64, alpha float64) (mean, half float64) {
	mean, sd := meanSD(x)
	n := float64(len(x))
	return mean, student(n-1).upper(alpha/2) * sd / math.Sqrt(n)
}
