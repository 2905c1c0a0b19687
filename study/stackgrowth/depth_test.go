package stackgrowth

import "unsafe"

// deepest is the greatest number of doublings: from 2 KiB to 2 MiB.
const deepest = 10

// need returns how many bytes of stack a call takes up that makes the stack double k
// times: three quarters of the last size, less what the runtime keeps free at the end
// (runtime._StackGuard, 880 to 928 bytes). It is in the middle of what fits there and
// not into half of it.
func need(k int) int {
	if k == 0 {
		return 0
	}
	return smallest<<uint(k)*3/4 - 1<<10
}

// descend makes n nested calls, each with a frame of some 256 bytes, and returns the
// address of the last frame. The frame is not cleared on the way down: the cost of a
// descent on a grown stack should be little beside growing.
//
//go:noinline
func descend(n int) uintptr {
	if n > 0 {
		return descend(n - 1)
	}
	var frame [256]byte
	return uintptr(unsafe.Pointer(&frame))
}

// steps returns how deep descend must go to take up a number of bytes. The size of one
// of its frames differs by Go version and architecture, so it is measured, on a stack
// that is large already: a stack that grows moves.
func steps(bytes int) int {
	size := make(chan int)
	go func() {
		descend(64)
		size <- int(descend(1) - descend(2))
	}()
	return bytes / <-size
}

// frames holds functions with one frame of about need(k) bytes, by the number of
// doublings k: the other way to use a stack. One doubling is missing, because Go 1.15
// and 1.16 then double twice: they make room for the frame and as much again as is in
// use. Each reserves its frame on entry, where the stack is checked, and calls inside;
// it clears and uses the variables only when touch is set, which no measured call does.
// No variable is larger than 128 KiB, or Go 1.24 and later would move it to the heap,
// and all of one frame are in use at once, or Go 1.23 and later would give them the same
// place.
var frames = map[int]func(touch bool, inside func()){
	0: frame0, 2: frame2, 3: frame3, 4: frame4, 5: frame5, 6: frame6, 7: frame7, 8: frame8, 9: frame9, 10: frame10,
}

// keep uses the variables of a frame.
//
//go:noinline
func keep(parts ...[]byte) {
	for _, p := range parts {
		p[0]++
	}
}

//go:noinline
func frame0(touch bool, inside func()) {
	if touch {
		var a [64]byte
		keep(a[:])
	}
	inside()
}

//go:noinline
func frame2(touch bool, inside func()) {
	if touch {
		var a [9 << 9]byte
		keep(a[:])
	}
	inside()
}

//go:noinline
func frame3(touch bool, inside func()) {
	if touch {
		var a [11 << 10]byte
		keep(a[:])
	}
	inside()
}

//go:noinline
func frame4(touch bool, inside func()) {
	if touch {
		var a [23 << 10]byte
		keep(a[:])
	}
	inside()
}

//go:noinline
func frame5(touch bool, inside func()) {
	if touch {
		var a [47 << 10]byte
		keep(a[:])
	}
	inside()
}

//go:noinline
func frame6(touch bool, inside func()) {
	if touch {
		var a [95 << 10]byte
		keep(a[:])
	}
	inside()
}

//go:noinline
func frame7(touch bool, inside func()) {
	if touch {
		var a, b [95 << 10]byte
		keep(a[:], b[:])
	}
	inside()
}

//go:noinline
func frame8(touch bool, inside func()) {
	if touch {
		var a, b, c [127 << 10]byte
		keep(a[:], b[:], c[:])
	}
	inside()
}

//go:noinline
func frame9(touch bool, inside func()) {
	if touch {
		var a, b, c, d, e, f [127 << 10]byte
		keep(a[:], b[:], c[:], d[:], e[:], f[:])
	}
	inside()
}

//go:noinline
func frame10(touch bool, inside func()) {
	if touch {
		var a, b, c, d, e, f, g, h, i, j, k, l [127 << 10]byte
		keep(a[:], b[:], c[:], d[:], e[:], f[:], g[:], h[:], i[:], j[:], k[:], l[:])
	}
	inside()
}
