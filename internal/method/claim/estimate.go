package claim

import (
	"cmp"
	"math"
	"slices"
	"strings"

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

// about returns the estimate of x at level 1 − α. The same subject stands in several claims, tables and lists: it is
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

// withZeros returns the interval at level 1 − alpha of a subject that is 0 in some rounds.
func (d *Data) withZeros(x subject, alpha float64) stat.Interval {
	if a, b, zeros := countsWithZeros(d, x); zeros {
		_, iv := d.Looks.RatioOfSums(a, b, alpha)
		return iv
	}
	values, _ := withZeros(d, x)
	return d.Looks.Interval(stat.Rounds{D: values}, alpha)
}

// estimate estimates all but the medians.
func (d *Data) estimate(x subject) Estimate {
	about := d.basis(x)
	if a, b, zeros := countsWithZeros(d, x); zeros {
		e := about.about
		e.Centre, e.Interval = d.Looks.RatioOfSums(a, b, d.Alpha)
		e.Rounds, e.zeros = len(a), true
		return e
	}
	if values, zeros := withZeros(d, x); zeros {
		e := about.about
		e.Centre, e.Interval = stat.HodgesLehmann(values), d.Looks.Interval(stat.Rounds{D: values}, d.Alpha)
		e.Rounds, e.zeros = len(values), true
		return e
	}
	return estimateOf(d, about)
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
	e.Centre, e.Interval, e.made = math.Exp(b.centre()), expInterval(b.interval(d.Alpha)), &b
	return e
}

// Waits returns how many more rounds it should take until the half-width of the interval, at level 1 − alpha, is as narrow as
// wanted: up to a look, if the rounds to come are like those so far.
func (e Estimate) Waits(looks stat.Looks, wanted, alpha float64) float64 {
	if e.made == nil || e.Counted < 2 {
		return float64(max(looks.Next(e.Counted), looks.MinRounds(alpha)) - e.Counted)
	}
	return looks.Until(e.made.rests, wanted, alpha)
}

// Rests returns what the estimate rests on; no rounds where it has zeros.
func (e Estimate) Rests() stat.Rounds {
	if e.made == nil {
		return stat.Rounds{}
	}
	return e.made.rests
}

// unknown is the interval of a single figure: it has none, which is another thing
// than one that nothing bounds.
var unknown = stat.Interval{Lo: math.NaN(), Hi: math.NaN()}

// An Estimate is a figure with its interval at the last look, both in base units or as a ratio.
type Estimate struct {
	Centre   float64 // Hodges–Lehmann estimate, of the logarithms where there are no zeros; NaN without rounds
	Medians  float64 // the median, or the ratio of the medians, for readers of benchstat
	Interval stat.Interval
	Rounds   int // of the last look, which the figure and its interval are of; before the first, those there are
	Counted  int // all rounds that count

	// What the interval rests on, where it is one of different code.
	Lag1        float64 // autocorrelation of a round with the next; NaN where it was not asked for
	Tau         float64 // rounds that tell as much as one independent round: 1 where they do not depend on each other
	Layouts     int     // links that the rounds used; 0 where they are not known
	LayoutShare float64 // of the variance that lies between links; NaN where it is not known
	LayoutP     float64 // p-value of there being no such share
	// LimitedByLinks says that more of the interval's width comes from the links than from all else, and that there are
	// no further ones.
	LimitedByLinks bool
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed, Samples int
	zeros            bool   // it was estimated without logarithms
	made             *basis // what it is made of; nil where it has zeros
	Doubt            Doubt  // why the figure decides nothing; "" where it may
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

// A basis holds the figures of a subject that its estimate is made of, one for each round, and what an interval may be
// made of.
type basis struct {
	each  []float64 // logarithms, one for each round that counts
	links []int     // the link of each
	about Estimate  // what it rests on, without a figure
	own   bool      // a cost, and not a ratio
	looks stat.Looks
	rests stat.Rounds // each, with how much its rounds tell together
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
	b := basis{own: len(members) == 1, looks: d.Looks}
	d.Set.Join(members, unit, func(round int32, v []float64) {
		b.each = append(b.each, value(v))
		b.links = append(b.links, linkOf(members, round))
	})
	b.about = crashes(members...)
	b.about.Counted, b.about.Tau = len(b.each), 1
	b.about.Rounds = cmp.Or(d.Looks.At(len(b.each)), len(b.each))
	if d.Single {
		b.about.Rounds, b.about.Doubt = len(b.each), ""
		return b
	}
	if b.about.Doubt == "" && d.Busy && !alike {
		b.about.Doubt = BusyCPU
	}
	lent := d.Pool.rounds
	switch {
	case b.own:
		lent = stat.Pool{} // costs depend on each other in another way than ratios do
	case unit == "sec/op" && len(members) == 2 && d.Pool.pairs[[2]*series.Series(members)]:
		lent = lent.Without(b.looked())
	}
	b.rest(lent, alike)
	b.rests.PerLink, b.about.LimitedByLinks = d.PerLink, d.FixedLinks && b.rests.LimitedByLinks()
	return b
}

// looked returns the rounds of the last look with their links; nil where there is one link, or some are not known.
func (b *basis) looked() (d []float64, links []int) {
	n := b.about.Rounds
	if distinct(b.links[:n]) > 1 {
		links = b.links[:n]
	}
	return b.each[:n], links
}

// rest finds out, from the rounds of the last look, how many rounds tell as much as one independent round, and how much of their variance lies between links.
// Rounds of the same code need not be independent: the coin makes the signs fair, whatever state the machine is
// in.
func (b *basis) rest(others stat.Pool, alike bool) {
	d, links := b.looked()
	if b.about.Layouts = distinct(b.links); links != nil {
		b.about.LayoutShare, b.about.LayoutP = stat.Between(d, links)
	}
	if b.rests = others.Rounds(d, links); alike {
		b.rests.Tau = 1
	} else {
		b.rests.OnePeak = true
	}
	b.about.Lag1, b.about.Tau = stat.Lag1(d), b.rests.Tau
	b.rests.D = b.each // the looks to come are foretold from all
}

// centre returns the estimate of the last look.
func (b basis) centre() float64 { return stat.HodgesLehmann(b.each[:b.about.Rounds]) }

// interval returns the interval of the centre at level 1 − alpha, of the last look.
//
// Rounds of a cost depend on each other as the machine's state does, often so much that
// nothing can be said of its centre. But between the least and the greatest of its rounds
// it was, while the machine wandered through its states: no interval of a cost is wider.
func (b basis) interval(alpha float64) stat.Interval {
	iv := b.looks.Interval(b.rests, alpha)
	if n := b.about.Rounds; b.own && n >= b.looks.MinRounds(alpha) {
		iv = iv.Intersect(stat.Interval{Lo: slices.Min(b.each[:n]), Hi: slices.Max(b.each[:n])})
	}
	return iv
}

// p returns the least level of an interval that says so: see [stat.Least].
func (b basis) p(says func(stat.Interval) bool) float64 {
	if len(b.each) == 0 {
		return 1
	}
	return stat.Least(func(alpha float64) bool { return says(b.interval(alpha)) })
}

// Rounds returns the logarithms of a ratio, one for each round that counts, and its looks so far with the interval of each.
func (d *Data) Rounds(num, den *series.Series, unit string) (logs []float64, looks []int,
	at func(look int) stat.Interval) {
	b := d.basis(subject{num, den, unit})
	for _, look := range d.Looks.Plan(d.Alpha) {
		if look.Rounds <= len(b.each) && look.Rounds >= d.Looks.MinRounds(d.Alpha) {
			looks = append(looks, look.Rounds)
		}
	}
	return b.each, looks, func(look int) stat.Interval {
		upTo := b
		upTo.rests.D, upTo.about.Rounds = b.each[:look], look
		return upTo.interval(d.Alpha)
	}
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

// A Pool is what all comparisons of a run say together: about how its rounds depend on each
// other, and about how much its links differ. One of ten rounds and four links alone hardly
// knows. The zero Pool says nothing.
type Pool struct {
	rounds stat.Pool
	pairs  map[[2]*series.Series]bool // that were added
}

func (p *Pool) add(set *series.Set, x Pair, looks stat.Looks) {
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
	b := basis{each: d, links: links, about: Estimate{Rounds: cmp.Or(looks.At(len(d)), len(d))}}
	p.rounds.Add(b.looked())
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
