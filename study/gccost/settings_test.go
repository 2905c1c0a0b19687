package gccost

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
)

// withGOGC calls f with the collector's target set as GOGC=value does.
func withGOGC(value string, f func()) {
	percent, err := strconv.Atoi(value)
	if err != nil {
		percent = -1 // off
	}
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	f()
}

// BenchmarkGOGC makes the values by pointer under four targets. Nothing lives, so
// the collector runs each time the heap has grown to its least size: 4 MiB times
// GOGC/100 (heapMinimum in runtime/mgcpacer.go, defaultHeapMinimum).
//
// With gogc=off each operation takes fresh pages for all that it makes, 80 MB, and
// has them cleared by the system; the others use few pages again and again.
//
//memcost:expect by:pointer allocs/op >= n
//memcost:expect gogc:off NumGC/op == 0
//memcost:expect gogc:off loop-faults >= 0
//memcost:claim gogc-cycles [own] gogc:50 / gogc:400 NumGC/op in 4..12
//memcost:more # GOGC=50 makes about eight times as many collections as GOGC=400
//memcost:claim gogc-time [own] gogc:50 / gogc:400 > 1 # The program takes longer with GOGC=50 than with GOGC=400
//memcost:claim gogc-off [own] gogc:100 / gogc:off > 1
//memcost:more # A short program is faster without the collector, as is usual advice
func BenchmarkGOGC(b *testing.B) {
	for _, value := range []string{"off", "50", "100", "400"} {
		value := value
		b.Run(fmt.Sprintf("by=pointer/gogc=%s/n=%d", value, quick), func(b *testing.B) {
			withGOGC(value, func() { measure(b, Pointers, quick, true) })
		})
	}
}

// BenchmarkMemoryLimit has no target (GOGC=off) and a limit on all the memory of the
// Go runtime, GOMEMLIMIT: the collector runs when the limit, size, is near.
//
//memcost:full size:33554432
//memcost:expect gogc:off loop-faults >= 0
//memcost:expect by:pointer allocs/op >= n
//memcost:claim limit-cycles [own] size:16777216 / size:67108864 NumGC/op > 2
//memcost:more # A tighter memory limit makes more than twice the collections
//memcost:claim limit-time [own] size:16777216 / size:67108864 > 1
//memcost:more # The program takes longer under a tighter memory limit
func BenchmarkMemoryLimit(b *testing.B) {
	for _, limit := range []int64{16 << 20, 32 << 20, 64 << 20} {
		limit := limit
		b.Run(fmt.Sprintf("by=pointer/gogc=off/size=%d/n=%d", limit, quick), func(b *testing.B) {
			if setMemoryLimit == nil {
				b.Skip("this Go has no memory limit: it came with Go 1.19")
			}
			defer setMemoryLimit(setMemoryLimit(limit))
			withGOGC("off", func() { measure(b, Pointers, quick, true) })
		})
	}
}

// keep makes about that many bytes of live values, each an object of its own.
func keep(bytes int) []*BigStruct {
	live := make([]*BigStruct, bytes/88) // 80 and a pointer
	for i := range live {
		live[i] = createPointer(i)
	}
	return live
}

// BenchmarkLive makes the values by pointer beside others that live on, 32 MiB of
// them. The collector now has something to mark, which the published program never
// gave it; that is where collectors differ.
//
//memcost:expect by:pointer allocs/op >= n
//memcost:claim live-rarer [own] .name:Create by:pointer n:1000000 / .name:Live NumGC/op > 2
//memcost:more # Beside nothing the program makes over twice as many collections as beside a larger live heap
//memcost:claim live-cost [own] .name:Live / .name:Create by:pointer n:1000000 GC-cpu-ns/op > 1
//memcost:more # A larger live heap costs more CPU time for collections: the cost of each rises by a larger factor
//memcost:more than their number falls
//memcost:claim live-time [own] .name:Live / .name:Create by:pointer n:1000000 > 1
//memcost:more # The same program takes longer beside a larger live heap
func BenchmarkLive(b *testing.B) {
	const live = 32 << 20
	b.Run(fmt.Sprintf("by=pointer/live=%d/n=%d", live, quick), func(b *testing.B) {
		kept := keep(live)
		measure(b, Pointers, quick, true)
		runtime.KeepAlive(kept)
	})
}
