package escape

import "testing"

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

// createCopyLoop reads a field of each result, as createPointerLoop does. The
// result is read where the callee left it: a variable for it would be one copy
// more, which a caller by pointer does not make.
func createCopyLoop(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		sum += createCopy(i).A
	}
	sink = sum
}

func createPointerLoop(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		sum += createPointer(i).A
	}
	sink = sum
}

func createCases() []benchCase {
	return []benchCase{{"by=copy", createCopyLoop}, {"by=pointer", createPointerLoop}}
}

// BenchmarkCreate makes a struct of 80 bytes and reads one field of it, by value
// and by pointer.
//
//memcost:expect by:copy allocs/op == 0
//memcost:expect by:copy stays-on-stack createCopy, createCopyLoop
//memcost:expect by:pointer allocs/op == 1
//memcost:expect by:pointer B/op == 80
//memcost:explain by:copy in createCopy
//memcost:explain by:pointer in createPointer
//memcost:claim F1-create by:copy allocs/op == 0 # Returning 80 bytes by value allocates nothing
//memcost:claim F2-create by:pointer allocs/op == 1 # Sharing 80 bytes up the stack by pointer puts them on the heap
//memcost:claim F4-create [published: 52.6 ns] by:pointer sec/op >= 10ns
//memcost:more # The pointer to 80 bytes costs about 10 ns or more per operation
//memcost:claim F4-ratio [published: 10 times] by:pointer / by:copy > 1
//memcost:more # Returning 80 bytes by pointer costs more than by copy
func BenchmarkCreate(b *testing.B) { runCases(b, createCases()) }
