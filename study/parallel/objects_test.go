package parallel

import (
	"sync"
	"testing"
)

// object is a small struct with a pointer in it: 32 bytes on 64-bit machines.
type object struct {
	len  int
	data []int
}

// batch is the number of objects that an operation makes. All are reachable until its
// end.
const batch = 1000

// A keeper holds them.
type keeper [batch]*object

// leave adds up what the objects hold, and lets go of them.
func (k *keeper) leave() int {
	sum := 0
	for i, p := range k {
		sum += p.len
		k[i] = nil
	}
	return sum
}

// each makes a work of an operation. Every goroutine makes an operation of its
// own, and does it once before it starts.
func each(makeOp func() func() int) work {
	return func(ops int, start func()) int {
		op := makeOp()
		sum := op()
		start()
		for i := 0; i < ops; i++ {
			sum += op()
		}
		return sum
	}
}

func fromHeap() func() int {
	keep := new(keeper)
	return func() int {
		for i := range keep {
			p := new(object)
			p.len = i
			keep[i] = p
		}
		return keep.leave()
	}
}

// fromPool shares a pool between the goroutines, as a program does.
func fromPool(pool *sync.Pool) func() func() int {
	return func() func() int {
		keep := new(keeper)
		return func() int {
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
		}
	}
}

// fromSlab hands out elements of a slice of the goroutine's own, by index, and
// clears them at the end.
func fromSlab() func() int {
	keep, objects := new(keeper), make([]object, batch)
	return func() int {
		for i := range keep {
			p := &objects[i]
			p.len = i
			keep[i] = p
		}
		sum := keep.leave()
		for i := range objects {
			objects[i] = object{}
		}
		return sum
	}
}

func objectCases() []benchCase {
	cases := []benchCase{
		{"from=heap", each(fromHeap), each(fromSlab)},
		{"from=pool", each(fromPool(&sync.Pool{New: func() any { return new(object) }})), each(fromSlab)},
		{"from=slab", each(fromSlab), nil},
		{"from=arena", nil, each(fromSlab)},
	}
	if fromArena != nil {
		cases[3].work = each(fromArena)
	}
	return cases
}

// BenchmarkObjects makes 1000 objects of 32 bytes and lets go of all of them. The
// pool is shared by the goroutines; slabs and arenas are each goroutine's own, and
// every operation has a new arena.
//
//memcost:full -load:(alone OR full)
//memcost:expect from:heap allocs/op == 1000
//memcost:expect from:(pool OR arena) allocs/op < 100
//memcost:expect from:slab allocs/op == 0
//memcost:claim C-parallel-objects-heap from:heap load:full / from:heap load:alone controls/op > 1.1
//memcost:more # Objects from the heap cost over 1.1 times as many slab operations on all cores as on one
//memcost:claim C-parallel-objects-pool from:pool load:full / from:pool load:alone controls/op in 0.9..1.1
//memcost:more # Objects from a pool cost as many slab operations on all cores as on one, within 10%
//memcost:claim C-parallel-objects-arena from:arena load:full / from:arena load:alone controls/op in 0.9..1.1
//memcost:more # Objects from arenas cost as many slab operations on all cores as on one, within 10%
//memcost:claim C-parallel-pool-wins [own] from:heap / from:pool > 1 for every load
//memcost:more # A pool is faster than the heap with any number of goroutines
func BenchmarkObjects(b *testing.B) { runCases(b, objectCases(), measure) }
