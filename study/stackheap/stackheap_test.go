// Package stackheap measures what it costs to hand a value to a caller on the
// stack (by value) and on the heap (by pointer), from 16 bytes to 1 MiB.
//
// It re-tests "Go Memory Benchmarks, Stack vs Heap: Bilbo & Smaug", published
// with Go 1.25.4 on an Apple M1 Max and a Raspberry Pi 4. What is measured, what
// is easy to get wrong, and how many hidden copies each Go version makes, is in
// docs/studies/stackheap.md.
//
// Everything here also runs without memcost:
//
//	go test -bench=. -benchmem ./study/stackheap
//
//memcost:go 1.18
package stackheap

import "testing"

// sink receives the result of each loop, once, after its last operation: a store of an
// int keeps the work from being optimised away, and lets no value escape.
var sink int

// work does one case's operation n times. It first grows its stack and makes
// all that outlives the loop, then calls start, once; what follows is counted.
//
// The loops are b.N loops, not b.Loop: B.Loop does not exist before Go 1.24, and
// before 1.26 it keeps the calls in its body from being inlined and their
// results alive, which makes values escape that otherwise would not.
type work func(n int, start func())

// benchCase is one benchmark with its key=value parameters, and the allocations
// that its operation must make: the guards in allocs_test.go hold it to them.
type benchCase struct {
	name   string // "place=stack/size=1024", the sub-benchmark's name
	work   work
	size   int    // bytes handed over by one operation
	allocs uint64 // heap objects per operation
	bytes  uint64 // requested heap bytes per operation; the size class may add to it
}

// measure times b.N operations. The timer is reset by the work itself, from the
// frame in which its loop runs: the frame is then part of the stack in use, and
// a garbage collection cannot shrink away what the warm-up has grown.
func measure(b *testing.B, w work) {
	b.ReportAllocs()
	w(b.N, b.ResetTimer)
}

// runCases measures each case as a sub-benchmark. It reports no MB/s: the cases
// make hidden copies, so size over time is not the bandwidth of anything.
func runCases(b *testing.B, cases []benchCase) {
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) { measure(b, c.work) })
	}
}

// BenchmarkEmpty is the loop of every case without an operation in it. A case
// as fast as this one has been optimised away.
//
//memcost:floor
//memcost:expect * allocs/op == 0
func BenchmarkEmpty(b *testing.B) {
	measure(b, func(n int, start func()) {
		start()
		for i := 0; i < n; i++ {
		}
	})
}
