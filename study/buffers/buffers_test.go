// Package buffers measures what a pair of temporary buffers costs by where they
// come from: a sync.Pool, the goroutine's stack, or the heap, from 1 KiB to 1 MiB
// each, around the system calls of a small file copy and without them.
//
// It re-tests the buffers part of "arrays and slices on the goroutine stack",
// published with Go 1.13.8 on amd64. What is measured, and what is easy to get
// wrong, is in docs/studies/buffers.md.
//
// Everything here also runs without memcost, with Go 1.13 and later:
//
//	go test -bench=. -benchmem ./study/buffers
//
//memcost:go 1.13
package buffers

import "testing"

// work does one case's operation n times. It first makes all that outlives the
// loop, then calls start, once; what follows is counted.
type work func(n int, start func()) error

// measure times b.N operations. The loops are b.N loops, not b.Loop, which does
// not exist before Go 1.24.
func measure(b *testing.B, w work) {
	b.ReportAllocs()
	if err := w(b.N, b.ResetTimer); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkEmpty is the loop of every case without an operation in it. A case
// as fast as this one has been optimised away.
//
//memcost:floor
//memcost:expect * allocs/op == 0
func BenchmarkEmpty(b *testing.B) {
	measure(b, func(n int, start func()) error {
		start()
		for i := 0; i < n; i++ {
		}
		return nil
	})
}
