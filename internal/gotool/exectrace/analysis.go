package exectrace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// analysis is a trace being read.
type analysis struct {
	o    Options
	out  Trace
	told int64 // events of the generations that were whole

	thread  trace.ThreadID // of the last event
	threads map[trace.ThreadID]bool
	sched   scheduler

	collections collections
	pauses      pauses
	swept       swept
	timelines   timelines
	workers     workers
	heap, goal  *points
	load        *held
}

func newAnalysis(o Options, version int) *analysis {
	return &analysis{
		o: o, thread: trace.NoThread, threads: map[trace.ThreadID]bool{}, sched: newScheduler(version < 22),
		collections: collections{cycles: longest[Cycle]{keep: o.Intervals}}, pauses: pauses{reasons: map[string]*Reason{}},
		timelines: newTimelines(o.Intervals), workers: workers{},
		heap: newPoints(o.Points / 2), goal: newPoints(o.Points / 2), load: newHeld(o.Windows),
	}
}

// take takes an event, at the time of the clock.
func (a *analysis) take(e *trace.Event) {
	if t := e.Thread(); t != a.thread && t != trace.NoThread {
		a.thread = t
		a.threads[t] = true
	}
	kind := e.Kind()
	if kind != trace.EventSync {
		a.out.Events++
	}
	if a.sched.goroutines.unnamed > 0 && (kind == trace.EventMetric || kind == trace.EventRangeBegin ||
		kind == trace.EventLog || kind == trace.EventTaskBegin) {
		a.sched.goroutines.nameBy(e)
	}
	switch kind {
	case trace.EventSync:
		a.sched.sync = a.sched.now
	case trace.EventMetric:
		a.metric(e)
	case trace.EventLabel:
		a.workers.label(&a.sched, e)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		a.rangeEvent(e)
	case trace.EventStateTransition:
		switch st := e.StateTransition(); st.Resource.Kind {
		case trace.ResourceGoroutine:
			a.goState(e, &st)
		case trace.ResourceProc:
			a.sched.procState(e, &st)
		}
	default:
		return
	}
	if ps := &a.sched.procs; ps.n > 0 || ps.old {
		a.load.change(int64(a.sched.now), ps.busy, a.pauses.on.by == GCStop)
	}
}

func (a *analysis) metric(e *trace.Event) {
	m := e.Metric()
	if m.Value.Kind() != trace.ValueUint64 {
		return
	}
	switch m.Name {
	case "/sched/gomaxprocs:threads":
		n := m.Value.Uint64()
		if a.sched.procs.gomaxprocs(n, a.sched.now) {
			a.load.procs(int64(a.sched.now), int32(n))
		}
	case "/memory/classes/heap/objects:bytes":
		a.collections.heapSize(m.Value.Uint64())
		a.heap.add(a.sched.at(a.sched.now), m.Value.Uint64())
	case "/gc/heap/goal:bytes":
		a.collections.goal = m.Value.Uint64()
		a.goal.add(a.sched.at(a.sched.now), m.Value.Uint64())
	}
}

// goState takes the change of state of a goroutine; one that ends is at the end of its assist, too.
func (a *analysis) goState(e *trace.Event, st *trace.StateTransition) {
	if g := a.sched.goState(e, st); g != nil {
		a.assistEnds(g)
		a.sched.end(st.Resource.Goroutine(), g)
	}
}

func (a *analysis) rangeEvent(e *trace.Event) {
	r := e.Range()
	kind := e.Kind()
	switch r.Name {
	case markRange:
		a.collections.mark(&a.sched, kind)
	case sweepRange:
		if p := a.sched.proc(r.Scope.Proc()); p != nil && a.sweep(e, p, kind) {
			a.load.since()
		}
	case assistRange:
		if g := a.sched.goroutines.of[r.Scope.Goroutine()]; g != nil && a.assist(g, kind) {
			a.load.since()
		}
	default:
		if reason, ok := strings.CutPrefix(r.Name, stopRange); ok {
			a.pauseEvent(e, strings.TrimSuffix(reason, ")"), kind)
		}
	}
}

// finish ends what is still on, and sums up.
func (a *analysis) finish() *Trace {
	t, s := &a.out, &a.sched
	t.Span = s.at(s.now)
	a.collections.finish(&s.clock, &t.GC)
	a.pauseEnds()
	t.STW = a.pauses.all()
	for _, p := range s.procs.of {
		a.sweepEnds(p)
	}
	for _, g := range s.goroutines.of {
		a.assistEnds(g)
	}
	t.GC.Sweeps, t.GC.Sweep = a.timelines[Sweep].n, a.timelines[Sweep].total
	t.GC.Assists, t.GC.Assist = a.timelines[Assist].n, a.timelines[Assist].total
	t.GC.SweptB, t.GC.ReclaimedB = a.swept.all, a.swept.reclaimed
	s.finish()
	a.load.release(len(s.procs.of))
	t.MMU = a.load.to.finish(int64(s.now), int64(s.start))
	t.ProcTime = s.procs.finish(s.now)
	t.Threads, t.Procs, t.MaxProcs = len(a.threads), len(s.procs.of), s.procs.nMax
	t.GC.Workers = a.workers.all(&t.ProcTime)
	t.Groups, t.User, t.System = s.goroutines.sum(a.o.Groups)
	t.Heap, t.Goal = a.heap.points(), a.goal.points()
	t.Timeline, t.Left = a.timelines.all(&a.collections)
	own := *t // a pointer into the analysis would keep all of that
	return &own
}

// errEnough ends a second reading, behind the generations that are whole.
var errEnough = errors.New("the rest is damaged")

// event takes the next event, of as many generations as are wanted; 0 is all of them. The error is
// a time that cannot be, or errEnough.
func (a *analysis) event(e *trace.Event, wanted int) error {
	t := e.Time()
	if !a.sched.begun {
		a.sched.begin(t)
	} else if e.Kind() == trace.EventSync {
		a.generationEnds(t)
		if a.out.Generations == wanted {
			return errEnough
		}
	}
	if err := a.sched.advance(t); err != nil {
		return err
	}
	a.take(e)
	return nil
}

// generationEnds is told that the reader has delivered a generation whole, and when the
// next begins. Only of these something is said: if what follows is damaged, the
// reader notices only in the middle of it, when it has delivered events of some threads
// long before those of others, or with times that are wrong.
func (a *analysis) generationEnds(next trace.Time) {
	if a.out.Generations > 0 && a.out.Events == a.told {
		return // cut off before its first event
	}
	a.told = a.out.Events
	a.out.Generations++
	a.load.release(0) // after the first, nothing turns out to have been on since the beginning
	// The reader ends a trace a nanosecond after its last event. A later time is that of
	// the next generation, of which nothing is known yet.
	a.sched.now = max(a.sched.now, min(next, a.sched.now+1))
}

// goroutine is one that has not ended. What it did is added to its group's sums
// at once; until its name is known, to sums of its own.
type goroutine struct {
	*Group

	state  trace.GoState
	since  trace.Time // in this state
	reason string     // why it waits
	p      *proc      // on which it runs or is in a system call
	off    bool       // its system call has lost the P,
	offAt  trace.Time // then

	worker    string // kind of the worker that it is while it runs
	assisting bool
	assistAt  trace.Time
}

// proc is a P: what is on it, and since when.
type proc struct {
	running bool
	thread  trace.ThreadID // which it runs on
	g       *goroutine     // on it, running or in a system call
	sweep   bool           // between begin and end of a sweep
	since   trace.Time     // until here its time is accounted for
	busy    bool           // the collector has it, for the utilisation

	sweepAt trace.Time
	sweepG  *goroutine // on it when the sweep began
}

// isBusy says whether the P is the collector's, and not the program's.
func (p *proc) isBusy() bool {
	if p.sweep {
		return true
	}
	g := p.g
	return p.running && g != nil && (g.assisting || g.worker == "dedicated" || g.worker == "fractional")
}

// clock is the time in the trace.
type clock struct {
	begun      bool
	start, now trace.Time
	sync       trace.Time // when the generation began
}

// at is a moment of the trace as time since its start.
func (c *clock) at(t trace.Time) time.Duration { return t.Sub(c.start) }

// longestSpan is three days. No trace is as long; sums of a thousand times as
// much are still numbers.
const longestSpan = 1 << 48

// begin sets the clock to the time of the first event.
func (c *clock) begin(t trace.Time) {
	c.begun = true
	c.now, c.start, c.sync = t, t, t
}

// advance sets the clock to the time of an event. The error is a time that cannot be.
func (c *clock) advance(t trace.Time) error {
	if t < c.now || uint64(t)-uint64(c.start) > longestSpan {
		return fmt.Errorf("the time goes from %d to %d ns", c.now, t)
	}
	c.now = t
	return nil
}

// addWait adds a time to those of a name. There are few names, and most are constants of the
// runtime: a scan costs less than a map.
func addWait(to *[]Wait, name string, d time.Duration) {
	for i := range *to {
		if (*to)[i].Name == name {
			(*to)[i].Time += d
			return
		}
	}
	*to = append(*to, Wait{strings.Clone(name), d})
}

func (g *Group) merge(o *Group) {
	g.Goroutines += o.Goroutines
	g.Exec += o.Exec
	g.SchedWait += o.SchedWait
	g.Syscall += o.Syscall
	g.SyscallOff += o.SyscallOff
	for _, w := range o.Block {
		addWait(&g.Block, w.Name, w.Time)
	}
	for _, w := range o.Ranges {
		addWait(&g.Ranges, w.Name, w.Time)
	}
}

// isSystem says whether a goroutine that began with this function is the
// runtime's own; so are those of which no stack was seen, as threads that C made
// have (GOROOT/src/internal/trace/summary.go, IsSystemGoroutine), and, other than
// there, what the tracer starts.
func isSystem(name string) bool {
	return name == "" || name != "runtime.main" && strings.HasPrefix(name, "runtime.") || isTracer(name)
}

// isTracer says whether a goroutine began in package runtime/trace: nothing that it
// exports starts one but to write the trace (trace.Start.func1, since Go 1.25
// trace.(*traceMultiplexer).startLocked.func1).
func isTracer(name string) bool { return strings.HasPrefix(name, "runtime/trace.") }

// groups are all groups by their names.
type groups map[string]*Group

// group returns the group of a name, a new one if there is none.
func (gs groups) group(name string) *Group {
	g := gs[name]
	if g == nil {
		g = &Group{Name: strings.Clone(name), System: isSystem(name)}
		gs[g.Name] = g
	}
	return g
}

// sum sums goroutines up: all of the program's, all of the runtime's, and
// by start function, so many of these as are to be kept.
func (gs groups) sum(keep int) (all []Group, program, runtime Group) {
	named := slices.SortedFunc(maps.Values(gs), func(a, b *Group) int {
		return cmp.Or(-cmp.Compare(a.Exec, b.Exec), -cmp.Compare(a.Goroutines, b.Goroutines), cmp.Compare(a.Name, b.Name))
	})
	program, runtime = Group{Name: "(program)"}, Group{Name: "(runtime)", System: true}
	rest := Group{Name: fmt.Sprintf("(%d more)", len(named)-keep)}
	for i, g := range named {
		sum := &program
		if g.System {
			sum = &runtime
		}
		if sum.merge(g); i < keep {
			all = append(all, *g)
		} else {
			rest.merge(g)
		}
	}
	if len(named) > keep {
		all = append(all, rest)
	}
	for _, g := range append(slices.Clone(all), program, runtime) { // their waits are those of the results
		for _, w := range [][]Wait{g.Block, g.Ranges} {
			slices.SortFunc(w, func(a, b Wait) int {
				return cmp.Or(-cmp.Compare(a.Time, b.Time), cmp.Compare(a.Name, b.Name))
			})
		}
	}
	return all, program, runtime
}

// goroutines are those that have not ended, and by groups what all did.
type goroutines struct {
	of      map[trace.GoID]*goroutine
	unnamed int // of them: no stack was seen
	groups  groups
}

// meet is a goroutine that is new, or new to us: then it has been in its state
// since the generation began.
func (gs *goroutines) meet(id trace.GoID, from trace.GoState, c *clock) *goroutine {
	g := &goroutine{Group: &Group{Goroutines: 1}, since: c.now}
	if from == trace.GoUndetermined {
		g.since = c.sync
	}
	gs.of[id] = g
	gs.unnamed++
	return g
}

// nameBy names the goroutine that an event is of: one that runs from the beginning of
// the trace to its end changes no state that would have its stack.
func (gs *goroutines) nameBy(e *trace.Event) {
	if g := gs.of[e.Goroutine()]; g != nil && g.Name == "" {
		gs.name(g, e.Stack())
	}
}

// name gives the goroutine the name at the root of a stack of its own.
func (gs *goroutines) name(g *goroutine, s trace.Stack) {
	if s == trace.NoStack {
		return
	}
	name := ""
	for f := range s.Frames() {
		name = f.Func
	}
	if name == "" {
		return
	}
	group := gs.groups.group(name)
	group.merge(g.Group)
	g.Group = group
	gs.unnamed--
}

// forget is told of a goroutine that ended.
func (gs *goroutines) forget(id trace.GoID, g *goroutine) {
	if g.Name == "" {
		gs.unnamed--
		gs.groups.group("").merge(g.Group)
	}
	delete(gs.of, id)
}

// sum sums all goroutines up, also those that have no name and have not ended.
func (gs *goroutines) sum(keep int) (all []Group, program, runtime Group) {
	for _, g := range gs.of {
		if g.Name == "" {
			gs.groups.group("").merge(g.Group)
		}
	}
	return gs.groups.sum(keep)
}
