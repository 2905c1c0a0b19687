// Package gccost measures what a program pays when it makes many short-lived
// values by pointer instead of by copy: in time, in collections, in pauses, and
// under other settings of the collector.
//
// It re-tests the second half of "Understanding Allocations in Go" (December
// 2020, Go 1.15): twenty million structs of 80 bytes, made by copy and by pointer,
// under the execution tracer and the CPU profiler. The benchmarks time it; the
// program in programs/create is what is traced and profiled, in processes of its
// own. What is measured, and what is easy to get wrong, is in docs/studies/gccost.md.
//
// Everything here also runs without memcost, with Go 1.13 and later:
//
//	go test -bench=. -benchmem ./study/gccost
//	go run ./study/gccost/programs/create -by pointer -trace trace.out
//
//memcost:go 1.13
package gccost

// BigStruct is the published one: 75 bytes of fields, 80 with padding, and more
// words than any Go version returns in registers.
type BigStruct struct {
	A, B, C int
	D, E, F string
	G, H, I bool
}

//go:noinline
func createCopy(a int) BigStruct {
	return BigStruct{A: a, B: 456, C: 789, D: "ABC", E: "DEF", F: "GHI", G: true, H: true, I: true}
}

//go:noinline
func createPointer(a int) *BigStruct {
	return &BigStruct{A: a, B: 456, C: 789, D: "ABC", E: "DEF", F: "GHI", G: true, H: true, I: true}
}

// Copies makes n BigStructs by copy and returns the sum of their fields A, which
// are 0 to n-1. Up to Go 1.26 the compiler copies all of a result before it reads
// a field of it: that is part of what returning it by copy costs there.
//
//go:noinline
func Copies(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += createCopy(i).A
	}
	return sum
}

// Pointers does as Copies does, by pointer. Each struct is garbage as soon as its
// field has been read.
//
//go:noinline
func Pointers(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += createPointer(i).A
	}
	return sum
}
