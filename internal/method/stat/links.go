package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// leastPooled is the number of other comparisons from which a [Links] says anything.
	leastPooled = 5
	// commonP is the p-value from which a comparison's own links differ no more than those of
	// the others do, so that these count in full; below it they count as much less.
	commonP = 0.4
	// mostFreedom bounds the degrees of freedom that the others stand for.
	mostFreedom = 200
)

// Links holds what the comparisons of one run say together about how much the links differ.
// Four links know the variance between them with three degrees of freedom, and ask for
// 3.2 to 5 standard errors; a hundred comparisons, each with four, know together what is
// usual. The zero Links knows nothing.
//
// It is the moderated t statistic of Smyth ("Linear models and empirical Bayes methods for
// assessing differential expression", 2004), of the ratio F of the mean squares between and
// within links: ln F has a known mean and variance where links make no difference; what its
// mean is above that is how much they differ as a rule, and what its variance is above
// that is how much comparisons differ in this. As many degrees of freedom as that
// amounts to are lent to each comparison.
type Links struct{ n, mean, squares, noise, size float64 }

// Add takes the rounds of one comparison and their labels, as [LayoutInterval] does. Where no
// label has two rounds, or all rounds of each are alike, nothing is added.
func (l *Links) Add(d []float64, label []int) { l.count(newLayoutT(d, label), 1) }

// Without returns what the others say, where a comparison is among them.
func (l Links) Without(d []float64, label []int) Links {
	l.count(newLayoutT(d, label), -1)
	return l
}

// count adds a comparison, or with −1 takes it out.
func (l *Links) count(t layoutT, times float64) {
	if !(t.within > 0 && t.between > 0) {
		return
	}
	excess := math.Log(t.between/t.within) - logMeanSquare(t.freedom) + logMeanSquare(t.freedomWithin)
	l.n += times
	l.mean += times * excess
	l.squares += times * excess * excess
	l.noise += times * (trigamma(t.freedom/2) + trigamma(t.freedomWithin/2))
	l.size += times * t.size
}

// usual returns the variance between links that is usual, in variances within, and the
// degrees of freedom for which what comparisons have in common stands. The variance of ln F
// is taken one standard error above its estimate.
func (l Links) usual() (between, freedom float64) {
	if l.n < leastPooled {
		return 0, 0
	}
	mean := l.mean / l.n
	variance := max(0, (l.squares-l.n*mean*mean)/(l.n-1))
	differ := max(0, variance-l.noise/l.n) + variance*math.Sqrt(2/l.n)
	freedom = 2 * inverseTrigamma(differ)
	return max(0, math.Exp(mean-logMeanSquare(freedom))-1) / (l.size / l.n), freedom
}

// moderate returns t with what the other comparisons lend it. If t was added it is taken
// out of them. A comparison whose links differ much more than is usual is lent less.
func (l Links) moderate(t layoutT) layoutT {
	if !(t.within > 0) {
		return t
	}
	l.count(t, -1)
	between, lent := l.usual()
	if lent == 0 {
		return t
	}
	usual := t.within * (1 + t.size*between)
	f := distuv.F{D1: t.freedom, D2: t.freedomWithin}
	lent *= min(1, f.Survival(t.between/usual)/commonP)
	// What is usual is known from the comparison's own variance within its links.
	lent = lent * t.freedomWithin / (lent + t.freedomWithin)
	all := t.freedom + lent
	labels := t.freedom + 1
	t.se = math.Sqrt((t.freedom*t.between + lent*usual) / all / (labels * t.size))
	t.freedom = all
	return t
}

// Interval is [LayoutInterval] with what the other comparisons of the run lend.
//
// It errs in 5% over all comparisons of a run, looked at after every round, whether links
// matter in all of them alike, in none, or in half. Where they matter in one of ten, that
// one is taken for more usual than it is, and errs in about 7%, and the others in 3%.
func (l Links) Interval(d []float64, label []int, alpha float64) Interval {
	return l.moderate(newLayoutT(d, label)).interval(alpha)
}

// LogE is [LayoutLogE] with what the other comparisons of the run lend; see [Links.Interval].
func (l Links) LogE(d []float64, label []int, lo, hi float64) float64 {
	return l.moderate(newLayoutT(d, label)).logE(lo, hi)
}

// logMeanSquare is the mean of ln of a mean square of independent normal values with this
// many degrees of freedom, and variance 1.
func logMeanSquare(freedom float64) float64 {
	return mathext.Digamma(freedom/2) - math.Log(freedom/2)
}

// trigamma is the second derivative of ln Γ: the variance of ln of a mean square with 2x
// degrees of freedom.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma returns x with trigamma(x) = y, half of mostFreedom at most.
func inverseTrigamma(y float64) float64 {
	lo, hi := 1e-3, mostFreedom/2.0
	for range 60 {
		if mid := math.Sqrt(lo * hi); trigamma(mid) > y {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
