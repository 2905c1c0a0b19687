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
//memcost:full load:under -goroutines:1
//memcost:expect place:stack allocs/op == 0
//memcost:expect place:stack stays-on-stack bilboByValue, bilboStack
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op == 16
//memcost:claim C-parallel-wins place:heap / place:stack > 1 for every goroutines # the stack is faster with any number of goroutines
//memcost:claim C-parallel place:heap load:full / place:heap goroutines:1 controls/op > 1.1 # many goroutines behave differently: the heap costs more times the stack on all cores than on one
//memcost:claim C-parallel-stack place:stack load:full / place:stack goroutines:1 op/s/core in 0.9..1.1 # the stack loses nothing, for each core (where the claim "scales" holds)
//memcost:claim C-parallel-cpu place:heap load:full / place:heap goroutines:1 cpu-ns/op > 1.1 # the heap takes more CPU time for the same
//memcost:claim C-parallel-over place:heap load:over / place:heap load:full sec/op in 0.9..1.1 # twice as many goroutines as cores change nothing
//memcost:table Bilbo, 16 bytes by goroutines: stack = place:stack | heap = place:heap | heap/stack = place:heap / place:stack | stack op/s/core = place:stack op/s/core | heap op/s/core = place:heap op/s/core | heap in stack operations = place:heap controls/op | heap CPU = place:heap cpu-ns/op | heap GC share = place:heap gc-busy-share | heap lock wait = place:heap lock-wait-ns/op
//memcost:picture curve Bilbo, for each core by goroutines: stack = place:stack op/s/core | heap = place:heap op/s/core
//memcost:picture forest Bilbo, heap over stack by goroutines: heap/stack = place:heap / place:stack against C-parallel-wins
func BenchmarkBilbo(b *testing.B) {
	runCases(b, bilboCases())
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
//memcost:full load:over OR (load:under -goroutines:1)
//memcost:expect place:stack allocs/op == 0
//memcost:expect place:stack stays-on-stack smaugByValue, smaugStack, smaugStackLoop
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op >= size
//memcost:claim C-parallel-smaug-wins place:heap / place:stack > 1 for every size, goroutines # the stack is faster at every size with any number of goroutines
//memcost:claim C-parallel-smaug place:heap load:full / place:heap goroutines:1 controls/op > 1.1 for every size # the heap costs more times the stack on all cores than on one
//memcost:claim C-parallel-smaug-stack place:stack load:full / place:stack goroutines:1 op/s/core in 0.9..1.1 for every size # the stack loses nothing, for each core (where the claim "scales" holds)
//memcost:claim C-parallel-smaug-cpu place:heap load:full / place:heap goroutines:1 cpu-ns/op > 1.1 for every size # the heap takes more CPU time for the same
//memcost:table Smaug by size: stack alone = place:stack goroutines:1 | heap alone = place:heap goroutines:1 | heap/stack alone = place:heap goroutines:1 / place:stack goroutines:1 | heap/stack on all cores = place:heap load:full / place:stack load:full | stack, all cores/alone = place:stack load:full / place:stack goroutines:1 op/s/core | heap, all cores/alone = place:heap load:full / place:heap goroutines:1 op/s/core
//memcost:picture forest Smaug, for each core, all cores over one by size: stack = place:stack load:full / place:stack goroutines:1 op/s/core | heap = place:heap load:full / place:heap goroutines:1 op/s/core against C-parallel-smaug-stack
//memcost:picture curve Smaug on all cores by size: stack = place:stack load:full | heap = place:heap load:full
func BenchmarkSmaug(b *testing.B) { runCases(b, smaugCases()) }
