// Package sample takes the samples of a plan: a fresh process for each, in the
// plan's order, each one on disk before the next begins, until the questions
// are answered.
package sample

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// An Engine takes the samples of a plan.
type Engine struct {
	Plan     *plan.Plan
	Studies  []claim.Study // parallel to Plan.Studies
	Executor *Executor
	Folder   *store.Folder
	Sampler  *machine.Sampler
	Header   [][2]string // file configuration that all samples share: machine, goos …
	Progress func(Progress)
	// Decided reports that what is asked of the run is known before all of its questions are; nil: nothing is.
	Decided func() bool
	Load    *Load // runs beside all samples, which it is subtracted from; nil is none

	set     *series.Set
	pending []*benchfmt.Result // of a round that an earlier process began
	wall    float64            // seconds since the run began to list its cases, this process and those before it
	clock   func()             // brings wall up to date
	open    openState
	end     stat.End
	index   map[studyCase]int // of Plan.Cases
	alone   map[int]string    // cases whose processes run alone, and why
	// inSlices are the cases whose last samples were taken in slices.
	inSlices map[int]bool
	ran      map[series.ID]ranAlone // what is known from processes that ran alone
	links    links
}

// ranAlone is what is known of a case from processes that ran alone.
type ranAlone struct {
	cycles float64 // of the collector in an operation, of the last one
	sec    float64 // of an operation, the least
}

// Progress is how far a run has come.
type Progress struct {
	Round, Done, Total int // samples taken and to take in this round
	Study, Case        string
	Claims, Decided    int
	Open               int     // claims and comparisons of configurations that are not decided
	Precision          float64 // the widest relative half-width that still matters; 0 if not known
	Elapsed, Left      time.Duration
	Studies            []claim.Study
	Arms               func(study int) []int // on which a study is measured
	Judged             []*claim.Judged       // the studies on the first arm, as they were judged last
}

// An Ending says why a run ended.
type Ending string

// The reasons for which a run ends.
const (
	Answered    Ending = "every question is answered"
	OutOfReach  Ending = "what is undecided is out of reach"
	OutOfBudget Ending = "the budget is spent"
	OutOfRounds Ending = "the rounds asked for are done"
	Interrupted Ending = "interrupted"
	NothingLeft Ending = "no case is left to run"
	GateDecided Ending = "what the gate asks for is decided"
)

// Undecided returns the cases of which a comparison of configurations was not decided when the rounds ended.
func (e *Engine) Undecided() []string { return e.open.undecided }

func (e *Engine) id(t plan.Task) series.ID {
	c := e.Plan.Cases[t.Case]
	return series.ID{Study: e.Plan.Studies[c.Study].Name, Case: c.Name, Side: e.Plan.Sides[t.Side].Name,
		Role: string(t.Role)}
}

// role returns the samples of a cell in a role; nil where there are none.
func (e *Engine) role(at cell, role plan.Role) *series.Series {
	return e.set.Get(e.id(plan.Task{Case: at.c, Side: at.arm, Role: role}))
}

func (e *Engine) series(at cell) *series.Series { return e.role(at, plan.Main) }

// hopeless reports whether a case has failed so often that it is not tried any
// more: twice without ever a result, or in every other round.
func hopeless(s *series.Series) bool {
	n := len(s.Failures)
	return n >= 2 && n > len(s.Rounds)
}

func (e *Engine) units() []string {
	var units []string
	for _, s := range e.Studies {
		units = append(units, claim.Units(s.Written)...)
	}
	return units
}

// Run takes rounds until the questions are answered, the budget is spent or ctx
// is done. It goes on from what the folder already holds. An error means that
// samples could not be taken or kept; what is in the folder stays good.
func (e *Engine) Run(ctx context.Context) (Ending, error) {
	if err := e.replay(); err != nil {
		return "", err
	}
	defer Quiet()()
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
			e.chooseLinks(e.open)
			e.foretell(time.Now)
			if e.Decided != nil && round > 0 && e.Plan.Options.Rounds == 0 && e.Decided() {
				return GateDecided, nil
			}
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
		for _, unit := range []string{series.UnitWall, series.UnitLink} {
			v, _ := r.Value(unit)
			e.wall += v
		}
		if study, round, link, ok := e.linkIn(r); ok {
			e.links.of(study).ran(round, link)
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
	if err := e.ready(ctx, tasks); err != nil {
		return err
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
		e.recordLinks(rs)
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
		Suspect: e.seemsToDepend,
		Link:    e.drawn(round),
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
	case len(e.open.live) == 0 && e.open.beyond > 0:
		return OutOfReach
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
		Round: t.Round, Done: done, Total: total, Study: e.Plan.Studies[c.Study].Name, Case: c.Name,
		Claims: e.open.claims, Decided: e.open.decided,
		Open: e.open.asked, Precision: e.open.precision,
		Elapsed: seconds(e.wall), Left: e.left(t.Round, done, total),
		Studies: e.Studies, Arms: e.Plan.SidesOf, Judged: e.open.judged,
	})
}

// left foretells how long the run will still take: to the end of the rounds asked for; or until
// the questions are answered, which is never beyond the end of the budget.
func (e *Engine) left(round, done, total int) time.Duration {
	share := float64(done) / float64(max(total, 1))
	o := e.Plan.Options
	if o.Rounds > 0 {
		return seconds(stat.RoundsLeft(e.wall, e.Plan.Prepared.Seconds(), float64(round)+share,
			float64(o.Rounds*e.Plan.Turns()), e.roundSec()))
	}
	return seconds(e.end.Left(e.wall, o.Budget.Seconds(), e.roundSec()*(1-share)))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// quiet is the memory the harness may grow to before its collector runs in the
// middle of a round; otherwise it runs between rounds only.
const quiet = 80 << 20

// cost is what a round of a cell takes in seconds, with its part of the links.
func (e *Engine) cost(at cell) float64 { return e.sampleCost(at) + e.linkCost(at) }

// sampleCost is what its samples take: so far, or as calibration foretells.
func (e *Engine) sampleCost(at cell) float64 {
	if s := e.series(at); s != nil && s.Wall > 0 && len(s.Rounds) > 0 {
		return s.Wall / float64(len(s.Rounds))
	}
	c := e.Plan.Cases[at.c]
	return c.Estimate*float64(c.N) + c.StartUp
}

// cellsOf returns those that can still give a result.
func (e *Engine) cellsOf() []cell {
	var out []cell
	for i, c := range e.Plan.Cases {
		if !e.Plan.Mine(c.Group) {
			continue
		}
		for _, a := range e.Plan.SidesOf(c.Study) {
			if s := e.series(cell{i, a}); s == nil || !hopeless(s) {
				out = append(out, cell{i, a})
			}
		}
	}
	return out
}

// tried is the number of rounds before one in which a cell was measured, those that do not count
// among them.
func (e *Engine) tried(at cell, round int) int {
	s := e.series(at)
	if s == nil {
		return 0
	}
	n, _ := slices.BinarySearch(s.Rounds, int32(round))
	for _, f := range s.Failures {
		if f.Round < round {
			n++
		}
	}
	return n
}

// quarters is the number of rounds before one in which a cell had a quarter sample.
func (e *Engine) quarters(at cell, round int) int {
	s := e.role(at, plan.Quarter)
	if s == nil {
		return 0
	}
	n, _ := slices.BinarySearch(s.Rounds, int32(round))
	return n
}

// counted is the number of rounds that count for a cell.
func (e *Engine) counted(at cell) int {
	s := e.series(at)
	switch {
	case s == nil:
		return 0
	case !slices.Contains(s.Units(), "sec/op"): // it reports other figures, and no time
		return len(s.Rounds)
	}
	return len(e.set.Valid(s, "sec/op"))
}

// cell finds a case of a study by its name; its index is −1 where the plan has none.
func (e *Engine) cell(study, arm int, name string) cell {
	if e.index == nil {
		e.index = map[studyCase]int{}
		for i, c := range e.Plan.Cases {
			e.index[studyCase{c.Study, c.Name}] = i
		}
	}
	if i, ok := e.index[studyCase{study, name}]; ok {
		return cell{i, arm}
	}
	return cell{-1, arm}
}

// foretell finds out, when it is time, how long the run would take until nothing is left to be
// found out. The figures of tables are asked for only where all else has an end in sight: their
// intervals take time.
func (e *Engine) foretell(now func() time.Time) {
	if !e.end.Due(e.wall) {
		return
	}
	began := now()
	sec := e.need(e.open.questions)
	if !math.IsInf(sec, 1) && !e.Plan.Options.StopWhenDecided && e.wall+sec < e.budget() {
		sec = e.need(append(e.open.questions, e.loose(&openState{})))
	}
	e.end.Foretold(e.wall, sec, now().Sub(began).Seconds())
}

func (e *Engine) budget() float64 {
	if b := e.Plan.Options.Budget; b > 0 {
		return b.Seconds()
	}
	return math.Inf(1)
}

// need is how many seconds questions take together; +Inf if that is not known of one of them.
// Cells that serve several count once.
func (e *Engine) need(all []question) (sec float64) {
	rounds := map[cell]float64{}
	for _, q := range all {
		if q.early || q.blind {
			return math.Inf(1)
		}
		for i, at := range q.cells {
			rounds[at] = max(rounds[at], q.rounds[i])
		}
	}
	for at, n := range rounds {
		sec += n * e.cost(at)
	}
	return sec
}
