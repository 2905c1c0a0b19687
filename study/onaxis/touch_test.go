package onaxis

import "unsafe"

// line is the distance of two stores, in bytes, and mark the number that is stored.
const line, mark = 64, 1

// touch stores the mark in the first word of each line of a block of n bytes, and loads the last
// of them. It is the counterpart of touch_block in cpp/block.cpp, with the same machine
// instructions in its loop: a store, an addition, a comparison and a jump.
//
//go:noinline
func touch(p unsafe.Pointer, n uintptr) uint64 {
	for at := uintptr(0); at < n; at += line {
		*(*uint64)(unsafe.Add(p, at)) = mark
	}
	return *(*uint64)(unsafe.Add(p, (n-1)&^(line-1)))
}

// touchWords touches a block that is a slice.
func touchWords(words []uint64) uint64 {
	return touch(unsafe.Pointer(&words[0]), uintptr(len(words))*wordBytes)
}

// wordBytes is the size of a word. Blocks are words, so that each is aligned for its stores.
const wordBytes = 8

// clearWords clears a block: the compiler makes one call of the runtime's memclrNoHeapPointers of
// the loop. The builtin clear does the same, from Go 1.21 on.
func clearWords(words []uint64) {
	for i := range words {
		words[i] = 0
	}
}

// plainWrite clears one block each time.
func plainWrite(n int) operation {
	words := make([]uint64, n/wordBytes)
	return func() uint64 {
		clearWords(words)
		return mark
	}
}
