package sample

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/claim"
	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/stat"
	"memcost/internal/store"
)

// An Engine takes the samples of a plan.
type Engine struct {
	Plan     *plan.Plan
	Suites   []claim.Suite // parallel to Plan.Suites
	Lab      *Lab
	Folder   *store.Folder
	Sampler  *machine.Sampler
	Header   [][2]string // file configuration that all samples share: machine, goos …
	Progress func(Progress)

	set     *series.Set
	pending []*benchfmt.Result // of a round that an earlier process began
	wall    float64            // seconds spent in rounds, this process and those before it
	open    openState
}

// Progress holds how far a run has come.
type Progress struct {
	Round, Done, Total int // samples taken and to take in this round
	Case               string
	Claims, Decided    int
	Open, Groups       int     // comparisons with an open question, and all
	Precision          float64 // the widest relative half-width that still matters; 0 if not known
	Elapsed, Left      time.Duration
}

// A Stop is the reason why a run ended.
type Stop string

// The reasons for which a run ends.
const (
	Answered    Stop = "every question is answered"
	OutOfBudget Stop = "the budget is spent"
	OutOfRounds Stop = "the rounds asked for are done"
	Interrupted Stop = "interrupted"
	NothingLeft Stop = "no case is left to run"
)

// heapInRound is the heap size to which the harness may grow before its collector runs in the
// middle of a round; below it, the collector runs between rounds only.
const heapInRound = 80 << 20

// Run takes rounds until the questions are answered, the budget is spent or ctx is done.
// It continues from the samples in the folder. An error means that samples could not be
// taken or stored; the folder stays valid.
func (e *Engine) Run(ctx context.Context) (Stop, error) {
	if err := e.replay(); err != nil {
		return "", err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(heapInRound))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for round := e.set.Rounds(); ; round++ {
		runtime.GC()
		e.open = e.questions()
		if stop := e.stopReason(round); stop != "" {
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

// replay reads the samples in the folder. Those of the last round are added last: which
// comparisons were live in it was decided without them.
func (e *Engine) replay() error {
	e.set = series.New(e.Plan.GroupOf(), e.units()...)
	last := -1
	var lastRound []*benchfmt.Result
	_, err := store.ReadSamples(e.Folder.Dir, func(r *benchfmt.Result) error {
		if v, ok := r.Value(series.UnitRound); ok && int(v) > last {
			for _, h := range lastRound {
				e.set.Add(h)
			}
			lastRound, last = lastRound[:0], int(v)
		}
		if v, ok := r.Value(series.UnitWall); ok {
			e.wall += v
		}
		lastRound = append(lastRound, r.Clone())
		return nil
	})
	e.pending = lastRound
	return err
}

// round takes the samples of one round that are not in the folder yet.
func (e *Engine) round(ctx context.Context, round int) error {
	tasks := e.Plan.Round(round, e.open.live)
	for _, r := range e.pending {
		e.set.Add(r)
	}
	e.pending = nil
	began := time.Now()
	before := e.wall
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

func (e *Engine) id(t plan.Task) series.ID {
	c := e.Plan.Cases[t.Case]
	return series.ID{Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name, Arm: e.Plan.Arms[t.Arm].Name,
		Role: string(t.Role)}
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

// hopeless reports whether a case has failed so often that it is not tried any
// more: twice without ever a result, or in every other round.
func hopeless(s *series.Series) bool {
	n := len(s.Failures)
	return n >= 2 && n > len(s.Rounds)
}

// stopReason returns why no further round is needed, or "".
func (e *Engine) stopReason(round int) Stop {
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
		// Whole rounds come within half a round of the budget at best.
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

func (e *Engine) units() []string {
	var units []string
	for _, s := range e.Suites {
		units = append(units, claim.Units(s.Study)...)
	}
	return units
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
		return budget // it is unknown yet how fast the intervals shrink
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
