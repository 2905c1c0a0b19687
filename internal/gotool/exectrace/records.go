package exectrace

import (
	"fmt"
	"slices"
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
// worker-ns (Worker.Time). Blanks in a reason become "-". config is copied into each. (A
// benchfmt.Reader turns a unit that ends in "-ns" into one that ends in "-sec".)
func (t *Trace) Records(name string, config ...benchfmt.Config) []*benchfmt.Result {
	all := []*benchfmt.Result{t.total().result(name, config)}
	for _, r := range t.STW.Reasons {
		var v values
		v.pauses("stw", r.Pauses)
		all = append(all, v.result(fmt.Sprintf("%s/stw=%s", name, key(r.Reason)), config))
	}
	for _, w := range t.User.Block {
		var v values
		v.ns("block-ns", w.Time)
		all = append(all, v.result(fmt.Sprintf("%s/block=%s", name, key(w.Name)), config))
	}
	for _, w := range t.GC.Workers {
		var v values
		v.add("runs", float64(w.Runs))
		v.ns("worker-ns", w.Time)
		all = append(all, v.result(fmt.Sprintf("%s/worker=%s", name, w.Kind), config))
	}
	return all
}

// total are the figures of the whole trace.
func (t *Trace) total() (v values) {
	v.add("gc-cycles", float64(t.GC.N))
	v.ns("mark-ns", t.GC.Mark)
	v.ns("assist-ns", t.GC.Assist)
	v.ns("sweep-ns", t.GC.Sweep)
	v.add("assists", float64(t.GC.Assists))
	v.add("sweeps", float64(t.GC.Sweeps))
	v.pauses("stw-gc", t.STW.GC)
	v.pauses("stw-tool", t.STW.Tool)
	v.add("gc-cpu-share", t.ProcTime.GCShare())
	v.add("user-cpu-share", share(t.ProcTime.User, t.ProcTime.Total))
	v.add("idle-cpu-share", share(t.ProcTime.Idle, t.ProcTime.Total))
	v.ns("exec-ns", t.User.Exec)
	v.ns("sched-wait-ns", t.User.SchedWait)
	v.ns("block-ns", t.User.Blocked())
	v.ns("syscall-ns", t.User.Syscall+t.User.SyscallOff)
	v.add("goroutines", float64(t.User.Goroutines))
	v.add("system-goroutines", float64(t.System.Goroutines))
	v.add("threads", float64(t.Threads))
	v.add("procs", float64(t.Procs))
	v.add("events", float64(t.Events))
	v.ns("span-ns", t.Span)
	for _, m := range t.MMU {
		if !m.Whole {
			v.add("mmu-"+strings.ReplaceAll(m.Window.String(), "µ", "u"), m.Util)
		}
	}
	v.add("heap-peak-B", float64(t.heapPeak()))
	return v
}

type values []benchfmt.Value

func (v *values) add(unit string, x float64) { *v = append(*v, benchfmt.Value{Value: x, Unit: unit}) }

func (v *values) ns(unit string, d time.Duration) { v.add(unit, float64(d)) }

func (v *values) pauses(unit string, p Pauses) {
	v.add(unit, float64(p.N))
	v.ns(unit+"-ns", p.Total)
	v.ns(unit+"-max-ns", p.Max)
}

func (v values) result(name string, config []benchfmt.Config) *benchfmt.Result {
	return &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: v, Config: slices.Clone(config)}
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
