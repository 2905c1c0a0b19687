package exectrace

import (
	"time"

	"golang.org/x/exp/trace"
)

// markRange is the trace's name of a mark phase (golang.org/x/exp/trace, Event.Range).
const markRange = "GC concurrent mark phase"

// collections are the collector's, by their mark phases.
type collections struct {
	on    bool
	cycle Cycle
	heap  uint64 // last told; 0 is not yet
	goal  uint64

	n      int64
	total  time.Duration
	cycles longest[Cycle]
	marks  longest[Interval]
}

func newCollections(keep int) collections {
	return collections{cycles: longest[Cycle]{keep: keep}, marks: longest[Interval]{keep: keep}}
}

// mark is a mark phase that begins, is on or ends.
func (gc *collections) mark(s *scheduler, kind trace.EventKind) {
	s.procs.marking(kind != trace.EventRangeEnd, s.now)
	switch {
	case kind == trace.EventRangeActive && gc.on:
	case kind == trace.EventRangeActive:
		gc.on, gc.cycle = true, Cycle{Start: s.at(s.sync), CutStart: true, HeapPeak: gc.heap}
	case kind == trace.EventRangeBegin:
		gc.end(&s.clock, true)
		gc.on, gc.cycle = true, Cycle{Start: s.at(s.now), HeapStart: gc.heap, HeapPeak: gc.heap, Goal: gc.goal}
	default:
		if !gc.on {
			gc.on, gc.cycle = true, Cycle{CutStart: true}
		}
		gc.cycle.HeapLive = gc.heap // told while the world is stopped (runtime/mgcpacer.go, resetLive)
		gc.end(&s.clock, false)
	}
}

// end ends the collection that is on, if one is.
func (gc *collections) end(now *clock, cut bool) {
	if !gc.on {
		return
	}
	c := &gc.cycle
	c.End, c.CutEnd = now.at(now.now), cut
	gc.on = false
	gc.n++
	gc.total += c.End - c.Start
	gc.marks.add(Interval{Mark, "", c.Start, c.End})
	gc.cycles.add(*c)
}

func (gc *collections) heapSize(bytes uint64) {
	gc.heap = bytes
	if gc.on {
		gc.cycle.HeapPeak = max(gc.cycle.HeapPeak, bytes)
	}
}

func (gc *collections) heapGoal(bytes uint64) { gc.goal = bytes }

// finish ends the collection that is on, and tells of all.
func (gc *collections) finish(now *clock, out *GC) {
	gc.end(now, true)
	out.N, out.Mark, out.Cycles = gc.n, gc.total, gc.cycles.all()
	out.Left, _ = gc.cycles.left()
}

func (gc *collections) clone() collections {
	c := *gc
	c.cycles, c.marks = gc.cycles.clone(), gc.marks.clone()
	return c
}
