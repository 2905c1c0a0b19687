// Package certify is what memcost certify measures: a handful of benchmarks of different
// kinds, each with a constant cost per operation. It makes no claims, and is no study: it is
// run in copies of itself that must be found equal, and in copies that are slower by a known
// share.
package certify

import (
	"sync"
	"testing"
)

var (
	number uint64
	bytes  byte
	block  *node
	filled map[int]int
)

type node struct {
	next *node
	data [5]uint64
}

// Arithmetic: no memory at all.
func BenchmarkArithmetic(b *testing.B) {
	x := uint64(88172645463325252)
	for i := 0; i < b.N; i++ {
		for range [32]struct{}{} { // xorshift64 (Marsaglia 2003)
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
	}
	number = x
}

// Filling a map: hashing, growing, and collections.
func BenchmarkMapFill(b *testing.B) {
	for i := 0; i < b.N; i++ {
		m := map[int]int{}
		for k := 0; k < 64; k++ {
			m[k*7] = i
		}
		filled = m
	}
}

// Small allocations, each a node of a list that the next operation drops.
func BenchmarkSmallBlocks(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var head *node
		for k := 0; k < 16; k++ {
			head = &node{next: head}
		}
		block = head
	}
}

// Copying 16 KiB, which the nearest caches hold.
func BenchmarkCopy(b *testing.B) {
	from, to := make([]byte, 16<<10), make([]byte, 16<<10)
	for i := range from {
		from[i] = byte(i)
	}
	copy(to, from)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		copy(to, from)
	}
	bytes += to[len(to)-1]
}

// chain is a random cycle through 1 MiB, a cache line a step.
var chain = sync.OnceValue(func() *node {
	nodes := make([]struct {
		node
		_ [16]byte
	}, 16<<10)
	order := make([]int, len(nodes))
	x := uint64(88172645463325252)
	for i := range order { // Fisher and Yates
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		j := int(x % uint64(i+1))
		order[i], order[j] = order[j], i
	}
	for i, at := range order {
		nodes[at].next = &nodes[order[(i+1)%len(order)]].node
	}
	return &nodes[0].node
})

// Following pointers, each to a line that cannot be foretold.
func BenchmarkChase(b *testing.B) {
	at := chain()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for k := 0; k < 64; k++ {
			at = at.next
		}
	}
	block = at
}

// Handing a value to another goroutine and getting it back.
func BenchmarkHandover(b *testing.B) {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v + 1
		}
		close(back)
	}()
	b.ResetTimer()
	sum := 0
	for i := 0; i < b.N; i++ {
		there <- i
		sum += <-back
	}
	b.StopTimer()
	close(there)
	<-back
	number += uint64(sum)
}
