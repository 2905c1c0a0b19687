package exectrace

import (
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

func (sw *sweeps) clone() sweeps {
	c := *sw
	c.longest = sw.longest.clone()
	return c
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

func (as *assists) clone() assists {
	c := *as
	c.longest = as.longest.clone()
	return c
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
