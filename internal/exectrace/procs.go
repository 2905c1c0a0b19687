package exectrace

import (
	"time"

	"golang.org/x/exp/trace"
)

// proc is a P: what is on it, and since when.
type proc struct {
	running bool
	thread  trace.ThreadID // which it runs on
	g       *goroutine     // on it, running or in a system call
	sweep   bool           // between begin and end of a sweep
	since   trace.Time     // until here its time is accounted for
	busy    bool           // the collector has it, for the utilisation

	sweepAt trace.Time
	sweepG  *goroutine // on it when the sweep began
}

// procs are all Ps.
type procs struct {
	of   map[trace.ProcID]*proc
	last *proc // the one last asked for
	id   trace.ProcID
	time ProcTime
	busy int32 // how many the collector has
	stop Kind  // the world is stopped, by whom; "" is not
	over bool  // the last mark phase has ended, and no other has started

	n    int        // GOMAXPROCS; 0 is not known yet
	nAt  trace.Time // Total is accounted for until here
	nMax int
}

// proc returns a P, or nil for no P and for numbers that are none: up to Go 1.21 events
// without a P have the number of a made-up one (golang.org/x/exp/trace/internal/tracev1,
// FakeP).
func (a *analysis) proc(id trace.ProcID) *proc {
	const fake = 1000000
	ps := &a.procs
	if id == ps.id && ps.last != nil {
		return ps.last
	}
	if id == trace.NoProc || a.old && id >= fake {
		return nil
	}
	p := ps.of[id]
	if p == nil {
		p = &proc{since: a.now, thread: trace.NoThread}
		ps.of[id] = p
	}
	ps.id, ps.last = id, p
	return p
}

// account gives the time since it was last called to what the P has done in it.
func (ps *procs) account(p *proc, now trace.Time) {
	d := now.Sub(p.since)
	p.since = now
	if part := ps.part(p); part != nil {
		*part += d
	}
}

// part returns the sum that the P's time is added to now; nil is idle, which is computed
// as the remainder.
func (ps *procs) part(p *proc) *time.Duration {
	t := &ps.time
	switch {
	case !p.running && ps.stop == GCStop:
		return &t.Stopped
	case !p.running && ps.stop == Stop:
		return &t.StoppedBy
	case !p.running:
		return nil
	case p.sweep:
		return &t.Sweep
	case p.g == nil:
		return &t.Scheduler
	case p.g.state == trace.GoSyscall:
		return &t.Syscall
	}
	if ps.over && (p.g.worker != "" || p.g.assisting) {
		return &t.AfterMark
	}
	if part := t.worker(p.g.worker); part != nil {
		return part
	}
	switch {
	case p.g.assisting:
		return &t.Assist
	case p.g.name == "runtime.gcBgMarkWorker":
		return &t.OtherMark
	case p.g.name == "runtime.bgsweep":
		return &t.BackSweep
	case isSystem(p.g.name):
		return &t.System
	}
	return &t.User
}

func (t *ProcTime) worker(kind string) *time.Duration {
	switch kind {
	case "dedicated":
		return &t.Dedicated
	case "fractional":
		return &t.Fractional
	case "idle":
		return &t.IdleMark
	case "":
		return nil
	}
	return &t.OtherMark
}

// isBusy reports whether the P works for the collector, not for the program.
func (p *proc) isBusy() bool {
	if p.sweep {
		return true
	}
	g := p.g
	return p.running && g != nil && (g.assisting || g.worker == "dedicated" || g.worker == "fractional")
}

// changed must be called after the work on a P changed.
func (a *analysis) changed(p *proc) {
	if busy := p.isBusy(); busy != p.busy {
		p.busy = busy
		if busy {
			a.procs.busy++
		} else {
			a.procs.busy--
		}
	}
}

// procState processes a P that starts or stops.
func (a *analysis) procState(e *trace.Event, st *trace.StateTransition) {
	p := a.proc(st.Resource.Proc())
	if p == nil {
		return
	}
	from, to := st.Proc()
	if from == to {
		return
	}
	if from == trace.ProcUndetermined && !a.old {
		p.since = a.sync // it has been so since the generation began
	} else {
		a.procs.account(p, a.now)
	}
	p.running = to == trace.ProcRunning
	if p.running {
		p.thread = e.Thread()
	} else if g := p.g; g != nil { // a system call has lost its P
		g.off, g.offAt = true, a.now
		g.p, p.g = nil, nil
	}
	a.changed(p)
}

// stopped records that the world stops, or is restarted.
func (a *analysis) stopped(by Kind) {
	a.accountAll()
	a.procs.stop = by
}

// marking records that a mark phase starts or ends. The worker or assist that found that
// nothing is left to mark goes on as such: it restarts the world, flushes the Ps'
// caches, for which it waits for each of them, and prints the line of GODEBUG=gctrace=1
// (runtime/mgc.go, gcMarkTermination after trace.GCDone).
func (a *analysis) marking(on bool) {
	a.accountAll()
	a.procs.over = !on
}

func (a *analysis) accountAll() {
	for _, p := range a.procs.of {
		a.procs.account(p, a.now)
	}
}

// gomaxprocs records the number of Ps.
func (a *analysis) gomaxprocs(n uint64) {
	if n == 0 || n > 1<<14 { // damaged
		return
	}
	ps := &a.procs
	if ps.n == 0 {
		ps.n = int(n) // it was that from the beginning
	}
	ps.time.Total += time.Duration(ps.n) * a.now.Sub(ps.nAt)
	ps.n, ps.nAt = int(n), a.now
	ps.nMax = max(ps.nMax, ps.n)
	a.load.procs(int64(a.now), int32(n))
}

// finishProcs returns the sums over all Ps.
func (a *analysis) finishProcs() ProcTime {
	ps := &a.procs
	a.accountAll()
	if ps.n == 0 {
		ps.n = len(ps.of)
	}
	t := &ps.time
	t.Total += time.Duration(ps.n) * a.now.Sub(ps.nAt)
	used := t.GC() + t.User + t.System + t.Syscall + t.Scheduler + t.Stopped + t.StoppedBy
	t.Total = max(t.Total, used) // the event of GOMAXPROCS may come a little after the change
	t.Idle = t.Total - used
	return *t
}
