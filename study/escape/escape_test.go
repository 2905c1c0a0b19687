// Package escape measures what it costs that a value is put on the heap, for each
// of the usual causes, and what the usual fix of that cause buys.
//
// It re-tests "Understanding Allocations in Go" (December 2020, Go 1.15), and sets
// beside its five benchmarks a pair for each cause: the form that escapes and the
// form that the usual advice makes of it, doing the same work. What is measured,
// what is easy to get wrong, and the allocations of each Go version are in
// docs/studies/escape.md.
//
// Everything here also runs without memcost, with Go 1.13 and later:
//
//	go test -bench=. -benchmem ./study/escape
//
//memcost:go 1.13
package escape

import "testing"

// sink receives the result of each loop, once, after its last operation: a store of an
// int keeps the work from being optimised away, and lets no value escape.
var sink int

// work does one case's operation n times. It first makes all that outlives the
// loop, then calls start, once; what follows is counted.
//
// The loops are b.N loops, not b.Loop: B.Loop does not exist before Go 1.24, and
// before 1.26 it keeps the calls in its body from being inlined and their
// results alive, which makes values escape that otherwise would not.
type work func(n int, start func())

// benchCase is one benchmark with its key=value parameters.
type benchCase struct {
	name string // "cause=boxing/form=fixed", the sub-benchmark's name
	work work
}

func measure(b *testing.B, w work) {
	b.ReportAllocs()
	w(b.N, b.ResetTimer)
}

func runCases(b *testing.B, cases []benchCase) {
	for _, c := range cases {
		c := c
		b.Run(c.name, func(b *testing.B) { measure(b, c.work) })
	}
}

// empty runs the loop of every case without an operation in it.
func empty(n int, start func()) {
	start()
	for i := 0; i < n; i++ {
	}
}

// BenchmarkEmpty is the floor: a case as fast as this one has been optimised away.
//
//memcost:floor
//memcost:expect * allocs/op == 0
func BenchmarkEmpty(b *testing.B) { measure(b, empty) }
