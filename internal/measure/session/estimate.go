package session

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
)

// fitBudget makes room for the rounds that the verdicts of this run take: it raises the
// budget where the user named none, and says what one that was named is too short for.
func fitBudget(r *Run, given bool) {
	p := &r.Question.Plan
	f := plan.ForecastOf(p, r.Need.Of, false)
	least, most := f.Needed()
	switch {
	case p.Options.Rounds > 0 || most <= p.Options.Budget:
	case !given:
		p.Options.Budget = f.Raised(p.Options.Budget)
		r.Log.Note(fmt.Sprintf("%d cases need about %v for %s; the budget is now %v (--budget sets it, -b selects "+
			"benchmarks)", len(p.Cases), most, r.Need.Says(), p.Options.Budget))
	case least > p.Options.Budget:
		r.warn("the budget of %v is too short for %d cases: the %d rounds before which nothing is decided take "+
			"about %v (use --budget %v, or select benchmarks with -b)",
			p.Options.Budget, len(p.Cases), r.Need.Least, least, most)
	default:
		r.Log.Note(fmt.Sprintf("note: %s take about %v: --budget %v would do", r.Need.Says(), most, most))
	}
}

// noSample returns an error if the run has no sample, with the budget that gives it some.
func noSample(r *Run) error {
	some := errors.New("a sample")
	_, err := store.ReadSamples(r.Folder.Dir, func(*benchfmt.Result) error { return some })
	if err != nil {
		if errors.Is(err, some) {
			return nil
		}
		return err
	}
	p := &r.Question.Plan
	if o := p.Options; o.Shards > 1 && o.Shards > len(p.Groups()) {
		return hint.Usage(fmt.Sprintf("--shard i/%d at most", len(p.Groups())),
			"no sample was taken: --shard %d/%d has none of the %d comparisons", o.Shard, o.Shards, len(p.Groups()))
	}
	f := plan.ForecastOf(p, r.Need.Of, false)
	_, most := f.Needed()
	advice := fmt.Sprintf("%s --budget %v goes on with it; or measure fewer benchmarks (-b)", r.again(), f.Raised(most))
	return hint.New(advice, "no sample was taken: the budget of %v has no room for a round of the %d cases, which "+
		"takes about %v; finding them took %v", p.Options.Budget, len(p.Cases), f.Round.Round(time.Second/10),
		p.Prepared.Round(time.Second/10))
}

// firstCases is how many cases are calibrated before their time tells that of the others.
const firstCases = 3

// calibrating returns what says how far the calibration is and, after its first cases, how
// much longer it takes, and how long all of the run.
func calibrating(r *Run, given bool) func(done, known int) {
	began := time.Now()
	o := r.Question.Plan.Options
	planned := r.Question.Plan // of the lengths of samples: the cases are being calibrated
	planned.Cases = append([]plan.Case{}, planned.Cases...)
	plan.Uncalibrate(&planned)
	planned.Link(r.pairs())
	f := plan.ForecastOf(&planned, r.Need.Of, false)
	return func(done, known int) {
		step := fmt.Sprintf("calibrating %d/%d", done, known)
		if done >= firstCases && done < known {
			spent := time.Since(began)
			left := spent / time.Duration(done) * time.Duration(known-done)
			f.Calibration = spent + left
			all := o.Budget
			switch {
			case o.Rounds > 0:
				all = f.Prepared() + f.Verdicts
			case !given:
				all = f.Raised(o.Budget)
			}
			step += fmt.Sprintf(", about %v left; the run takes about %v in all, at most", left.Round(time.Second),
				all.Round(time.Second))
		}
		r.Log.Step(step)
	}
}

// pairs returns the cases that must be measured in the same rounds, as plan.Link takes
// them.
func (r *Run) pairs() [][2]int {
	var out [][2]int
	for i, x := range r.suites {
		cases, index := claim.Named(i, r.Question.Plan.Cases)
		for _, p := range claim.RatioPairs(x.Study, cases) {
			out = append(out, [2]int{index[p.Num], index[p.Den]})
		}
	}
	return out
}
