package exectrace

import (
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// goroutine is one that has not ended. What it did is added to its group's sums
// at once; until its name is known, to sums of its own.
type goroutine struct {
	*sums
	name  string
	named bool

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

// sums are times of goroutines.
type sums struct {
	n                             int64
	exec, sched, syscall, offProc time.Duration
	block, ranges                 waits
}

// waits are times by name. There are few names, and most are constants of the
// runtime: a scan costs less than a map.
type waits []Wait

func (w *waits) add(name string, d time.Duration) {
	for i := range *w {
		if (*w)[i].Name == name {
			(*w)[i].Time += d
			return
		}
	}
	*w = append(*w, Wait{strings.Clone(name), d})
}

func (s *sums) merge(o *sums) {
	s.n += o.n
	s.exec += o.exec
	s.sched += o.sched
	s.syscall += o.syscall
	s.offProc += o.offProc
	for _, w := range o.block {
		s.block.add(w.Name, w.Time)
	}
	for _, w := range o.ranges {
		s.ranges.add(w.Name, w.Time)
	}
}

// isSystem reports whether a goroutine that began with this function is the runtime's
// own. Goroutines without a known stack count as such, as threads that C made have none
// (GOROOT/src/internal/trace/summary.go, IsSystemGoroutine), and, unlike there, those
// that the tracer starts.
func isSystem(name string) bool {
	return name == "" || name != "runtime.main" && strings.HasPrefix(name, "runtime.") || isTracer(name)
}

// isTracer reports whether a goroutine began in package runtime/trace: its exported
// functions start one only to write the trace (trace.Start.func1, since Go 1.25
// trace.(*traceMultiplexer).startLocked.func1).
func isTracer(name string) bool { return strings.HasPrefix(name, "runtime/trace.") }

// goState processes a change of a goroutine's state.
func (a *analysis) goState(e *trace.Event, st *trace.StateTransition) {
	from, to := st.Goroutine()
	if from == to {
		return
	}
	id := st.Resource.Goroutine()
	g := a.goroutines[id]
	if g == nil {
		g = a.goroutineOf(id, from)
	}
	if !g.named {
		a.name(g, st.Stack)
	}
	if from == trace.GoUndetermined {
		a.found(g, e, to)
	} else {
		a.leave(g, to)
		a.enter(g, e, to)
	}
	g.state, g.reason = to, ""
	switch {
	case to == trace.GoWaiting && st.Reason == "forever", to == trace.GoNotExist: // it is not to be heard of again
		a.end(id, g)
	case to == trace.GoWaiting:
		g.reason = st.Reason
	}
	if g.p != nil {
		a.changed(g.p)
	}
}

// goroutineOf returns the record of a goroutine, made at its first event: one that is not new
// has been in its state since the generation began.
func (a *analysis) goroutineOf(id trace.GoID, from trace.GoState) *goroutine {
	g := &goroutine{sums: &sums{n: 1}, since: a.now}
	if from == trace.GoUndetermined {
		g.since = a.sync
	}
	a.goroutines[id] = g
	a.unnamed++
	return g
}

// nameBy names the goroutine that an event is of: one that runs from the beginning of
// the trace to its end changes no state that would have its stack.
func (a *analysis) nameBy(e *trace.Event) {
	if g := a.goroutines[e.Goroutine()]; g != nil && !g.named {
		a.name(g, e.Stack())
	}
}

// found puts a goroutine on its P that has been there since the trace began.
func (a *analysis) found(g *goroutine, e *trace.Event, to trace.GoState) {
	if to != trace.GoRunning && to != trace.GoSyscall {
		return
	}
	p := a.proc(e.Proc())
	if to == trace.GoSyscall && (p == nil || a.old || p.thread != e.Thread() || p.g != nil) {
		g.off, g.offAt = true, g.since // only a goroutine that has a P emits events
		return
	}
	a.put(g, p)
}

func (a *analysis) put(g *goroutine, p *proc) {
	if p == nil {
		return
	}
	if old := p.g; old != nil && old != g { // damaged: it has not left
		old.p = nil
	}
	p.g, g.p = g, p
}

// leave adds the time in the state that ends.
func (a *analysis) leave(g *goroutine, to trace.GoState) {
	d := a.now.Sub(g.since)
	switch g.state {
	case trace.GoRunning:
		g.exec += d
	case trace.GoRunnable:
		g.sched += d
	case trace.GoWaiting:
		g.block.add(g.reason, d)
	case trace.GoSyscall:
		if g.off {
			off := a.now.Sub(g.offAt)
			g.offProc += off
			d -= off
		}
		g.syscall += d
		g.off = false
	}
	g.since = a.now
	p := g.p
	if p == nil {
		return
	}
	a.procs.account(p, a.now)
	if to.Executing() {
		return
	}
	p.g, g.p, g.worker = nil, nil, ""
	a.changed(p)
}

// enter puts the goroutine on a P, if it is to run.
func (a *analysis) enter(g *goroutine, e *trace.Event, to trace.GoState) {
	if !to.Executing() || g.p != nil {
		return
	}
	p := a.proc(e.Proc())
	if p == nil {
		if to == trace.GoSyscall { // a thread of C's
			g.off, g.offAt = true, a.now
		}
		return
	}
	a.procs.account(p, a.now)
	a.put(g, p)
}

// name gives the goroutine the name at the root of a stack of its own.
func (a *analysis) name(g *goroutine, s trace.Stack) {
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
	group := a.group(name)
	group.merge(g.sums)
	g.sums, g.name, g.named = &group.sums, group.name, true
	a.unnamed--
}

// group is all goroutines of a name.
type group struct {
	name string
	sums
}

func (a *analysis) group(name string) *group {
	s := a.groups[name]
	if s == nil {
		s = &group{name: strings.Clone(name)}
		a.groups[s.name] = s
	}
	return s
}

// end forgets a goroutine.
func (a *analysis) end(id trace.GoID, g *goroutine) {
	a.assistEnd(g)
	if !g.named {
		a.unnamed--
		a.group("").merge(g.sums)
	}
	if p := g.p; p != nil {
		p.g, g.p = nil, nil
		a.changed(p)
	}
	delete(a.goroutines, id)
}
