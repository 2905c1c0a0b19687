package stackheap

import (
	"fmt"
	"testing"
	"unsafe"
)

// A value that goes down, to a callee that does not keep it, needs no heap by pointer either: the
// pointer costs an indirection, the value a copy. All these read the first and the last byte.

//go:noinline
func downByValue[A block](v smaug[A]) int { return int(v.Hoard[0]) + int(v.Hoard[len(v.Hoard)-1]) }

//go:noinline
func downByPointer[A block](p *smaug[A]) int { return int(p.Hoard[0]) + int(p.Hoard[len(p.Hoard)-1]) }

//go:noinline
func (s smaug[A]) byValue() int { return int(s.Hoard[0]) + int(s.Hoard[len(s.Hoard)-1]) }

//go:noinline
func (s *smaug[A]) byPointer() int { return int(s.Hoard[0]) + int(s.Hoard[len(s.Hoard)-1]) }

// marked is a value whose ends add up to 3.
func marked[A block]() (v smaug[A]) {
	v.Hoard[0], v.Hoard[len(v.Hoard)-1] = 1, 2
	return v
}

func argumentByValue[A block](n int, start func()) {
	v, sum := marked[A](), 0
	downByValue(v)
	start()
	for i := 0; i < n; i++ {
		sum += downByValue(v)
	}
	sink = sum
}

func argumentByPointer[A block](n int, start func()) {
	v, sum := marked[A](), 0
	downByPointer(&v)
	start()
	for i := 0; i < n; i++ {
		sum += downByPointer(&v)
	}
	sink = sum
}

func methodByValue[A block](n int, start func()) {
	v, sum := marked[A](), 0
	v.byValue()
	start()
	for i := 0; i < n; i++ {
		sum += v.byValue()
	}
	sink = sum
}

func methodByPointer[A block](n int, start func()) {
	v, sum := marked[A](), 0
	v.byPointer()
	start()
	for i := 0; i < n; i++ {
		sum += v.byPointer()
	}
	sink = sum
}

// elements is how many structs the slice and the map hold.
const elements = 16

func markedSlice[A block]() []smaug[A] {
	all := make([]smaug[A], elements)
	for i := range all {
		all[i] = marked[A]()
	}
	return all
}

func rangeByValue[A block](n int, start func()) {
	all, sum := markedSlice[A](), 0
	start()
	for i := 0; i < n; i++ {
		for _, v := range all {
			sum += int(v.Hoard[0]) + int(v.Hoard[len(v.Hoard)-1])
		}
	}
	sink = sum / elements
}

func rangeByPointer[A block](n int, start func()) {
	all, sum := markedSlice[A](), 0
	start()
	for i := 0; i < n; i++ {
		for j := range all {
			v := &all[j]
			sum += int(v.Hoard[0]) + int(v.Hoard[len(v.Hoard)-1])
		}
	}
	sink = sum / elements
}

// mapByValue raises a field of a struct in a map, which has to be taken out and put back.
func mapByValue[A block](n int, start func()) {
	all := map[int]smaug[A]{}
	for i := 0; i < elements; i++ {
		all[i] = marked[A]()
	}
	sum := 0
	start()
	for i := 0; i < n; i++ {
		v := all[i%elements]
		v.Hoard[1]++
		all[i%elements] = v
		sum += int(v.Hoard[0]) + int(v.Hoard[len(v.Hoard)-1])
	}
	sink = sum
}

func mapByPointer[A block](n int, start func()) {
	all := map[int]*smaug[A]{}
	for i := 0; i < elements; i++ {
		v := marked[A]()
		all[i] = &v
	}
	sum := 0
	start()
	for i := 0; i < n; i++ {
		v := all[i%elements]
		v.Hoard[1]++
		sum += int(v.Hoard[0]) + int(v.Hoard[len(v.Hoard)-1])
	}
	sink = sum
}

// A downSize is what one size does, in each of four ways by value and by pointer.
type downSize struct {
	size                                     int
	argument, method, ranging, mapped        work
	argumentPtr, methodPtr, rangePtr, mapPtr work
}

func downOf[A block]() downSize {
	return downSize{int(unsafe.Sizeof(*(*A)(nil))),
		argumentByValue[A], methodByValue[A], rangeByValue[A], mapByValue[A],
		argumentByPointer[A], methodByPointer[A], rangeByPointer[A], mapByPointer[A]}
}

func downSizes() []downSize {
	return []downSize{downOf[[256]byte](), downOf[[1 << 10]byte](), downOf[[16 << 10]byte]()}
}

// byCases lists the cases of one way, by value before by pointer.
func byCases(of func(downSize) (value, pointer work)) []benchCase {
	var values, pointers []benchCase
	for _, s := range downSizes() {
		value, pointer := of(s)
		values = append(values, benchCase{name: fmt.Sprintf("by=value/size=%d", s.size), work: value, size: s.size})
		pointers = append(pointers, benchCase{name: fmt.Sprintf("by=pointer/size=%d", s.size), work: pointer, size: s.size})
	}
	return append(values, pointers...)
}

func downCases() []benchCase {
	return byCases(func(s downSize) (work, work) { return s.argument, s.argumentPtr })
}

func methodCases() []benchCase {
	return byCases(func(s downSize) (work, work) { return s.method, s.methodPtr })
}

func rangeCases() []benchCase {
	return byCases(func(s downSize) (work, work) { return s.ranging, s.rangePtr })
}

func mapCases() []benchCase {
	return byCases(func(s downSize) (work, work) { return s.mapped, s.mapPtr })
}

// upCases are the operation of Smaug at a size that its article has no figure for.
func upCases() []benchCase {
	return []benchCase{
		{name: "by=value/size=256", work: smaugStack[[256]byte], size: 256},
		{name: "by=pointer/size=256", work: smaugHeap[[256]byte], size: 256, allocs: 1, bytes: 256},
	}
}

// BenchmarkDown hands a struct down to a function that reads its ends and does not keep it.
//
//memcost:expect * allocs/op == 0
//memcost:expect by:pointer stays-on-stack argumentByPointer, downByPointer
//memcost:claim down [own] by:value / by:pointer > 1 for every size
//memcost:more # From 256 B on handing a struct down by value costs more than by a pointer that is not kept
func BenchmarkDown(b *testing.B) { runCases(b, downCases()) }

// BenchmarkMethod calls a method that reads the ends of its receiver, a value or a pointer.
//
//memcost:expect * allocs/op == 0
//memcost:claim down-method [own] by:value / by:pointer > 1 for every size
//memcost:more # From 256 B on a method costs more on a value receiver than on a pointer receiver
func BenchmarkMethod(b *testing.B) { runCases(b, methodCases()) }

// BenchmarkRange reads the ends of 16 structs in a slice, by copying each into the loop variable or
// through a pointer to each.
//
//memcost:expect * allocs/op == 0
//memcost:claim down-range [own] by:value / by:pointer > 1 for every size
//memcost:more # From 256 B on ranging over a slice of structs costs more by value than by a pointer to each
func BenchmarkRange(b *testing.B) { runCases(b, rangeCases()) }

// BenchmarkMap raises a byte of one of 16 structs in a map: taken out and put back, or by pointer.
//
//memcost:expect * allocs/op == 0
//memcost:claim down-map [own] by:value / by:pointer > 1 for every size
//memcost:more # From 256 B on changing a struct in a map costs more in a map of structs than in one of pointers
func BenchmarkMap(b *testing.B) { runCases(b, mapCases()) }

// BenchmarkUp is Smaug at 256 B: a struct that is handed back to the caller.
//
//memcost:expect by:value allocs/op == 0
//memcost:expect by:pointer allocs/op == 1
//memcost:claim up-256 [own] by:pointer / by:value > 1
//memcost:more # A struct of 256 B that is handed back costs more by pointer than by value
func BenchmarkUp(b *testing.B) { runCases(b, upCases()) }
