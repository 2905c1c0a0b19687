package sample

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/stat"
	"memcost/internal/store"
)

// Run takes rounds until the questions are answered, the budget is spent or ctx
// is done. It goes on from what the folder already holds. An error means that
// samples could not be taken or kept; what is in the folder stays good.
func (e *Engine) Run(ctx context.Context) (Stop, error) {
	if err := e.replay(); err != nil {
		return "", err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(quiet))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for round := e.set.Rounds(); ; round++ {
		runtime.GC()
		e.open = e.questions()
		if stop := e.enough(round); stop != "" {
			return stop, nil
		}
		if err := e.round(ctx, round); err != nil {
			if ctx.Err() != nil {
				return Interrupted, nil
			}
			return "", err
		}
	}
}

// replay reads what the folder holds. The samples of the last round are held
// back: which comparisons were live in it was decided without them.
func (e *Engine) replay() error {
	e.set, e.wall = series.New(e.Plan.GroupOf(), e.units()...), e.Plan.Prepared.Seconds()
	last := -1
	var held []*benchfmt.Result
	_, err := store.ReadSamples(e.Folder.Dir, func(r *benchfmt.Result) error {
		if v, ok := r.Value(series.UnitRound); ok && int(v) > last {
			for _, h := range held {
				e.set.Add(h)
			}
			held, last = held[:0], int(v)
		}
		if v, ok := r.Value(series.UnitWall); ok {
			e.wall += v
		}
		held = append(held, r.Clone())
		return nil
	})
	e.pending = held
	return err
}

// round takes the samples of one round that are not in the folder yet.
func (e *Engine) round(ctx context.Context, round int) error {
	tasks := e.Plan.Round(round, e.open.live, sieved(e))
	for _, r := range e.pending {
		e.set.Add(r)
	}
	e.pending = nil
	began := time.Now()
	before := e.wall
	if err := measureFloor(ctx, e, round); err != nil {
		return err
	}
	for i, t := range tasks {
		if e.taken(t) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.report(t, i, len(tasks))
		r, err := e.take(ctx, t)
		if err != nil {
			return err
		}
		if err := e.Folder.Append(r); err != nil {
			return err
		}
		e.set.Add(r)
		e.wall = before + time.Since(began).Seconds()
	}
	return nil
}

// taken reports whether the folder holds this sample, or a case that is past
// hope.
func (e *Engine) taken(t plan.Task) bool {
	s := e.set.Get(e.id(t))
	if s == nil {
		return false
	}
	if hopeless(s) {
		return true
	}
	for _, f := range s.Failures {
		if f.Round == t.Round {
			return true
		}
	}
	n := len(s.Rounds)
	return n > 0 && int(s.Rounds[n-1]) >= t.Round
}

// enough says why no further round is needed, or "".
func (e *Engine) enough(round int) Stop {
	o := e.Plan.Options
	switch {
	case len(e.Plan.Cases) == 0 || e.open.groups == 0:
		return NothingLeft
	case o.Rounds > 0:
		if round >= o.Rounds {
			return OutOfRounds
		}
	case e.open.count == 0:
		return Answered
	case o.Budget > 0 && e.wall+e.roundTime(round).Seconds()/2 > o.Budget.Seconds():
		// Half a round over or under the budget is the nearest that whole
		// rounds can come.
		return OutOfBudget
	}
	return ""
}

func (e *Engine) roundTime(round int) time.Duration {
	plain, guarded := e.Plan.RoundTime()
	if round < plan.GuardRounds {
		plain = guarded
	}
	return time.Duration(float64(plain) * float64(e.open.count) / float64(max(e.open.groups, 1)))
}

func (e *Engine) report(t plan.Task, done, total int) {
	if e.Progress == nil {
		return
	}
	e.Progress(Progress{
		Round: t.Round, Done: done, Total: total, Case: e.Plan.Cases[t.Case].Name,
		Claims: e.open.claims, Decided: e.open.decided,
		Open: e.open.count, Groups: e.open.groups, Precision: e.open.precision,
		Elapsed: time.Duration(e.wall * float64(time.Second)), Left: e.left(t.Round, done, total),
	})
}

// left foretells how long the run will still take: to the end of the rounds
// asked for; or until the open questions are answered, if their intervals go on
// shrinking with the square root of the rounds. It is never beyond the end of the
// budget, and is that end before there is an interval.
func (e *Engine) left(round, done, total int) time.Duration {
	per := e.roundTime(round)
	rest := time.Duration(float64(per) * float64(total-done) / float64(max(total, 1)))
	o := e.Plan.Options
	if o.Rounds > 0 {
		return rest + time.Duration(max(o.Rounds-round-1, 0))*per
	}
	budget := o.Budget - time.Duration(e.wall*float64(time.Second))
	if o.Budget > 0 && e.open.need == 0 && round < stat.MinRounds(o.Alpha) {
		return budget // nothing is known yet of how fast the intervals shrink
	}
	need := max(stat.MinRounds(o.Alpha)-round-1, 0)
	if e.open.need > round {
		need = max(need, e.open.need-round-1)
	}
	if o.Budget <= 0 {
		return rest + time.Duration(need)*per
	}
	return max(min(rest+time.Duration(need)*per, budget), 0)
}

// quiet is the memory the harness may grow to before its collector runs in the
// middle of a round; otherwise it runs between rounds only.
const quiet = 80 << 20
