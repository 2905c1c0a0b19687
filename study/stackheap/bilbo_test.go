package stackheap

import "testing"

// bilbo is a small struct: 16 bytes, no pointers.
type bilbo struct{ Age, Rings int }

// bilboByValue returns its struct in two registers (Go 1.17 and later on amd64,
// 1.18 on arm64): nothing is written to memory.
//
//go:noinline
func bilboByValue(age int) bilbo { return bilbo{Age: age, Rings: 1} }

// bilboByPointer returns its struct in a new heap object.
//
//go:noinline
func bilboByPointer(age int) *bilbo { return &bilbo{Age: age, Rings: 1} }

func bilboStack(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		v := bilboByValue(i)
		sum += v.Age + v.Rings
	}
	sink = sum
}

func bilboHeap(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		p := bilboByPointer(i)
		sum += p.Age + p.Rings
	}
	sink = sum
}

func bilboCases() []benchCase {
	return []benchCase{
		{name: "place=stack", work: bilboStack, size: 16},
		{name: "place=heap", work: bilboHeap, size: 16, allocs: 1, bytes: 16},
	}
}

// BenchmarkBilbo makes a 16-byte struct in a function that is not inlined, and
// reads both fields of it in the caller.
//
//memcost:expect place:stack allocs/op == 0
//memcost:expect place:stack B/op == 0
//memcost:expect place:stack stays-on-stack bilboByValue, bilboStack
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op == 16
//memcost:claim C1 [published: 12 times on an M1 Max, 30 times on a Raspberry Pi 4] place:heap / place:stack > 1
//memcost:more # A small struct is faster on the stack than on the heap
func BenchmarkBilbo(b *testing.B) { runCases(b, bilboCases()) }
