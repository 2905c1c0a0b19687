package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/store"
)

// A tier says how much a run needs a case.
type tier int

// The tiers, the most needed first.
const (
	ofClaims tier = iota // a claim speaks of it, or a guard needs it
	shown                // it stands in a table or a picture
	rest
	tiers
)

// batches returns the cases in the order in which they are needed: those of claims first (of
// the claims that answer the question before others), then those that tables and pictures
// show, then the rest. The two sides of a ratio are one batch. Studies take turns, so that
// where the time ends none is without a case that others have.
func (r *Run) batches(cases []plan.Case) [][]int {
	var out [][]int
	of := make([][tiers][][]int, len(r.suites))
	for i, x := range r.suites {
		of[i] = needs(x.Study, i, cases)
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

// needs returns the batches of one suite by tier. A case may be in several of them.
func needs(st *catalog.Study, suite int, cases []plan.Case) (out [tiers][][]int) {
	all, index := namedSeries(suite, cases)
	seen := map[int]bool{}
	add := func(t tier, cs ...*series.Series) {
		var batch []int
		for _, c := range cs {
			batch = append(batch, index[c])
			seen[index[c]] = true
		}
		out[t] = append(out[t], batch)
	}
	part := func(t tier, claims []catalog.Claim, tables []catalog.Table) {
		only := *st
		only.Claims, only.Tables, only.Pictures = claims, tables, nil
		for _, p := range claim.RatioPairs(&only, all) {
			add(t, p.Num, p.Den)
		}
	}
	each := func(t tier, sels ...catalog.Selector) {
		for _, c := range all {
			if slices.ContainsFunc(sels, func(s catalog.Selector) bool { return s.Match(c.Result) }) {
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
		if part(ofClaims, []catalog.Claim{c}, nil); c.Den.IsZero() {
			each(ofClaims, c.Num)
		}
		if !c.Weak.IsZero() {
			each(ofClaims, c.Weak)
		}
	}
	for _, t := range st.Tabulated() {
		part(shown, nil, []catalog.Table{t})
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
func answersFirst(st *catalog.Study) []catalog.Claim {
	var first, others []catalog.Claim
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

// namedSeries returns a suite's cases as series without samples, for matching.
func namedSeries(suite int, all []plan.Case) ([]*series.Series, map[*series.Series]int) {
	var cases []*series.Series
	index := map[*series.Series]int{}
	for i, c := range all {
		if c.Suite != suite {
			continue
		}
		sr := &series.Series{ID: series.ID{Case: c.Name}, Result: &benchfmt.Result{Name: benchfmt.Name(c.Name)}}
		cases = append(cases, sr)
		index[sr] = i
	}
	return cases, index
}

// bound lets the calibration of a new run end where its budget would be spent. A budget that
// nobody named grows with the cases in the quick profile (fitBudget), and is one in the full
// profile, in which some studies have cases for a day. All shards have to find the same cases,
// and rounds that are counted are not bounded by time.
func (r *Run) bound(given bool) {
	o := r.Question.Plan.Options
	if o.Rounds == 0 && o.Shards <= 1 && (given || o.Profile == Full) {
		r.lab.Budget = o.Budget
	}
}

// addNotReached calibrates cases that the run had not reached in its budget, as far as the
// budget goes now, and puts them behind the others.
func (r *Run) addNotReached(ctx context.Context) error {
	p := &r.Question.Plan
	if len(p.NotReached) == 0 || p.Options.Rounds > 0 {
		return nil
	}
	took, rounds, err := r.measured()
	if err != nil {
		return err
	}
	r.bound(true)
	_, guarded := p.RoundTime()
	r.lab.Owed = took + guarded*time.Duration(max(plan.GuardRounds-rounds, 0))
	if r.lab.Budget > 0 && p.Prepared+r.lab.Owed >= r.lab.Budget {
		return nil
	}
	listed := *p
	listed.Cases, listed.Failures = nil, nil // those of the listing are known
	r.Log.Step("listing the cases that were not reached")
	if err := r.lab.List(ctx, &listed); err != nil {
		return err
	}
	p.Prepared = listed.Prepared
	from, left := len(p.Cases), p.NotReached
	for _, c := range listed.Cases {
		x := plan.Left{Suite: c.Suite, Name: c.Name}
		if i := slices.Index(left, x); i >= 0 {
			p.Cases, left = append(p.Cases, c), slices.Delete(slices.Clone(left), i, i+1)
		}
	}
	if err := r.lab.Calibrate(ctx, p, from, r.calibrating); err != nil {
		return err
	}
	p.NotReached = append(p.NotReached, left...) // those that could not be listed this time
	if len(p.Cases) > from {
		p.Link(r.pairs())
		if !p.Options.NoGuards {
			p.ChooseSuspects()
		}
		r.explain(r.suites)
	}
	return r.save()
}

func (r *Run) calibrating(done, known int) { r.Log.Step(fmt.Sprintf("calibrating %d/%d", done, known)) }

// measured returns how long the samples in the folder took, and how many rounds they make.
func (r *Run) measured() (took time.Duration, rounds int, err error) {
	sec := 0.0
	_, err = store.ReadSamples(r.Folder.Dir, func(x *benchfmt.Result) error {
		if v, ok := x.Value(series.UnitWall); ok {
			sec += v
		}
		if v, ok := x.Value(series.UnitRound); ok {
			rounds = max(rounds, int(v)+1)
		}
		return nil
	})
	return time.Duration(sec * float64(time.Second)), rounds, err
}
