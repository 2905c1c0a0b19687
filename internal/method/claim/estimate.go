package claim

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// Estimate estimates a case's own figure. Its interval assumes rounds that
// scatter symmetrically about a fixed centre.
func (d *Data) Estimate(s *series.Series, unit string) Estimate {
	return d.about(subject{s, nil, unit})
}

// Ratio estimates the ratio of two cases, paired by round.
func (d *Data) Ratio(num, den *series.Series, unit string) Estimate {
	return d.about(subject{num, den, unit})
}

// about returns the estimate of x at level 1 − α. The same subject stands in
// several claims, tables and lists, and costs 40 ms at 17,000 rounds: it is
// estimated once, for as long as d lives.
func (d *Data) about(x subject) Estimate {
	return once(&d.known, x, func() Estimate { return d.withMedians(x, d.estimate(x)) })
}

// once returns what was found for a key, which is found the first time that it is asked for.
func once[K comparable, V any](known *map[K]V, key K, find func() V) V {
	v, ok := (*known)[key]
	if !ok {
		if *known == nil {
			*known = map[K]V{}
		}
		v = find()
		(*known)[key] = v
	}
	return v
}

// withMedians adds the medians to an estimate.
func (d *Data) withMedians(x subject, e Estimate) Estimate {
	if e.Rounds > 0 {
		e.Medians = medianOf(d, x.num, x.unit)
		if x.den != nil {
			e.Medians /= medianOf(d, x.den, x.unit)
		}
	}
	return e
}

// medianOf is the median of a case's figures in the rounds that count.
func medianOf(d *Data, c *series.Series, unit string) float64 {
	return once(&d.medians, subject{c, nil, unit}, func() float64 { return stat.Median(d.values(c, unit)) })
}

// strict returns the confidence sequence of a subject at level 1 − alpha.
func (d *Data) strict(x subject, alpha float64) stat.Interval {
	return once(&d.levels, level{x, alpha}, func() stat.Interval {
		if a, b, zeros := countsWithZeros(d, x); zeros {
			_, iv := stat.RatioOfSums(a, b, alpha)
			return iv
		}
		if values, zeros := withZeros(d, x); zeros {
			return stat.ConfidenceSequence(values, alpha)
		}
		return expInterval(d.basis(x).interval(alpha))
	})
}

// EstimateCases estimates every case's time at once, on all CPUs. What it finds
// is what Estimate then returns.
func (d *Data) EstimateCases() {
	var xs []subject
	for _, c := range d.Cases {
		xs = append(xs, subject{c, nil, "sec/op"})
	}
	d.prepare(xs)
}

// prepare estimates what is not known yet, on all CPUs.
func (d *Data) prepare(xs []subject) {
	var todo []subject
	seen := map[subject]bool{}
	for _, x := range xs {
		if _, ok := d.known[x]; !ok && !seen[x] {
			seen[x] = true
			todo = append(todo, x)
		}
	}
	found := make([]Estimate, len(todo))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(todo)); i = next.Add(1) - 1 {
				found[i] = d.estimate(todo[i])
			}
		})
	}
	workers.Wait()
	for i, x := range todo {
		once(&d.known, x, func() Estimate { return d.withMedians(x, found[i]) })
	}
}

// estimate estimates all but the medians.
func (d *Data) estimate(x subject) Estimate {
	about := d.basis(x)
	if a, b, zeros := countsWithZeros(d, x); zeros {
		e := about.about
		e.Centre, e.Interval = stat.RatioOfSums(a, b, d.Alpha)
		e.Rounds, e.zeros = len(a), true
		return e
	}
	if values, zeros := withZeros(d, x); zeros {
		e := about.about
		e.Centre, e.Interval = stat.HodgesLehmann(values), stat.ConfidenceSequence(values, d.Alpha)
		e.Rounds, e.zeros = len(values), true
		return e
	}
	return estimateOf(d, about)
}

// figure returns the estimate of a subject for its verdict: with Terse without its interval,
// where the verdict does not rest on it.
func (d *Data) figure(x subject) Estimate {
	_, _, counts := countsWithZeros(d, x)
	_, zeros := withZeros(d, x)
	if !d.Terse || d.Single || counts || zeros {
		return d.about(x)
	}
	b := d.basis(x)
	e := b.about
	e.Interval = stat.Whole()
	if len(b.each) > 0 {
		e.Centre = math.Exp(stat.HodgesLehmann(b.each))
	}
	return e
}

// withZeros are the figures of a subject that is 0 in some rounds, as the share of
// something rare: it has no logarithm there, and is estimated as it stands. What is 0 in
// all is constant.
func withZeros(d *Data, x subject) ([]float64, bool) {
	if x.den != nil || d.Single || x.unit == "sec/op" { // a time of 0 is none
		return nil, false
	}
	values := d.values(x.num, x.unit)
	return values, slices.Contains(values, 0) && slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

// countsWithZeros are the figures of the two sides of a ratio of counts one of which is 0
// in some rounds. Those rounds count like others: what happens twice as often is more
// often not 0, so that to drop them would make the sides alike.
func countsWithZeros(d *Data, x subject) (a, b []float64, zeros bool) {
	if x.den == nil || d.Single || strings.Contains(x.unit, "sec") {
		return nil, nil, false
	}
	a, b = d.Set.Counts(x.num, x.den, x.unit)
	some := func(v []float64) bool { return slices.ContainsFunc(v, func(x float64) bool { return x > 0 }) }
	return a, b, (slices.Contains(a, 0) || slices.Contains(b, 0)) && some(a) && some(b)
}

// estimateOf estimates all but the medians.
func estimateOf(d *Data, b basis) Estimate {
	e := b.about
	switch {
	case len(b.each) == 0:
		return e
	case d.Single:
		e.Centre, e.Interval = math.Exp(stat.Median(b.each)), unknown
		return e
	}
	e.Centre = math.Exp(stat.HodgesLehmann(b.each))
	e.Interval = expInterval(b.interval(d.Alpha))
	return e
}

// unknown is the interval of a single figure: it has none, which is another thing
// than one that nothing bounds.
var unknown = stat.Interval{Lo: math.NaN(), Hi: math.NaN()}

// noEstimate is the estimate without rounds.

// An Estimate is a figure with its confidence sequence, both in base units or
// as a ratio.
type Estimate struct {
	Centre   float64 // Hodges–Lehmann estimate, of the logarithms where there are no zeros; NaN without rounds
	Medians  float64 // the median, or the ratio of the medians, for readers of benchstat
	Interval stat.Interval
	Rounds   int

	// What the interval rests on, where it is one of different code.
	Lag1        float64 // autocorrelation of a round with the next; NaN where it was not asked for
	Tau         float64 // rounds that tell as much as one independent round: 1 where they do not depend on each other
	Layouts     int     // links that the rounds used; 0 where they are not known
	LayoutShare float64 // of the variance that lies between links; NaN where it is not known
	LayoutP     float64 // p-value of there being no such share
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed, Samples int
	zeros            bool  // it was estimated without logarithms
	Doubt            Doubt // why the figure decides nothing; "" where it may
}

// A Doubt is why an estimate decides nothing, however narrow its interval is.
type Doubt string

// The doubts.
const (
	Crashes Doubt = "some of its samples crashed or timed out"
	BusyCPU Doubt = "the machine was busy"
)

// Half returns the relative half-width of the interval, as a difference of logarithms;
// infinite for an unbounded one.
func (e Estimate) Half() float64 {
	if e.Interval.IsEmpty() || e.Interval.Lo <= 0 || math.IsInf(e.Interval.Hi, 1) {
		return math.Inf(1)
	}
	return math.Log(e.Interval.Hi/e.Interval.Lo) / 2
}

// per converts the estimate of a cost into that of amount per cost (a throughput).
func (e Estimate) per(amount float64) Estimate {
	e.Centre, e.Medians = amount/e.Centre, amount/e.Medians
	if e.Rounds > 0 && !e.Interval.IsEmpty() {
		e.Interval = stat.Interval{Lo: amount / e.Interval.Hi, Hi: amount / e.Interval.Lo}
	}
	return e
}

// A subject is what is estimated: a case's own figures, or, with den, the ratio of two
// cases paired by round.
type subject struct {
	num, den *series.Series
	unit     string
}

type level struct {
	subject
	alpha float64
}

// noEstimate returns the estimate without rounds.
func noEstimate() Estimate {
	return Estimate{Centre: math.NaN(), Medians: math.NaN(), Interval: stat.Whole(), Lag1: math.NaN(),
		LayoutShare: math.NaN()}
}

// expInterval converts bounds of a logarithm into those of the figure.
func expInterval(iv stat.Interval) stat.Interval {
	if iv.IsEmpty() {
		return iv
	}
	return stat.Interval{Lo: math.Exp(iv.Lo), Hi: math.Exp(iv.Hi)}
}

// A basis holds the figures of a subject that its estimate is made of, one for each round,
// and what an interval may be made of.
type basis struct {
	each  []float64 // logarithms, one for each round that counts
	links []int     // the link of each
	at    []int32   // the round of each
	about Estimate  // what it rests on, without a figure
	own   bool      // a cost, and not a ratio
	// others is what the other ratios of the run say of how much links differ; nothing for costs,
	// which have a scatter of their own, and for ratios of the same code.
	others stat.Links
}

// basis returns the figures of a subject as logarithms.
func (d *Data) basis(x subject) basis {
	members := []*series.Series{x.num}
	if x.den != nil {
		members = append(members, x.den)
	}
	return d.join(members, x.unit, sameCode(d, x), func(v []float64) float64 {
		y := math.Log(v[0])
		if len(v) == 2 {
			y -= math.Log(v[1])
		}
		return y
	})
}

// join makes a basis of what value makes of the figures of several series in each round.
// With alike the members are the same code: the coin alone then makes the test of no
// difference exact, however the rounds depend on each other.
func (d *Data) join(members []*series.Series, unit string, alike bool, value func(v []float64) float64) basis {
	var b basis
	d.Set.Join(members, unit, func(round int32, v []float64) {
		b.each = append(b.each, value(v))
		b.links = append(b.links, linkOf(members, round))
		b.at = append(b.at, round)
	})
	b.about = crashes(members...)
	b.about.Rounds, b.about.Tau = len(b.each), 1
	if d.Single {
		b.about.Doubt = ""
		return b
	}
	if b.about.Doubt == "" && d.Busy && !alike {
		b.about.Doubt = BusyCPU
	}
	if b.own = len(members) == 1; !b.own && !alike {
		b.others = d.Pool.others(members, unit, b.each, b.links)
	}
	b.dependence(d, alike)
	return b
}

// intervals returns the intervals of the centre at levels 1 − alpha: of what both the rounds
// and the links leave open. A single link tells of that link alone.
//
// Rounds of a cost depend on each other as the machine's state does, often so much that
// nothing can be said of its centre. But between the least and the greatest of its rounds
// it was, while the machine wandered through its states: no interval of a cost is wider.
func (b basis) intervals(alphas ...float64) []stat.Interval {
	out := stat.DependentSequences(b.each, b.about.Tau, alphas...)
	for i, alpha := range alphas {
		if b.about.Layouts > 1 {
			out[i] = out[i].Hull(b.lent().Interval(b.each, b.links, alpha))
		}
		if b.own && len(b.each) >= stat.MinRounds(alpha) {
			out[i] = out[i].Intersect(stat.Interval{Lo: slices.Min(b.each), Hi: slices.Max(b.each)})
		}
	}
	return out
}

// first returns the basis of the first n rounds.
func (b basis) first(n int, d *Data, alike bool) basis {
	b = b.until(n)
	b.dependence(d, alike)
	return b
}

// Rounds returns the logarithms of a ratio, one for each round that counts, and a function
// that returns the interval which the first n of them gave.
func (d *Data) Rounds(num, den *series.Series, unit string) (logs []float64, after func(n int) stat.Interval) {
	x := subject{num, den, unit}
	b := d.basis(x)
	return b.each, func(n int) stat.Interval { return b.first(n, d, sameCode(d, x)).interval(d.Alpha) }
}

// apart returns ln of the e-value against no difference, which the coin makes exact for the
// same code.
func (b basis) apart() float64 {
	e := stat.LogE(b.each, 0)
	if b.about.Layouts > 1 {
		e = min(e, b.lent().LogE(b.each, b.links, 0, 0))
	}
	return e
}

// against returns ln of an e-value against the centre lying in [lo, hi].
func (b basis) against(lo, hi float64) float64 {
	e := stat.DependentLogEAgainst(b.each, lo, hi, b.about.Tau)
	if b.about.Layouts > 1 {
		e = min(e, b.lent().LogE(b.each, b.links, lo, hi))
	}
	return max(e, b.beyond(lo, hi))
}

// beyond is ln of the e-value against [lo, hi] of a cost all rounds of which lie on one side of
// it: see intervals. It is -Inf where they do not.
func (b basis) beyond(lo, hi float64) float64 {
	if !b.own || len(b.each) == 0 || slices.Min(b.each) <= hi && slices.Max(b.each) >= lo {
		return math.Inf(-1)
	}
	return stat.UnanimousLogE(len(b.each))
}

// until returns what the first n rounds say, with the dependence that all of them show.
func (b basis) until(n int) basis {
	b.each, b.links, b.at = b.each[:n], b.links[:n], b.at[:n]
	if b.about.Layouts > 1 {
		b.about.Layouts = distinct(b.links)
	}
	return b
}

// reached returns the number of rounds after which the e-value against [lo, hi] first was
// 1/alpha, 0 where it never was. What was decided then stays decided, but of a cost: it wanders
// with the state of the machine, and what its first rounds agree upon was true of them.
func (b basis) reached(lo, hi, alpha float64) int {
	most := b.most(lo, hi)
	for _, n := range b.looks() {
		if len(most) > 0 && most[n-1] >= -math.Log(alpha) && b.until(n).against(lo, hi) >= -math.Log(alpha) {
			return n
		}
	}
	return 0
}

// looks returns the numbers of rounds after which something can be decided.
func (b basis) looks() []int {
	if b.own && len(b.each) > 0 {
		return []int{len(b.each)}
	}
	return stat.Looks(len(b.each))
}

// most returns, for each number of rounds, what against does not exceed; nil where nothing can
// be said against [lo, hi].
func (b basis) most(lo, hi float64) []float64 {
	most := stat.AtMostLogEAgainst(b.each, lo, hi)
	if b.own && len(most) > 0 {
		last := len(most) - 1 // see looks
		most[last] = max(most[last], b.beyond(lo, hi))
	}
	return most
}

func (b basis) interval(alpha float64) stat.Interval { return b.intervals(alpha)[0] }

// lent returns what all comparisons of the run say of how much links differ.
func (b basis) lent() stat.Links {
	l := b.others
	l.Add(b.each, b.links)
	return l
}

// crashes counts the samples without a result among those of series that have some. Such
// a sample is not missing at random: the slowest crash and time out.
func crashes(members ...*series.Series) Estimate {
	e := noEstimate()
	for _, m := range members {
		e.Crashed += len(m.Failures)
		e.Samples += len(m.Failures) + len(m.Rounds)
	}
	if e.Crashed > 0 {
		e.Doubt = Crashes
	}
	return e
}

// dependence finds out how many rounds tell as much as one independent round, and how much
// of their variance lies between links. Rounds of the same code need not be independent:
// the coin makes the signs fair, whatever state the machine is in.
func (b *basis) dependence(d *Data, alike bool) {
	b.about.Lag1, b.about.Tau = stat.Lag1(b.each), 1
	if b.about.Layouts = distinct(b.links); b.about.Layouts > 1 {
		b.about.LayoutShare, b.about.LayoutP = stat.Between(b.each, b.links)
	}
	switch {
	case alike:
	case b.own: // costs depend on each other in another way than ratios do
		b.about.Tau = stat.Pool{}.Tau(b.each)
	default:
		b.about.Tau = d.Pool.rounds.Tau(b.each)
	}
}

// A Pool is what all comparisons of a run say together: about how its rounds depend on each
// other, and about how much its links differ. One of ten rounds and four links alone hardly
// knows. The zero Pool says nothing.
type Pool struct {
	rounds stat.Pool
	links  stat.Links
	pairs  map[[2]*series.Series]bool // that were added
}

func (p *Pool) add(set *series.Set, x Pair) {
	at := [2]*series.Series{x.Num, x.Den}
	if p.pairs[at] {
		return // a claim and a table ask for the same ratio
	}
	p.pairs[at] = true
	var d []float64
	var links []int
	set.Join(at[:], "sec/op", func(round int32, v []float64) {
		d, links = append(d, math.Log(v[0]/v[1])), append(links, linkOf(at[:], round))
	})
	p.rounds.Add(d)
	if distinct(links) > 1 {
		p.links.Add(d, links)
	}
}

// others returns what the links of other comparisons than one say, of its rounds and links.
func (p Pool) others(members []*series.Series, unit string, d []float64, links []int) stat.Links {
	if len(members) == 2 && unit == "sec/op" && p.pairs[[2]*series.Series(members)] && distinct(links) > 1 {
		return p.links.Without(d, links)
	}
	return p.links
}

// distinct counts the links; 0 when one is not known.
func distinct(links []int) int {
	seen := map[int]bool{}
	for _, l := range links {
		if l < 0 {
			return 0
		}
		seen[l] = true
	}
	return len(seen)
}

// linkOf numbers the links that the members ran in a round; −1 where one is not known. The
// members of one comparison draw their links together, so that the number of one tells
// those of the others, but for a second copy.
func linkOf(members []*series.Series, round int32) int {
	number := 0
	for _, m := range members {
		l, ok := m.Link(round)
		if !ok {
			return -1
		}
		number = number*1024 + l
	}
	return number
}
