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

// swept is how many bytes sweeps went over, and gave back.
type swept struct{ all, reclaimed uint64 }

// sweep is an event of a P that sweeps before it allocates. It returns true if that turns out to
// be so since the trace began.
func (a *analysis) sweep(e *trace.Event, p *proc, kind trace.EventKind) (since bool) {
	s := &a.sched
	switch {
	case kind == trace.EventRangeEnd:
		if !p.sweep {
			p.sweep, p.sweepAt = true, s.start
		}
		for _, attribute := range e.RangeAttributes() {
			switch attribute.Name {
			case "bytes swept":
				a.swept.all += attribute.Value.Uint64()
			case "bytes reclaimed":
				a.swept.reclaimed += attribute.Value.Uint64()
			}
		}
		a.sweepEnds(p)
	case p.sweep:
		return false
	case kind == trace.EventRangeActive: // since the trace began
		p.sweep, p.sweepAt, p.sweepG = true, s.sync, p.g
		since = true
	default:
		s.procs.account(p, s.now)
		p.sweep, p.sweepAt, p.sweepG = true, s.now, p.g
	}
	s.procs.changed(p)
	return since
}

func (a *analysis) sweepEnds(p *proc) {
	if !p.sweep {
		return
	}
	a.sched.procs.account(p, a.sched.now)
	p.sweep = false
	if d := a.interval(Sweep, "", p.sweepAt); p.g != nil && p.g == p.sweepG {
		addWait(&p.g.Ranges, sweepRange, d)
	}
	p.sweepG = nil
}

// assist is an event of a goroutine that must mark before it may allocate. It returns true if a P
// turns out to be taken by it since the trace began.
func (a *analysis) assist(g *goroutine, kind trace.EventKind) (since bool) {
	s := &a.sched
	switch {
	case kind == trace.EventRangeEnd:
		if !g.assisting {
			g.assisting, g.assistAt = true, s.start
		}
		a.assistEnds(g)
		return false
	case g.assisting:
		return false
	case kind == trace.EventRangeActive: // since the trace began
		g.assisting, g.assistAt = true, s.sync
		since = g.p != nil
	default:
		s.procs.account(g.p, s.now)
		g.assisting, g.assistAt = true, s.now
	}
	s.procs.changed(g.p)
	return since
}

func (a *analysis) assistEnds(g *goroutine) {
	if !g.assisting {
		return
	}
	a.sched.procs.account(g.p, a.sched.now)
	g.assisting = false
	addWait(&g.Ranges, assistRange, a.interval(Assist, "", g.assistAt))
	a.sched.procs.changed(g.p)
}

// interval adds one of the timeline that ends now, and returns its length.
func (a *analysis) interval(k Kind, name string, since trace.Time) time.Duration {
	a.timelines[k].add(Interval{k, name, a.sched.at(since), a.sched.at(a.sched.now)})
	return a.sched.now.Sub(since)
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
	s.procs.account(g.p, s.now)
	g.worker = strings.Clone(strings.TrimSuffix(kind, ")"))
	w[g.worker]++
	s.procs.changed(g.p)
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
	on     bool
	cycle  Cycle
	heap   uint64 // last told; 0 is not yet
	goal   uint64
	cycles longest[Cycle]
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
	gc.cycles.add(*c)
}

func (gc *collections) heapSize(bytes uint64) {
	gc.heap = bytes
	if gc.on {
		gc.cycle.HeapPeak = max(gc.cycle.HeapPeak, bytes)
	}
}

// finish ends the collection that is on, and tells of all.
func (gc *collections) finish(now *clock, out *GC) {
	gc.end(now, true)
	out.N, out.Mark = gc.cycles.n, gc.cycles.total
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
	on      pause
	reasons map[string]*Reason
}

// pauseEvent takes an event of the world being stopped.
func (a *analysis) pauseEvent(e *trace.Event, reason string, kind trace.EventKind) {
	on, s := &a.pauses.on, &a.sched
	switch {
	case kind == trace.EventRangeEnd:
		if on.by == "" {
			*on = pause{by: stopper(reason), reason: reason, since: s.start}
		}
		a.pauseEnds()
	case kind != trace.EventRangeActive || on.by == "":
		a.pauseEnds()
		*on = pause{by: stopper(reason), reason: strings.Clone(reason), since: s.now, g: s.goroutines.of[e.Goroutine()]}
		s.procs.stopped(on.by, s.now)
	}
}

func stopper(reason string) Kind {
	if strings.HasPrefix(reason, "GC") {
		return GCStop
	}
	return Stop
}

// pauseEnds ends the pause that is on, if one is.
func (a *analysis) pauseEnds() {
	on := &a.pauses.on
	if on.by == "" {
		return
	}
	a.sched.procs.stopped("", a.sched.now)
	r := a.pauses.reasons[on.reason]
	if r == nil {
		r = &Reason{Reason: on.reason, GC: on.by == GCStop}
		a.pauses.reasons[on.reason] = r
	}
	d := a.interval(on.by, r.Reason, on.since)
	r.add(Pauses{1, d, d})
	if on.g != nil {
		addWait(&on.g.Ranges, stopRange+r.Reason+")", d)
	}
	*on = pause{}
}

// all tells of all pauses.
func (ps *pauses) all() (out STW) {
	for _, r := range ps.reasons {
		out.Reasons = append(out.Reasons, *r)
		if r.GC {
			out.GC.add(r.Pauses)
		} else {
			out.Tool.add(r.Pauses)
		}
	}
	slices.SortFunc(out.Reasons, func(a, b Reason) int {
		return cmp.Or(-cmp.Compare(a.Total, b.Total), cmp.Compare(a.Reason, b.Reason))
	})
	return out
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

// kinds are those of the timeline, the outer before the inner; mark phases are kept as cycles.
var kinds = []Kind{GCStop, Stop, Assist, Sweep}

// timelines are the intervals of each kind.
type timelines map[Kind]*longest[Interval]

func newTimelines(keep int) timelines {
	t := timelines{}
	for _, k := range kinds {
		t[k] = &longest[Interval]{keep: keep}
	}
	return t
}

// all is what was kept of all kinds, by start, and what was left out; gc has the mark phases.
func (t timelines) all(gc *collections) (all []Interval, left []Left) {
	cycles, n, total := gc.cycles.all()
	for _, c := range cycles {
		all = append(all, Interval{Mark, "", c.Start, c.End})
	}
	add := func(k Kind, n int64, total time.Duration) {
		if n > 0 {
			left = append(left, Left{k, n, total})
		}
	}
	add(Mark, n, total)
	for _, k := range kinds {
		kept, n, total := t[k].all()
		all = append(all, kept...)
		add(k, n, total)
	}
	slices.SortStableFunc(all, byStart[Interval])
	return all, left
}
