package claim

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

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
	case Undecided:
		return document.Undecided
	case Invalid:
		return document.Invalid
	}
	return document.NotTested
}

// Decided reports whether the claim holds or fails.
func (s Status) Decided() bool { return s == Holds || s == Fails }

// Exponent is how the label of an element that is a scaling exponent begins.
const Exponent = "exponent"

// An Element is one place (one size, say) at which a claim is judged.
type Element struct {
	Label    string        `json:"label"`
	Cases    []string      `json:"cases"`
	Figure   float64       `json:"figure"` // ratio, value in base units, or exponent
	Interval stat.Interval `json:"-"`      // confidence sequence at α; infinite for single figures
	N        int           `json:"rounds"`
	Single   bool          `json:"single,omitempty"` // judged by its figure alone: published or exact
	Status   Status        `json:"status"`
	Note     string        `json:"note,omitempty"`
	Doubt    Doubt         `json:"doubt,omitempty"` // why the figure decides nothing

	allowed allowed
	after   int                               // the rounds after which it held
	early   bool                              // not tested yet: more rounds will
	basis   *basis                            // what its interval is made of; nil where it has none
	strict  func(alpha float64) stat.Interval // where it has no basis; nil: it has its one interval
	logs    bool                              // the basis is of logarithms
	amount  float64                           // of which the figure is the amount per cost; 0: it is the cost
}

// allowed is the set of figures that agree with the claim.
type allowed struct {
	lo, hi         float64
	loOpen, hiOpen bool
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

// equivalence is the margin within which a figure counts as equal to the bound
// of a strict inequality: "faster" is refuted by a difference that is shown to
// be smaller than 1%, and not only by one that is shown to be a loss.
const equivalence = 0.01

// denied returns the figures that would agree with the claim and are known to be wrong when it
// fails: those that it allows, without those that count as equal to an open bound.
func (a allowed) denied() (lo, hi float64) {
	lo, hi = a.lo, a.hi
	if a.loOpen {
		lo *= 1 + equivalence
	}
	if a.hiOpen {
		hi /= 1 + equivalence
	}
	return lo, hi
}

// contradicts reports whether an interval leaves no room for the claim.
func (a allowed) contradicts(iv stat.Interval) bool {
	lo, hi := a.denied()
	return !iv.IsEmpty() && (iv.Hi < lo || iv.Lo > hi)
}

// logElement judges one place by an estimate, which x has the figures for. With amount > 0
// the figure is amount per cost.
func logElement(d *Data, e Element, x subject, amount float64, a allowed) Element {
	est := d.figure(x)
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
	if est.zeros {
		e.strict = func(alpha float64) stat.Interval { return d.strict(x, alpha) }
		return decide(e, a).doubted(est)
	}
	b := d.basis(x)
	e.basis, e.logs, e.amount = &b, true, amount
	return e.held(d.Alpha).doubted(est)
}

// held asks whether the claim holds at an element: whether each way in which it could be wrong
// there, a figure below what is allowed and one above, was once refuted at level alpha. It
// cannot be wrong in both, so that no share of alpha is lost.
func (e Element) held(alpha float64) Element {
	lo, hi := e.bounds()
	e.Status = Undecided
	for _, wrong := range [][2]float64{{math.Inf(-1), lo}, {hi, math.Inf(1)}} {
		if math.IsInf(wrong[0], -1) && math.IsInf(wrong[1], -1) || math.IsInf(wrong[0], 1) {
			continue // nothing lies beyond
		}
		n := e.basis.reached(wrong[0], wrong[1], alpha)
		if n == 0 {
			return e
		}
		e.after = max(e.after, n)
	}
	e.Status = Holds
	if n := len(e.basis.each); e.after < n && e.outside() < -math.Log(alpha) {
		e.Note = fmt.Sprintf("it held after %d rounds, and stays decided; all %d together would leave it undecided",
			e.after, n)
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
			rounds(len(d.values(x.num, x.unit))), stat.MinRounds(d.Alpha))
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
	e.N, e.allowed = len(b.each), a
	switch {
	case len(b.each) == 0:
		return e.untested(noCommonRound)
	case d.Single:
		return single(e, stat.Median(b.each), a)
	}
	e.Figure, e.basis = stat.HodgesLehmann(b.each), &b
	if !d.Terse {
		e.Interval = b.interval(d.Alpha)
	}
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

// decide judges an element that has an interval and no e-process. One with a stricter interval
// fails by that alone: see refute.
func decide(e Element, a allowed) Element {
	e.Status = Undecided
	switch {
	case e.Interval.IsEmpty():
		e.Note = "the effect is not constant over the run"
	case a.has(e.Interval.Lo) && a.has(e.Interval.Hi):
		e.Status = Holds
	case e.strict == nil && a.contradicts(e.Interval):
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
func allowedBy(c language.Cond, at *series.Series, exact bool) (allowed, error) {
	lo, hi, loOpen, hiOpen, err := c.Range(Keys(at))
	if c.Op == "==" && !exact {
		lo, hi = lo/(1+equivalence), hi*(1+equivalence)
	}
	return allowed{lo, hi, loOpen, hiOpen}, err
}

// bounds returns what is allowed in the scale of the basis.
func (e Element) bounds() (lo, hi float64) { return e.scaled(e.allowed.lo, e.allowed.hi) }

// outside returns ln of the e-value against every figure that the claim does not allow, on either
// side.
func (e Element) outside() float64 {
	lo, hi := e.bounds()
	logE := math.Inf(1)
	if !math.IsInf(lo, -1) {
		logE = min(logE, e.basis.against(math.Inf(-1), lo))
	}
	if !math.IsInf(hi, 1) {
		logE = min(logE, e.basis.against(hi, math.Inf(1)))
	}
	return logE
}

// denied returns what is known to be wrong when the claim fails, in the scale of the basis.
func (e Element) denied() (lo, hi float64) { return e.scaled(e.allowed.denied()) }

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

// refute asks whether the claim fails. It says that its figure is allowed at each of m places,
// and every place has an e-value against that; their mean is one against all of it, under any
// dependence between the places (Vovk and Wang, "E-values: calibration, combination and
// applications", Annals of Statistics 49, 2021). It reaches 1/alpha where one place
// reaches m/alpha, and where several together do. e-BH then names the places, or, where it
// names none, the one that speaks loudest.
//
// As with what holds, it is asked after every round, and an answer stays.
func refute(elements []Element, alpha float64) {
	var at []*Element
	holds := true
	for i := range elements {
		e := &elements[i]
		if e.basis != nil || e.strict != nil {
			at = append(at, e)
			holds = holds && e.Status == Holds
		}
	}
	if len(at) == 0 || holds {
		return
	}
	places := make([]testimony, len(at))
	for i, e := range at {
		places[i] = newPlace(e, alpha, len(at))
	}
	for _, round := range looksOf(places) {
		logE := make([]float64, len(places))
		for i := range places {
			logE[i] = places[i].most(round)
		}
		if logMean(logE) < -math.Log(alpha) {
			continue
		}
		for i := range places {
			logE[i] = places[i].logE(round)
		}
		if logMean(logE) >= -math.Log(alpha) {
			failed(at, named(places, logE, alpha), alpha)
			return
		}
	}
}

// named returns the e-values that name the places: of all rounds, or of the look where it names more.
func named(places []testimony, decided []float64, alpha float64) []float64 {
	all := make([]float64, len(places))
	for i := range places {
		all[i] = places[i].logE(math.MaxInt32 - 1)
	}
	_, then := stat.EBH(decided, alpha)
	if _, now := stat.EBH(all, alpha); now < max(then, 1) {
		return decided
	}
	return all
}

// failed marks the places at which a claim fails.
func failed(at []*Element, logE []float64, alpha float64) {
	selected, k := stat.EBH(logE, alpha)
	if k == 0 {
		loudest := slices.Index(logE, slices.Max(logE))
		selected[loudest] = true
		at[loudest].Note = "it fails over all sizes together, here most"
	}
	for i, e := range at {
		if selected[i] {
			e.Status = Fails
		}
	}
}

// A testimony is a place of a claim with what its rounds say against the claim.
type testimony struct {
	e      *Element
	lo, hi float64   // what the claim allows, in the scale of the basis
	ends   []float64 // see basis.most
	fixed  float64   // ln of the e-value of a place without a basis, by its interval
}

func newPlace(e *Element, alpha float64, m int) testimony {
	p := testimony{e: e, fixed: math.Inf(-1)}
	switch {
	case e.Doubt != "" || e.Status == Untested: // it says nothing
	case e.basis != nil:
		p.lo, p.hi = e.denied()
		p.ends = e.basis.most(p.lo, p.hi)
	case e.allowed.contradicts(e.strict(alpha / float64(m))):
		p.fixed = math.Log(float64(m) / alpha)
	}
	return p
}

// count returns how many of the place's rounds were taken by a round.
func (p testimony) count(round int32) int {
	n, _ := slices.BinarySearch(p.e.basis.at, round+1)
	return n
}

// most returns what logE does not exceed.
func (p testimony) most(round int32) float64 {
	if p.ends == nil {
		return p.fixed
	}
	n := p.count(round)
	if n == 0 {
		return 0
	}
	return p.ends[n-1]
}

// logE returns ln of the e-value against the claim at the place, after a round.
func (p testimony) logE(round int32) float64 {
	if p.ends == nil {
		return p.fixed
	}
	n := p.count(round)
	if n == 0 {
		return 0
	}
	return p.e.basis.until(n).against(p.lo, p.hi)
}

// looksOf returns the rounds after which it is asked whether the places refute the claim.
func looksOf(places []testimony) []int32 {
	var rounds []int32
	own := false
	for _, p := range places {
		if p.ends != nil {
			rounds, own = append(rounds, p.e.basis.at...), own || p.e.basis.own
		}
	}
	slices.Sort(rounds)
	rounds = slices.Compact(rounds)
	if len(rounds) == 0 {
		return []int32{math.MaxInt32 - 1} // nothing that changes from round to round
	}
	if own {
		return rounds[len(rounds)-1:] // see basis.reached
	}
	var out []int32
	for _, n := range stat.Looks(len(rounds)) {
		out = append(out, rounds[n-1])
	}
	return out
}

// logMean returns ln of the mean of exp(x).
func logMean(x []float64) float64 { return floats.LogSumExp(x) - math.Log(float64(len(x))) }
