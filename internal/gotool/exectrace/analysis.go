package exectrace

import (
	"strings"

	"golang.org/x/exp/trace"
)

// analysis is a trace being read.
type analysis struct {
	o     Options
	out   Trace
	whole *Trace // what the generations so far say; nil as long as none was whole

	thread  trace.ThreadID // of the last event
	threads map[trace.ThreadID]bool
	sched   scheduler

	collections collections
	pauses      pauses
	sweeps      sweeps
	assists     assists
	workers     workers
	heap, goal  *points
	load        *held
}

func newAnalysis(o Options, version int) *analysis {
	kept := longest[Interval]{keep: o.Intervals}
	return &analysis{
		o: o, thread: trace.NoThread, threads: map[trace.ThreadID]bool{}, sched: newScheduler(version < 22),
		collections: newCollections(o.Intervals), pauses: newPauses(o.Intervals),
		sweeps: sweeps{longest: kept}, assists: assists{longest: kept}, workers: workers{},
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
		a.collections.heapGoal(m.Value.Uint64())
		a.goal.add(a.sched.at(a.sched.now), m.Value.Uint64())
	}
}

// goState takes the change of state of a goroutine; one that ends is at the end of its assist, too.
func (a *analysis) goState(e *trace.Event, st *trace.StateTransition) {
	if g := a.sched.goState(e, st); g != nil {
		a.assists.end(&a.sched, g)
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
		if p := a.sched.proc(r.Scope.Proc()); p != nil && a.sweeps.sweeping(&a.sched, e, p, kind) {
			a.load.since()
		}
	case assistRange:
		if g := a.sched.goroutines.of[r.Scope.Goroutine()]; g != nil && a.assists.assist(&a.sched, g, kind) {
			a.load.since()
		}
	default:
		if reason, ok := strings.CutPrefix(r.Name, stopRange); ok {
			a.pauses.take(&a.sched, e, strings.TrimSuffix(reason, ")"), kind)
		}
	}
}

// finish ends what is still on, and sums up.
func (a *analysis) finish() *Trace {
	t, s := &a.out, &a.sched
	t.Span = s.at(s.now)
	a.collections.finish(&s.clock, &t.GC)
	t.STW = a.pauses.finish(s)
	a.sweeps.finish(s, &t.GC)
	a.assists.finish(s, &t.GC)
	s.finish()
	a.load.release(len(s.procs.of))
	t.MMU = a.load.to.finish(int64(s.now), int64(s.start))
	t.ProcTime = s.procs.finish(s.now)
	t.Threads, t.Procs, t.MaxProcs = len(a.threads), len(s.procs.of), s.procs.nMax
	t.GC.Workers = a.workers.all(&t.ProcTime)
	t.Groups, t.User, t.System = s.goroutines.sum(a.o.Groups)
	t.Heap, t.Goal = a.heap.points(), a.goal.points()
	t.Timeline, t.Left = timelines{
		Mark: &a.collections.marks, GCStop: &a.pauses.gc.longest, Stop: &a.pauses.tool.longest,
		Assist: &a.assists.longest, Sweep: &a.sweeps.longest,
	}.all()
	own := *t // a pointer into the analysis would keep all of that
	return &own
}
