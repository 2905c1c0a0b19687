package gccost

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
)

// sink receives the result of each operation, so that it is not optimised away.
var sink int

// Values made in one operation: published is the published number, quick that of the
// quick profile.
const published, quick = 20000000, 1000000

// figures holds the collector's work in the timed parts. Forced collections are outside
// of them.
type figures struct {
	cycles, pauseNs  float64
	stops, gcCPU     float64 // pauses by the collector; seconds
	hasStops, hasCPU bool    // this Go reports them
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
//memcost:claim F5 [published: 7.91 times: 2.224 s by pointer and 0.281 s by copy for 20 million] by:pointer
//memcost:more n:20000000 / by:copy n:20000000 in 6..10
//memcost:more # Making 20 million values by pointer takes about 8 times as long as by copy
//memcost:claim F5-slower by:pointer / by:copy > 1 for every n # Making values by pointer takes longer than by copy
//memcost:claim F6 .name:Profiled by:pointer gc-sched-share > 0.15 for every n
//memcost:more # The version by pointer spends over 15% of its CPU time in sweeping, pausing and scheduling
//memcost:claim F6-traced .name:Traced by:pointer gc-cpu-share > 0.15 for every n
//memcost:more # The collector takes over 15% of the processors in the version by pointer, by the execution trace
//memcost:claim F7 .name:Traced by:pointer n:20000000 stw-gc in 300..500
//memcost:more # The version by pointer stops the world for the collector about 400 times for 20 million values
//memcost:claim F7-hundreds [own] .name:Traced by:pointer n:20000000 stw-gc > 100
//memcost:more # The version by pointer stops the world for the collector more than 100 times for 20 million
//memcost:more values
//memcost:claim F7-none .name:Traced by:copy stw-gc == 0 for every n
//memcost:more # The version by copy never stops the world for the collector
//memcost:claim F8 .name:Profiled by:pointer runtime-share > 0.5 for every n
//memcost:more # Functions of the runtime take over half of the CPU time of the version by pointer
func BenchmarkCreate(b *testing.B) {
	for _, w := range ways {
		for _, n := range []int{quick, published} {
			w, n := w, n
			b.Run(fmt.Sprintf("by=%s/n=%d", w.by, n), func(b *testing.B) { measure(b, w.create, n, w.garbage) })
		}
	}
}
