package stackheap

import (
	"fmt"
	"testing"
	"unsafe"
)

// thorin is the value that the layers return: 24 bytes of slice header, and a backing
// array elsewhere.
type thorin struct{ Company []byte }

// Three layers, none inlined: the repository makes the value, the service
// changes it, the transport reads it. One trio for each way to hand it up.

//go:noinline
func repositoryHeader(size int) thorin { return thorin{Company: make([]byte, size)} }

//go:noinline
func serviceHeader(size int) thorin {
	t := repositoryHeader(size)
	t.Company[0]++
	return t
}

//go:noinline
func transportHeader(size int) int { return int(serviceHeader(size).Company[0]) }

//go:noinline
func repositoryPointer(size int) *thorin { return &thorin{Company: make([]byte, size)} }

//go:noinline
func servicePointer(size int) *thorin {
	t := repositoryPointer(size)
	t.Company[0]++
	return t
}

//go:noinline
func transportPointer(size int) int { return int(servicePointer(size).Company[0]) }

//go:noinline
func repositoryArray[A block]() (company A) { return company }

//go:noinline
func serviceArray[A block]() (company A) {
	company = repositoryArray[A]()
	company[0]++
	return company
}

//go:noinline
func transportArray[A block]() int { return int(serviceArray[A]()[0]) }

// thorinSlice returns the work of a trio that makes a slice of the given size.
func thorinSlice(transport func(size int) int, size int) work {
	return func(n int, start func()) {
		sum := transport(size)
		start()
		for i := 0; i < n; i++ {
			sum += transport(size)
		}
		sink = sum
	}
}

func thorinArray[A block](n int, start func()) {
	sum := transportArray[A]()
	start()
	for i := 0; i < n; i++ {
		sum += transportArray[A]()
	}
	sink = sum
}

// thorinOf makes one size's three cases.
func thorinOf[A block]() []benchCase {
	size := int(unsafe.Sizeof(*(*A)(nil)))
	name := func(pass string) string { return fmt.Sprintf("pass=%s/size=%d", pass, size) }
	return []benchCase{
		{name: name("header"), work: thorinSlice(transportHeader, size), size: size, allocs: 1, bytes: uint64(size)},
		{name: name("pointer"), work: thorinSlice(transportPointer, size), size: size, allocs: 2, bytes: uint64(size) +
			24},
		{name: name("array"), work: thorinArray[A], size: size},
	}
}

func thorinCases() []benchCase {
	cases := thorinOf[[64]byte]()
	cases = append(cases, thorinOf[[1 << 10]byte]()...)
	return append(cases, thorinOf[[64 << 10]byte]()...)
}

// BenchmarkThorin hands size bytes up through repository, service and transport.
//
//   - pass=header: a struct with a slice in it, by value. Only the 24 bytes of
//     header are copied; the bytes themselves are allocated on the heap by make,
//     once per operation. The published code calls this the stack version.
//   - pass=pointer: a pointer to that struct, which is then a second allocation.
//   - pass=array: the bytes themselves, copied by each layer; nothing allocated.
//
// So pointer over header is what a pointer to a small struct costs, next to an
// allocation that both make; array is what a stack version costs that is one.
//
//memcost:full -size:64
//memcost:expect pass:header allocs/op == 1
//memcost:expect pass:header B/op >= size
//memcost:expect pass:pointer allocs/op == 2
//memcost:expect pass:pointer B/op > size
//memcost:expect pass:array allocs/op == 0
//memcost:expect pass:array B/op < size
//memcost:expect pass:array stays-on-stack repositoryArray, serviceArray, transportArray, thorinArray
func BenchmarkThorin(b *testing.B) { runCases(b, thorinCases()) }
