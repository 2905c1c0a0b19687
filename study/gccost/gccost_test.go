package gccost

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
)

// sink is where each operation leaves what it computed.
var sink int

// Creates in one operation: as published, and for the quick profile.
const published, quick = 20000000, 1000000

// figures are what the collector did in the timed parts. Forced collections lie
// outside them.
type figures struct {
	cycles, pauseNs  float64
	stops, gcCPU     float64 // pauses by the collector; seconds
	hasStops, hasCPU bool    // this Go tells
}

// add adds what the process has done so far, times sign: -1 before a timed part
// and 1 after it.
func (f *figures) add(sign float64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.cycles += sign * float64(m.NumGC-m.NumForcedGC)
	f.pauseNs += sign * float64(m.PauseTotalNs)
	f.addMetrics(sign)
}

// measure times b.N operations, each of which is a whole program: create makes n
// values. One that leaves garbage begins with a heap that holds nothing but what
// was live before measure, on pages that were given back to the system, as those
// of a new process were never taken. What it leaves is collected between the timed
// parts, so that no operation pays for another one's garbage.
//
// Beside what -benchmem prints there are
//
//	NumGC/op       collections, forced ones left out
//	GC-pause-ns/op sum of their pauses
//	STW/op         number of those pauses (Go 1.16 and later)
//	GC-cpu-ns/op   CPU time of the collector on all processors (Go 1.20 and later)
func measure(b *testing.B, create func(n int) int, n int, garbage bool) {
	var f figures
	sum := 0
	b.ReportAllocs()
	debug.FreeOSMemory()
	f.add(-1)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if garbage && i > 0 {
			b.StopTimer()
			f.add(1)
			debug.FreeOSMemory()
			f.add(-1)
			b.StartTimer()
		}
		sum += create(n)
	}
	b.StopTimer()
	f.add(1)
	sink = sum
	ops := float64(b.N)
	b.ReportMetric(f.cycles/ops, "NumGC/op")
	b.ReportMetric(f.pauseNs/ops, "GC-pause-ns/op")
	if f.hasStops {
		b.ReportMetric(f.stops/ops, "STW/op")
	}
	if f.hasCPU {
		b.ReportMetric(f.gcCPU*1e9/ops, "GC-cpu-ns/op")
	}
}

// empty is the loop of each operation with no value in it.
//
//go:noinline
func empty(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}

// BenchmarkEmpty is the floor: a case as fast as this one has been optimised away.
//
//memcost:floor
func BenchmarkEmpty(b *testing.B) {
	b.Run(fmt.Sprintf("n=%d", quick), func(b *testing.B) { measure(b, empty, quick, false) })
}

// ways are the two ways to create.
var ways = []struct {
	by      string
	create  func(n int) int
	garbage bool
}{{"copy", Copies, false}, {"pointer", Pointers, true}}

// BenchmarkCreate is the published program: main makes n structs of 80 bytes, by
// copy or by pointer, and the collector runs as it is set.
//
// What the program's trace and profile say stands in records of their own, Traced
// and Profiled, made by programs/create with the published n.
//
//memcost:program Traced/by=copy/n=1000000: programs/create -by=copy -n=1000000 -trace={trace}
//memcost:program Traced/by=pointer/n=1000000: programs/create -by=pointer -n=1000000 -trace={trace}
//memcost:program Traced/by=copy/n=20000000: programs/create -by=copy -n=20000000 -trace={trace}
//memcost:program Traced/by=pointer/n=20000000: programs/create -by=pointer -n=20000000 -trace={trace}
//memcost:program Profiled/by=copy/n=40000000: programs/create -by=copy -n=40000000 -cpuprofile={cpuprofile}
//memcost:program Profiled/by=pointer/n=5000000: programs/create -by=pointer -n=5000000 -cpuprofile={cpuprofile}
//memcost:program Profiled/by=pointer/n=20000000: programs/create -by=pointer -n=20000000 -cpuprofile={cpuprofile}
//memcost:full .name:(Traced OR Profiled) n:20000000
//memcost:full n:20000000
//memcost:expect by:copy allocs/op < 1
//memcost:expect by:copy NumGC/op == 0
//memcost:expect by:copy stays-on-stack createCopy, Copies
//memcost:expect by:pointer allocs/op >= n
//memcost:claim F5 by:pointer / by:copy in 6..10 for every n # by copy 0.281 s, by pointer 2.224 s for 20 million: about 8 times (published: 7.91)
//memcost:claim F5-slower by:pointer / by:copy > 1 for every n # the pointer is slower at all
//memcost:claim F6 .name:Profiled by:pointer gc-sched-share > 0.15 for every n # the pointer version spends over 15% in sweeping, pausing and scheduling
//memcost:claim F6-traced .name:Traced by:pointer gc-cpu-share > 0.15 for every n # the same by the trace: the collector's share of the processors
//memcost:claim F7 .name:Traced by:pointer n:20000000 stw-gc in 300..500 # about 400 stop-the-world events for 20 million by pointer
//memcost:claim F7-hundreds .name:Traced by:pointer n:20000000 stw-gc > 100 # ours: hundreds of them, at least
//memcost:claim F7-none .name:Traced by:copy stw-gc == 0 for every n # and none by copy
//memcost:claim F8 .name:Profiled by:pointer runtime-share > 0.5 for every n # most of the extra cost is runtime functions
//memcost:table Creates by copy and by pointer by n: by copy = by:copy | by pointer = by:pointer | ratio = by:pointer / by:copy | collections = by:pointer NumGC/op
//memcost:table The collector, by execution trace by by: collections = .name:Traced n:1000000 gc-cycles | its stops of the world = .name:Traced n:1000000 stw-gc | stopped = .name:Traced n:1000000 stw-gc-ns | marking = .name:Traced n:1000000 mark-ns | sweeping = .name:Traced n:1000000 sweep-ns | assists = .name:Traced n:1000000 assist-ns | share of the processors = .name:Traced n:1000000 gc-cpu-share
//memcost:table CPU time of the version by pointer, by profile by n: user = .name:Profiled by:pointer user-share | collector = .name:Profiled by:pointer gc-share | allocation = .name:Profiled by:pointer alloc-share | scheduling = .name:Profiled by:pointer sched-share | moving and clearing = .name:Profiled by:pointer memory-share | runtime in all = .name:Profiled by:pointer runtime-share
//memcost:table CPU time of the version by copy, by profile by n: user = .name:Profiled by:copy user-share | collector = .name:Profiled by:copy gc-share | allocation = .name:Profiled by:copy alloc-share | scheduling = .name:Profiled by:copy sched-share | moving and clearing = .name:Profiled by:copy memory-share | runtime in all = .name:Profiled by:copy runtime-share
//memcost:picture dots Creates by copy and by pointer by by: time = .name:Create n:1000000
func BenchmarkCreate(b *testing.B) {
	for _, w := range ways {
		for _, n := range []int{quick, published} {
			w, n := w, n
			b.Run(fmt.Sprintf("by=%s/n=%d", w.by, n), func(b *testing.B) { measure(b, w.create, n, w.garbage) })
		}
	}
}
