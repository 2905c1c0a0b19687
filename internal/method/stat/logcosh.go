package stat

import (
	"math"
	"sync"
)

const (
	clipAt    = 2.5 // |u| of a round at most; see standardize
	maxLambda = 2.5
)

// lambdas are the bets of the mixture, each made on both signs, but for its normal part.
var lambdas = [...]float64{0.3, 0.6, 1, 1.6, maxLambda}

// logCosh returns ln cosh x without overflow.
func logCosh(x float64) float64 {
	x = math.Abs(x)
	return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
}

// cells is the number of intervals of the table over 0 ≤ |u| ≤ clipAt. Its
// 4097 rows of five take 160 KiB, which a level-2 cache holds.
const cells = 4096

// A logCoshTable holds ln cosh(λu) for every λ of the mixture, one row per u,
// so that one index and one weight serve all five.
//
// Linear interpolation of f between points h apart errs by at most
// h² max|f″| / 8. Here f″ = λ² sech²(λu) ≤ λ² and h = 2.5/4096, so that the error
// of one term is at most tableError = 2.92e-7 (λ = 2.5), and far less for the
// small λ that decide long runs. f is convex: the table is never below f, E is
// never overstated, and the error probability never exceeds α for its sake.
type logCoshTable [cells + 1][len(lambdas)]float64

// tableError bounds table − ln cosh(λu); see [logCoshTable].
const tableError = (clipAt / cells) * (clipAt / cells) * maxLambda * maxLambda / 8

// table returns the table, computed at first use: its 20,000 logarithms take about a
// millisecond, which a command that analyses nothing does not spend.
var table = sync.OnceValue(func() *logCoshTable {
	t := new(logCoshTable)
	for i := range t {
		for k, lambda := range lambdas {
			t[i][k] = logCosh(lambda * clipAt * float64(i) / cells)
		}
	}
	return t
})

// add adds ln cosh(λu) to sum for every λ, for |u| ≤ clipAt.
func (t *logCoshTable) add(sum *[len(lambdas)]float64, u float64) {
	at := math.Abs(u) * (cells / clipAt)
	cell := min(int(at), cells-1)
	w := at - float64(cell)
	a, b := &t[cell], &t[cell+1]
	sum[0] += a[0] + w*(b[0]-a[0])
	sum[1] += a[1] + w*(b[1]-a[1])
	sum[2] += a[2] + w*(b[2]-a[2])
	sum[3] += a[3] + w*(b[3]-a[3])
	sum[4] += a[4] + w*(b[4]-a[4])
}
