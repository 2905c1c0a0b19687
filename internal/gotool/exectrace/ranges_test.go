package exectrace

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/exp/trace"
)

// script is a trace made event by event.
type script struct {
	t *testing.T
	a *analysis
}

func newScript(t *testing.T, o Options) *script {
	return &script{t, newAnalysis(o.withDefaults(), 26)}
}

// at is an event at a time, in the context of P0, thread 1 and goroutine 1.
func at[T trace.EventDetails](s *script, ns int64, kind trace.EventKind, details T) {
	s.t.Helper()
	e, err := trace.MakeEvent(trace.EventConfig[T]{Time: trace.Time(ns), Kind: kind, Goroutine: 1, Proc: 0, Thread: 1,
		Details: details})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.a.event(&e, 0); err != nil {
		s.t.Fatal(err)
	}
}

func (s *script) proc(ns int64, p trace.ProcID, from, to trace.ProcState) {
	at(s, ns, trace.EventStateTransition, trace.MakeProcStateTransition(p, from, to))
}

func (s *script) goroutine(ns int64, g trace.GoID, from, to trace.GoState) {
	at(s, ns, trace.EventStateTransition, trace.MakeGoStateTransition(g, from, to))
}

func assisting(g trace.GoID) trace.Range {
	return trace.Range{Name: assistRange, Scope: trace.MakeResourceID(g)}
}

func sweeping(p trace.ProcID) trace.Range {
	return trace.Range{Name: sweepRange, Scope: trace.MakeResourceID(p)}
}

// What is on when the trace begins has been on since then, even if it is told
// later; what is on at the end lasts until then.
func TestOpenRanges(t *testing.T) {
	s := newScript(t, Options{Windows: []time.Duration{400, 1000, 10_000}})
	at(s, 1000, trace.EventSync, trace.Sync{N: 1})
	at(s, 1000, trace.EventMetric, trace.Metric{Name: "/sched/gomaxprocs:threads", Value: trace.Uint64Value(2)})
	s.proc(1100, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.goroutine(1110, 1, trace.GoUndetermined, trace.GoRunning)
	at(s, 1120, trace.EventRangeActive, assisting(1))
	at(s, 1130, trace.EventRangeActive, assisting(1)) // told again: nothing new
	s.proc(1200, 1, trace.ProcUndetermined, trace.ProcRunning)
	at(s, 1210, trace.EventRangeActive, sweeping(1))
	at(s, 1300, trace.EventRangeActive, trace.Range{Name: markRange})
	at(s, 2000, trace.EventRangeEnd, assisting(1))
	at(s, 2200, trace.EventRangeEnd, trace.Range{Name: markRange})
	s.a.sched.proc(1).sweep, s.a.sched.proc(1).sweepAt = true, 1000
	at(s, 3500, trace.EventRangeBegin, trace.Range{Name: markRange})
	at(s, 4000, trace.EventRangeBegin, trace.Range{Name: "stop-the-world (GC sweep termination)",
		Scope: trace.MakeResourceID(trace.GoID(1))})
	at(s, 4100, trace.EventSync, trace.Sync{N: 2})
	s.proc(4200, 1, trace.ProcRunning, trace.ProcIdle)
	at(s, 5000, trace.EventSync, trace.Sync{N: 3})
	tr := s.a.finish()

	if tr.GC.Assists != 1 || tr.GC.Assist != 1000 || tr.GC.Sweeps != 1 || tr.GC.Sweep != 4000 {
		t.Errorf("%d assists of %d ns, %d sweeps of %d ns", tr.GC.Assists, tr.GC.Assist, tr.GC.Sweeps, tr.GC.Sweep)
	}
	want := []Cycle{{Start: 0, End: 1200, CutStart: true}, {Start: 2500, End: 4000, CutEnd: true}}
	if fmt.Sprint(tr.GC.Cycles) != fmt.Sprint(want) || tr.GC.Mark != 2700 {
		t.Errorf("cycles %+v", tr.GC.Cycles)
	}
	if tr.STW.GC != (Pauses{1, 1000, 1000}) || tr.STW.Tool.N != 0 || len(tr.STW.Reasons) != 1 {
		t.Errorf("pauses %+v", tr.STW)
	}
	if p := tr.ProcTime; p.Total != 8000 || p.Assist != 1000 || p.Sweep != 3200 || p.Stopped != 800 ||
		p.System != 3000 || p.Idle != 0 {
		t.Errorf("processors %+v", p)
	}
	// Both Ps are the collector's until 2000, one until 4000, then none is the program's.
	for i, want := range []MMU{{400, 0, 0, false}, {1000, 0, 0, false}, {10_000, 0.25, 0, true}} {
		if tr.MMU[i] != want {
			t.Errorf("%+v, not %+v", tr.MMU[i], want)
		}
	}
	if g := tr.System; g.Goroutines != 1 || g.Exec != 4000 || len(g.Ranges) != 2 {
		t.Errorf("goroutine %+v", g)
	}
}

// A system call that loses its P is out of the P's time, and the goroutine's is
// split.
func TestSyscall(t *testing.T) {
	s := newScript(t, Options{})
	at(s, 1000, trace.EventSync, trace.Sync{N: 1})
	at(s, 1000, trace.EventMetric, trace.Metric{Name: "/sched/gomaxprocs:threads", Value: trace.Uint64Value(1)})
	s.proc(1000, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.goroutine(1000, 1, trace.GoUndetermined, trace.GoRunning)
	s.goroutine(1100, 1, trace.GoRunning, trace.GoSyscall)
	s.proc(1300, 0, trace.ProcRunning, trace.ProcIdle)
	s.goroutine(1700, 1, trace.GoSyscall, trace.GoRunnable)
	s.proc(1800, 0, trace.ProcIdle, trace.ProcRunning)
	s.goroutine(1900, 1, trace.GoRunnable, trace.GoRunning)
	at(s, 2000, trace.EventSync, trace.Sync{N: 2})
	tr := s.a.finish()
	if g := tr.System; g.Exec != 200 || g.Syscall != 200 || g.SyscallOff != 400 || g.SchedWait != 200 {
		t.Errorf("%+v", g)
	}
	if p := tr.ProcTime; p.Syscall != 200 || p.Idle != 500 || p.Scheduler != 100 || p.System != 200 || p.Total != 1000 {
		t.Errorf("%+v", p)
	}
}

// Pauses by the tool are apart, and are not lost utilisation.
func TestPauses(t *testing.T) {
	s := newScript(t, Options{Windows: []time.Duration{100}})
	at(s, 1000, trace.EventSync, trace.Sync{N: 1})
	at(s, 1000, trace.EventMetric, trace.Metric{Name: "/sched/gomaxprocs:threads", Value: trace.Uint64Value(1)})
	s.proc(1000, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.goroutine(1000, 1, trace.GoUndetermined, trace.GoRunning)
	ns := int64(1100)
	for _, reason := range []string{"read mem stats", "GOMAXPROCS", "read mem stats", "GC mark termination"} {
		r := trace.Range{Name: "stop-the-world (" + reason + ")", Scope: trace.MakeResourceID(trace.GoID(1))}
		at(s, ns, trace.EventRangeBegin, r)
		ns += int64(len(reason))
		at(s, ns, trace.EventRangeEnd, r)
		ns += 100
	}
	at(s, 3000, trace.EventSync, trace.Sync{N: 2})
	tr := s.a.finish()
	if tr.STW.Tool != (Pauses{3, 38, 14}) || tr.STW.GC != (Pauses{1, 19, 19}) {
		t.Errorf("%+v", tr.STW)
	}
	want := `[{read mem stats false {2 28ns 14ns}} {GC mark termination true {1 19ns 19ns}} {GOMAXPROCS false {1 10ns 10ns}}]`
	if got := fmt.Sprint(tr.STW.Reasons); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if m := tr.MMU[0]; m.Util < 0.809 || m.Util > 0.811 {
		t.Errorf("%+v", m)
	}
}

// Who ends a collection goes on as an assist or a worker when its mark phase is over:
// that is apart, so that marking takes no more than the processors have in mark phases.
func TestAfterMarkPhase(t *testing.T) {
	s := newScript(t, Options{})
	mark := trace.Range{Name: markRange}
	at(s, 1000, trace.EventSync, trace.Sync{N: 1})
	at(s, 1000, trace.EventMetric, trace.Metric{Name: "/sched/gomaxprocs:threads", Value: trace.Uint64Value(1)})
	s.proc(1000, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.goroutine(1000, 1, trace.GoUndetermined, trace.GoRunning)
	at(s, 1000, trace.EventRangeActive, assisting(1))
	at(s, 1100, trace.EventRangeEnd, assisting(1)) // no mark phase has been told of: one may be on
	at(s, 1200, trace.EventRangeBegin, mark)
	at(s, 1300, trace.EventRangeBegin, assisting(1))
	at(s, 1700, trace.EventRangeEnd, mark)
	at(s, 2700, trace.EventRangeEnd, assisting(1))
	at(s, 3000, trace.EventRangeBegin, mark)
	at(s, 3000, trace.EventLabel, trace.Label{Label: "GC (dedicated)", Resource: trace.MakeResourceID(trace.GoID(1))})
	at(s, 3020, trace.EventRangeEnd, mark)
	s.goroutine(3090, 1, trace.GoRunning, trace.GoWaiting)
	at(s, 4000, trace.EventSync, trace.Sync{N: 2})
	tr := s.a.finish()
	if p := tr.ProcTime; p.Assist != 100+400 || p.AfterMark != 1000+70 || p.Dedicated != 20 || p.GC() != 1590 {
		t.Errorf("%+v", p)
	}
	if tr.GC.Assist != 100+1400 || tr.GC.Mark != 520 {
		t.Errorf("%+v", tr.GC)
	}
	for _, fault := range faults(tr) {
		t.Error(fault)
	}
}
