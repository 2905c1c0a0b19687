package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// The time that a comparison takes at most, where the user names none: so much for each
// benchmark, and so much for all of them; and for a program under several allocators.
const (
	budgetOfBenchmark  = time.Minute
	budgetOfComparison = 30 * time.Minute
	budgetOfAlloc      = 2 * time.Minute
)

// chooseBudget sets the budget of a comparison where the user named none.
func (s *Session) chooseBudget() {
	p, given := &s.Question.Plan, s.options.Budget != 0
	switch c := s.Question.Comparison; {
	case c == nil || given:
	case c.Alloc != nil:
		p.Options.Budget = budgetOfAlloc
	default:
		p.Options.Budget = min(budgetOfBenchmark*time.Duration(len(p.Cases)), budgetOfComparison)
	}
	s.bound(given || s.ready != nil)
}

// bound lets the calibration of a new run end where its budget would be spent. A budget that
// nobody named grows with the cases in the quick profile (fitBudget), and is one in the full
// profile, in which some studies have cases for a day. All shards have to find the same cases,
// and rounds that are counted are not bounded by time.
func (s *Session) bound(given bool) {
	o := s.Question.Plan.Options
	if o.Rounds == 0 && o.Shards <= 1 && (given || o.Profile == Full) {
		s.executor.Budget = o.Budget
	}
}

// fitBudget makes room for the rounds that the verdicts of this run take: it raises the
// budget where the user named none, and says what one that was named is too short for.
func (s *Session) fitBudget(given bool) {
	p := &s.Question.Plan
	f := plan.ForecastOf(p, s.Need.Of)
	least, most := f.Needed()
	switch {
	case p.Options.Rounds > 0 || f.Raised(p.Options.Budget) == p.Options.Budget:
	case !given:
		p.Options.Budget = f.Raised(p.Options.Budget)
		tables := ""
		if f.Tables > 0 {
			tables = fmt.Sprintf(", and %v for the intervals of what only fills tables", f.Tables.Round(time.Second))
		}
		s.Log.Note(fmt.Sprintf("%s: about %v is needed for %s%s; the budget is now %v (--budget sets it%s)", s.what(), most,
			s.Need.Says(), tables, p.Options.Budget, s.fewer()))
	case least > p.Options.Budget:
		s.warn("the budget of %v is too short for %s: the %d rounds before which nothing is decided take about %v "+
			"(use --budget %v%s)", p.Options.Budget, s.what(), s.Need.Least, least, most, s.fewer())
	case most > p.Options.Budget:
		s.Log.Note(fmt.Sprintf("note: %s take about %v: --budget %v would do", s.Need.Says(), most, most))
	}
}

// planLooks plans the looks at comparisons: for the rounds that are asked for, or those that the budget has room for as
// calibration foretells them, in which each case is measured. Parts of a plan are joined later, and have the usual ones.
func (s *Session) planLooks() {
	p := &s.Question.Plan
	p.Looks = &stat.Looks{Rounds: p.Options.Rounds}
	plain, _ := p.RoundTime()
	if left := p.Options.Budget - p.Prepared - plan.ForecastOf(p, s.Need.Of).Links; p.Options.Rounds == 0 && p.Options.Shards <= 1 && left > 0 && plain > 0 {
		p.Looks.Rounds = min(max(int(left/plain), fewestLooked), mostLooked)
	}
	for i := range s.studies {
		s.studies[i].Looks = *p.Looks
	}
}

// fewestLooked and mostLooked bound the rounds for which looks are planned where none are asked for: with fewer, cases that a
// claim needs more of are measured on beyond them, and with more what is plain would wait for the last looks.
const fewestLooked, mostLooked = 13, 200

// what says what takes the time.
func (s *Session) what() string {
	p := &s.Question.Plan
	switch {
	case !p.Has(plan.Command):
		return units.Plural(len(p.Cases), "case")
	case s.Question.Comparison.Alloc == nil:
		return units.Plural(len(p.Sides), "command")
	}
	return fmt.Sprintf("the program under %s", units.Plural(len(p.Sides), "configuration"))
}

// fewer says how to measure less, where there is a way.
func (s *Session) fewer() string {
	if s.Question.Plan.Has(plan.Command) {
		return ""
	}
	return "; -b selects benchmarks"
}

// noSample returns an error if the run has no sample, with the budget that gives it some.
func (s *Session) noSample() error {
	some := errors.New("a sample")
	_, err := store.ReadSamples(s.Folder.Dir, func(*benchfmt.Result) error { return some })
	if err != nil {
		if errors.Is(err, some) {
			return nil
		}
		return err
	}
	p := &s.Question.Plan
	if o := p.Options; o.Shards > 1 && o.Shards > len(p.Groups()) {
		return hint.Usage(fmt.Sprintf("--shard i/%d at most", len(p.Groups())),
			"no sample was taken: --shard %d/%d has none of the %d comparisons", o.Shard, o.Shards, len(p.Groups()))
	}
	f := plan.ForecastOf(p, s.Need.Of)
	_, most := f.Needed()
	advice := fmt.Sprintf("%s --budget %v goes on with it; or measure fewer benchmarks (-b)", s.again(), f.Raised(most))
	return hint.New(advice, "no sample was taken: the budget of %v has no room for a round of the %d cases, which "+
		"takes about %v; finding them took %v", p.Options.Budget, len(p.Cases), f.Round.Round(time.Second/10),
		p.Prepared.Round(time.Second/10))
}

// firstCases is how many cases are calibrated before their time tells that of the others.
const firstCases = 3

// calibrating returns what says how far the calibration is and, after its first cases, how
// much longer it takes, and how long all of the run.
func (s *Session) calibrating(given bool) func(done, known int) {
	began := time.Now()
	o := s.Question.Plan.Options
	planned := s.Question.Plan // of the lengths of samples: the cases are being calibrated
	planned.Cases = append([]plan.Case{}, planned.Cases...)
	plan.Uncalibrate(&planned)
	planned.Link(s.pairs())
	f := plan.ForecastOf(&planned, s.Need.Of)
	return func(done, known int) {
		step := fmt.Sprintf("calibrating %d/%d", done, known)
		if done >= firstCases && done < known {
			spent := time.Since(began)
			left := spent / time.Duration(done) * time.Duration(known-done)
			f.Calibration = spent + left
			all := o.Budget
			switch {
			case o.Rounds > 0:
				all = f.Prepared() + f.Links + f.Verdicts
			case !given:
				all = f.Raised(o.Budget)
			}
			step += fmt.Sprintf(", about %v left; the run takes about %v in all, at most", left.Round(time.Second),
				all.Round(time.Second))
		}
		s.Log.Step(step)
	}
}

// addNotReached calibrates cases that the run had not reached in its budget, as far as the
// budget goes now, and puts them behind the others.
func (s *Session) addNotReached(ctx context.Context) error {
	p := &s.Question.Plan
	if len(p.NotReached) == 0 || p.Options.Rounds > 0 {
		return nil
	}
	took, rounds, err := s.taken()
	if err != nil {
		return err
	}
	s.bound(true)
	_, guarded := p.RoundTime()
	s.executor.Owed = took + guarded*time.Duration(max(plan.GuardRounds-rounds, 0))
	if s.executor.Budget > 0 && p.Prepared+s.executor.Owed >= s.executor.Budget {
		return nil
	}
	listed := *p
	listed.Cases, listed.Failures = nil, nil // those of the listing are known
	s.Log.Step("listing the cases that were not reached")
	if err := s.executor.List(ctx, &listed); err != nil {
		return err
	}
	p.Prepared = listed.Prepared
	from, left := len(p.Cases), p.NotReached
	for _, c := range listed.Cases {
		x := plan.Left{Study: c.Study, Name: c.Name}
		if i := slices.Index(left, x); i >= 0 {
			p.Cases, left = append(p.Cases, c), slices.Delete(slices.Clone(left), i, i+1)
		}
	}
	if err := s.executor.Calibrate(ctx, p, from, s.calibrating(true)); err != nil {
		return err
	}
	p.NotReached = append(p.NotReached, left...) // those that could not be listed this time
	if len(p.Cases) > from {
		if err := s.sides.settle(ctx, s, from); err != nil {
			return err
		}
	}
	return s.save()
}

// taken returns how long the samples in the folder took, and how many rounds they make.
func (s *Session) taken() (took time.Duration, rounds int, err error) {
	sec := 0.0
	_, err = store.ReadSamples(s.Folder.Dir, func(x *benchfmt.Result) error {
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
