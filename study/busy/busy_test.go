// Package busy measures what a block of memory from the heap costs when no core is
// free for the garbage collector: beside none, one and as many busy cores as there
// are, with one thread that runs Go code and with one for each core.
//
// The collector works on cores that the program leaves idle. A benchmark that runs
// alone pays little for that, and a program on a machine with other work does. What is
// measured, and what is easy to get wrong, is in docs/studies/busy.md.
//
// Everything here also runs without memcost, with Go 1.18 and later; the busy cores are
// memcost's, and without it there are none:
//
//	go test -bench=. -benchmem ./study/busy
//
//memcost:go 1.18
package busy

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// block is any array that a case takes; every size is written out because an array's
// length is part of its type.
type block interface {
	[64]byte | [1 << 10]byte | [16 << 10]byte
}

// use writes a byte of a block and reads another. It is not inlined, so that the block
// has to be there, zeroed, in memory; and it keeps no pointer to it.
//
//go:noinline
func use[A block](p *A, i int) int {
	(*p)[i&63] = 1
	return int((*p)[(i+1)&63])
}

// onStack has a zeroed block as a local variable.
//
//go:noinline
func onStack[A block](i int) int {
	var local A
	return use(&local, i)
}

// fromHeap returns a zeroed block, which the collector has to take back.
//
//go:noinline
func fromHeap[A block]() *A { return new(A) }

// fromPool takes a block from the pool, zeroes it, as the others are, and puts it back.
//
//go:noinline
func fromPool[A block](pool *sync.Pool, i int) int {
	p := pool.Get().(*A)
	var zero A
	*p = zero
	sum := use(p, i)
	pool.Put(p)
	return sum
}

// work does one case's operation n times. It first makes all that outlives the loop and
// does the operation once, which grows the stack; then it calls start, once. What follows
// is counted. What it returns keeps the loop from being optimised away.
type work func(n int, start func()) int

func stackWork[A block](n int, start func()) int {
	sum := onStack[A](0)
	start()
	for i := 0; i < n; i++ {
		sum += onStack[A](i)
	}
	return sum
}

func heapWork[A block](n int, start func()) int {
	sum := use(fromHeap[A](), 0)
	start()
	for i := 0; i < n; i++ {
		sum += use(fromHeap[A](), i)
	}
	return sum
}

func poolWork[A block](n int, start func()) int {
	pool := &sync.Pool{New: func() any { return new(A) }}
	sum := fromPool[A](pool, 0)
	start()
	for i := 0; i < n; i++ {
		sum += fromPool[A](pool, i)
	}
	return sum
}

// A benchCase is one operation.
type benchCase struct {
	name   string // "place=heap/size=64"
	work   work
	size   int
	allocs int // per operation
}

func casesOf[A block]() []benchCase {
	size := int(unsafe.Sizeof(*(*A)(nil)))
	name := func(place string) string { return fmt.Sprintf("place=%s/size=%d", place, size) }
	return []benchCase{
		{name("stack"), stackWork[A], size, 0},
		{name("heap"), heapWork[A], size, 1},
		{name("pool"), poolWork[A], size, 0},
	}
}

func allCases() []benchCase {
	var cases []benchCase
	for _, of := range [][]benchCase{casesOf[[64]byte](), casesOf[[1 << 10]byte](), casesOf[[16 << 10]byte]()} {
		cases = append(cases, of...)
	}
	return cases
}

// sink receives the result of each loop, once, after its last operation.
var sink int

// measure times b.N operations. With one it sets GOMAXPROCS to 1 meanwhile, outside the
// timed part.
func measure(b *testing.B, one bool, w work) {
	b.ReportAllocs()
	if one {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	sink += w(b.N, b.ResetTimer)
	b.StopTimer()
}

// BenchmarkEmpty is the loop of every case without an operation in it.
//
//memcost:floor
//memcost:expect * allocs/op == 0
func BenchmarkEmpty(b *testing.B) {
	measure(b, false, func(n int, start func()) int {
		start()
		for i := 0; i < n; i++ {
		}
		return n
	})
}

// BenchmarkBlock has a zeroed block of the given size, uses it and gives it back: on the
// stack, from the heap, from a sync.Pool. procs=all leaves GOMAXPROCS as it is; with
// procs=one it is 1, so that the program has no second thread for the collector to work
// on.
//
//memcost:load 0 1 all
//memcost:full size:64
//memcost:full procs:one -size:16384
//memcost:full procs:one place:pool
//memcost:full procs:one busy:all
//memcost:expect place:(stack OR pool) allocs/op < 0.01
//memcost:expect place:stack stays-on-stack onStack, stackWork
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op >= size
func BenchmarkBlock(b *testing.B) {
	for _, procs := range []string{"all", "one"} {
		for _, c := range allCases() {
			c, one := c, procs == "one"
			b.Run("procs="+procs+"/"+c.name, func(b *testing.B) { measure(b, one, c.work) })
		}
	}
}
