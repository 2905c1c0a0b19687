package exectrace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/exp/trace"
)

// analysis is a trace being read.
type analysis struct {
	o     Options
	out   Trace
	whole *Trace // what the generations so far say; nil as long as none was whole
	old   bool   // of Go 1.21 or older, translated by the library

	start, now trace.Time
	sync       trace.Time // when the generation began
	started    bool

	thread     trace.ThreadID // of the last event
	threads    map[trace.ThreadID]bool
	procs      procs
	goroutines map[trace.GoID]*goroutine
	unnamed    int // of them: no stack was seen
	groups     map[string]*group

	collection gcState
	cycles     longest[Cycle]
	stop       stop
	reasons    map[string]*Reason
	runs       map[string]int64 // of workers, by kind
	timeline   timelines
	heap, goal *points
	load       *delayed
}

func newAnalysis(o Options, version int) *analysis {
	a := &analysis{
		o: o, old: version < 22, thread: trace.NoThread,
		threads: map[trace.ThreadID]bool{}, goroutines: map[trace.GoID]*goroutine{}, groups: map[string]*group{},
		reasons: map[string]*Reason{}, runs: map[string]int64{}, timeline: newTimelines(o.Intervals),
		heap: newPoints(o.Points / 2), goal: newPoints(o.Points / 2), load: newDelayed(o.Windows),
	}
	a.procs.of = map[trace.ProcID]*proc{}
	a.cycles.keep = o.Intervals
	a.out.Version, a.out.Written = fmt.Sprintf("go1.%d", version), writers[version]
	return a
}

// at returns a moment of the trace as time since its start.
func (a *analysis) at(t trace.Time) time.Duration { return t.Sub(a.start) }

// longestSpan is three days. No trace is as long; sums of a thousand times as
// much are still numbers.
const longestSpan = 1 << 48

// event takes the next event. The error is a time that cannot be.
func (a *analysis) event(e *trace.Event) error {
	t := e.Time()
	if !a.started {
		a.started = true
		a.now, a.start, a.sync, a.procs.nAt = t, t, t, t
	} else if e.Kind() == trace.EventSync {
		a.generationEnds(t)
	}
	if t < a.now || uint64(t)-uint64(a.start) > longestSpan {
		return fmt.Errorf("the time goes from %d to %d ns", a.now, t)
	}
	a.now = t
	a.take(e)
	return nil
}

func (a *analysis) take(e *trace.Event) {
	if t := e.Thread(); t != a.thread && t != trace.NoThread {
		a.thread = t
		a.threads[t] = true
	}
	kind := e.Kind()
	if kind != trace.EventSync {
		a.out.Events++
	}
	if a.unnamed > 0 && (kind == trace.EventMetric || kind == trace.EventRangeBegin || kind == trace.EventLog ||
		kind == trace.EventTaskBegin) {
		a.nameBy(e)
	}
	switch kind {
	case trace.EventSync:
		a.sync = a.now
	case trace.EventMetric:
		a.metric(e)
	case trace.EventLabel:
		a.label(e)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		a.rangeEvent(e)
	case trace.EventStateTransition:
		switch st := e.StateTransition(); st.Resource.Kind {
		case trace.ResourceGoroutine:
			a.goState(e, &st)
		case trace.ResourceProc:
			a.procState(e, &st)
		}
	default:
		return
	}
	if a.procs.n > 0 || a.old {
		a.load.change(int64(a.now), a.procs.busy, a.stop.by == GCStop)
	}
}

func (a *analysis) metric(e *trace.Event) {
	m := e.Metric()
	if m.Value.Kind() != trace.ValueUint64 {
		return
	}
	switch m.Name {
	case "/sched/gomaxprocs:threads":
		a.gomaxprocs(m.Value.Uint64())
	case "/memory/classes/heap/objects:bytes":
		a.heapSize(m.Value.Uint64())
	case "/gc/heap/goal:bytes":
		a.heapGoal(m.Value.Uint64())
	}
}

// finish ends what is still on, and sums up.
func (a *analysis) finish() *Trace {
	t := &a.out
	t.Span = a.at(a.now)
	a.markEnd(true)
	a.pauseEnd()
	for _, p := range a.procs.of {
		a.sweepEnd(p)
	}
	for _, g := range a.goroutines {
		a.assistEnd(g)
		a.leave(g, g.state)
	}
	a.load.release(len(a.procs.of))
	t.MMU = a.load.to.finish(int64(a.now), int64(a.start))
	t.ProcTime = a.finishProcs()
	t.Threads, t.Procs, t.MaxProcs = len(a.threads), len(a.procs.of), a.procs.nMax
	t.GC.Cycles = a.cycles.all()
	t.GC.Left, _ = a.cycles.left()
	t.GC.Workers = a.workers()
	t.STW.Reasons = a.pauseReasons()
	a.sumGroups()
	t.Heap, t.Goal = a.heap.points(), a.goal.points()
	t.Timeline, t.Left = a.timeline.all()
	own := *t // a pointer into the analysis would keep all of that
	return &own
}

func (a *analysis) workers() (all []Worker) {
	for _, kind := range []string{"dedicated", "fractional", "idle"} {
		if n, d := a.runs[kind], *a.procs.time.worker(kind); n > 0 {
			all = append(all, Worker{kind, n, d})
		}
	}
	if d := a.procs.time.OtherMark; d > 0 {
		all = append(all, Worker{Kind: "other", Time: d})
	}
	return all
}

func (a *analysis) pauseReasons() (all []Reason) {
	for _, r := range a.reasons {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Reason) int {
		return cmp.Or(-cmp.Compare(a.Total, b.Total), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// sumGroups sums goroutines up: all of the program's, all of the runtime's, and
// by start function.
func (a *analysis) sumGroups() {
	for _, g := range a.goroutines {
		if !g.named {
			a.group("").merge(g.sums)
		}
	}
	named := slices.SortedFunc(maps.Values(a.groups), func(a, b *group) int {
		return cmp.Or(-cmp.Compare(a.exec, b.exec), -cmp.Compare(a.n, b.n), cmp.Compare(a.name, b.name))
	})
	var user, system, rest sums
	others := 0
	for i, g := range named {
		sum := &user
		if isSystem(g.name) {
			sum = &system
		}
		sum.merge(&g.sums)
		if i < a.o.Groups {
			a.out.Groups = append(a.out.Groups, g.sums.group(g.name))
		} else {
			rest.merge(&g.sums)
			others++
		}
	}
	if others > 0 {
		a.out.Groups = append(a.out.Groups, rest.group(fmt.Sprintf("(%d more)", others)))
	}
	a.out.User, a.out.System = user.group("(program)"), system.group("(runtime)")
	a.out.User.System, a.out.System.System = false, true
}

func (s *sums) group(name string) Group {
	g := Group{Name: name, System: isSystem(name), Goroutines: s.n, Exec: s.exec, SchedWait: s.sched,
		Block: slices.Clone(s.block), Syscall: s.syscall, SyscallOff: s.offProc, Ranges: slices.Clone(s.ranges)}
	for _, w := range [][]Wait{g.Block, g.Ranges} {
		slices.SortFunc(w, func(a, b Wait) int {
			return cmp.Or(-cmp.Compare(a.Time, b.Time), cmp.Compare(a.Name, b.Name))
		})
	}
	return g
}
