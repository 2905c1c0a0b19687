//go:build go1.18
// +build go1.18

package lair

//go:noinline
func stackOf[T any](v T) T { return v }

//go:noinline
func heapOf[T any](v T) *T {
	c := v
	return &c
}

// Cave holds what it is given.
type Cave[T any] struct{ last *T }

//go:noinline
func (c *Cave[T]) put(v T) { c.last = &v }

//go:noinline
func (c Cave[T]) get() T { return *c.last }

// Two shapes of each: the compiler repeats its diagnostics per shape.
func instantiate() int {
	var small Cave[int]
	var named Cave[string]
	small.put(stackOf(1))
	named.put(stackOf("two"))
	heapOf([16]byte{})
	heapOf([32]byte{})
	return small.get() + len(named.get())
}
