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

// heapWork first takes so many blocks that the collector has run: the first use of the
// heap's memory is not what is measured.
func heapWork[A block](n int, start func()) int {
	sum := 0
	for i := 0; i < heapWarmUp/int(unsafe.Sizeof(*(*A)(nil))); i++ {
		sum += use(fromHeap[A](), i)
	}
	start()
	for i := 0; i < n; i++ {
		sum += use(fromHeap[A](), i)
	}
	return sum
}

// heapWarmUp is more than twice the heap at which the collector begins its first cycle
// (4 MiB, heapMinimum in runtime/mgcpacer.go, Go 1.18 to 1.26), in bytes.
const heapWarmUp = 10 << 20

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
// procs=one, for the heap, it is 1, so that the program has no second thread for the
// collector to work on.
//
//memcost:load 0 1 all
//memcost:full size:64
//memcost:full procs:one busy:all
//memcost:full place:pool (size:1024 OR busy:all)
//memcost:expect place:(stack OR pool) allocs/op < 0.01
//memcost:expect place:stack stays-on-stack onStack, stackWork
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op >= size
//memcost:claim B1 [own] place:heap procs:all busy:1 / place:heap procs:all busy:0 > 1.1 for every size
//memcost:more # The heap takes over 1.1 times as long beside a busy core as on a machine with nothing else to do
//memcost:claim B1-cpu [own] place:heap procs:all busy:1 / place:heap procs:all busy:0 cpu-sec/op > 1.1 for every size
//memcost:more # The heap takes over 1.1 times the CPU time for the same work beside a busy core
//memcost:claim B2 [own] place:stack procs:all busy:1 / place:stack procs:all busy:0 in 0.9..1.1 for every size
//memcost:more # The stack takes as long beside a busy core as on a machine with nothing else to do, within 10%
//memcost:claim B2-pool [own] place:pool procs:all busy:1 / place:pool procs:all busy:0 in 0.9..1.1 for every size
//memcost:more # A pool takes as long beside a busy core as on a machine with nothing else to do, within 10%
//memcost:claim B3 [own] place:heap procs:all busy:all / place:heap procs:all busy:0 > 2.2 for every size
//memcost:more # The heap takes over 2.2 times as long with all cores busy as on a machine with nothing else to do
//memcost:claim B3-stack [own] place:stack procs:all busy:all / place:stack procs:all busy:0 in 1..2.2 for every size
//memcost:more # The stack takes 1 to 2.2 times as long with all cores busy, for it has half of a core
//memcost:claim B4 [own] place:heap procs:one busy:1 / place:heap procs:one busy:0 in 0.9..1.1 for every size
//memcost:more # The heap with GOMAXPROCS=1 takes as long beside a busy core as on a machine with nothing else to do,
//memcost:more within 10%
//memcost:claim B5 [own] place:heap procs:one busy:0 / place:heap procs:all busy:0 > 1 for every size
//memcost:more # The heap is faster with free cores for the collector than with GOMAXPROCS=1
//memcost:claim B5-busy [own] place:heap procs:one busy:1 / place:heap procs:all busy:1 < 1 for every size
//memcost:more # Beside a busy core the heap is faster with GOMAXPROCS=1 than with all cores
//memcost:claim B6 [own] place:heap procs:all / place:stack procs:all > 1 for every size, busy
//memcost:more # The stack is faster than the heap beside any load
func BenchmarkBlock(b *testing.B) {
	for _, procs := range []string{"all", "one"} {
		for _, c := range allCases() {
			c, one := c, procs == "one"
			if one && c.allocs == 0 {
				continue
			}
			b.Run("procs="+procs+"/"+c.name, func(b *testing.B) { measure(b, one, c.work) })
		}
	}
}
