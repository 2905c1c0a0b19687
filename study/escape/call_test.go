package escape

import (
	"reflect"
	"unsafe"
)

// The pairs with a call whose target the compiler does not know.

type filler interface{ fill(v *vec) }

type addsOne struct{}

//go:noinline
func (addsOne) fill(v *vec) { v.X++ }

// anyFiller and anyFill are variables: the compiler does not know that they always hold
// the same value, although they are not exported.
var (
	anyFiller filler = addsOne{}
	anyFill          = fill
)

//go:noinline
func fill(v *vec) { v.X++ }

func interfaceCallEscapes(i int) int {
	v := vec{i, 1, 2}
	anyFiller.fill(&v)
	return v.X
}

func interfaceCallFixed(i int) int {
	v := vec{i, 1, 2}
	addsOne{}.fill(&v)
	return v.X
}

func funcValueEscapes(i int) int {
	v := vec{i, 1, 2}
	anyFill(&v)
	return v.X
}

func funcValueFixed(i int) int {
	v := vec{i, 1, 2}
	fill(&v)
	return v.X
}

// reflectEscapes reads a field by reflection.
func reflectEscapes(i int) int {
	v := vec{i, 1, 2}
	return int(reflect.ValueOf(v).Field(0).Int())
}

func reflectFixed(i int) int {
	v := vec{i, 1, 2}
	return v.X
}

// reflectSetEscapes sets a field by reflection, for which it needs the address.
func reflectSetEscapes(i int) int {
	v := vec{i, 1, 2}
	reflect.ValueOf(&v).Elem().Field(1).SetInt(int64(i))
	return v.Y
}

func reflectSetFixed(i int) int {
	v := vec{i, 1, 2}
	v.Y = i
	return v.Y
}

// unsafeEscapesRead takes an address as a number, as system calls do. The
// directive keeps the caller's variable alive for the call, on the heap.
//
//go:uintptrescapes
//go:noinline
func unsafeEscapesRead(address uintptr) int { return int(address & 7) }

func unsafeEscapes(i int) int {
	v := vec{i, 1, 2}
	return v.X + unsafeEscapesRead(uintptr(unsafe.Pointer(&v)))
}

//go:noinline
func unsafeFixedRead(p unsafe.Pointer) int { return int(uintptr(p) & 7) }

func unsafeFixed(i int) int {
	v := vec{i, 1, 2}
	return v.X + unsafeFixedRead(unsafe.Pointer(&v))
}

func callPairs() []pair {
	return []pair{
		{cause: "interface-call", escapes: interfaceCallEscapes, fixed: interfaceCallFixed, allocs: always(1),
			saved: always(0)},
		{cause: "func-value", escapes: funcValueEscapes, fixed: funcValueFixed, allocs: always(1), saved: always(0)},
		{cause: "reflect", escapes: reflectEscapes, fixed: reflectFixed, allocs: history{{"", 1}, {"go1.21", 0}},
			saved: always(0)},
		{cause: "reflect-set", escapes: reflectSetEscapes, fixed: reflectSetFixed,
			allocs: history{{"", 1}, {"go1.21", 0}}, saved: always(0)},
		{cause: "unsafe", escapes: unsafeEscapes, fixed: unsafeFixed, allocs: always(1), saved: always(0)},
	}
}
