// Package arena measures what the experimental arenas of Go 1.20 and later cost
// and save, against the heap, a sync.Pool and a plain slab.
//
// It re-tests "go-arena", published with Go 1.20 and GOEXPERIMENT=arenas on an
// i7-11850H, with the published method and with its flaws removed. What is
// measured, what is easy to get wrong, and how the proposal stands, is in
// docs/studies/arena.md.
//
// Everything here also runs without memcost, with Go 1.20 and later. Without the
// experiment the arena cases are skipped, and the rest runs:
//
//	GOEXPERIMENT=arenas go test -bench=. -benchmem ./study/arena
//
//memcost:go 1.20
//memcost:build GOEXPERIMENT=arenas
//memcost:sample 100ms
package arena

import (
	"fmt"
	"testing"
)

// sink receives the result of each loop, so that the loop is not optimised away.
var sink int

// work does one case's operation ops times. It first makes all that outlives
// the loop, then calls start, once; what follows is counted.
type work func(ops int, start func())

// repeat returns the work of method=fixed: all operations are the same. The first one is
// not counted: it fills pools and slabs.
func repeat(op func() int) work {
	return func(ops int, start func()) {
		sum := op()
		start()
		for i := 0; i < ops; i++ {
			sum += op()
		}
		sink = sum
	}
}

// sizes are the published numbers of elements.
var sizes = []int{100, 10_000, 100_000}

// An arena takes memory in chunks of 8 MiB, and the chunk of the operation that is
// not counted serves thousands of small ones: a sample of method=fixed that is too
// short to need further chunks leaves out what an arena costs most for. The bounds on
// B/op, seven eighths of what an operation puts into its arena, make such a case
// INVALID, and samples of 100 ms avoid it.

// A variant is a method and a place, with its work for n elements: nil where it needs
// arenas and they are not built in.
type variant struct {
	method, from string
	work         func(n int) work
}

// noArena is the reason why the arena cases are skipped.
const noArena = "no arenas in this build: they need GOEXPERIMENT=arenas when it is built (Go 1.20 and later)"

func (v variant) name() string { return fmt.Sprintf("method=%s/from=%s", v.method, v.from) }

// runVariants measures every variant at every size as sub-benchmarks. Without
// arenas a variant is skipped once, and not for each size.
func runVariants(b *testing.B, variants []variant) {
	for _, v := range variants {
		v := v
		if v.work(sizes[0]) == nil {
			b.Run(v.name(), func(b *testing.B) { b.Skip(noArena) })
			continue
		}
		for _, n := range sizes {
			w := v.work(n)
			b.Run(fmt.Sprintf("%s/n=%d", v.name(), n), func(b *testing.B) {
				b.ReportAllocs()
				w(b.N, b.ResetTimer)
			})
		}
	}
}

// BenchmarkEmpty is the loop of every case without an operation in it. A case
// as fast as this one has been optimised away.
//
//memcost:floor
//memcost:expect * allocs/op == 0
func BenchmarkEmpty(b *testing.B) {
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
	}
}
