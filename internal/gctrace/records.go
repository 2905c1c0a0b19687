package gctrace

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// Records are the figures in the benchmark format, for claims to be judged on.
// The name is that of the program, as "Trace/program=create"; to it belong
//
//	gc-cycles                          collections
//	mark-ns, assist-ns, sweep-ns       sums, as in GC
//	assists, sweeps                    their numbers
//	stw-gc, stw-gc-ns, stw-gc-max-ns   the collector's pauses
//	stw-tool, …-ns, …-max-ns           all other pauses
//	gc-cpu-share                       of the processors' time, 0 to 1 (ProcTime.GCShare)
//	user-cpu-share, idle-cpu-share     of it, in the program's goroutines and idle
//	exec-ns, sched-wait-ns, block-ns, syscall-ns   sums over the program's goroutines
//	goroutines                         of the program; system-goroutines of the runtime
//	threads, procs, events, span-ns
//	mmu-1ms, mmu-10ms, mmu-100ms       0 to 1, for each window that fits into the trace
//	heap-peak-B                        largest size told
//
// and records name/stw=REASON with stw, stw-ns and stw-max-ns, name/block=REASON
// with block-ns (of the program's goroutines), and name/worker=KIND with runs and
// worker-ns. Blanks in a reason become "-". config is copied into each.
func (t *Trace) Records(name string, config ...benchfmt.Config) []*benchfmt.Result {
	var values []benchfmt.Value
	ns := func(unit string, d time.Duration) {
		values = append(values, benchfmt.Value{Value: float64(d), Unit: unit})
	}
	count := func(unit string, n int64) { values = append(values, benchfmt.Value{Value: float64(n), Unit: unit}) }
	ratio := func(unit string, x float64) { values = append(values, benchfmt.Value{Value: x, Unit: unit}) }
	pauses := func(unit string, p Pauses) {
		count(unit, p.N)
		ns(unit+"-ns", p.Total)
		ns(unit+"-max-ns", p.Max)
	}
	flush := func(name string) *benchfmt.Result {
		r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: values, Config: append([]benchfmt.Config(nil), config...)}
		values = nil
		return r
	}

	count("gc-cycles", t.GC.N)
	ns("mark-ns", t.GC.Mark)
	ns("assist-ns", t.GC.Assist)
	ns("sweep-ns", t.GC.Sweep)
	count("assists", t.GC.Assists)
	count("sweeps", t.GC.Sweeps)
	pauses("stw-gc", t.STW.GC)
	pauses("stw-tool", t.STW.Tool)
	ratio("gc-cpu-share", t.ProcTime.GCShare())
	ratio("user-cpu-share", share(t.ProcTime.User, t.ProcTime.Total))
	ratio("idle-cpu-share", share(t.ProcTime.Idle, t.ProcTime.Total))
	ns("exec-ns", t.User.Exec)
	ns("sched-wait-ns", t.User.SchedWait)
	ns("block-ns", t.User.Blocked())
	ns("syscall-ns", t.User.Syscall+t.User.SyscallOff)
	count("goroutines", t.User.Goroutines)
	count("system-goroutines", t.System.Goroutines)
	count("threads", int64(t.Threads))
	count("procs", int64(t.Procs))
	count("events", t.Events)
	ns("span-ns", t.Span)
	for _, m := range t.MMU {
		if !m.Whole {
			ratio("mmu-"+strings.ReplaceAll(m.Window.String(), "µ", "u"), m.Util)
		}
	}
	count("heap-peak-B", int64(t.heapPeak()))
	all := []*benchfmt.Result{flush(name)}

	for _, r := range t.STW.Reasons {
		pauses("stw", r.Pauses)
		all = append(all, flush(fmt.Sprintf("%s/stw=%s", name, key(r.Reason))))
	}
	for _, w := range t.User.Block {
		ns("block-ns", w.Time)
		all = append(all, flush(fmt.Sprintf("%s/block=%s", name, key(w.Name))))
	}
	for _, w := range t.GC.Workers {
		count("runs", w.Runs)
		ns("worker-ns", w.Time)
		all = append(all, flush(fmt.Sprintf("%s/worker=%s", name, w.Kind)))
	}
	return all
}

func (t *Trace) heapPeak() (most uint64) {
	for _, p := range t.Heap {
		most = max(most, p.Bytes)
	}
	return most
}

// key makes a part of a benchmark's name of a reason.
func key(reason string) string {
	if reason == "" {
		return "unknown"
	}
	return strings.NewReplacer(" ", "-", "/", "-", "\t", "-", "\n", "-").Replace(reason)
}
