package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// LeastKinds is the smallest number of machine kinds that can decide a claim about machine
// strength: the order of three comes about by chance in one of six permutations, that of
// four in one of 24, which is the first below 5%.
const LeastKinds = 4

const (
	// exactPermutations is the number of kinds up to which all orders are counted (9! is
	// 362,880); beyond, somePermutations of them are drawn.
	exactPermutations = 9
	somePermutations  = 100_000
)

// A Regression is a line through one figure for each kind of machine.
type Regression struct {
	Kinds            int
	Slope, Intercept float64
	Interval         Interval // of the slope, level 1 − alpha
	Between          float64  // standard deviation between kinds beyond the line and the errors
	P                float64  // of a slope as steep in the same direction, by permutation
	Decides          bool
	Why              string // Decides is false: what is missing ("3 kinds")

	line  line    // that the band is of
	alpha float64 // its level, and that of the interval
}

// Band returns the pointwise interval of the line at x, level 1 − alpha of the fit: the variance
// 1/Σw + (x − x̄)²·var(slope), with the factor and the quantile that the interval of the slope has.
// It is the whole line where nothing is decided.
func (r Regression) Band(x float64) Interval {
	if !r.Decides {
		return Whole()
	}
	off := x - r.line.meanX
	half := r.line.halfWidth(r.Kinds, r.alpha, 1/r.line.weight+off*off*r.line.variance)
	at := r.Intercept + r.Slope*x
	return Interval{at - half, at + half}
}

// Regress fits y = intercept + slope · x + u + e over machine kinds, one value for each:
// u is what is particular to the kind (normal, of unknown variance τ²), e the error of
// measurement with the known variance v (zero where y is exact). Machines of one kind are
// one value: their mean. Logarithms of strength and of the ratio are the usual x and y.
//
// The interval is that of Knapp and Hartung ("Improved tests for a random effects
// meta-regression with a single covariate", Statistics in Medicine 22, 2003): the
// variance of the slope is multiplied by q = Σ w (y − ŷ)² / (k − 2), w = 1/(v + τ²), and
// the quantile is that of t with k − 2 degrees of freedom. It is modified after Röver,
// Knapp and Friede (BMC Medical Research Methodology 15, 2015): max(1, q) in place of
// q, because few kinds agree by chance so well that q, and with it the interval, becomes
// much too small. τ² is that of Paule and Mandel (1982): the one for which q is 1, or 0.
//
// P is one-sided, for a claim that states its direction beforehand, and assumes only that
// the kinds would be exchangeable if x had no influence: the share of the orders of x with
// a slope as far in the direction of the one found (weights 1/(v + τ²) of the fit without
// a slope). It counts all orders up to 9 kinds, and 100,000 random ones from a fixed
// seed beyond.
//
// Nothing is decided with fewer than [LeastKinds] kinds, where x does not vary, and where
// [Check] refuses a value or a variance is negative.
func Regress(x, y, v []float64, alpha float64) Regression {
	r := Regression{Kinds: len(x), Interval: Whole(), Slope: math.NaN(), Intercept: math.NaN(), Between: math.NaN(),
		P: math.NaN()}
	switch {
	case len(y) != len(x) || len(v) != len(x):
		r.Why = fmt.Sprintf("%d, %d and %d values", len(x), len(y), len(v))
	case Check(slices.Concat(x, y)) != nil || !counts(v):
		r.Why = "a figure that cannot be used"
	case len(x) < 2 || slices.Min(x) == slices.Max(x):
		r.Why = "kinds of one strength"
		if len(x) < 2 {
			r.Why = kinds(len(x))
		}
	default:
		r.fit(x, y, v, alpha)
	}
	return r
}

func kinds(n int) string {
	if n == 1 {
		return "1 kind"
	}
	return fmt.Sprintf("%d kinds", n)
}

func (r *Regression) fit(x, y, v []float64, alpha float64) {
	tau2 := 0.0
	if len(x) > 2 {
		tau2 = PauleMandel(v, func(w []float64) (sum float64, freedom int) {
			return fitLine(x, y, w).squares, len(x) - 2
		})
	}
	w := weights(v, tau2)
	line := fitLine(x, y, w)
	r.Slope, r.Intercept, r.Between = line.slope, line.intercept, math.Sqrt(tau2)
	if len(x) < LeastKinds {
		r.Why = kinds(len(x))
		return
	}
	r.line, r.alpha = line, alpha
	r.P = permutationP(x, y, v)
	if alpha > 0 && alpha < 1 {
		r.Interval, r.Decides = knappHartung(line, len(x), alpha), true
	}
}

// knappHartung returns the modified interval of the slope of k kinds.
func knappHartung(l line, k int, alpha float64) Interval {
	half := l.halfWidth(k, alpha, l.variance)
	return Interval{l.slope - half, l.slope + half}
}

// halfWidth returns the half-width of the interval of something that the line of k kinds gives with a
// variance.
func (l line) halfWidth(k int, alpha, variance float64) float64 {
	freedom := float64(k - 2)
	q := max(1, l.squares/freedom)
	return math.Sqrt(q*variance) * student(freedom).upper(alpha/2)
}

// A line is a weighted least-squares fit.
type line struct {
	slope, intercept float64
	variance         float64 // of the slope, where the weights are 1/variance
	meanX, weight    float64 // weighted mean of x, sum of the weights
	squares          float64 // Σ w (y − ŷ)²
}

func fitLine(x, y, w []float64) line {
	mx, my := weightedMean(x, w), weightedMean(y, w)
	var xx, xy float64
	for i := range x {
		xx += w[i] * (x[i] - mx) * (x[i] - mx)
		xy += w[i] * (x[i] - mx) * (y[i] - my)
	}
	l := line{slope: xy / xx, variance: 1 / xx, meanX: mx}
	for i := range w {
		l.weight += w[i]
	}
	l.intercept = my - l.slope*mx
	for i := range x {
		rest := y[i] - my - l.slope*(x[i]-mx)
		l.squares += w[i] * rest * rest
	}
	return l
}

func weightedMean(x, w []float64) float64 {
	sum, all := 0.0, 0.0
	for i := range x {
		sum, all = sum+w[i]*x[i], all+w[i]
	}
	return sum / all
}

// leastVariance keeps weights finite where there is neither an error nor a spread between
// kinds.
const leastVariance = 1e-24

func weights(v []float64, tau2 float64) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = 1 / max(v[i]+tau2, leastVariance)
	}
	return w
}

// PauleMandel returns the τ² for which the weighted sum of squares is what its degrees of
// freedom make it on average, 0 where it is smaller without any (Paule and Mandel 1982). The
// weights are 1/(v + τ²), and the sum falls as τ² grows.
func PauleMandel(v []float64, squares func(w []float64) (sum float64, freedom int)) float64 {
	tooLarge := func(tau2 float64) bool {
		sum, freedom := squares(weights(v, tau2))
		return sum > float64(freedom)
	}
	if !tooLarge(0) {
		return 0
	}
	lo, hi := 0.0, leastVariance
	for tooLarge(hi) {
		lo, hi = hi, 4*hi
	}
	for range 60 {
		if mid := lo + (hi-lo)/2; tooLarge(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// permutationP returns the share of the orders of x whose slope is at least as far from 0,
// in the same direction, as that of the order given.
func permutationP(x, y, v []float64) float64 {
	tau2 := PauleMandel(v, func(w []float64) (sum float64, freedom int) {
		mean := weightedMean(y, w)
		for i := range y {
			sum += w[i] * (y[i] - mean) * (y[i] - mean)
		}
		return sum, len(y) - 1
	})
	w := weights(v, tau2)
	found := fitLine(x, y, w).slope
	var as, all float64
	visit := func(order []float64) {
		all++
		// Orders that differ only in rounding count as alike.
		if slope := fitLine(order, y, w).slope; slope*math.Copysign(1, found) >= math.Abs(found)*(1-1e-9) {
			as++
		}
	}
	order := slices.Clone(x)
	if len(x) <= exactPermutations {
		permute(order, len(order), visit)
		return as / all
	}
	visit(order)
	rng := rand.New(rand.NewPCG(uint64(len(x)), 0x9e37))
	for range somePermutations - 1 {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		visit(order)
	}
	return as / all
}

// permute calls visit with each order of the first n values of x (Heap 1963).
func permute(x []float64, n int, visit func([]float64)) {
	if n <= 1 {
		visit(x)
		return
	}
	for i := range n {
		permute(x, n-1, visit)
		if i == n-1 {
			return
		}
		if n%2 == 0 {
			x[i], x[n-1] = x[n-1], x[i]
		} else {
			x[0], x[n-1] = x[n-1], x[0]
		}
	}
}
