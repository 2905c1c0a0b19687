package exectrace

import (
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// The trace's names of ranges (golang.org/x/exp/trace, Event.Range).
const (
	markRange   = "GC concurrent mark phase"
	sweepRange  = "GC incremental sweep"
	assistRange = "GC mark assist"
	stopRange   = "stop-the-world ("
)

func (a *analysis) rangeEvent(e *trace.Event) {
	r := e.Range()
	kind := e.Kind()
	switch r.Name {
	case markRange:
		a.mark(kind)
	case sweepRange:
		if p := a.proc(r.Scope.Proc()); p != nil {
			a.sweeping(e, p, kind)
		}
	case assistRange:
		if g := a.goroutines[r.Scope.Goroutine()]; g != nil {
			a.assist(g, kind)
		}
	default:
		if reason, ok := strings.CutPrefix(r.Name, stopRange); ok {
			a.pause(e, strings.TrimSuffix(reason, ")"), kind)
		}
	}
}

// gcState is the collection that is on.
type gcState struct {
	on    bool
	cycle Cycle
	heap  uint64 // last event's value; 0 before the first
	goal  uint64
}

func (a *analysis) mark(kind trace.EventKind) {
	gc := &a.collection
	a.marking(kind != trace.EventRangeEnd)
	switch {
	case kind == trace.EventRangeActive && gc.on:
	case kind == trace.EventRangeActive:
		gc.on, gc.cycle = true, Cycle{Start: a.at(a.sync), CutStart: true, HeapPeak: gc.heap}
	case kind == trace.EventRangeBegin:
		a.markEnd(true)
		gc.on, gc.cycle = true, Cycle{Start: a.at(a.now), HeapStart: gc.heap, HeapPeak: gc.heap, Goal: gc.goal}
	default:
		if !gc.on {
			gc.on, gc.cycle = true, Cycle{CutStart: true}
		}
		gc.cycle.HeapLive = gc.heap // emitted while the world is stopped (runtime/mgcpacer.go, resetLive)
		a.markEnd(false)
	}
}

// markEnd ends the collection that is on, if one is.
func (a *analysis) markEnd(cut bool) {
	gc := &a.collection
	if !gc.on {
		return
	}
	c := &gc.cycle
	c.End, c.CutEnd = a.at(a.now), cut
	gc.on = false
	a.out.GC.N++
	a.out.GC.Mark += c.End - c.Start
	a.interval(Mark, "", c.Start, c.End)
	a.cycles.add(*c)
}

func (a *analysis) heapSize(bytes uint64) {
	a.collection.heap = bytes
	if a.collection.on {
		a.collection.cycle.HeapPeak = max(a.collection.cycle.HeapPeak, bytes)
	}
	a.heap.add(a.at(a.now), bytes)
}

func (a *analysis) heapGoal(bytes uint64) {
	a.collection.goal = bytes
	a.goal.add(a.at(a.now), bytes)
}

// sweeping processes a P that sweeps before it allocates.
func (a *analysis) sweeping(e *trace.Event, p *proc, kind trace.EventKind) {
	switch {
	case kind == trace.EventRangeActive && p.sweep:
		return
	case kind == trace.EventRangeActive: // since the trace began
		p.sweep, p.sweepAt, p.sweepG = true, a.sync, p.g
		a.load.since()
	case kind == trace.EventRangeBegin:
		a.procs.account(p, a.now)
		p.sweep, p.sweepAt, p.sweepG = true, a.now, p.g
	default:
		if !p.sweep {
			p.sweep, p.sweepAt = true, a.start
		}
		for _, attribute := range e.RangeAttributes() {
			switch attribute.Name {
			case "bytes swept":
				a.out.GC.SweptB += attribute.Value.Uint64()
			case "bytes reclaimed":
				a.out.GC.ReclaimedB += attribute.Value.Uint64()
			}
		}
		a.sweepEnd(p)
	}
	a.changed(p)
}

func (a *analysis) sweepEnd(p *proc) {
	if !p.sweep {
		return
	}
	a.procs.account(p, a.now)
	p.sweep = false
	d := a.now.Sub(p.sweepAt)
	a.out.GC.Sweeps++
	a.out.GC.Sweep += d
	a.interval(Sweep, "", a.at(p.sweepAt), a.at(a.now))
	if p.g != nil && p.g == p.sweepG {
		p.g.ranges.add(sweepRange, d)
	}
	p.sweepG = nil
}

// assist processes a goroutine that must mark before it may allocate.
func (a *analysis) assist(g *goroutine, kind trace.EventKind) {
	switch {
	case kind == trace.EventRangeEnd:
		if !g.assisting {
			g.assisting, g.assistAt = true, a.start
		}
		a.assistEnd(g)
		return
	case g.assisting:
		return
	case kind == trace.EventRangeActive: // since the trace began
		g.assisting, g.assistAt = true, a.sync
		if g.p != nil {
			a.load.since()
		}
	default:
		if g.p != nil {
			a.procs.account(g.p, a.now)
		}
		g.assisting, g.assistAt = true, a.now
	}
	if g.p != nil {
		a.changed(g.p)
	}
}

func (a *analysis) assistEnd(g *goroutine) {
	if !g.assisting {
		return
	}
	if g.p != nil {
		a.procs.account(g.p, a.now)
	}
	g.assisting = false
	d := a.now.Sub(g.assistAt)
	a.out.GC.Assists++
	a.out.GC.Assist += d
	a.interval(Assist, "", a.at(g.assistAt), a.at(a.now))
	g.ranges.add(assistRange, d)
	if g.p != nil {
		a.changed(g.p)
	}
}

// label processes a worker of the collector that starts to run.
func (a *analysis) label(e *trace.Event) {
	kind, ok := strings.CutPrefix(e.Label().Label, "GC (")
	g := a.goroutines[e.Goroutine()]
	if !ok || g == nil {
		return
	}
	if g.p != nil {
		a.procs.account(g.p, a.now)
	}
	g.worker = strings.Clone(strings.TrimSuffix(kind, ")"))
	a.runs[g.worker]++
	if g.p != nil {
		a.changed(g.p)
	}
}

// stop is the world being stopped.
type stop struct {
	by     Kind // "" is not
	reason string
	since  trace.Time
	g      *goroutine // that stopped it
}

func (a *analysis) pause(e *trace.Event, reason string, kind trace.EventKind) {
	if kind == trace.EventRangeEnd {
		if a.stop.by == "" {
			a.stop = stop{by: stopper(reason), reason: reason, since: a.start}
		}
		a.pauseEnd()
		return
	}
	if kind == trace.EventRangeActive && a.stop.by != "" {
		return
	}
	a.pauseEnd()
	a.stop = stop{by: stopper(reason), reason: strings.Clone(reason), since: a.now, g: a.goroutines[e.Goroutine()]}
	a.stopped(a.stop.by)
}

func stopper(reason string) Kind {
	if strings.HasPrefix(reason, "GC") {
		return GCStop
	}
	return Stop
}

func (a *analysis) pauseEnd() {
	s := &a.stop
	if s.by == "" {
		return
	}
	a.stopped("")
	d := a.now.Sub(s.since)
	r := a.reasons[s.reason]
	if r == nil {
		r = &Reason{Reason: s.reason, GC: s.by == GCStop}
		a.reasons[s.reason] = r
	}
	r.add(d)
	if r.GC {
		a.out.STW.GC.add(d)
	} else {
		a.out.STW.Tool.add(d)
	}
	a.interval(s.by, r.Reason, a.at(s.since), a.at(a.now))
	if s.g != nil {
		s.g.ranges.add(stopRange+r.Reason+")", d)
	}
	a.stop = stop{}
}

func (a *analysis) interval(k Kind, name string, start, end time.Duration) {
	a.timeline[k].add(Interval{k, name, start, end})
}
