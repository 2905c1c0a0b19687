package escape

import "testing"

// The functions of the published text are marked noinline there, too: a function that is
// inlined has its variables in its caller's frame, and passes nothing.

//go:noinline
func stackIt(n int) int {
	doubled := n * 2
	return doubled
}

// stackIt2 shares a pointer up: the variable outlives the call.
//
//go:noinline
func stackIt2(n int) *int {
	doubled := n * 2
	return &doubled
}

// stackIt3 is handed a pointer down: what it points to is in the caller's frame,
// which outlives the call.
//
//go:noinline
func stackIt3(n *int) int {
	doubled := *n * 2
	return doubled
}

func stackItLoop(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		sum += stackIt(i)
	}
	sink = sum
}

func stackIt2Loop(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		sum += *stackIt2(i)
	}
	sink = sum
}

func stackIt3Loop(n int, start func()) {
	sum := 0
	start()
	for i := 0; i < n; i++ {
		v := i
		sum += stackIt3(&v)
	}
	sink = sum
}

// BenchmarkStackIt returns a value.
//
//memcost:expect * allocs/op == 0
//memcost:expect * stays-on-stack stackIt, stackItLoop
//memcost:explain * in stackItLoop
//memcost:claim F1 * allocs/op == 0 # Returning a value allocates nothing
func BenchmarkStackIt(b *testing.B) { measure(b, stackItLoop) }

// BenchmarkStackIt2 returns a pointer to a local variable.
//
//memcost:expect * B/op == 8
//memcost:expect * allocs/op == 1
//memcost:explain * in stackIt2
//memcost:claim F2 * allocs/op == 1 # Sharing a pointer up the stack puts its variable on the heap
//memcost:claim F4 [published: 16.0 ns, against 1.52 ns by value] * sec/op >= 10ns
//memcost:more # The pointer costs about 10 ns or more per operation
func BenchmarkStackIt2(b *testing.B) { measure(b, stackIt2Loop) }

// BenchmarkStackIt3 hands a pointer down to a function that does not keep it.
//
//memcost:expect * allocs/op == 0
//memcost:expect * stays-on-stack stackIt3, stackIt3Loop
//memcost:explain * in stackIt3
//memcost:claim F3 * allocs/op == 0 # Sharing a pointer down the stack allocates nothing
func BenchmarkStackIt3(b *testing.B) { measure(b, stackIt3Loop) }
