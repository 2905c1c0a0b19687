// Package planted allocates what its names say.
package planted

import (
	"fmt"
	"strings"
)

type node struct {
	next *node
	a, b int
}

var (
	Sink  any
	Nodes *node
	Total int
)

// Returned makes one node of 24 bytes.
//
//go:noinline
func Returned(i int) *node {
	return &node{a: i}
}

// inlined makes one node in each function that calls it.
func inlined(i int) *node {
	return &node{b: i}
}

//go:noinline
func UsesInlined(i int) {
	Nodes = inlined(i)
}

// Boxed puts a struct into an interface.
//
//go:noinline
func Boxed(i int) {
	Sink = [3]int{i, i, i}
}

// Small makes an object of 8 bytes, which shares a block of 16.
//
//go:noinline
func Small(i int) *int64 {
	x := int64(i)
	return &x
}

// Grown appends 100 elements.
//
//go:noinline
func Grown(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// Formatted allocates in fmt.
//
//go:noinline
func Formatted(i int) string {
	return fmt.Sprintf("value %d of many", i)
}

// Mapped grows a map.
//
//go:noinline
func Mapped(n int) int {
	m := map[int]int{}
	for i := range n {
		m[i] = i
	}
	return len(m)
}

// Generic makes a slice of its type.
//
//go:noinline
func Generic[T any](n int) []T {
	return make([]T, n)
}

// Captured returns a closure.
//
//go:noinline
func Captured(i int) func() int {
	return func() int { i++; return i }
}

// Joined joins strings.
//
//go:noinline
func Joined(a, b string) string {
	return a + strings.Repeat(b, 2)
}

// Never is not called.
//
//go:noinline
func Never(i int) *node {
	return &node{a: i}
}

// Stays allocates nothing.
//
//go:noinline
func Stays(i int) int {
	n := node{a: i}
	return n.a
}
