// Package onaxis measures on one axis what a block of n bytes costs, from having it to giving it
// back, by every means that Go and C have: the stack, the heap, a sync.Pool, an arena, a slab, and
// malloc under its settings and other allocators.
//
// The operation is the same by all of them. A block of n bytes, all zero; the number 1 stored in
// the first 8 bytes of each 64; the last of these loaded again, into a sum that is checked; the
// block given back before the next one is had. A means that does not hand out zeroed memory clears
// it. Only sync.Pool as left hands out what the block before has left, and says so.
//
// A process measures one case. What is warm in it is what the operations before the timing left.
// The C cases are in cpp: the go command does not read them, and memcost measures them in the same
// rounds. What is measured, and what is easy to get wrong, is in docs/studies/onaxis.md.
//
// Everything here also runs without memcost, and without a C++ compiler, with Go 1.20 and later:
//
//	GOEXPERIMENT=arenas go test -bench=. -benchmem ./study/onaxis
//
//memcost:go 1.20
//memcost:build GOEXPERIMENT=arenas
//memcost:sample 20ms
package onaxis

import (
	"fmt"
	"runtime"
	"testing"
)

// operation has a block, touches it and gives it back. It returns what touch loaded.
type operation func() uint64

// A means has blocks from somewhere.
type means struct {
	by      string
	largest int // block that it can have
	// make makes what outlives the operations on blocks of n bytes, and returns the operation.
	make    func(n int) operation
	garbage bool // operations leave garbage; that of the warm-up is collected before the timing
	// window is how many bytes of blocks share a cost that is paid at once: so many are measured
	// together, or several times so many. 0 is one block.
	window int
}

// allMeans are those of Go, in the order of the legend.
func allMeans() []means {
	return []means{
		{by: "stack", largest: maxStack, make: onStack},
		{by: "heap", largest: largest, make: onHeap, garbage: true},
		{by: "pool", largest: largest, make: fromPoolCleared},
		{by: "pool-left", largest: largest, make: fromPoolAsLeft},
		{by: "arena", largest: maxArena, make: inArena, garbage: true, window: chunk},
		{by: "slab", largest: largest, make: inSlab},
	}
}

// noArena is the reason why the arena cases are skipped.
const noArena = "no arenas in this build: they need GOEXPERIMENT=arenas when it is built (Go 1.20 and later)"

// The sizes of blocks.
const smallest, largest = 8, 64 << 20

// eachSize calls f with every size up to a limit.
func eachSize(limit int, f func(n int)) {
	for n := smallest; n <= limit; n *= 2 {
		f(n)
	}
}

// warmUp is the number of operations before the timing: they fill the pool and the slab, and grow
// the stack.
const warmUp = 2

// work does an operation so many times. It calls start when the warm-up is over, from the frame of
// its loop, so that a collection does not shrink away the stack that the warm-up has grown.
func work(op operation, times int, start func()) (sum uint64) {
	for i := 0; i < warmUp; i++ {
		sum += op()
	}
	start()
	for i := 0; i < times; i++ {
		sum += op()
	}
	return sum
}

// measure times an operation. A sum that is not that of the loaded numbers fails the benchmark.
// Where operations belong together it does at least b.N, in whole windows, and reports the time of
// one.
func measure(b *testing.B, op operation, garbage bool, window int) {
	b.ReportAllocs()
	times, before := b.N, int64(0)
	if window > 1 {
		times = (b.N + window - 1) / window * window
	}
	sum := work(op, times, func() {
		if garbage {
			runtime.GC()
		}
		before = faults()
		b.ResetTimer()
	})
	b.StopTimer()
	if want := uint64(times+warmUp) * mark; sum != want {
		b.Fatalf("the operations loaded %d in all, and they stored %d", sum, want)
	}
	b.ReportMetric(float64(faults()-before)/float64(times), "faults/op")
	if times != b.N {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(times), "ns/op")
	}
}

// BenchmarkBlock has a block of n bytes, zeroed and touched, and gives it back.
//
//memcost:full -size:(16 OR 64 OR 256 OR 1024 OR 4096 OR 16384 OR 65536 OR 262144 OR 1048576 OR 4194304 OR 16777216
//memcost:more OR 67108864)
//memcost:full by:c-mmap size:(8 OR 16 OR 32 OR 64 OR 128 OR 256 OR 512 OR 1024 OR 2048 OR 4096 OR 8192 OR 16384)
//memcost:expect by:stack allocs/op == 0
//memcost:expect by:stack B/op < size
//memcost:expect by:stack stays-on-stack stack8, stack16, stack32, stack64, stack128, stack256, stack512, stack1K,
//memcost:more stack2K, stack4K, stack8K, stack16K, stack32K, stack64K, stack128K
//memcost:expect by:heap allocs/op >= 1
//memcost:expect by:heap size:(8 OR 16 OR 32 OR 64 OR 128 OR 256 OR 512 OR 1024 OR 2048 OR 4096 OR 8192 OR 16384)
//memcost:more allocs/op < 1.1
//memcost:expect by:heap B/op >= size
//memcost:expect by:(pool OR pool-left OR slab) allocs/op < 1
//memcost:expect by:(pool OR pool-left OR slab) B/op < size
//memcost:expect by:arena faults/op > 0
//memcost:expect by:(arena OR heap) loop-faults >= 0
//memcost:expect by:(stack OR pool OR pool-left OR slab) -size:(16777216 OR 33554432 OR 67108864) faults/op < 1
//memcost:expect by:(c-glibc OR c-locked) -size:(33554432 OR 67108864) faults/op < 1
//memcost:expect by:c-realtime faults/op < 1
//memcost:expect by:c-mmap size:(262144 OR 524288 OR 1048576 OR 2097152 OR 4194304 OR 8388608 OR 16777216 OR 33554432
//memcost:more OR 67108864) faults/op >= 1
//memcost:claim heap-stack [own] by:heap / by:stack > 1 for every size
//memcost:more # A block on the heap costs more than one on the stack at every size up to 128 KiB
//memcost:claim heap-pool [own] by:heap / by:pool > 1 for every size
//memcost:more # A block on the heap costs more than one from a pool, cleared, at every size
//memcost:claim heap-pool-large [own] by:heap -size:(8 OR 16 OR 32 OR 64 OR 128)
//memcost:more / by:pool -size:(8 OR 16 OR 32 OR 64 OR 128) > 2 for every size
//memcost:more # From 256 B on a block on the heap costs at least twice one from a pool, cleared
//memcost:claim pool-stack [own] by:pool / by:stack > 1 for every size
//memcost:more # A block from a pool, cleared, costs more than one on the stack at every size up to 128 KiB
//memcost:claim left-stack [own] by:pool-left / by:stack < 1 for every size
//memcost:more # A block from a pool, as left, costs less than one on the stack, which is zeroed, at every size
//memcost:claim arena-heap [own] by:arena / by:heap < 1 for every size
//memcost:more # A block in an arena costs less than one on the heap at every size up to 2 MiB
//memcost:claim arena-pool [own] by:arena / by:pool > 1 for every size
//memcost:more # A block in an arena costs more than one from a pool, cleared, at every size up to 2 MiB
//memcost:claim slab-pool [own] by:slab / by:pool < 1 for every size
//memcost:more # A block of a slab costs less than one from a pool, cleared, at every size
//memcost:claim heap-calloc-small [own] by:heap size:(8 OR 16 OR 32 OR 64 OR 128 OR 256)
//memcost:more / by:c-glibc size:(8 OR 16 OR 32 OR 64 OR 128 OR 256) in 0.5..2 for every size
//memcost:more # Up to 256 B the Go heap and glibc's calloc cost the same within 2 times
//memcost:claim heap-calloc [own] by:heap size:(4096 OR 16384 OR 65536 OR 262144 OR 1048576)
//memcost:more / by:c-glibc size:(4096 OR 16384 OR 65536 OR 262144 OR 1048576) > 2 for every size
//memcost:more # From 4 KiB to 1 MiB a block on the Go heap costs at least twice one of glibc's
//memcost:claim mmap [own] by:c-mmap size:(262144 OR 1048576 OR 4194304 OR 16777216)
//memcost:more / by:c-glibc size:(262144 OR 1048576 OR 4194304 OR 16777216) > 5 for every size
//memcost:more # From 256 KiB to 16 MiB M_MMAP_THRESHOLD=0 costs at least 5 times glibc's defaults
//memcost:claim mmap-large [own] by:c-mmap size:67108864 / by:c-glibc size:67108864 in 0.67..1.5
//memcost:more # A block of 64 MiB costs the same with glibc's defaults as with M_MMAP_THRESHOLD=0, within 1.5 times
//memcost:claim realtime [own] by:c-glibc size:67108864 / by:c-realtime size:67108864 > 2
//memcost:more # A block of 64 MiB costs with glibc's defaults at least twice what it costs with the real-time
//memcost:more settings
//memcost:claim jemalloc [own] by:c-jemalloc size:(262144 OR 1048576 OR 4194304 OR 16777216)
//memcost:more / by:c-glibc size:(262144 OR 1048576 OR 4194304 OR 16777216) > 5 for every size
//memcost:more # From 256 KiB to 16 MiB a zeroed block from jemalloc costs at least 5 times one of glibc's
func BenchmarkBlock(b *testing.B) {
	for _, m := range allMeans() {
		m := m
		if m.by == "arena" && !haveArenas {
			b.Run("by=arena", func(b *testing.B) { b.Skip(noArena) })
			continue
		}
		eachSize(m.largest, func(n int) {
			b.Run(fmt.Sprintf("by=%s/size=%d", m.by, n), func(b *testing.B) {
				measure(b, m.make(n), m.garbage, m.window/n)
			})
		})
	}
}

// BenchmarkWrite clears n bytes of a block that is there already: the floor by size.
//
//memcost:full -size:(16 OR 64 OR 256 OR 1024 OR 4096 OR 16384 OR 65536 OR 262144 OR 1048576 OR 4194304 OR 16777216
//memcost:more OR 67108864)
//memcost:expect by:write-go allocs/op < 1
func BenchmarkWrite(b *testing.B) {
	eachSize(largest, func(n int) {
		b.Run(fmt.Sprintf("by=write-go/size=%d", n), func(b *testing.B) { measure(b, plainWrite(n), false, 1) })
	})
}

// BenchmarkLoop is the loop of every case with an operation that does nothing. A case as fast as
// this one has been optimised away.
//
//memcost:floor
//memcost:expect by:loop-go allocs/op == 0
func BenchmarkLoop(b *testing.B) {
	b.Run("by=loop-go", func(b *testing.B) { measure(b, nothing, false, 1) })
}

// nothing is the operation of the floor.
//
//go:noinline
func nothing() uint64 { return mark }
