// Package known holds three benchmarks whose cost per operation is known to differ: an
// operation is 100 units of the same work, and with SLOWER=r in the environment 100 + r.
package known

import (
	"os"
	"strconv"
	"testing"
)

const base = 100

var (
	units    = base + slower()
	sinkWord uint64
	sinkMap  map[uint64]uint64
	sinkNode *node
)

// slower returns SLOWER, 0 where it is not set.
func slower() int {
	text := os.Getenv("SLOWER")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		panic("SLOWER must be a number of percent: " + text)
	}
	return n
}

// BenchmarkArithmetic computes: a unit is a thousand steps that depend on each other.
func BenchmarkArithmetic(b *testing.B) {
	x := uint64(88172645463325252)
	for i := 0; i < b.N; i++ {
		for range units {
			x = compute(x)
		}
	}
	sinkWord = x
}

// compute takes a thousand steps of Marsaglia's xorshift64.
//
//go:noinline
func compute(x uint64) uint64 {
	for range 1000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// BenchmarkMapFilling fills maps: a unit is a new map that grows to a hundred keys.
func BenchmarkMapFilling(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for range units {
			sinkMap = fill(100)
		}
	}
}

//go:noinline
func fill(n uint64) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for k := range n {
		m[k*0x9E3779B97F4A7C15] = k
	}
	return m
}

type node struct {
	next  *node
	value int
}

// BenchmarkSmallAllocations allocates: a unit is a list of a hundred nodes of 16 bytes,
// of which the last one stays reachable.
func BenchmarkSmallAllocations(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for range units {
			sinkNode = link(100)
		}
	}
}

//go:noinline
func link(n int) *node {
	var first *node
	for i := range n {
		first = &node{first, i}
	}
	return first
}
