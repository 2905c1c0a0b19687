package onaxis

import "unsafe"

// maxStack is the largest variable that Go 1.24 and later leave on the stack (ir.MaxStackVarSize
// in cmd/compile; it was 10 MiB up to Go 1.23). The curve of the stack ends there, with every Go.
const maxStack = 128 << 10

// onStack returns the operation of a size.
func onStack(n int) operation {
	return map[int]operation{
		8: stack8, 16: stack16, 32: stack32, 64: stack64,
		128: stack128, 256: stack256, 512: stack512, 1 << 10: stack1K,
		2 << 10: stack2K, 4 << 10: stack4K, 8 << 10: stack8K, 16 << 10: stack16K,
		32 << 10: stack32K, 64 << 10: stack64K, 128 << 10: stack128K,
	}[n]
}

// The functions have a block as a variable, which the language zeroes, and give it back by
// returning. There is one for each size, for an array's length is part of its type.

//go:noinline
func stack8() uint64 {
	var block [1]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack16() uint64 {
	var block [2]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack32() uint64 {
	var block [4]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack64() uint64 {
	var block [8]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack128() uint64 {
	var block [16]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack256() uint64 {
	var block [32]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack512() uint64 {
	var block [64]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack1K() uint64 {
	var block [128]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack2K() uint64 {
	var block [256]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack4K() uint64 {
	var block [512]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack8K() uint64 {
	var block [1 << 10]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack16K() uint64 {
	var block [2 << 10]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack32K() uint64 {
	var block [4 << 10]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack64K() uint64 {
	var block [8 << 10]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}

//go:noinline
func stack128K() uint64 {
	var block [16 << 10]uint64
	return touch(unsafe.Pointer(&block), unsafe.Sizeof(block))
}
