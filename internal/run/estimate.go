package run

import (
	"fmt"
	"time"

	"memcost/internal/asked"
	"memcost/internal/plan"
)

// Needs returns how many rounds the claims of the run take.
func (r *Run) Needs() asked.Need { return r.need }

// Forecast returns how long the run will take.
func (r *Run) Forecast() plan.Forecast { return r.Question.Plan.Forecast(r.need.Of, true) }

// fitBudget makes room for the rounds that the verdicts of this run take: it raises the
// budget where the user named none, and warns where one was named.
func (r *Run) fitBudget(given bool) {
	p := &r.Question.Plan
	need := r.needed(p)
	if p.Options.Rounds > 0 || need <= p.Options.Budget {
		return
	}
	if !given {
		p.Options.Budget = raised(need)
		r.Log.Note(fmt.Sprintf("%d cases need about %v for %s; the budget is now %v (--budget sets it, -b selects "+
			"benchmarks)", len(p.Cases), need, rounds(r.need), p.Options.Budget))
		return
	}
	r.warn("the budget of %v is too short for %d cases: %s take about %v (use --budget %v, or select benchmarks with -b)",
		p.Options.Budget, len(p.Cases), rounds(r.need), need, need)
}

// needed returns the budget without which some verdict of a plan may be out of reach.
func (r *Run) needed(p *plan.Plan) time.Duration {
	f := p.Forecast(r.need.Of, false)
	return (p.Prepared + f.Calibration + f.Verdicts + time.Second).Round(time.Second)
}

// raised returns the budget that a run gets which needs a longer one than its profile has.
func raised(need time.Duration) time.Duration { return (need * 5 / 4).Round(time.Second) }

// rounds says which rounds verdicts take.
func rounds(n asked.Need) string {
	if n.Most == n.Least {
		return fmt.Sprintf("the %d rounds that a verdict takes", n.Least)
	}
	return fmt.Sprintf("the rounds that verdicts take (%d, and up to %d where a claim is over several cases)", n.Least,
		n.Most)
}

// firstCases is how many cases are calibrated before their time tells that of the others.
const firstCases = 3

// calibrating returns what says how far the calibration is and, after its first cases, how
// much longer it takes, and how long all of the run.
func (r *Run) calibrating(given bool) func(done, known int) {
	began := time.Now()
	o := r.Question.Plan.Options
	planned := r.Question.Plan // of the lengths of samples: the cases are being calibrated
	planned.Cases = append([]plan.Case{}, planned.Cases...)
	uncalibrated(&planned)
	planned.Link(r.pairs())
	verdicts := planned.Forecast(r.need.Of, false).Verdicts
	return func(done, known int) {
		step := fmt.Sprintf("calibrating %d/%d", done, known)
		if done >= firstCases && done < known {
			spent := time.Since(began)
			left := spent / time.Duration(done) * time.Duration(known-done)
			all := planned.Prepared + spent + left + verdicts
			switch {
			case o.Rounds > 0:
			case given || all <= o.Budget:
				all = o.Budget
			default:
				all = raised(all)
			}
			step += fmt.Sprintf(", about %v left; the run takes about %v in all, at most", left.Round(time.Second),
				all.Round(time.Second))
		}
		r.Log.Step(step)
	}
}
