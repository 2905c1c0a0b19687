package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/document"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// A Status is a verdict, of a claim or of one of its elements.
type Status string

const (
	Holds     Status = "holds"
	Fails     Status = "fails"
	AtBound   Status = "at the bound" // shown to lie within the margin of the claim's bound
	Undecided Status = "undecided"
	Untested  Status = "not tested" // nothing that counts to judge it by
	// Invalid is how a claim is counted that was not tested because its cases are INVALID or failed.
	Invalid Status = InvalidNote
)

// InvalidNote stands where the figure of an INVALID case would.
const InvalidNote = "INVALID"

// Verdict returns the status as it is shown; of none, no verdict.
func (s Status) Verdict() document.Verdict {
	switch s {
	case "":
		return document.NoVerdict
	case Holds:
		return document.Holds
	case Fails:
		return document.Fails
	case AtBound:
		return document.AtBound
	case Undecided:
		return document.Undecided
	case Invalid:
		return document.Invalid
	}
	return document.NotTested
}

// Decided reports whether the claim holds, fails, or is shown to lie at its bound.
func (s Status) Decided() bool { return s == Holds || s == Fails || s == AtBound }

// Exponent is how the label of an element that is a scaling exponent begins.
const Exponent = "exponent"

// An Element is one place (one size, say) at which a claim is judged.
type Element struct {
	Label    string        `json:"label"`
	Cases    []string      `json:"cases"`
	Figure   float64       `json:"figure"` // ratio, value in base units, or exponent
	Interval stat.Interval `json:"-"`      // at level 1 − α, of the last look; infinite for single figures
	N        int           `json:"rounds"`
	Single   bool          `json:"single,omitempty"` // judged by its figure alone: published or exact
	Status   Status        `json:"status"`
	Note     string        `json:"note,omitempty"`
	Doubt    Doubt         `json:"doubt,omitempty"` // why the figure decides nothing
	// Chosen is the interval of the least and of the greatest of several places, for whoever picks them: see extremes.
	Chosen *stat.Interval `json:"-"`

	allowed allowed
	early   bool                              // not tested yet: more rounds will
	basis   *basis                            // what its interval is made of; nil where it has none
	at      func(alpha float64) stat.Interval // its interval at a level; nil where it has none, or that alone
	logs    bool                              // the basis is of logarithms
	amount  float64                           // of which the figure is the amount per cost; 0: it is the cost
}

// allowed is the set of figures that agree with the claim.
type allowed struct {
	lo, hi         float64
	loOpen, hiOpen bool
	margin         float64 // what lies nearer to a bound, as a share of it, is at it
}

func (a allowed) has(x float64) bool {
	return (x > a.lo || !a.loOpen && x == a.lo) && (x < a.hi || !a.hiOpen && x == a.hi)
}

// widen relaxes the bounds for an exact figure with slack s.
func (a allowed) widen(s float64) allowed {
	if !a.loOpen {
		a.lo -= s
	}
	if !a.hiOpen {
		a.hi += s
	}
	return a
}

// equivalence is the share of a bound within which a figure counts as equal to it, where a claim names no margin.
const equivalence = 0.01

// contradicts reports whether an interval leaves no room for the claim.
func (a allowed) contradicts(iv stat.Interval) bool {
	return !iv.IsEmpty() && (iv.Hi < a.lo || iv.Lo > a.hi)
}

// atBound reports whether every figure of an interval is as good as equal to one of the bounds.
//
// A ratio whose truth is its bound would be undecided for ever. This costs no error rate: whichever side of the bound the
// truth is on, each wrong answer, of the other side or "at the bound", takes an interval that
// ends before the truth on the same side.
func (a allowed) atBound(iv stat.Interval) bool {
	return slices.ContainsFunc(a.zones(), func(z stat.Interval) bool { return !iv.IsEmpty() && iv.Within(z.Lo, z.Hi) })
}

// zones returns what lies at a bound, of each bound.
func (a allowed) zones() (out []stat.Interval) {
	for _, bound := range []float64{a.lo, a.hi} {
		if bound > 0 && !math.IsInf(bound, 1) {
			out = append(out, stat.Interval{Lo: bound / (1 + a.margin), Hi: bound * (1 + a.margin)})
		}
	}
	return out
}

// holds reports whether every figure of an interval agrees with the claim.
func (a allowed) holds(iv stat.Interval) bool {
	return !iv.IsEmpty() && (a.free(a.lo) || a.has(iv.Lo)) && (a.free(a.hi) || a.has(iv.Hi))
}

// free reports whether a bound is none: no figure is infinite, or below 0 where that is the bound.
func (a allowed) free(bound float64) bool { return math.IsInf(bound, 0) || bound <= 0 && bound == a.lo }

// oneSided reports whether the claim bounds its figure on one side only.
func (a allowed) oneSided() bool { return a.free(a.lo) != a.free(a.hi) }

// logElement judges one place by an estimate, which x has the figures for. With amount > 0
// the figure is amount per cost.
func logElement(d *Data, e Element, x subject, amount float64, a allowed) Element {
	est := d.about(x)
	if amount > 0 {
		est = est.per(amount)
	}
	e.N, e.allowed = est.Rounds, a
	switch {
	case est.Rounds == 0:
		e.early = x.den == nil && waiting(d, x.num, x.unit)
		return e.untested(noRounds(d, x))
	case d.Single:
		return single(e, est.Centre, a)
	}
	e.Figure, e.Interval = est.Centre, est.Interval
	if e.amount = amount; est.zeros {
		e.at = func(alpha float64) stat.Interval { return e.figures(d.withZeros(x, alpha)) }
		return e.held(d.Alpha).doubted(est)
	}
	e.basis, e.logs = est.made, true
	e.at = func(alpha float64) stat.Interval { return e.figures(e.basis.interval(alpha)) }
	return e.held(d.Alpha).doubted(est)
}

// held asks whether the claim holds at an element: whether a figure below what is allowed and one above are each
// excluded at level alpha. It cannot be wrong in both, so that no share of alpha is lost.
func (e Element) held(alpha float64) Element {
	e.Status = Undecided
	if e.within(alpha) {
		e.Status = Holds
		return e.shown(alpha)
	}
	return e
}

// near says that an element is at a bound where the last look shows it at level alpha, and nothing else was shown.
func (e Element) near(alpha float64) Element {
	if e.at == nil || e.Status != Undecided || e.Doubt != "" {
		return e
	}
	if iv := e.at(2 * alpha); e.allowed.atBound(iv) {
		if e.Status = AtBound; !e.allowed.atBound(e.Interval) {
			e.Interval = iv // the one that the verdict rests on: each of its ends is a bound at level alpha
		}
	}
	return e
}

// within reports whether the last look says at level alpha that the claim holds here.
func (e Element) within(alpha float64) bool { return e.allowed.holds(e.at(2 * alpha)) }

// beyond reports whether the last look says at level alpha that it fails here. A figure that may be wrong on either side
// has both to choose from.
func (e Element) beyond(alpha float64) bool {
	if e.allowed.oneSided() {
		alpha *= 2
	}
	return e.allowed.contradicts(e.at(alpha))
}

// says returns the p-values of the claim holding here, of its failing, and of its being at its bound.
func (e Element) says() (holds, fails, near float64) {
	figure := func(says func(stat.Interval) bool) func(stat.Interval) bool {
		return func(iv stat.Interval) bool { return says(e.figures(iv)) }
	}
	holds = e.basis.p(figure(e.allowed.holds)) / 2
	if fails = e.basis.p(figure(e.allowed.contradicts)); e.allowed.oneSided() {
		fails /= 2
	}
	return holds, fails, e.basis.p(figure(e.allowed.atBound)) / 2
}

// figures turns an interval of the basis into one of figures.
func (e Element) figures(iv stat.Interval) stat.Interval {
	if e.logs {
		iv = expInterval(iv)
	}
	if e.amount > 0 && !iv.IsEmpty() {
		iv = stat.Interval{Lo: e.amount / iv.Hi, Hi: e.amount / iv.Lo}
	}
	return iv
}

// shown gives a decided element the interval that its verdict rests on, where the two-sided one reaches past the bound: that
// of the one-sided test, which bounds the figure on one side at level alpha.
func (e Element) shown(alpha float64) Element {
	if e.allowed.holds(e.Interval) || e.allowed.contradicts(e.Interval) {
		return e
	}
	above := e.allowed.free(e.allowed.hi) == (e.Status == Holds)
	e.Interval = e.at(2 * alpha)
	switch {
	case !e.allowed.oneSided(): // both ends are one-sided bounds
	case above:
		e.Interval.Hi = math.Inf(1)
	case e.allowed.lo < 0 || !e.logs && e.basis != nil:
		e.Interval.Lo = math.Inf(-1)
	default:
		e.Interval.Lo = 0
	}
	return e
}

// doubted takes the verdict from an element whose figure decides nothing.
func (e Element) doubted(est Estimate) Element {
	e.Doubt = est.Doubt
	if e.Doubt == "" || e.Status == Untested {
		return e
	}
	e.Status = Undecided
	switch e.Doubt {
	case Crashes:
		e.Note = fmt.Sprintf("%d of its %d samples crashed or timed out", est.Crashed, est.Samples)
	case BusyCPU:
		e.Note = "beside other programs"
	}
	return e
}

// noRounds is why there is nothing to estimate a subject by.
func noRounds(d *Data, x subject) string {
	zero := func(c *series.Series) bool {
		return d.has(c, x.unit) && !slices.ContainsFunc(d.values(c, x.unit), func(v float64) bool { return v > 0 })
	}
	switch {
	case x.den == nil && zero(x.num):
		return fmt.Sprintf("it was 0 in %s so far, and a figure that does not vary is tested from round %d on",
			rounds(len(d.values(x.num, x.unit))), d.Looks.MinRounds(d.Alpha))
	case x.den != nil && zero(x.den):
		return x.den.Case + " has 0 " + x.unit + " in every round: there is no ratio to it"
	case x.den != nil && zero(x.num):
		return x.num.Case + " has 0 " + x.unit + " in every round: its ratio has no logarithm"
	}
	return noCommonRound
}

func rounds(n int) string {
	if n == 1 {
		return "its only round"
	}
	return fmt.Sprintf("each of its %d rounds", n)
}

const noCommonRound = "there is no round in which all its cases count"

func (e Element) untested(why string) Element {
	e.Status, e.Note, e.Figure, e.Interval = Untested, why, math.NaN(), stat.Whole()
	return e
}

// linElement judges figures that are not ratios (an exponent).
func linElement(d *Data, e Element, b basis, a allowed) Element {
	e.N, e.allowed = b.about.Rounds, a
	switch {
	case len(b.each) == 0:
		return e.untested(noCommonRound)
	case d.Single:
		return single(e, stat.Median(b.each), a)
	}
	e.Figure, e.basis, e.at = b.centre(), &b, b.interval
	e.Interval = b.interval(d.Alpha)
	return e.held(d.Alpha).doubted(b.about)
}

func single(e Element, figure float64, a allowed) Element {
	e.Figure, e.Single, e.Status, e.allowed = figure, true, Fails, a
	e.Interval = stat.Whole()
	if a.has(figure) {
		e.Status = Holds
	}
	return e
}

// decide judges an element that has one interval, at its own level.
func decide(e Element) Element {
	switch e.Status = Undecided; {
	case e.Interval.IsEmpty():
		e.Note = "the effect is not constant over the run"
	case e.allowed.holds(e.Interval):
		e.Status = Holds
	case e.allowed.contradicts(e.Interval):
		e.Status = Fails
	}
	return e
}

// exactElement judges a count: it holds when every sample meets the bound and
// fails when the median does not.
func exactElement(d *Data, e Element, c *series.Series, unit string, a allowed) Element {
	vs := d.values(c, unit)
	e.N = len(vs)
	if e.N == 0 {
		return e.untested("none of its samples has " + unit)
	}
	bound := a
	a = a.widen(Slack(unit, c))
	e = single(e, stat.Median(vs), a)
	e.allowed = bound
	if e.Status == Holds && slices.ContainsFunc(vs, func(v float64) bool { return !a.has(v) }) {
		e.Status, e.Note = Undecided, "it varies between processes"
	}
	if !d.Single {
		e = e.doubted(crashes(c))
	}
	return e
}

// allowedBy is what a condition allows at a case. A measured figure is never
// exactly equal to a number: where the condition is ==, a figure in a unit that
// is not exact may be within the margin of equivalence.
func allowedBy(c language.Claim, at *series.Series, exact bool) (allowed, error) {
	lo, hi, loOpen, hiOpen, err := c.Cond.Range(Keys(at))
	if c.Cond.Op == "==" && !exact {
		lo, hi = lo/(1+equivalence), hi*(1+equivalence)
	}
	return allowed{lo, hi, loOpen, hiOpen, cmp.Or(c.Margin, equivalence)}, err
}

// extremes gives the places with the least and the greatest figure an interval that allows for their having been picked.
// Of places that are alike, the one whose rounds lie furthest out comes out as the least, and its own interval misses the
// truth in more than α. So its interval is made at α/k, where k is the number of places whose intervals meet its own
// (Bonferroni). Places further away do not count; where there are none, nothing changes.
//
// Where the rounds are too few for signs to be as rare as α/k, it spans the intervals of all k places. If the truth of the picked
// place lay above that span, the greatest truth of the k places would lie above its own interval, too. Which place that is
// does not depend on what was picked, so that this happens in α/2 at most.
//
// Where the claim holds, the interval ends at the claim's bound, for the verdict speaks of every place.
func extremes(elements []Element, alpha float64) {
	for _, sign := range []float64{-1, 1} {
		end := -1
		for i, e := range elements {
			if e.at != nil && e.Status != Untested && (end < 0 || sign*e.Figure > sign*elements[end].Figure) {
				end = i
			}
		}
		if end < 0 {
			continue
		}
		e, rivals, all := &elements[end], 0, elements[end].Interval
		for _, x := range elements {
			if x.at != nil && !math.IsInf(x.Interval.Width(), 1) && !x.toldFrom(*e) {
				rivals++
				all = stat.Interval{Lo: min(all.Lo, x.Interval.Lo), Hi: max(all.Hi, x.Interval.Hi)}
			}
		}
		if rivals < 2 || e.Interval.IsEmpty() {
			continue
		}
		iv := all
		if share := alpha / float64(rivals); e.basis != nil && e.N >= e.basis.looks.MinRounds(share) {
			iv = e.at(share)
		}
		if e.Status == Holds && !iv.IsEmpty() {
			iv = iv.Intersect(stat.Interval{Lo: e.allowed.lo, Hi: e.allowed.hi})
		}
		e.Chosen = &iv
	}
}

// toldFrom reports whether two places lie so far apart that neither is taken for the other: their intervals do not meet.
func (e Element) toldFrom(x Element) bool {
	return max(e.Interval.Lo, x.Interval.Lo) > min(e.Interval.Hi, x.Interval.Hi)
}

// bounds returns what is allowed in the scale of the basis.
func (e Element) bounds() (lo, hi float64) { return e.scaled(e.allowed.lo, e.allowed.hi) }

func (e Element) scaled(lo, hi float64) (float64, float64) {
	if !e.logs {
		return lo, hi
	}
	lo, hi = logOf(lo), logOf(hi)
	if e.amount > 0 { // the basis is of amount / figure
		lo, hi = math.Log(e.amount)-hi, math.Log(e.amount)-lo
	}
	return lo, hi
}

func logOf(bound float64) float64 {
	if bound <= 0 {
		return math.Inf(-1)
	}
	return math.Log(bound)
}

// allShare is the part of α with which a claim over several places fails where it fails at each of them: each at that level,
// for if it held anywhere that place would say so with that probability at most. The rest is for one that
// fails at some: the places share it (Bonferroni).
const allShare = 0.7

// shares returns the levels of refuting a claim at all of m places, and at one.
func shares(alpha float64, m int) (all, one float64) {
	if m == 1 {
		return alpha, alpha
	}
	return allShare * alpha, (1 - allShare) * alpha / float64(m)
}

// refute asks whether the claim fails, which says that its figure is allowed at each of m places. It marks the places at
// which it does, and those that are at its bound.
func refute(elements []Element, alpha float64) {
	var at []*Element
	m := 0
	for i := range elements {
		if e := &elements[i]; e.at != nil {
			m++
			if e.Doubt == "" && e.Status != Untested {
				at = append(at, e)
			}
		}
	}
	all, one := shares(alpha, m)
	everywhere := len(at) == m
	for _, e := range at {
		everywhere = everywhere && e.Status != Holds && e.beyond(all)
	}
	for _, e := range at {
		if everywhere || e.Status != Holds && e.beyond(one) {
			e.Status = Fails
			*e = e.shown(all)
		}
	}
	for i := range elements {
		e := elements[i].near(alpha)
		if e.at != nil && e.Status == Undecided && e.Doubt == "" && e.allowed.contradicts(e.Interval) {
			e.Interval = e.at(one) // what the place alone had to refute, and did not: beside its own it would read as a failure
		}
		elements[i] = e
	}
}
