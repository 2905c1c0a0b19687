package arena

import (
	"sync"
	"testing"
)

// firstCap is the capacity that a slice of method=fixed begins with.
const firstCap = 8

// fill appends the numbers below n to s. All variants of method=fixed grow by it,
// to twice the capacity each time, and differ in where more takes memory from.
func fill(s []int, n int, more func(capacity int) []int) []int {
	for i := 0; i < n; i++ {
		if len(s) == cap(s) {
			c := 2 * cap(s)
			if c == 0 {
				c = firstCap
			}
			t := more(c)[:len(s)]
			copy(t, s)
			s = t
		}
		s = append(s, i)
	}
	return s
}

func heapInts(capacity int) []int { return make([]int, 0, capacity) }

// sliceHeapPublished makes the slice once, outside the loop: each operation
// appends n more to what is there, and costs what the growth by then costs.
func sliceHeapPublished(n int) work {
	return func(ops int, start func()) {
		s := make([]int, 0, n)
		start()
		for x := 0; x < ops; x++ {
			for i := 0; i < n; i++ {
				s = append(s, i)
			}
		}
		sink = len(s)
	}
}

func sliceHeap(n int) work {
	return repeat(func() int { return fill(nil, n, heapInts)[n-1] })
}

// slicePool keeps the slice, which has grown already, in a pool.
func slicePool(n int) work {
	pool := sync.Pool{New: func() any { return new([]int) }}
	return repeat(func() int {
		p := pool.Get().(*[]int)
		*p = fill((*p)[:0], n, heapInts)
		last := (*p)[n-1]
		pool.Put(p)
		return last
	})
}

func sliceSlab(n int) work {
	ints := new(slab[int])
	return repeat(func() int {
		last := fill(nil, n, ints.take)[n-1]
		ints.reset()
		return last
	})
}

func sliceVariants() []variant {
	return []variant{
		{"published", "heap", sliceHeapPublished}, {"published", "arena", sliceArenaPublished},
		{"fixed", "heap", sliceHeap}, {"fixed", "arena", sliceArena}, {"fixed", "pool", slicePool},
		{"fixed", "slab", sliceSlab},
	}
}

// BenchmarkSlice appends n ints. method=fixed: to a new slice in each operation,
// which grows by doubling from 8, in all variants by the same code; the arena is
// a new one and is freed. method=published: to the slice that the operation
// before has left; the heap's grows as append grows, the arena's doubles.
// The bytes of an arena are those of whole chunks: see BenchmarkSimpleStruct.
//
//memcost:full -n:10000
//memcost:expect from:arena loop-faults >= 0
//memcost:expect method:fixed from:slab allocs/op == 0
//memcost:expect method:fixed from:pool allocs/op < 1
//memcost:expect method:fixed from:arena allocs/op <= 3
//memcost:expect method:fixed from:arena n:100 B/op >= 1736
//memcost:expect method:fixed from:arena n:10000 B/op >= 160000
//memcost:expect method:fixed from:arena n:100000 B/op >= 1300000
//memcost:expect method:fixed from:heap B/op >= n
//memcost:claim G1-time [published: 0.6 to 0.7 times, rounded] method:published from:arena / method:published
//memcost:more from:heap in 0.55..0.75 for every n
//memcost:more # Slices in an arena take 0.55 to 0.75 times as long as on the heap, by the published method
//memcost:claim G1-bytes method:published from:arena / method:published from:heap B/op in 0.4..0.6 for every n
//memcost:more # The slice benchmark allocates about half the bytes with arenas, by the published method
//memcost:claim G1-faster method:fixed from:arena / method:fixed from:heap < 1 for every n
//memcost:more # Slices are faster in an arena than on the heap when both sides grow in the same way
//memcost:claim G1-pool [own] method:fixed from:arena / method:fixed from:pool < 1 for every n
//memcost:more # Slices are faster in an arena than from a pool
//memcost:claim G1-slab [own] method:fixed from:arena / method:fixed from:slab < 1 for every n
//memcost:more # Slices are faster in an arena than in a slab
func BenchmarkSlice(b *testing.B) { runVariants(b, sliceVariants()) }
