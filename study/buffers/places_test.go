package buffers

import "sync"

// place does one operation with two blocks from one kind of memory.
type place func(m *mover)

// fromHeap makes both blocks. Their size is a variable: a make of a constant size
// up to 64 KiB would stay on the stack.
func fromHeap(size int) place {
	return func(m *mover) {
		in := make([]byte, size)
		out := make([]byte, size)
		m.move(in, out)
	}
}

// newPool returns a pool of blocks of one size. It holds pointers to slices, because Put
// of a slice itself would allocate a header each time.
func newPool(size int) *sync.Pool {
	return &sync.Pool{New: func() interface{} {
		b := make([]byte, size)
		return &b
	}}
}

// fromPool takes both blocks from a pool, as the last operation left them.
func fromPool(pool *sync.Pool) place {
	return func(m *mover) {
		in, out := pool.Get().(*[]byte), pool.Get().(*[]byte)
		m.move(*in, *out)
		pool.Put(in)
		pool.Put(out)
	}
}

// fromPoolCleared does what fromPool does and zeroes both blocks first, as those
// on the stack and the heap are.
func fromPoolCleared(pool *sync.Pool) place {
	return func(m *mover) {
		in, out := pool.Get().(*[]byte), pool.Get().(*[]byte)
		zero(*in)
		zero(*out)
		m.move(*in, *out)
		pool.Put(in)
		pool.Put(out)
	}
}

// zero has the form that the compiler has always turned into the runtime's memory
// clear; the builtin came with Go 1.21.
func zero(b []byte) {
	for i := range b {
		b[i] = 0
	}
}
