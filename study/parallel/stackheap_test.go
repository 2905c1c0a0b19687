package parallel

import (
	"fmt"
	"testing"
	"unsafe"
)

// bilbo is a small struct: 16 bytes, no pointers.
type bilbo struct{ Age, Rings int }

//go:noinline
func bilboByValue(age int) bilbo { return bilbo{Age: age, Rings: 1} }

//go:noinline
func bilboByPointer(age int) *bilbo { return &bilbo{Age: age, Rings: 1} }

func bilboStack(ops int, start func()) int {
	sum := 0
	start()
	for i := 0; i < ops; i++ {
		v := bilboByValue(i)
		sum += v.Age + v.Rings
	}
	return sum
}

func bilboHeap(ops int, start func()) int {
	sum := 0
	start()
	for i := 0; i < ops; i++ {
		p := bilboByPointer(i)
		sum += p.Age + p.Rings
	}
	return sum
}

func bilboCases() []benchCase {
	return []benchCase{{"place=stack", bilboStack, nil}, {"place=heap", bilboHeap, bilboStack}}
}

// BenchmarkBilbo makes a 16-byte struct in a function that is not inlined, and
// reads both fields of it in the caller, as in study/stackheap.
//
//memcost:full -load:(alone OR full OR over)
//memcost:expect place:stack allocs/op == 0
//memcost:expect place:stack stays-on-stack bilboByValue, bilboStack
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op == 16
//memcost:claim C-parallel-wins place:heap / place:stack > 1 for every load
//memcost:more # The stack is faster than the heap with any number of goroutines
//memcost:claim C-parallel place:heap load:full / place:heap load:alone controls/op > 1.1
//memcost:more # The heap costs over 1.1 times as many stack operations on all cores as on one
//memcost:claim C-parallel-stack place:stack load:full / place:stack load:alone ops/s in 0.9..1.1
//memcost:more # The stack keeps its throughput for each core, within 10%, when all cores work (where the claim scales
//memcost:more holds)
//memcost:claim C-parallel-cpu place:heap load:full / place:heap load:alone cpu-ns/op > 1.1
//memcost:more # The heap takes over 1.1 times the CPU time for the same work on all cores as on one
//memcost:claim C-parallel-over place:heap load:over / place:heap load:full sec/op in 0.9..1.1
//memcost:more # The heap takes as long with twice as many goroutines as cores as with one for each core, within 10%
func BenchmarkBilbo(b *testing.B) {
	runCases(b, bilboCases(), measure)
}

// block is any array that a case hands over.
type block interface {
	[1 << 10]byte | [2 << 10]byte | [4 << 10]byte | [8 << 10]byte | [16 << 10]byte | [32 << 10]byte | [64 << 10]byte
}

type smaug[A block] struct{ Hoard A }

//go:noinline
func smaugByValue[T any](v T) T { return v }

//go:noinline
func smaugByPointer[T any](v T) *T {
	local := v
	return &local
}

// The results are discarded, as in study/stackheap: to read one byte of a value
// would be to copy all of it once more.

func smaugStack[A block](ops int, start func()) int { return smaugStackLoop(ops, start, smaug[A]{}) }

func smaugStackLoop[A block](ops int, start func(), v smaug[A]) int {
	smaugByValue(v)
	start()
	for i := 0; i < ops; i++ {
		smaugByValue(v)
	}
	return ops
}

func smaugHeap[A block](ops int, start func()) int { return smaugHeapLoop(ops, start, smaug[A]{}) }

func smaugHeapLoop[A block](ops int, start func(), v smaug[A]) int {
	smaugByPointer(v)
	start()
	for i := 0; i < ops; i++ {
		smaugByPointer(v)
	}
	return ops
}

func smaugOf[A block]() []benchCase {
	size := unsafe.Sizeof(*(*A)(nil))
	return []benchCase{
		{fmt.Sprintf("place=stack/size=%d", size), smaugStack[A], nil},
		{fmt.Sprintf("place=heap/size=%d", size), smaugHeap[A], smaugStack[A]},
	}
}

func smaugCases() []benchCase {
	var cases []benchCase
	for _, c := range [][]benchCase{
		smaugOf[[1 << 10]byte](), smaugOf[[2 << 10]byte](), smaugOf[[4 << 10]byte](), smaugOf[[8 << 10]byte](),
		smaugOf[[16 << 10]byte](), smaugOf[[32 << 10]byte](), smaugOf[[64 << 10]byte](),
	} {
		cases = append(cases, c...)
	}
	return cases
}

// BenchmarkSmaug hands a struct of 1 to 64 KiB through a function that is not
// inlined, by value and by pointer, as in study/stackheap.
//
//memcost:full -size:16384
//memcost:full -load:(alone OR full)
//memcost:expect place:stack allocs/op == 0
//memcost:expect place:stack stays-on-stack smaugByValue, smaugStack, smaugStackLoop
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op >= size
//memcost:claim C-parallel-smaug-wins place:heap / place:stack > 1 for every size, load
//memcost:more # The stack is faster than the heap at every size with any number of goroutines
//memcost:claim C-parallel-smaug place:heap load:full / place:heap load:alone controls/op > 1.1 for every size
//memcost:more # The heap costs over 1.1 times as many stack operations on all cores as on one at every size
//memcost:claim C-parallel-smaug-stack place:stack load:full / place:stack load:alone ops/s in 0.9..1.1 for every size
//memcost:more # The stack keeps its throughput for each core, within 10%, at any size when all cores work (where the
//memcost:more claim scales holds)
//memcost:claim C-parallel-smaug-cpu place:heap load:full / place:heap load:alone cpu-ns/op > 1.1 for every size
//memcost:more # The heap takes over 1.1 times the CPU time for the same work on all cores as on one at every size
func BenchmarkSmaug(b *testing.B) { runCases(b, smaugCases(), measure) }
