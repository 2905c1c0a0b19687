package sample

import (
	"math"
	"slices"

	"memcost/internal/claim"
	"memcost/internal/series"
	"memcost/internal/stat"
)

// questions works out which comparisons still have an open question. A question
// is a claim that is not decided; a ratio that a table shows, between cases or
// between arms, which is not known to the precision asked for; the cost itself
// of a case that stands in no ratio; and whether a case that seems to do nothing
// was optimised away.
//
// It depends on the samples alone, so that a resumed run comes to the same end.
func (e *Engine) questions() openState {
	groups := e.Plan.Groups()
	o := openState{isOpen: make([]bool, len(groups))}
	fixed := e.Plan.Options.Rounds > 0
	alive := e.alive(len(groups))
	for g := range groups {
		if alive[g] && e.Plan.Mine(g) {
			o.groups++
			o.isOpen[g] = fixed || e.rounds(g) < stat.MinRounds(e.Plan.Options.Alpha)
		}
	}
	for i, s := range claim.Pooled(e.Suites, e.set) {
		e.suiteQuestions(&o, i, s, alive)
	}
	for g := range groups {
		if o.isOpen[g] {
			o.count++
		}
	}
	return o
}

func (e *Engine) suiteQuestions(o *openState, suite int, s claim.Suite, alive []bool) {
	var arms []string
	for _, a := range e.Plan.ArmsOf(suite) {
		arms = append(arms, e.Plan.Arms[a].Name)
	}
	open := func(gs ...int) {
		for _, g := range gs {
			if g >= 0 && alive[g] && e.Plan.Mine(g) {
				o.isOpen[g] = true
			}
		}
	}
	judged := claim.JudgeArms(s, e.set, arms, e.Plan.Options.Alpha, nil)
	for _, j := range judged {
		for _, v := range j.Verdicts {
			if v.Status == claim.Untested {
				continue
			}
			o.claims++
			if v.Status != claim.Undecided {
				o.decided++
			}
			open(v.OpenGroups()...)
		}
		for _, p := range j.AtFloor {
			open(p.Num.Group, p.Den.Group)
		}
		inRatio := map[*series.Series]bool{}
		for _, p := range claim.RatioPairs(s.Study, j.Cases) {
			inRatio[p.Num], inRatio[p.Den] = true, true
			if e.unshown(o, j.Ratio(p.Num, p.Den, "sec/op")) {
				open(p.Num.Group, p.Den.Group)
			}
		}
		for _, c := range j.Cases {
			if j != judged[0] {
				base := e.set.Get(series.ID{Suite: c.Suite, Case: c.Case, Arm: arms[0]})
				if base != nil && e.uncompared(o, j.Ratio(c, base, "sec/op")) {
					open(c.Group)
				}
			} else if !inRatio[c] && len(judged) == 1 {
				if e.unshown(o, j.Estimate(c, "sec/op")) {
					open(c.Group)
				}
			}
		}
	}
}

// imprecise reports whether an estimate needs more rounds, and keeps account of
// how many.
func (e *Engine) imprecise(o *openState, x claim.Estimate) bool {
	if x.Rounds == 0 || x.Interval.IsEmpty() {
		return false // nothing to estimate; or a drift that rounds will not mend
	}
	half, want := x.Half(), e.Plan.Options.Precision
	if half <= want {
		return false
	}
	if !math.IsInf(half, 1) {
		o.precision = max(o.precision, half)
		o.need = max(o.need, int(math.Ceil(float64(x.Rounds)*(half/want)*(half/want))))
	}
	return true
}

// unshown reports whether a figure of a table needs more rounds. Where the run is to stop when
// all is decided, none does.
func (e *Engine) unshown(o *openState, x claim.Estimate) bool {
	return !e.Plan.Options.StopWhenDecided && e.imprecise(o, x)
}

// uncompared reports whether it is still open if two arms differ: they are
// known to, by more than the margin; or known to be equal within it; or their
// ratio is known as precisely as was asked for.
func (e *Engine) uncompared(o *openState, x claim.Estimate) bool {
	return claim.Compare(x) == claim.Open && e.imprecise(o, x)
}

// alive reports, by group, whether some case of it can still give a result.
func (e *Engine) alive(groups int) []bool {
	alive := make([]bool, groups)
	for _, c := range e.Plan.Cases {
		for _, a := range e.Plan.ArmsOf(c.Suite) {
			s := e.set.Get(series.ID{Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name, Arm: e.Plan.Arms[a].Name})
			if s == nil || !hopeless(s) {
				alive[c.Group] = true
			}
		}
	}
	return alive
}

// rounds is the number of rounds that count for a group so far.
func (e *Engine) rounds(group int) int {
	least := math.MaxInt
	for _, c := range e.Plan.Cases {
		if c.Group != group {
			continue
		}
		for _, a := range e.Plan.ArmsOf(c.Suite) {
			s := e.set.Get(series.ID{Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name, Arm: e.Plan.Arms[a].Name})
			switch {
			case s == nil:
				least = 0
			case hopeless(s):
			case !slices.Contains(s.Units(), "sec/op"): // it reports other figures, and no time
				least = min(least, len(s.Rounds))
			default:
				least = min(least, len(e.set.Valid(s, "sec/op")))
			}
		}
	}
	return least
}
