package arena

import (
	"sync"
	"testing"
)

// object is the published struct: a pointer in it, 32 bytes on 64-bit machines.
type object struct {
	len  int
	data []int
}

// A keeper holds the objects of one operation: all are reachable until its end, as those
// of an arena are, whichever allocator they are from.
type keeper []*object

// leave adds up what the objects hold, and lets go of them.
func (k keeper) leave() int {
	sum := 0
	for i, p := range k {
		sum += p.len
		k[i] = nil
	}
	return sum
}

// simpleHeapPublished ignores n, and its loop is optimised away: a struct that is never
// read is not made.
func simpleHeapPublished(int) work {
	return func(ops int, start func()) {
		start()
		for x := 0; x < ops; x++ {
			_ = object{}
		}
	}
}

func simpleHeap(n int) work {
	keep := make(keeper, n)
	return repeat(func() int {
		for i := range keep {
			p := new(object)
			p.len = i
			keep[i] = p
		}
		return keep.leave()
	})
}

func simplePool(n int) work {
	pool := sync.Pool{New: func() any { return new(object) }}
	keep := make(keeper, n)
	return repeat(func() int {
		sum := 0
		for i := range keep {
			p := pool.Get().(*object)
			*p = object{len: i}
			keep[i] = p
		}
		for i, p := range keep {
			sum += p.len
			keep[i] = nil
			pool.Put(p)
		}
		return sum
	})
}

func simpleSlab(n int) work {
	objects, keep := new(slab[object]), make(keeper, n)
	return repeat(func() int {
		for i := range keep {
			p := objects.one()
			p.len = i
			keep[i] = p
		}
		sum := keep.leave()
		objects.reset()
		return sum
	})
}

func simpleVariants() []variant {
	return []variant{
		{"published", "heap", simpleHeapPublished}, {"published", "arena", simpleArenaPublished},
		{"fixed", "heap", simpleHeap}, {"fixed", "arena", simpleArena}, {"fixed", "pool", simplePool},
		{"fixed", "slab", simpleSlab},
	}
}

// BenchmarkSimpleStruct makes structs of 32 bytes. method=fixed: n of them, which
// all live until the end of the operation. method=published: one, whatever n
// says; and on the heap none at all, so that this case is INVALID, rightly. An arena
// takes chunks of 8 MiB, the first of which may be one that is there already: of the six
// of a sample one more or less is a fifth of B/op, which only has to show that n structs
// are made.
//
//memcost:full -n:10000
//memcost:expect from:arena loop-faults >= 0
//memcost:expect method:fixed from:slab allocs/op == 0
//memcost:expect method:fixed from:(pool OR arena) allocs/op < n
//memcost:expect method:fixed from:arena n:100 B/op >= 2800
//memcost:expect method:fixed from:arena n:10000 B/op >= 200000
//memcost:expect method:fixed from:arena n:100000 B/op >= 2000000
//memcost:expect method:fixed from:heap allocs/op == n
//memcost:claim G2 [published: 18 times, against an empty loop] method:published from:arena
//memcost:more / method:published from:heap in 17..19 for every n
//memcost:more # A simple struct in an arena takes about 18 times as long, by the published method
//memcost:claim G2-slower method:fixed from:arena / method:fixed from:heap > 1 for every n
//memcost:more # Simple structs take longer in an arena than on the heap when both sides make them
//memcost:claim G2-pool [own] method:fixed from:arena / method:fixed from:pool < 1 for every n
//memcost:more # Simple structs are faster in an arena than from a pool
//memcost:claim G2-slab [own] method:fixed from:arena / method:fixed from:slab < 1 for every n
//memcost:more # Simple structs are faster in an arena than in a slab
func BenchmarkSimpleStruct(b *testing.B) { runVariants(b, simpleVariants()) }
