package session

import (
	"context"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

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
	if err := r.lab.Calibrate(ctx, p, from, calibrating(r, true)); err != nil {
		return err
	}
	p.NotReached = append(p.NotReached, left...) // those that could not be listed this time
	if len(p.Cases) > from {
		p.Link(r.pairs())
		markShown(r)
		if !p.Options.NoGuards {
			p.ChooseSuspects()
		}
		r.explain(r.suites)
	}
	return r.save()
}

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
