package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/sample"
	"memcost/internal/series"
	"memcost/internal/store"
)

// bound lets the calibration of a new run end where its budget would be spent. A budget that
// nobody named grows with the cases in the quick profile (fitBudget), and is one in the full
// profile, in which some studies have cases for a day. All shards have to find the same cases,
// and rounds that are counted are not bounded by time.
func bound(r *Run, given bool) {
	o := r.Question.Plan.Options
	if o.Rounds == 0 && o.Shards <= 1 && (given || o.Profile == Full) {
		r.lab.Budget = o.Budget
	}
}

// addNotReached calibrates cases that the run had not reached in its budget, as far as the
// budget goes now, and puts them behind the others.
func addNotReached(ctx context.Context, r *Run) error {
	p := &r.Question.Plan
	if len(p.NotReached) == 0 || p.Options.Rounds > 0 {
		return nil
	}
	took, rounds, err := measured(r.Folder.Dir)
	if err != nil {
		return err
	}
	bound(r, true)
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
	if err := r.lab.Calibrate(ctx, p, from, calibrating(r)); err != nil {
		return err
	}
	p.NotReached = append(p.NotReached, left...) // those that could not be listed this time
	if len(p.Cases) > from {
		p.Link(sample.Pairs(r.suites, p.Cases))
		if !p.Options.NoGuards {
			p.ChooseSuspects()
		}
		r.explain(r.suites)
	}
	sayNotReached(r)
	return r.save()
}

// sayNotReached says how many cases the budget has no room for.
func sayNotReached(r *Run) {
	p := &r.Question.Plan
	if n := len(p.NotReached); n > 0 {
		r.Log.Note(fmt.Sprintf("the budget of %v has room for %d of %d cases: those of claims first, then those that "+
			"are shown; --resume adds the others, as far as its --budget goes", p.Options.Budget, len(p.Cases),
			len(p.Cases)+n))
	}
}

func calibrating(r *Run) func(done, known int) {
	return func(done, known int) { r.Log.Step(fmt.Sprintf("calibrating %d/%d", done, known)) }
}

// measured returns how long the samples in a folder took, and how many rounds they make.
func measured(dir string) (took time.Duration, rounds int, err error) {
	sec := 0.0
	_, err = store.ReadSamples(dir, func(x *benchfmt.Result) error {
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
