package buffers

// stackPlaces returns the variants with both blocks on the stack, one function for each
// size: an array's length is part of its type, and Go 1.13 has no generics.
func stackPlaces() map[int]place {
	return map[int]place{
		1 << 10: stack1K, 2 << 10: stack2K, 4 << 10: stack4K, 8 << 10: stack8K,
		16 << 10: stack16K, 32 << 10: stack32K, 64 << 10: stack64K, 128 << 10: stack128K,
		256 << 10: func(m *mover) { stack256K(m) }, 512 << 10: func(m *mover) { stack512K(m) },
		1 << 20: func(m *mover) { stack1M(m) },
	}
}

//go:noinline
func stack1K(m *mover) {
	var in, out [1 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack2K(m *mover) {
	var in, out [2 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack4K(m *mover) {
	var in, out [4 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack8K(m *mover) {
	var in, out [8 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack16K(m *mover) {
	var in, out [16 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack32K(m *mover) {
	var in, out [32 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack64K(m *mover) {
	var in, out [64 << 10]byte
	m.move(in[:], out[:])
}

//go:noinline
func stack128K(m *mover) {
	var in, out [128 << 10]byte
	m.move(in[:], out[:])
}

// The larger blocks are results: Go 1.24 and later move an explicit variable of more
// than 128 KiB to the heap (ir.MaxStackVarSize in cmd/compile; it was 10 MiB before),
// and results are exempt. They are zeroed on entry as variables are, and are in the
// frame of the caller, who must not name them: that would copy them.

//go:noinline
func stack256K(m *mover) (in, out [256 << 10]byte) {
	m.move(in[:], out[:])
	return
}

//go:noinline
func stack512K(m *mover) (in, out [512 << 10]byte) {
	m.move(in[:], out[:])
	return
}

//go:noinline
func stack1M(m *mover) (in, out [1 << 20]byte) {
	m.move(in[:], out[:])
	return
}
