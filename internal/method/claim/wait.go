package claim

import (
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// A Wait is what an undecided verdict waits for: further rounds of some places.
type Wait struct {
	Places []WaitingPlace
	// Early says that some place has fewer rounds than a decision takes, so that Rounds are no
	// more than those.
	Early bool
}

// A WaitingPlace is one of them. Its cases are measured in the same rounds.
type WaitingPlace struct {
	Cases  []string
	Rounds float64     // after which it should be decided; +Inf where that is not to be expected
	Rests  stat.Rounds // what its figure rests on; none where there are fewer rounds than a decision takes
}

// Waits returns what an undecided verdict waits for; false where no round will change it. It
// looks at the rounds so far alone.
//
// A claim is decided when it holds, or is at its bound, at each open place, or when it fails at one: the figures
// say which of the two is to be expected sooner, and then only the places that it takes are named.
// Places with fewer rounds than any decision takes come before all that.
//
// A verdict that was just reached has one more round or so: it should also stand when all that
// the run reports is counted together (see Discover), which takes a little more than 1/alpha of
// each where most are decided.
func (v Verdict) Waits(alpha float64) (Wait, bool) {
	if v.Status.Decided() {
		return v.toStand(alpha)
	}
	var hold, fail Wait
	m := 0
	for _, e := range v.Elements {
		if e.at != nil {
			m++
		}
	}
	var early []WaitingPlace
	for _, e := range v.Elements {
		p := WaitingPlace{Cases: e.Cases}
		switch {
		case e.early:
			p.Rounds = 1
			early = append(early, p)
		case v.Status != Undecided || e.Status != Undecided || e.Single || e.Doubt == Crashes:
		case e.basis == nil && e.Doubt != "": // other machines would help, rounds do not
		case e.basis == nil:
			p.Rounds = math.Inf(1)
			hold.Places = append(hold.Places, p)
		default:
			if n, least := len(e.basis.each), e.basis.looks.MinRounds(2*alpha); n < least {
				early = append(early, WaitingPlace{Cases: e.Cases, Rounds: float64(least - n)})
				continue
			}
			p.Rests = e.basis.rests
			_, one := shares(alpha, m)
			holds, fails := e.expected(alpha, one)
			p.Rounds = holds
			hold.Places = append(hold.Places, p)
			if p.Rounds = fails; len(fail.Places) == 0 || fails < fail.Places[0].Rounds {
				fail.Places = []WaitingPlace{p}
			}
		}
	}
	switch {
	case len(early) > 0:
		return Wait{early, true}, true
	case len(hold.Places) == 0:
		return Wait{}, false
	case fail.rounds() < hold.rounds():
		return fail, true
	}
	return hold, true
}

// rounds returns those of all places together.
func (w Wait) rounds() (sum float64) {
	for _, p := range w.Places {
		sum += p.Rounds
	}
	return sum
}

// standing is the part of alpha at which a verdict stands together with others, where a fifth of all that is counted
// does: see stat.Discoveries.
const standing = 1. / 16

// toStand returns what a verdict waits for that was reached with hardly more than alpha.
func (v Verdict) toStand(alpha float64) (w Wait, waits bool) {
	if p, ok := v.p(alpha); !ok || p <= standing*alpha {
		return w, false
	}
	for _, e := range v.Elements {
		if e.basis == nil || e.Status != v.Status {
			continue
		}
		p, fails, near := e.says()
		rounds, until := e.expected(standing*alpha, standing*alpha)
		switch v.Status {
		case Fails:
			p, rounds = fails, until
		case AtBound:
			p = near
		}
		if p > standing*alpha && !math.IsInf(rounds, 1) {
			w.Places = append(w.Places, WaitingPlace{e.Cases, rounds, e.basis.rests})
		}
	}
	return w, len(w.Places) > 0
}

// expected returns how many more rounds of an element it should take until the claim holds there, or is at its bound, at
// one level, and until it fails there, at another, if the rounds to come are like those so far.
func (e Element) expected(holdAt, failAt float64) (holds, fails float64) {
	centre, hope := e.basis.hope()
	lo, hi := e.bounds()
	room := min(centre-lo, hi-centre)
	for _, z := range e.allowed.zones() {
		from, to := e.scaled(z.Lo, z.Hi)
		room = max(room, min(centre-from, to-centre))
	}
	holds = e.basis.until(room+hope, 2*holdAt)
	fails = e.basis.until(max(lo-centre, centre-hi)+hope, 2*failAt)
	return holds, fails
}

// hope returns the centre of the rounds, and how much further from a bound it is believed to lie than it looks, so that what
// looks bad after few rounds by chance gets another look: a quarter of a standard error.
func (b basis) hope() (centre, more float64) {
	centre, sd := stat.Spread(b.each)
	return centre, sd / math.Sqrt(float64(len(b.each))) / 4
}

// until returns how many more rounds it should take until a look whose interval reaches no further than gap.
func (b basis) until(gap, alpha float64) float64 { return b.looks.Until(b.rests, gap, alpha) }

// Waits returns after how many more rounds a change that is open should be decided: when its interval, of the level with
// which it stands among all that is reported, has left the margin, or lies inside of it; +Inf
// where neither is to be expected. Discover has to come first.
func (c Change) Waits(alpha float64) float64 {
	centre, hope := c.basis.hope()
	beyond := math.Abs(centre) - math.Log1p(c.margin)
	if beyond <= 0 {
		return c.basis.until(hope-beyond, alpha)
	}
	return c.basis.until(hope+beyond, c.need)
}

// A tier says how much a run needs a case.
type tier int

// The tiers, the most needed first.
const (
	ofClaims tier = iota // a claim speaks of it, or a guard needs it
	shown                // it stands in a table or a picture
	rest
	tiers
)

// Batches returns the cases of a run's studies and packages in the order in which they are
// needed: those of claims first (of the claims that answer the question before others), then
// those that tables and pictures show, then the rest. The two sides of a ratio are one batch.
// Studies take turns, so that where the time ends none is without a case that others have.
func Batches(studies []*language.Study, cases []plan.Case) [][]int {
	var out [][]int
	of := make([][tiers][][]int, len(studies))
	for i, st := range studies {
		of[i] = needs(st, i, cases)
	}
	for t := range tiers {
		for n, more := 0, true; more; n++ {
			more = false
			for i := range of {
				if n < len(of[i][t]) {
					out, more = append(out, of[i][t][n]), true
				}
			}
		}
	}
	return out
}

// needs returns the batches of one study by tier. A case may be in several of them.
func needs(st *language.Study, study int, cases []plan.Case) (out [tiers][][]int) {
	all, index := Named(study, cases)
	seen := map[int]bool{}
	add := func(t tier, cs ...*series.Series) {
		var batch []int
		for _, c := range cs {
			batch = append(batch, index[c])
			seen[index[c]] = true
		}
		out[t] = append(out[t], batch)
	}
	part := func(t tier, claims []language.Claim, tables []language.Table) {
		only := *st
		only.Claims, only.Tables, only.Pictures = claims, tables, nil
		for _, p := range RatioPairs(&only, all) {
			add(t, p.Num, p.Den)
		}
	}
	each := func(t tier, sels ...language.Selector) {
		for _, c := range all {
			if slices.ContainsFunc(sels, func(s language.Selector) bool { return s.Match(c.Result) }) {
				add(t, c)
			}
		}
	}
	for _, c := range all {
		if st.Floor != "" && string(c.Result.Name.Base()) == st.Floor {
			add(ofClaims, c)
		}
	}
	for _, c := range answersFirst(st) {
		if part(ofClaims, []language.Claim{c}, nil); c.Den.IsZero() {
			each(ofClaims, c.Num)
		}
		if !c.Weak.IsZero() {
			each(ofClaims, c.Weak)
		}
	}
	for _, t := range st.Tabulated() {
		part(shown, nil, []language.Table{t})
		for _, c := range t.Columns {
			if c.Den.IsZero() {
				each(shown, c.Num)
			}
		}
	}
	for _, c := range all {
		if !seen[index[c]] {
			add(rest, c)
		}
	}
	return out
}

// answersFirst returns a study's claims, those that answer its question first.
func answersFirst(st *language.Study) []language.Claim {
	var first, others []language.Claim
	for _, id := range st.Answer {
		for _, c := range st.Claims {
			if c.ID == id {
				first = append(first, c)
			}
		}
	}
	for _, c := range st.Claims {
		if !slices.Contains(st.Answer, c.ID) {
			others = append(others, c)
		}
	}
	return append(first, others...)
}

// Named returns a study's cases as series without samples, for matching, and their indices.
func Named(study int, all []plan.Case) ([]*series.Series, map[*series.Series]int) {
	var cases []*series.Series
	index := map[*series.Series]int{}
	for i, c := range all {
		if c.Study != study {
			continue
		}
		sr := &series.Series{ID: series.ID{Case: c.Name}, Result: &benchfmt.Result{Name: benchfmt.Name(c.Name)}}
		cases = append(cases, sr)
		index[sr] = i
	}
	return cases, index
}
