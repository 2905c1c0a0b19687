package exectrace

import (
	"time"

	"golang.org/x/exp/trace"
)

// procs are all Ps.
type procs struct {
	of   map[trace.ProcID]*proc
	old  bool  // of Go 1.21 or older, translated by the library
	last *proc // the one last asked for
	id   trace.ProcID
	time ProcTime
	busy int32 // how many the collector has
	stop Kind  // the world is stopped, by whom; "" is not
	over bool  // the last mark phase has ended, and none has begun since

	n    int        // GOMAXPROCS; 0 is not known yet
	nAt  trace.Time // Total is accounted for until here
	nMax int
}

// get is a P, or nil for no P and for those that are none: up to Go 1.21 events
// without a P have the number of a made-up one (golang.org/x/exp/trace/internal/
// tracev1, FakeP).
func (ps *procs) get(id trace.ProcID, now trace.Time) *proc {
	const fake = 1000000
	if id == ps.id && ps.last != nil {
		return ps.last
	}
	if id == trace.NoProc || ps.old && id >= fake {
		return nil
	}
	p := ps.of[id]
	if p == nil {
		p = &proc{since: now, thread: trace.NoThread}
		ps.of[id] = p
	}
	ps.id, ps.last = id, p
	return p
}

// account gives the time since it was last called to what the P has done in it. Of no P there is
// nothing to tell.
func (ps *procs) account(p *proc, now trace.Time) {
	if p == nil {
		return
	}
	d := now.Sub(p.since)
	p.since = now
	if part := ps.part(p); part != nil {
		*part += d
	}
}

// part is where the P's time goes now; nil is idle, which is what remains.
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
	case p.g.Name == "runtime.gcBgMarkWorker":
		return &t.OtherMark
	case p.g.Name == "runtime.bgsweep":
		return &t.BackSweep
	case isSystem(p.g.Name):
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

// changed is called after what is on a P changed; no P is none.
func (ps *procs) changed(p *proc) {
	if p == nil {
		return
	}
	if busy := p.isBusy(); busy != p.busy {
		p.busy = busy
		if busy {
			ps.busy++
		} else {
			ps.busy--
		}
	}
}

// stopped is told when the world stops, and when it goes on.
func (ps *procs) stopped(by Kind, now trace.Time) {
	ps.accountAll(now)
	ps.stop = by
}

// marking is told when a mark phase is on, and when it ends. The worker or assist that
// found that there is nothing left to mark goes on as such: it restarts the world, has
// what the Ps keep flushed, for which it waits for each of them, and prints the line of
// GODEBUG=gctrace=1 (runtime/mgc.go, gcMarkTermination after trace.GCDone).
func (ps *procs) marking(on bool, now trace.Time) {
	ps.accountAll(now)
	ps.over = !on
}

func (ps *procs) accountAll(now trace.Time) {
	for _, p := range ps.of {
		ps.account(p, now)
	}
}

// gomaxprocs is told of the number of Ps. It returns false for one that cannot be.
func (ps *procs) gomaxprocs(n uint64, now trace.Time) bool {
	if n == 0 || n > 1<<14 { // damaged
		return false
	}
	if ps.n == 0 {
		ps.n = int(n) // it was that from the beginning
	}
	ps.time.Total += time.Duration(ps.n) * now.Sub(ps.nAt)
	ps.n, ps.nAt = int(n), now
	ps.nMax = max(ps.nMax, ps.n)
	return true
}

// finish is the sum of all.
func (ps *procs) finish(now trace.Time) ProcTime {
	ps.accountAll(now)
	if ps.n == 0 {
		ps.n = len(ps.of)
	}
	t := &ps.time
	t.Total += time.Duration(ps.n) * now.Sub(ps.nAt)
	used := t.GC() + t.User + t.System + t.Syscall + t.Scheduler + t.Stopped + t.StoppedBy
	t.Total = max(t.Total, used) // GOMAXPROCS may be told a little after it changed
	t.Idle = t.Total - used
	return *t
}
