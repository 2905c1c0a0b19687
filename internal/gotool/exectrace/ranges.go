package exectrace

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// The trace's names of ranges (golang.org/x/exp/trace, Event.Range).
const (
	sweepRange  = "GC incremental sweep"
	assistRange = "GC mark assist"
)

// sweeps are those of Ps before they allocate.
type sweeps struct {
	n                int64
	total            time.Duration
	swept, reclaimed uint64 // bytes
	longest          longest[Interval]
}

// sweeping is a P that sweeps before it allocates. It returns true if that turns out to
// be so since the trace began.
func (sw *sweeps) sweeping(s *scheduler, e *trace.Event, p *proc, kind trace.EventKind) (since bool) {
	switch {
	case kind == trace.EventRangeActive && p.sweep:
		return false
	case kind == trace.EventRangeActive: // since the trace began
		p.sweep, p.sweepAt, p.sweepG = true, s.sync, p.g
		since = true
	case kind == trace.EventRangeBegin:
		s.procs.account(p, s.now)
		p.sweep, p.sweepAt, p.sweepG = true, s.now, p.g
	default:
		if !p.sweep {
			p.sweep, p.sweepAt = true, s.start
		}
		for _, attribute := range e.RangeAttributes() {
			switch attribute.Name {
			case "bytes swept":
				sw.swept += attribute.Value.Uint64()
			case "bytes reclaimed":
				sw.reclaimed += attribute.Value.Uint64()
			}
		}
		sw.end(s, p)
	}
	s.procs.changed(p)
	return since
}

func (sw *sweeps) end(s *scheduler, p *proc) {
	if !p.sweep {
		return
	}
	s.procs.account(p, s.now)
	p.sweep = false
	d := s.now.Sub(p.sweepAt)
	sw.n++
	sw.total += d
	sw.longest.add(Interval{Sweep, "", s.at(p.sweepAt), s.at(s.now)})
	if p.g != nil && p.g == p.sweepG {
		p.g.ranges.add(sweepRange, d)
	}
	p.sweepG = nil
}

// finish ends the sweeps that are on, and tells of all.
func (sw *sweeps) finish(s *scheduler, out *GC) {
	for _, p := range s.procs.of {
		sw.end(s, p)
	}
	out.Sweeps, out.Sweep, out.SweptB, out.ReclaimedB = sw.n, sw.total, sw.swept, sw.reclaimed
}

// assists are those of goroutines to the collector.
type assists struct {
	n       int64
	total   time.Duration
	longest longest[Interval]
}

// assist is a goroutine that must mark before it may allocate. It returns true if a P
// turns out to be taken by it since the trace began.
func (as *assists) assist(s *scheduler, g *goroutine, kind trace.EventKind) (since bool) {
	switch {
	case kind == trace.EventRangeEnd:
		if !g.assisting {
			g.assisting, g.assistAt = true, s.start
		}
		as.end(s, g)
		return false
	case g.assisting:
		return false
	case kind == trace.EventRangeActive: // since the trace began
		g.assisting, g.assistAt = true, s.sync
		since = g.p != nil
	default:
		if g.p != nil {
			s.procs.account(g.p, s.now)
		}
		g.assisting, g.assistAt = true, s.now
	}
	if g.p != nil {
		s.procs.changed(g.p)
	}
	return since
}

func (as *assists) end(s *scheduler, g *goroutine) {
	if !g.assisting {
		return
	}
	if g.p != nil {
		s.procs.account(g.p, s.now)
	}
	g.assisting = false
	d := s.now.Sub(g.assistAt)
	as.n++
	as.total += d
	as.longest.add(Interval{Assist, "", s.at(g.assistAt), s.at(s.now)})
	g.ranges.add(assistRange, d)
	if g.p != nil {
		s.procs.changed(g.p)
	}
}

// finish ends the assists that are on, and tells of all.
func (as *assists) finish(s *scheduler, out *GC) {
	for _, g := range s.goroutines.of {
		as.end(s, g)
	}
	out.Assists, out.Assist = as.n, as.total
}

// workers are how often the collector's of each kind ran.
type workers map[string]int64

// label is a worker of the collector that begins to run.
func (w workers) label(s *scheduler, e *trace.Event) {
	kind, ok := strings.CutPrefix(e.Label().Label, "GC (")
	g := s.goroutines.of[e.Goroutine()]
	if !ok || g == nil {
		return
	}
	if g.p != nil {
		s.procs.account(g.p, s.now)
	}
	g.worker = strings.Clone(strings.TrimSuffix(kind, ")"))
	w[g.worker]++
	if g.p != nil {
		s.procs.changed(g.p)
	}
}

// all tells of the workers, with the time of the Ps that they had.
func (w workers) all(t *ProcTime) (all []Worker) {
	for _, kind := range []string{"dedicated", "fractional", "idle"} {
		if n, d := w[kind], *t.worker(kind); n > 0 {
			all = append(all, Worker{kind, n, d})
		}
	}
	if d := t.OtherMark; d > 0 {
		all = append(all, Worker{Kind: "other", Time: d})
	}
	return all
}

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
	out.N, out.Mark = gc.n, gc.total
	out.Cycles, out.Left, _ = gc.cycles.all()
}

// stopRange is how the trace's name of a pause begins, before the reason
// (golang.org/x/exp/trace, Event.Range).
const stopRange = "stop-the-world ("

// pause is the world being stopped.
type pause struct {
	by     Kind // "" is not
	reason string
	since  trace.Time
	g      *goroutine // that stopped it
}

// pauses are the stops of the world.
type pauses struct {
	on       pause
	reasons  map[string]*Reason
	gc, tool stops
}

// stops are the pauses by the collector, or those by others, together.
type stops struct {
	Pauses
	longest longest[Interval]
}

func newPauses(keep int) pauses {
	side := stops{longest: longest[Interval]{keep: keep}}
	return pauses{reasons: map[string]*Reason{}, gc: side, tool: side}
}

// take takes an event of the world being stopped.
func (ps *pauses) take(s *scheduler, e *trace.Event, reason string, kind trace.EventKind) {
	if kind == trace.EventRangeEnd {
		if ps.on.by == "" {
			ps.on = pause{by: stopper(reason), reason: reason, since: s.start}
		}
		ps.end(s)
		return
	}
	if kind == trace.EventRangeActive && ps.on.by != "" {
		return
	}
	ps.end(s)
	ps.on = pause{by: stopper(reason), reason: strings.Clone(reason), since: s.now, g: s.goroutines.of[e.Goroutine()]}
	s.procs.stopped(ps.on.by, s.now)
}

func stopper(reason string) Kind {
	if strings.HasPrefix(reason, "GC") {
		return GCStop
	}
	return Stop
}

// end ends the pause that is on, if one is.
func (ps *pauses) end(s *scheduler) {
	on := &ps.on
	if on.by == "" {
		return
	}
	s.procs.stopped("", s.now)
	d := s.now.Sub(on.since)
	r := ps.reasons[on.reason]
	if r == nil {
		r = &Reason{Reason: on.reason, GC: on.by == GCStop}
		ps.reasons[on.reason] = r
	}
	r.add(d)
	of := &ps.tool
	if r.GC {
		of = &ps.gc
	}
	of.add(d)
	of.longest.add(Interval{on.by, r.Reason, s.at(on.since), s.at(s.now)})
	if on.g != nil {
		on.g.ranges.add(stopRange+r.Reason+")", d)
	}
	ps.on = pause{}
}

// finish ends the pause that is on, and tells of all.
func (ps *pauses) finish(s *scheduler) STW {
	ps.end(s)
	return STW{GC: ps.gc.Pauses, Tool: ps.tool.Pauses, Reasons: ps.byReason()}
}

func (ps *pauses) byReason() (all []Reason) {
	for _, r := range ps.reasons {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Reason) int {
		return cmp.Or(-cmp.Compare(a.Total, b.Total), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// spanned is what has a beginning and an end.
type spanned interface {
	span() (start, end time.Duration)
}

func (i Interval) span() (start, end time.Duration) { return i.Start, i.End }
func (c Cycle) span() (start, end time.Duration)    { return c.Start, c.End }

// longest keeps the longest of many, and of two that are as long the earlier.
type longest[T spanned] struct {
	keep  int
	kept  []T // and others, until they are as many again
	n     int64
	total time.Duration
}

func (l *longest[T]) add(v T) {
	l.n++
	l.total += length(v)
	if l.kept = append(l.kept, v); len(l.kept) >= 2*max(l.keep, 64) {
		l.drop()
	}
}

// drop leaves those that are kept.
func (l *longest[T]) drop() {
	slices.SortFunc(l.kept, func(a, b T) int {
		aStart, _ := a.span()
		bStart, _ := b.span()
		return cmp.Or(cmp.Compare(length(b), length(a)), cmp.Compare(aStart, bStart))
	})
	l.kept = l.kept[:min(len(l.kept), l.keep)]
}

// all is what was kept, by start, and how many were not, with how long these are together.
func (l *longest[T]) all() (kept []T, n int64, total time.Duration) {
	l.drop()
	total = l.total
	for _, v := range l.kept {
		total -= length(v)
	}
	return slices.SortedFunc(slices.Values(l.kept), byStart[T]), l.n - int64(len(l.kept)), total
}

func byStart[T spanned](a, b T) int {
	aStart, aEnd := a.span()
	bStart, bEnd := b.span()
	return cmp.Or(cmp.Compare(aStart, bStart), cmp.Compare(bEnd, aEnd))
}

func length[T spanned](v T) time.Duration {
	start, end := v.span()
	return end - start
}

// Longest returns the n longest collections, by start.
func (g *GC) Longest(n int) []Cycle {
	l := longest[Cycle]{keep: n}
	for _, c := range g.Cycles {
		l.add(c)
	}
	all, _, _ := l.all()
	return all
}

// PausesOf returns the collector's pauses that began or ended while it marked.
func (t *Trace) PausesOf(c Cycle) (all []time.Duration) {
	for _, i := range t.Timeline {
		if i.Kind == GCStop && i.Start <= c.End && i.End >= c.Start {
			all = append(all, i.End-i.Start)
		}
	}
	return all
}

// kinds are those of the timeline, the outer before the inner.
var kinds = []Kind{Mark, GCStop, Stop, Assist, Sweep}

// timelines are the intervals of each kind.
type timelines map[Kind]*longest[Interval]

// all is what was kept of all kinds, by start, and what was left out.
func (t timelines) all() (all []Interval, left []Left) {
	for _, k := range kinds {
		kept, n, total := t[k].all()
		if all = append(all, kept...); n > 0 {
			left = append(left, Left{k, n, total})
		}
	}
	slices.SortStableFunc(all, byStart[Interval])
	return all, left
}
