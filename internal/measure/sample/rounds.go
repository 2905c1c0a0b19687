package sample

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// Run takes rounds until the questions are answered, the budget is spent or ctx
// is done. It goes on from what the folder already holds. An error means that
// samples could not be taken or kept; what is in the folder stays good.
func (e *Engine) Run(ctx context.Context) (Ending, error) {
	if err := e.replay(); err != nil {
		return "", err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(quiet))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	began, before := time.Now(), e.wall
	e.clock = func() { e.wall = before + time.Since(began).Seconds() }
	var next, collected time.Time
	for round := e.set.Rounds(); ; round++ {
		if time.Since(collected) > perCollection {
			runtime.GC()
			collected = time.Now()
		}
		if now := time.Now(); now.After(next) {
			e.open = e.questions()
			e.foretell(time.Now)
			next = time.Now().Add(time.Since(now) * perAsking)
		}
		e.clock()
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

// perCollection is the least time between two collections of our own: rounds of short commands take
// less, and make little garbage.
const perCollection = 50 * time.Millisecond

// perAsking is how many times as long as the questions took it is measured before they are asked
// again: a round of two cases takes less time than to judge all that a run has.
const perAsking = 15

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
	tasks := e.Plan.Round(round, e.stateOf(round))
	for _, r := range e.pending {
		e.set.Add(r)
	}
	e.pending = nil
	if e.Executor.Ready != nil {
		if err := e.Executor.Ready(ctx, tasks); err != nil {
			return err
		}
	}
	if err := e.measureFloor(ctx, round); err != nil {
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
		rs, err := e.takeNext(ctx, tasks, i, e.taken)
		if err != nil {
			return err
		}
		if err := e.Folder.Append(rs...); err != nil {
			return err
		}
		for _, r := range rs {
			e.set.Add(r)
		}
		e.clock()
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

// stateOf is what the next round is drawn from.
func (e *Engine) stateOf(round int) plan.State {
	return plan.State{
		Live:    func(c, arm int) bool { return e.open.live[cell{c, arm}] },
		Taken:   func(c, arm int) int { return e.tried(cell{c, arm}, round) },
		Suspect: e.sieved(),
	}
}

// enough says why no further round is needed, or "".
func (e *Engine) enough(round int) Ending {
	o := e.Plan.Options
	switch {
	case e.open.groups == 0:
		return NothingLeft
	case o.Rounds > 0:
		if round >= o.Rounds*e.Plan.Turns() {
			return OutOfRounds
		}
	case len(e.open.live) == 0:
		return Answered
	case o.Budget > 0 && e.wall+e.roundSec()/2 > o.Budget.Seconds():
		// Half a round over or under the budget is the nearest that whole
		// rounds can come.
		return OutOfBudget
	}
	return ""
}

// roundSec is what a round of the cells that are live should take, in seconds.
func (e *Engine) roundSec() float64 {
	sec := 0.0
	for at := range e.open.live {
		sec += e.cost(at)
	}
	return sec
}

func (e *Engine) report(t plan.Task, done, total int) {
	if e.Progress == nil {
		return
	}
	c := e.Plan.Cases[t.Case]
	e.Progress(Progress{
		Round: t.Round, Done: done, Total: total, Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name,
		Claims: e.open.claims, Decided: e.open.decided,
		Open: e.open.asked, Precision: e.open.precision,
		Elapsed: seconds(e.wall), Left: e.left(t.Round, done, total),
		Suites: e.Suites, Arms: e.Plan.ArmsOf, Judged: e.open.judged,
		InFull: func(suite int) *claim.Judged { return e.inFull(suite) },
	})
}

// left foretells how long the run will still take: to the end of the rounds asked for; or until
// the questions are answered, which is never beyond the end of the budget.
func (e *Engine) left(round, done, total int) time.Duration {
	share := float64(done) / float64(max(total, 1))
	o := e.Plan.Options
	if o.Rounds > 0 {
		return seconds(stat.Rounds(e.wall, e.Plan.Prepared.Seconds(), float64(round)+share,
			float64(o.Rounds*e.Plan.Turns()), e.roundSec()))
	}
	return seconds(e.end.Left(e.wall, o.Budget.Seconds(), e.roundSec()*(1-share)))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// quiet is the memory the harness may grow to before its collector runs in the
// middle of a round; otherwise it runs between rounds only.
const quiet = 80 << 20
