package arena

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// The GC program makes a struct with 100,000 ints a hundred times.
const rounds, roundSize = 100, 100_000

// roundHeap runs a round of the GC program.
func roundHeap() int {
	p := &object{len: roundSize, data: make([]int, 0, roundSize)}
	p.data = put(p.data, roundSize)
	return len(p.data)
}

func roundPool() func() int {
	pool := sync.Pool{New: func() any { return &object{data: heapInts(roundSize)} }}
	return func() int {
		p := pool.Get().(*object)
		p.len, p.data = roundSize, put(p.data[:0], roundSize)
		pool.Put(p)
		return len(p.data)
	}
}

func roundSlab() func() int {
	objects, ints := new(slab[object]), new(slab[int])
	return func() int {
		p := objects.one()
		p.len, p.data = roundSize, put(ints.take(roundSize), roundSize)
		n := len(p.data)
		objects.reset()
		ints.reset()
		return n
	}
}

// A program is a part of the GC program, or all of it up to a part: a hundred
// rounds of each kind, with a forced collection between the kinds. What it
// returns is the number of elements made.
type program []func() int

func (p program) run() int {
	sum := 0
	for i, round := range p {
		if i > 0 {
			runtime.GC()
		}
		for r := 0; r < rounds; r++ {
			sum += round()
		}
	}
	return sum
}

// needsArenas reports whether a round is missing.
func (p program) needsArenas() bool {
	for _, round := range p {
		if round == nil {
			return true
		}
	}
	return false
}

type programCase struct {
	method, from string
	program      program
}

func programCases() []programCase {
	plain, clone := arenaRounds()
	return []programCase{
		{"published", "arena", program{plain}},
		{"published", "arena-clone", program{plain, clone}},
		{"published", "heap", program{plain, clone, roundHeap}},
		{"fixed", "arena", program{plain}},
		{"fixed", "arena-clone", program{clone}},
		{"fixed", "heap", program{roundHeap}},
		{"fixed", "pool", program{roundPool()}},
		{"fixed", "slab", program{roundSlab()}},
	}
}

// measureProgram times b.N runs of the program and reports, of a run:
//
//	NumGC/op          collections, with those that the program forces
//	TotalAlloc-bytes  allocated, an arena's chunk at a time
//
// and, as the published program prints them at its end:
//
//	Alloc-bytes       of heap objects
//	Sys-bytes         taken from the system
//
// The first run is not counted: it takes the collections that bring the heap's goal
// to where the program keeps it (one or two with arenas, whose first chunk is larger
// than the least goal), and shared between b.N runs they would be a figure of b.N.
func measureProgram(b *testing.B, p program) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	sum := p.run()
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum += p.run()
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	sink = sum
	b.ReportMetric(float64(after.NumGC-before.NumGC)/float64(b.N), "NumGC/op")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N), "TotalAlloc-bytes")
	b.ReportMetric(float64(after.Alloc), "Alloc-bytes")
	b.ReportMetric(float64(after.Sys), "Sys-bytes")
}

// BenchmarkGCProgram is a hundred times a struct with 100,000 ints, in a new arena
// each time; the same and a clone of the slice on the heap; and on the heap alone.
//
// The published program does one after the other and prints, after each, the
// counts since the start of the process: 1, 9 and 31 collections are sums, two
// forced ones among them. method=published has these sums; with method=fixed each
// kind stands for itself. An arena's may be none, to which there is no ratio: the
// claims are on the counts themselves.
//
//memcost:expect from:(arena OR arena-clone) loop-faults >= 0
//memcost:full method:published
//memcost:full from:(arena-clone OR pool OR slab)
//memcost:claim G5-published [published: 1] method:published from:arena NumGC/op <= 1
//memcost:more # The program with arenas makes one collection at most, by the published method
//memcost:claim G5-published-heap [published: 31, a sum over three programs] method:published from:heap NumGC/op >
//memcost:more 9
//memcost:more # The program on the heap makes more than 9 collections, by the published method
//memcost:claim G5-published-clone [published: 9 against 31, sums] method:published from:heap
//memcost:more / method:published from:arena-clone NumGC/op > 1
//memcost:more # The program that clones its slices to the heap makes fewer collections than that on the heap, by
//memcost:more the published method
//memcost:claim G5 method:fixed from:arena NumGC/op <= 1 # The program with arenas makes hardly any collections
//memcost:claim G5-heap method:fixed from:heap NumGC/op > 9
//memcost:more # The program on the heap makes more than 9 collections for the same work
//memcost:claim G5-clone method:fixed from:heap / method:fixed from:arena-clone NumGC/op > 1
//memcost:more # The program that clones its slices to the heap makes fewer collections than the one on the heap
//memcost:claim G5-time [own] method:fixed from:arena / method:fixed from:heap < 1
//memcost:more # The program with arenas is faster than the one on the heap
func BenchmarkGCProgram(b *testing.B) {
	for _, c := range programCases() {
		c := c
		b.Run(fmt.Sprintf("method=%s/from=%s", c.method, c.from), func(b *testing.B) {
			if c.program.needsArenas() {
				b.Skip(noArena)
			}
			measureProgram(b, c.program)
		})
	}
}
