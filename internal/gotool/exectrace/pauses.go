package exectrace

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
)

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

// clone returns a copy with the twin of the goroutine that stopped the world.
func (ps *pauses) clone(twins map[*goroutine]*goroutine) pauses {
	c := *ps
	c.on.g = twins[ps.on.g]
	c.reasons = make(map[string]*Reason, len(ps.reasons))
	for name, r := range ps.reasons {
		twin := *r
		c.reasons[name] = &twin
	}
	c.gc.longest, c.tool.longest = ps.gc.longest.clone(), ps.tool.longest.clone()
	return c
}
