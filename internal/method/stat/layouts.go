package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

const (
	// layoutClip is the distance from the median, in robust standard deviations, at which
	// rounds are cut before the rounds of a layout are averaged.
	layoutClip = 3
	// layoutLooks spreads α over the looks: the level of the t interval of layouts is
	// α · 6/n, n the rounds, 100 at most. Most false alarms of the e-process come early, when
	// it needs little; later ones come from layouts alone, and are held back.
	layoutLooks    = 6
	layoutLooksMax = 100
)

// byLabel returns the mean of the rounds of each label, in the order of first use, and
// how many rounds each has. Values are first cut at ±3 robust standard deviations
// around the median.
func byLabel(d []float64, label []int) (means []float64, rounds []int) {
	if len(d) == 0 {
		return nil, nil
	}
	centre, scale := centreScale(d)
	at := map[int]int{}
	for i, x := range d {
		k, known := at[label[i]]
		if !known {
			k = len(means)
			at[label[i]] = k
			means, rounds = append(means, 0), append(rounds, 0)
		}
		rounds[k]++
		x = max(centre-layoutClip*scale, min(x, centre+layoutClip*scale))
		means[k] += (x - means[k]) / float64(rounds[k])
	}
	return means, rounds
}

// Between returns the share of the variance of d that lies between the labels, and the
// p-value of there being none. label[i] names the layout of round i: the pair of links
// that its two sides ran, or the link that they shared.
//
// It is the one-way analysis of variance with random effects: σ²_b = (MSB − MSW)/n₀, 0 at
// least, n₀ = (n − Σ n_k²/n)/(K − 1), and the F test with K − 1 and n − K degrees of
// freedom (Searle, Casella and McCulloch, "Variance Components", 1992, section 3.6), on
// values cut at ±3 robust standard deviations. Both are NaN for fewer than two labels,
// where no label has two rounds, and where [Check] refuses a value.
func Between(d []float64, label []int) (share, p float64) {
	if len(d) != len(label) || Check(d) != nil {
		return math.NaN(), math.NaN()
	}
	means, rounds := byLabel(d, label)
	n, k := float64(len(d)), float64(len(means))
	if k < 2 || n <= k {
		return math.NaN(), math.NaN()
	}
	var mean, squares float64
	for i, m := range means {
		mean += m * float64(rounds[i]) / n
		squares += float64(rounds[i]) * float64(rounds[i])
	}
	between := 0.0
	for i, m := range means {
		between += float64(rounds[i]) * (m - mean) * (m - mean) / (k - 1)
	}
	within := max(0, (totalSquares(d, mean)-between*(k-1))/(n-k))
	if within <= 1e-24*between {
		within = 0 // each label has one value
	}
	if between == 0 {
		return 0, 1
	}
	variance := max(0, (between-within)/((n-squares/n)/(k-1)))
	share = variance / (variance + within)
	if within == 0 {
		return share, 0
	}
	return share, fSurvival(k-1, n-k, between/within)
}

// totalSquares sums the squared distances from mean of d, cut as byLabel does.
func totalSquares(d []float64, mean float64) float64 {
	centre, scale := centreScale(d)
	sum := 0.0
	for _, x := range d {
		x = max(centre-layoutClip*scale, min(x, centre+layoutClip*scale))
		sum += (x - mean) * (x - mean)
	}
	return sum
}

// A layoutT is the t statistic of the labels' means, of no use with freedom 0.
//
// Rounds of one layout share its effect however many they are, which the
// e-process does not know: with 4 layouts on either side, and as much spread between
// them as between processes, it errs in 46% of the comparisons by round 100.
//
// A value counts as excluded only where both exclude it: the interval to report is the
// [Interval.Hull] of the two. Then they err in 5.3% (see docs/method.md), and layouts
// that make no difference cost little, for the labels' means are then as narrow as the
// rounds. Layouts are taken to be drawn independently from normal effects. Two labels and
// more are needed; with fewer the interval is (−Inf, +Inf), and what was measured is
// that link alone.
type layoutT struct {
	mean, se, freedom, looks float64
	// between and within are the mean squares of one-way analysis of variance; within is 0
	// where no label has two rounds. size is how many rounds a label has (harmonic mean).
	between, within, freedomWithin, size float64
}

func newLayoutT(d []float64, label []int) (t layoutT) {
	if len(d) != len(label) || len(d) == 0 || Check(d) != nil {
		return t
	}
	means, rounds := byLabel(d, label)
	if len(means) < 2 {
		return t
	}
	mean, sd := meanSD(means)
	k := float64(len(means))
	looks := float64(min(max(len(d), layoutLooks), layoutLooksMax)) / layoutLooks
	t = layoutT{mean: mean, se: sd / math.Sqrt(k), freedom: k - 1, looks: looks}
	overall, inverse, apart := 0.0, 0.0, 0.0
	for i, m := range means {
		overall += m * float64(rounds[i]) / float64(len(d))
		inverse += 1 / float64(rounds[i]) / k
	}
	for i, m := range means {
		apart += float64(rounds[i]) * (m - overall) * (m - overall)
	}
	t.size = 1 / inverse
	t.between = t.size * sd * sd
	if t.freedomWithin = float64(len(d)) - k; t.freedomWithin > 0 {
		t.within = max(0, totalSquares(d, overall)-apart) / t.freedomWithin
	}
	if t.within <= 1e-24*t.between {
		t.within = 0 // each label has one value
	}
	return t
}

// interval returns the t interval of the effect, with one value for each label (the mean of its
// rounds) and as many degrees of freedom as there are labels less one. The level is alpha · 6/n for
// n rounds up to 100, so that it may be looked at after each.
func (t layoutT) interval(alpha float64) Interval {
	if t.freedom == 0 || !(alpha > 0 && alpha < 1) {
		return Whole()
	}
	half := t.se * student(t.freedom).upper(alpha/t.looks/2)
	return Interval{t.mean - half, t.mean + half}
}

// logE returns how strongly the labels' means speak against "the effect lies in
// [lo, hi]", on the scale of ln E: it is at least ln(1/α) where the interval at level
// α excludes the value lo = hi. For lo < hi, either of which may be infinite, the test
// is one-sided. The smaller of this and ln E decides. It is 0 where the means cannot say,
// and where there are fewer than two labels: what is decided then is decided for that
// link alone.
func (t layoutT) logE(lo, hi float64) float64 {
	if t.freedom == 0 || math.IsNaN(lo) || math.IsNaN(hi) || lo > hi {
		return 0
	}
	away := max(lo-t.mean, t.mean-hi)
	if away <= 0 {
		return 0
	}
	if t.se == 0 {
		return math.Inf(1)
	}
	p := student(t.freedom).survival(away / t.se)
	if lo == hi {
		p *= 2
	}
	return max(0, -math.Log(p*t.looks))
}

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

// Add takes the rounds of one comparison and their labels. Where no
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
	lent *= min(1, fSurvival(t.freedom, t.freedomWithin, t.between/usual)/commonP)
	// What is usual is known from the comparison's own variance within its links.
	lent = lent * t.freedomWithin / (lent + t.freedomWithin)
	all := t.freedom + lent
	labels := t.freedom + 1
	t.se = math.Sqrt((t.freedom*t.between + lent*usual) / all / (labels * t.size))
	t.freedom = all
	return t
}

// Interval is the interval of the labels' means with what the other comparisons of the run lend.
//
// It errs in 5% over all comparisons of a run, looked at after every round, whether links
// matter in all of them alike, in none, or in half. Where they matter in one of ten, that
// one is taken for more usual than it is, and errs in about 7%, and the others in 3%.
func (l Links) Interval(d []float64, label []int, alpha float64) Interval {
	return l.moderate(newLayoutT(d, label)).interval(alpha)
}

// LogE is that of the labels' means with what the other comparisons of the run lend; see [Links.Interval].
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
