package stackheap

import (
	"fmt"
	"testing"
	"unsafe"
)

// block is any array that a case hands over; every size is written out because
// an array's length is part of its type.
type block interface {
	[64]byte | [256]byte | [1 << 10]byte | [2 << 10]byte | [4 << 10]byte | [8 << 10]byte |
		[16 << 10]byte | [32 << 10]byte | [64 << 10]byte | [128 << 10]byte |
		[256 << 10]byte | [512 << 10]byte | [1 << 20]byte
}

// smaug is a struct with one array in it. An array of more than one element is
// never passed in registers, so it goes through memory at every size.
type smaug[A block] struct{ Hoard A }

// smaugByValue takes and returns the whole struct on the stack.
//
//go:noinline
func smaugByValue[T any](v T) T { return v }

// smaugByPointer takes the struct on the stack, as smaugByValue does, and
// returns it in a new heap object: the local variable's address leaves.
//
//go:noinline
func smaugByPointer[T any](v T) *T {
	local := v
	return &local
}

// smaugByLocal is smaugByValue with a local variable in between.
//
//go:noinline
func smaugByLocal[T any](v T) T {
	local := v
	return local
}

// smaugStack makes the source, as an argument: parameters and results stay on
// the stack at any size, while Go 1.24 and later move an explicit local variable
// of more than 128 KiB to the heap.
func smaugStack[A block](n int, start func()) { smaugStackLoop(n, start, smaug[A]{}) }

// smaugStackLoop discards the result, and so does smaugHeapLoop: the caller then
// makes one copy per operation, source to argument, in both. Reading even one
// byte of the returned value would first copy all of it to a temporary. The call
// stays, because its target is not inlined (checked in the disassembly).
func smaugStackLoop[A block](n int, start func(), v smaug[A]) {
	smaugByValue(v)
	start()
	for i := 0; i < n; i++ {
		smaugByValue(v)
	}
}

func smaugHeap[A block](n int, start func()) { smaugHeapLoop(n, start, smaug[A]{}) }

func smaugHeapLoop[A block](n int, start func(), v smaug[A]) {
	smaugByPointer(v)
	start()
	for i := 0; i < n; i++ {
		smaugByPointer(v)
	}
}

func smaugLocal[A block](n int, start func()) { smaugLocalLoop(n, start, smaug[A]{}) }

func smaugLocalLoop[A block](n int, start func(), v smaug[A]) {
	smaugByLocal(v)
	start()
	for i := 0; i < n; i++ {
		smaugByLocal(v)
	}
}

// smaugSize is one size's operations.
type smaugSize struct {
	size               int
	stack, heap, local work
}

func smaugOf[A block]() smaugSize {
	return smaugSize{int(unsafe.Sizeof(*(*A)(nil))), smaugStack[A], smaugHeap[A], smaugLocal[A]}
}

func smaugSizes() []smaugSize {
	return []smaugSize{
		smaugOf[[1 << 10]byte](), smaugOf[[2 << 10]byte](), smaugOf[[4 << 10]byte](),
		smaugOf[[8 << 10]byte](), smaugOf[[16 << 10]byte](), smaugOf[[32 << 10]byte](),
		smaugOf[[64 << 10]byte](), smaugOf[[128 << 10]byte](), smaugOf[[256 << 10]byte](),
		smaugOf[[512 << 10]byte](), smaugOf[[1 << 20]byte](),
	}
}

func smaugCases() []benchCase {
	var cases []benchCase
	for _, s := range smaugSizes() {
		cases = append(cases, benchCase{name: fmt.Sprintf("place=stack/size=%d", s.size), work: s.stack, size: s.size})
	}
	for _, s := range smaugSizes() {
		cases = append(cases, benchCase{
			name: fmt.Sprintf("place=heap/size=%d", s.size), work: s.heap,
			size: s.size, allocs: 1, bytes: uint64(s.size),
		})
	}
	return cases
}

// maxLocal is the largest local variable that Go 1.24 and later leave on the
// stack (ir.MaxStackVarSize in cmd/compile; it was 10 MiB up to Go 1.23).
const maxLocal = 128 << 10

// smaugLocalCases begins at the last size that stays on the stack with every Go; limited
// reports that the compiler has the limit of maxLocal.
func smaugLocalCases(limited bool) []benchCase {
	var cases []benchCase
	for _, s := range smaugSizes() {
		if s.size < maxLocal {
			continue
		}
		c := benchCase{name: fmt.Sprintf("size=%d", s.size), work: s.local, size: s.size}
		if limited && s.size > maxLocal {
			c.allocs, c.bytes = 1, uint64(s.size)
		}
		cases = append(cases, c)
	}
	return cases
}

// BenchmarkSmaug hands a struct of 1 KiB to 1 MiB through a generic function
// that is not inlined: by value, or copied to the heap and by pointer. Both take
// the struct by value; what differs is how it comes back.
//
// The bounds on B/op are the size and not 0, because testing counts the whole
// process: a few stray bytes, shared by the few operations of a large size, are
// no block. The exact guard is allocs/op.
//
//memcost:expect place:stack allocs/op == 0
//memcost:expect place:stack B/op < size
//memcost:expect place:stack stays-on-stack smaugByValue, smaugStack, smaugStackLoop
//memcost:expect place:heap allocs/op == 1
//memcost:expect place:heap B/op >= size
//memcost:claim C2 place:stack linear in size # The time on the stack is linear in size
//memcost:claim C3-m1 [published: for an M1 Max] place:stack size/sec in 10e9..12e9 for every size
//memcost:more # Copies run at 10 to 12 GB/s
//memcost:claim C3-pi [published: for a Raspberry Pi 4] place:stack size/sec in 350e6..400e6 for every size
//memcost:more # Copies run at 350 to 400 MB/s
//memcost:claim C4 place:heap / place:stack > 1 for every size # The stack is faster than the heap at every size
//memcost:claim C5 place:heap size:(1024 OR 2048 OR 4096 OR 8192 OR 16384 OR 32768 OR 65536)
//memcost:more / place:stack size:(1024 OR 2048 OR 4096 OR 8192 OR 16384 OR 32768 OR 65536) in 2..10 for every
//memcost:more size
//memcost:more # From 1 to 64 KiB the heap costs 2 to 10 times the stack
//memcost:claim C6-faster place:heap size:(131072 OR 262144 OR 524288 OR 1048576)
//memcost:more / place:stack size:(131072 OR 262144 OR 524288 OR 1048576) > 1 for every size
//memcost:more # From 128 KiB to 1 MiB the copy stays faster than the heap
//memcost:claim C6-predictable place:stack size:(131072 OR 262144 OR 524288 OR 1048576) linear in size
//memcost:more # From 128 KiB to 1 MiB the time of the copy stays linear in size
//memcost:claim C7-allocs place:heap allocs/op == 1 for every size # The heap makes one allocation per operation
//memcost:claim C7-bytes place:heap B/op >= size for every size # The heap allocates the full size in each operation
//memcost:claim C8 place:heap / place:stack falls with place:stack size/sec across machines
//memcost:more # The heap loses more against the stack on machines with weaker memory
func BenchmarkSmaug(b *testing.B) { runCases(b, smaugCases()) }

// BenchmarkSmaugLocal is Smaug's stack case as it is easily written, with a local
// variable in the callee: "by value", and from 256 KiB on an allocation all the
// same with Go 1.24 and later. No claim reads it. It shows what a figure for the
// stack is worth that nobody has held to 0 allocs/op.
//
//memcost:full size:524288
//memcost:expect size:131072 allocs/op == 0
func BenchmarkSmaugLocal(b *testing.B) { runCases(b, smaugLocalCases(false)) }
