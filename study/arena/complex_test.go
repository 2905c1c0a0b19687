package arena

import (
	"sync"
	"testing"
)

// complexHeapPublished makes the struct once for each time round the outer loop,
// which is outside the loop of the operations: data grows for ever.
func complexHeapPublished(outer int) func(n int) work {
	return func(n int) work {
		return func(ops int, start func()) {
			start()
			for o := 0; o < outer; o++ {
				p := object{len: n, data: make([]int, 0, n)}
				for x := 0; x < ops; x++ {
					for i := 0; i < n; i++ {
						p.data = append(p.data, i)
					}
				}
				sink = len(p.data)
			}
		}
	}
}

// put writes the numbers below n to an empty slice with enough capacity.
func put(s []int, n int) []int {
	for i := 0; i < n; i++ {
		s = append(s, i)
	}
	return s
}

func complexHeap(outer int) func(n int) work {
	return func(n int) work {
		keep := make(keeper, outer)
		return repeat(func() int {
			for o := range keep {
				p := new(object)
				p.len, p.data = n, put(heapInts(n), n)
				keep[o] = p
			}
			return keep.leave()
		})
	}
}

func complexPool(outer int) func(n int) work {
	return func(n int) work {
		pool := sync.Pool{New: func() any { return &object{data: heapInts(n)} }}
		keep := make(keeper, outer)
		return repeat(func() int {
			sum := 0
			for o := range keep {
				p := pool.Get().(*object)
				p.len, p.data = n, put(p.data[:0], n)
				keep[o] = p
			}
			for o, p := range keep {
				sum += p.len
				keep[o] = nil
				pool.Put(p)
			}
			return sum
		})
	}
}

func complexSlab(outer int) func(n int) work {
	return func(n int) work {
		objects, ints, keep := new(slab[object]), new(slab[int]), make(keeper, outer)
		return repeat(func() int {
			for o := range keep {
				p := objects.one()
				p.len, p.data = n, put(ints.take(n), n)
				keep[o] = p
			}
			sum := keep.leave()
			objects.reset()
			ints.reset()
			return sum
		})
	}
}

// complexVariants returns the variants for a number of structs in an operation.
func complexVariants(outer int) []variant {
	return []variant{
		{"published", "heap", complexHeapPublished(outer)}, {"published", "arena", complexArenaPublished(outer)},
		{"fixed", "heap", complexHeap(outer)}, {"fixed", "arena", complexArena(outer)},
		{"fixed", "pool", complexPool(outer)}, {"fixed", "slab", complexSlab(outer)},
	}
}

// BenchmarkComplexStruct makes a struct with a slice of n ints in it. The slice
// has the room for them from the start; with method=published that is so for the
// first operation, and the others append to it.
// The bytes of an arena are those of whole chunks: see BenchmarkSimpleStruct.
//
//memcost:full -n:10000
//memcost:expect from:arena loop-faults >= 0
//memcost:expect method:fixed from:slab allocs/op == 0
//memcost:expect method:fixed from:pool allocs/op < 1
//memcost:expect method:fixed from:arena allocs/op <= 3
//memcost:expect method:fixed from:arena n:100 B/op >= 728
//memcost:expect method:fixed from:arena n:10000 B/op >= 50000
//memcost:expect method:fixed from:arena n:100000 B/op >= 500000
//memcost:expect method:fixed from:heap allocs/op == 2
//memcost:claim G3 [published: 1.4 to 1.5 times, rounded] method:published from:arena / method:published from:heap in
//memcost:more 1.4..1.6 for every n
//memcost:more # Complex structs take 1.4 to 1.6 times as long in an arena as on the heap, by the published method
//memcost:claim G3-slower method:fixed from:arena / method:fixed from:heap > 1 for every n
//memcost:more # Complex structs take longer in an arena than on the heap with the same work on both sides
//memcost:claim G3-pool [own] method:fixed from:arena / method:fixed from:pool < 1 for every n
//memcost:more # Complex structs are faster in an arena than from a pool
func BenchmarkComplexStruct(b *testing.B) { runVariants(b, complexVariants(1)) }

// BenchmarkComplexStructIter is 1000 times as much. method=fixed: 1000 structs that
// all live until the end of the operation, in one arena; at n=100000 they are
// 800 MB. method=published: the outer loop is around that of the operations.
//
//memcost:full *
//memcost:expect method:fixed from:slab allocs/op == 0
//memcost:expect from:arena loop-faults >= 0
//memcost:expect method:fixed from:(pool OR arena) allocs/op < 1000
//memcost:expect method:fixed from:heap allocs/op in 2000..2010
//memcost:claim G4-time method:published from:arena / method:published from:heap in 1.75..2.25 for every n
//memcost:more # A thousand complex structs take about twice as long in arenas as on the heap, by the published
//memcost:more method
//memcost:claim G4-bytes method:published from:arena / method:published from:heap B/op in 0.4..0.6 for every n
//memcost:more # A thousand complex structs allocate about half the bytes in arenas, by the published method
//memcost:claim G4-slower method:fixed from:arena / method:fixed from:heap > 1 for every n
//memcost:more # A thousand complex structs take longer in arenas than on the heap with the same work on both
//memcost:more sides
func BenchmarkComplexStructIter(b *testing.B) { runVariants(b, complexVariants(1000)) }
