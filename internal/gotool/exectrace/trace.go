package exectrace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// Trace is what an execution trace says. Durations are nanoseconds (also in
// JSON); moments are nanoseconds since the first event of the trace.
type Trace struct {
	Version     string        `json:"version"` // of the format, as in the file: "go1.22"
	Written     string        `json:"written"` // the releases that write it: "Go 1.23 or 1.24"
	Bytes       int64         `json:"bytes"`
	Span        time.Duration `json:"spanNs"` // from the first event to the last
	Events      int64         `json:"events"`
	Generations int           `json:"generations"` // 1 before Go 1.22
	Threads     int           `json:"threads"`     // seen
	Procs       int           `json:"procs"`       // Ps seen
	MaxProcs    int           `json:"maxProcs"`    // the largest GOMAXPROCS; 0 is unknown

	GC       GC       `json:"gc"`
	STW      STW      `json:"stw"`
	ProcTime ProcTime `json:"procTime"`
	MMU      []MMU    `json:"mmu"`

	User   Group   `json:"user"`   // all goroutines of the program's own
	System Group   `json:"system"` // those of the runtime, the tracer's own among them
	Groups []Group `json:"groups"` // by start function, the most execution time first; the last may sum the rest

	Heap []Point `json:"heap"` // bytes of objects, live and not yet swept (/memory/classes/heap/objects:bytes)
	Goal []Point `json:"goal"` // size at which the collection ends (/gc/heap/goal:bytes)

	Timeline []Interval `json:"timeline"` // by start
	Left     []Left     `json:"left"`     // what the timeline leaves out, by kind

	Warnings []string `json:"warnings"`
}

// GC is what the collector did.
type GC struct {
	N      int64   `json:"n"` // collections, whole or in part
	Cycles []Cycle `json:"cycles"`
	Left   int64   `json:"left"` // how many of N, the shorter ones, are not in Cycles

	Mark       time.Duration `json:"markNs"`   // sum of the mark phases
	Assist     time.Duration `json:"assistNs"` // sum over goroutines, with their waits in assists
	Assists    int64         `json:"assists"`
	Sweep      time.Duration `json:"sweepNs"` // incremental; sum over processors
	Sweeps     int64         `json:"sweeps"`
	SweptB     uint64        `json:"sweptBytes"` // by incremental sweeps
	ReclaimedB uint64        `json:"reclaimedBytes"`

	// Workers are dedicated, fractional and idle ones, as the scheduler labels them
	// when it starts them, and what they run without a label: when they are set up,
	// and when one that was descheduled goes on to end the collection.
	Workers []Worker `json:"workers"`
}

// Worker is one kind of the collector's background workers.
type Worker struct {
	Kind string        `json:"kind"` // "other": without a label; see Workers
	Runs int64         `json:"runs"`
	Time time.Duration `json:"timeNs"` // on a processor, but for ProcTime.AfterMark
}

// Cycle is a collection. Sizes are bytes of objects in the heap; 0 is unknown.
type Cycle struct {
	Start     time.Duration `json:"startNs"`
	End       time.Duration `json:"endNs"` // of marking
	HeapStart uint64        `json:"heapStart"`
	HeapPeak  uint64        `json:"heapPeak"` // while marking
	HeapLive  uint64        `json:"heapLive"` // found alive
	Goal      uint64        `json:"goal"`     // when it began
	CutStart  bool          `json:"cutStart"` // it was on when the trace began
	CutEnd    bool          `json:"cutEnd"`   // and when it ended
}

// STW is the pauses: all processors stopped.
type STW struct {
	GC      Pauses   `json:"gc"`   // the collector's
	Tool    Pauses   `json:"tool"` // all other reasons
	Reasons []Reason `json:"reasons"`
}

// Pauses are some pauses together.
type Pauses struct {
	N     int64         `json:"n"`
	Total time.Duration `json:"totalNs"`
	Max   time.Duration `json:"maxNs"`
}

func (p *Pauses) add(o Pauses) {
	p.N += o.N
	p.Total += o.Total
	p.Max = max(p.Max, o.Max)
}

// Reason is the pauses of one reason; each of them is in the timeline.
type Reason struct {
	Reason string `json:"reason"` // in the runtime's words
	GC     bool   `json:"gc"`
	Pauses
}

// ProcTime is where the time of the processors (Ps) went: GOMAXPROCS times the
// span. The parts are disjoint and sum to Total.
type ProcTime struct {
	Total      time.Duration `json:"totalNs"`
	Dedicated  time.Duration `json:"dedicatedNs"` // the collector's workers
	Fractional time.Duration `json:"fractionalNs"`
	IdleMark   time.Duration `json:"idleMarkNs"`  // workers on processors that had nothing else to do
	OtherMark  time.Duration `json:"otherMarkNs"` // workers that begin or end a collection
	Assist     time.Duration `json:"assistNs"`    // goroutines that had to mark
	// workers and assists, but after the mark phase: who ends a collection
	AfterMark time.Duration `json:"afterMarkNs"`
	Sweep     time.Duration `json:"sweepNs"`         // before allocating
	BackSweep time.Duration `json:"backSweepNs"`     // the background sweeper
	User      time.Duration `json:"userNs"`          // goroutines of the program's own, without the above
	System    time.Duration `json:"systemNs"`        // goroutines of the runtime and the tracer, without the above
	Syscall   time.Duration `json:"syscallNs"`       // in system calls that kept their processor
	Scheduler time.Duration `json:"schedulerNs"`     // no goroutine: looking for one
	Stopped   time.Duration `json:"stoppedByGCNs"`   // idle because the collector stopped the world
	StoppedBy time.Duration `json:"stoppedByToolNs"` // idle because something else did
	Idle      time.Duration `json:"idleNs"`
}

// GC is the collector's time: workers of all kinds, assists, what they do after
// marking, and sweeping. Time stopped by it is not in it.
func (p ProcTime) GC() time.Duration {
	return p.Dedicated + p.Fractional + p.IdleMark + p.OtherMark + p.Assist + p.AfterMark + p.Sweep + p.BackSweep
}

// GCShare is the share of processor time that went to the collector, from 0 to 1.
func (p ProcTime) GCShare() float64 { return Share(p.GC(), p.Total) }

// MMU is the minimum mutator utilization of a window: in the worst window of
// this length the program had this share of the processors' time to itself.
// Not the program's are pauses by the collector, dedicated and fractional
// workers, assists and incremental sweeps; idle workers take nothing away.
// (Cheng and Blelloch, "A parallel, real-time garbage collector", 2001; as in
// GOROOT/src/internal/trace/gc.go.)
type MMU struct {
	Window time.Duration `json:"windowNs"`
	Util   float64       `json:"util"`
	At     time.Duration `json:"atNs"`  // where the first worst window begins
	Whole  bool          `json:"whole"` // the trace is shorter than the window: the figure is the whole trace's
}

// Group is some goroutines and where their time went. Execution, waits and
// system calls are disjoint; ranges overlap them and each other, and must not be
// added to them.
type Group struct {
	Name       string        `json:"name"` // function that they began with
	System     bool          `json:"system"`
	Goroutines int64         `json:"goroutines"`
	Exec       time.Duration `json:"execNs"`
	SchedWait  time.Duration `json:"schedWaitNs"` // could run, but had no processor
	Block      []Wait        `json:"block"`       // by reason, longest first
	Syscall    time.Duration `json:"syscallNs"`   // with a processor
	SyscallOff time.Duration `json:"syscallOffNs"`
	Ranges     []Wait        `json:"ranges"` // "GC mark assist" and others
}

// Blocked is the time blocked for any reason.
func (g Group) Blocked() time.Duration {
	var sum time.Duration
	for _, w := range g.Block {
		sum += w.Time
	}
	return sum
}

// Wait is a time by its reason or name.
type Wait struct {
	Name string        `json:"name"` // "" if the trace gives no reason
	Time time.Duration `json:"timeNs"`
}

// Point is a size at a moment.
type Point struct {
	At    time.Duration `json:"atNs"`
	Bytes uint64        `json:"bytes"`
}

// Interval is a stretch of the timeline.
type Interval struct {
	Kind  Kind          `json:"kind"`
	Name  string        `json:"name,omitempty"` // reason of a pause
	Start time.Duration `json:"startNs"`
	End   time.Duration `json:"endNs"`
}

// Kind is what an interval is.
type Kind string

// The kinds of intervals.
const (
	Mark   Kind = "mark"
	GCStop Kind = "stw-gc"
	Stop   Kind = "stw-tool"
	Assist Kind = "assist" // of one goroutine, with its waits
	Sweep  Kind = "sweep"  // of one processor
)

// Left is what the timeline leaves out of a kind: the shorter intervals.
type Left struct {
	Kind  Kind          `json:"kind"`
	N     int64         `json:"n"`
	Total time.Duration `json:"totalNs"`
}

// Options say how much is kept. The zero value is good for a terminal or a page.
type Options struct {
	Groups    int             // goroutine groups told apart; 0 is 10
	Intervals int             // of each kind in the timeline, and cycles; 0 is 1000
	Points    int             // of the heap's size over time, about; 0 is 1000
	Windows   []time.Duration // of the minimum mutator utilization; nil is 1, 10 and 100 ms
}

func (o Options) withDefaults() Options {
	if o.Groups == 0 {
		o.Groups = 10
	}
	if o.Intervals == 0 {
		o.Intervals = 1000
	}
	if o.Points == 0 {
		o.Points = 1000
	}
	if o.Windows == nil {
		o.Windows = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
	}
	return o
}

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
	var all []*benchfmt.Result
	add := func(name string, values []benchfmt.Value) {
		all = append(all, &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: values, Config: slices.Clone(config)})
	}
	add(name, t.total())
	for _, r := range t.STW.Reasons {
		add(fmt.Sprintf("%s/stw=%s", name, key(r.Reason)), r.values("stw"))
	}
	for _, w := range t.User.Block {
		add(fmt.Sprintf("%s/block=%s", name, key(w.Name)), []benchfmt.Value{value(w.Time, "block-ns")})
	}
	for _, w := range t.GC.Workers {
		add(fmt.Sprintf("%s/worker=%s", name, w.Kind), []benchfmt.Value{value(w.Runs, "runs"), value(w.Time, "worker-ns")})
	}
	return all
}

// total are the figures of the whole trace.
func (t *Trace) total() []benchfmt.Value {
	user, procs := t.User, t.ProcTime
	v := []benchfmt.Value{value(t.GC.N, "gc-cycles"), value(t.GC.Mark, "mark-ns"), value(t.GC.Assist, "assist-ns"),
		value(t.GC.Sweep, "sweep-ns"), value(t.GC.Assists, "assists"), value(t.GC.Sweeps, "sweeps")}
	v = slices.Concat(v, t.STW.GC.values("stw-gc"), t.STW.Tool.values("stw-tool"), []benchfmt.Value{
		value(procs.GCShare(), "gc-cpu-share"), value(Share(procs.User, procs.Total), "user-cpu-share"),
		value(Share(procs.Idle, procs.Total), "idle-cpu-share"), value(user.Exec, "exec-ns"),
		value(user.SchedWait, "sched-wait-ns"), value(user.Blocked(), "block-ns"),
		value(user.Syscall+user.SyscallOff, "syscall-ns"), value(user.Goroutines, "goroutines"),
		value(t.System.Goroutines, "system-goroutines"), value(t.Threads, "threads"), value(t.Procs, "procs"),
		value(t.Events, "events"), value(t.Span, "span-ns")})
	for _, m := range t.MMU {
		if !m.Whole {
			v = append(v, value(m.Util, "mmu-"+strings.ReplaceAll(m.Window.String(), "µ", "u")))
		}
	}
	return append(v, value(t.heapPeak(), "heap-peak-B"))
}

func value[T int | ~int64 | uint64 | float64](v T, unit string) benchfmt.Value {
	return benchfmt.Value{Value: float64(v), Unit: unit}
}

func (p Pauses) values(unit string) []benchfmt.Value {
	return []benchfmt.Value{value(p.N, unit), value(p.Total, unit+"-ns"), value(p.Max, unit+"-max-ns")}
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
