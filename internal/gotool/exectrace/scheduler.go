package exectrace

import (
	"time"

	"golang.org/x/exp/trace"
)

// scheduler is what the trace tells of Go's scheduler: which goroutine is on which P, and
// since when.
type scheduler struct {
	clock
	procs      procs
	goroutines goroutines
}

func newScheduler(old bool) scheduler {
	return scheduler{
		procs:      procs{of: map[trace.ProcID]*proc{}, old: old},
		goroutines: goroutines{of: map[trace.GoID]*goroutine{}, groups: groups{}},
	}
}

// begin is told of the time of the first event.
func (s *scheduler) begin(t trace.Time) {
	s.clock.begin(t)
	s.procs.nAt = t
}

// proc returns a P, or nil as procs.get.
func (s *scheduler) proc(id trace.ProcID) *proc { return s.procs.get(id, s.now) }

// goState is a goroutine that changes its state. It returns the goroutine if that is not to
// be heard of again, for the caller to end.
func (s *scheduler) goState(e *trace.Event, st *trace.StateTransition) (ended *goroutine) {
	from, to := st.Goroutine()
	if from == to {
		return nil
	}
	id := st.Resource.Goroutine()
	g := s.goroutines.of[id]
	if g == nil {
		g = s.goroutines.meet(id, from, &s.clock)
	}
	if g.Name == "" {
		s.goroutines.name(g, st.Stack)
	}
	if from == trace.GoUndetermined {
		s.found(g, e, to)
	} else {
		s.leave(g, to)
		s.enter(g, e, to)
	}
	g.state, g.reason = to, ""
	switch {
	case to == trace.GoWaiting && st.Reason == "forever", to == trace.GoNotExist: // it is not to be heard of again
		ended = g
	case to == trace.GoWaiting:
		g.reason = st.Reason
	}
	s.procs.changed(g.p)
	return ended
}

// found puts a goroutine on its P that has been there since the trace began.
func (s *scheduler) found(g *goroutine, e *trace.Event, to trace.GoState) {
	if to != trace.GoRunning && to != trace.GoSyscall {
		return
	}
	p := s.proc(e.Proc())
	if to == trace.GoSyscall && (p == nil || s.procs.old || p.thread != e.Thread() || p.g != nil) {
		g.off, g.offAt = true, g.since // only who tells of it has a P
		return
	}
	put(g, p)
}

func put(g *goroutine, p *proc) {
	if p == nil {
		return
	}
	if old := p.g; old != nil && old != g { // damaged: it has not left
		old.p = nil
	}
	p.g, g.p = g, p
}

// leave adds the time in the state that ends.
func (s *scheduler) leave(g *goroutine, to trace.GoState) {
	d := s.now.Sub(g.since)
	switch g.state {
	case trace.GoRunning:
		g.Exec += d
	case trace.GoRunnable:
		g.SchedWait += d
	case trace.GoWaiting:
		addWait(&g.Block, g.reason, d)
	case trace.GoSyscall:
		if g.off {
			off := s.now.Sub(g.offAt)
			g.SyscallOff += off
			d -= off
		}
		g.Syscall += d
		g.off = false
	}
	g.since = s.now
	p := g.p
	if p == nil {
		return
	}
	s.procs.account(p, s.now)
	if to.Executing() {
		return
	}
	p.g, g.p, g.worker = nil, nil, ""
	s.procs.changed(p)
}

// enter puts the goroutine on a P, if it is to run.
func (s *scheduler) enter(g *goroutine, e *trace.Event, to trace.GoState) {
	if !to.Executing() || g.p != nil {
		return
	}
	p := s.proc(e.Proc())
	if p == nil {
		if to == trace.GoSyscall { // a thread of C's
			g.off, g.offAt = true, s.now
		}
		return
	}
	s.procs.account(p, s.now)
	put(g, p)
}

// procState is a P that starts or stops.
func (s *scheduler) procState(e *trace.Event, st *trace.StateTransition) {
	p := s.proc(st.Resource.Proc())
	if p == nil {
		return
	}
	from, to := st.Proc()
	if from == to {
		return
	}
	if from == trace.ProcUndetermined && !s.procs.old {
		p.since = s.sync // it has been so since the generation began
	} else {
		s.procs.account(p, s.now)
	}
	p.running = to == trace.ProcRunning
	if p.running {
		p.thread = e.Thread()
	} else if g := p.g; g != nil { // a system call has lost its P
		g.off, g.offAt = true, s.now
		g.p, p.g = nil, nil
	}
	s.procs.changed(p)
}

// end forgets a goroutine.
func (s *scheduler) end(id trace.GoID, g *goroutine) {
	if p := g.p; p != nil {
		p.g, g.p = nil, nil
		s.procs.changed(p)
	}
	s.goroutines.forget(id, g)
}

// finish adds the time in the state that each goroutine is in.
func (s *scheduler) finish() {
	for _, g := range s.goroutines.of {
		s.leave(g, g.state)
	}
}

// held holds utilisation back as long as it is not known for sure: in the first
// generation of a trace a range turns out to have been on since the beginning
// only when its processor or goroutine is first heard of, and GOMAXPROCS is not
// known before it is first told. Then it goes to the minimum.
type held struct {
	to    *minimum
	steps []utilisation
	now   utilisation
	free  bool
	max   int32
}

func newHeld(windows []time.Duration) *held { return &held{to: newMinimum(windows)} }

// change is told of the state of things after each event that may have changed it.
func (h *held) change(at int64, gc int32, stop bool) {
	if gc == h.now.gc && stop == h.now.stop && h.any() {
		return
	}
	h.now.gc, h.now.stop = gc, stop
	h.put(at)
}

// procs is told of GOMAXPROCS.
func (h *held) procs(at int64, n int32) {
	h.max = max(h.max, n)
	if h.now.n == 0 { // it was that from the beginning
		for i := range h.steps {
			h.steps[i].n = n
		}
	} else if n == h.now.n {
		return
	}
	h.now.n = n
	h.put(at)
}

func (h *held) any() bool { return h.free || len(h.steps) > 0 }

func (h *held) put(at int64) {
	h.now.at = at
	if h.free {
		h.to.step(at, h.now.loss())
		return
	}
	h.steps = append(h.steps, h.now)
}

// since says that one processor more was the collector's from the beginning
// until now.
func (h *held) since() {
	for i := range h.steps {
		h.steps[i].gc++
	}
}

// release lets everything go that was held, if GOMAXPROCS is known; with a
// number of processors it is that if it is not.
func (h *held) release(procs int) {
	if h.free || h.now.n == 0 && procs == 0 {
		return
	}
	if h.now.n == 0 {
		h.now.n = int32(procs)
		for i := range h.steps {
			h.steps[i].n = h.now.n
		}
	}
	for _, u := range h.steps {
		h.to.step(u.at, u.loss())
	}
	h.free, h.steps = true, nil
}
