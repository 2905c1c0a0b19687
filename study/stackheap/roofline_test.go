package stackheap

import (
	"fmt"
	"testing"
)

// The memory roofline: what this machine needs to copy, read and write a block
// of each of Smaug's sizes, with buffers that exist before the timing starts.
// Their figures carry MB/s: here the bytes moved are known.

var blockSizes = []int{1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10,
	512 << 10, 1 << 20}

// filled makes a slice with a value in every word. A fresh block that was never written
// may be one page of zeroes, mapped repeatedly: reading it would measure the first-level
// cache at any size.
func filled[T byte | uint64](n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(i) | 1
	}
	return s
}

// copyWork copies size bytes from one buffer to another.
func copyWork(size int) work {
	return func(n int, start func()) {
		dst, src := filled[byte](size), filled[byte](size)
		start()
		for i := 0; i < n; i++ {
			copy(dst, src)
		}
		sink = int(dst[size-1])
	}
}

// readWork reads size bytes as words of 8. sumWords has no vector instructions
// to use, so in the first-level cache this is the core's limit of loads.
func readWork(size int) work {
	return func(n int, start func()) {
		words := filled[uint64](size / 8)
		var sum uint64
		start()
		for i := 0; i < n; i++ {
			sum += sumWords(words)
		}
		sink = int(sum)
	}
}

// sumWords adds up words, whose number is a multiple of 8, in four chains:
// with one, each addition would wait for the one before it.
//
//go:noinline
func sumWords(words []uint64) uint64 {
	var a, b, c, d uint64
	for len(words) >= 8 {
		w := words[:8]
		a += w[0] + w[4]
		b += w[1] + w[5]
		c += w[2] + w[6]
		d += w[3] + w[7]
		words = words[8:]
	}
	return a + b + c + d
}

// writeWork clears size bytes. The range loop is the form that the compiler has
// always turned into the runtime's memory clear; the builtin came with Go 1.21.
func writeWork(size int) work {
	return func(n int, start func()) {
		dst := filled[byte](size)
		start()
		for i := 0; i < n; i++ {
			for j := range dst {
				dst[j] = 0
			}
		}
		sink = int(dst[size-1])
	}
}

func rooflineCases(of func(size int) work) []benchCase {
	var cases []benchCase
	for _, size := range blockSizes {
		cases = append(cases, benchCase{name: fmt.Sprintf("size=%d", size), work: of(size), size: size})
	}
	return cases
}

func runRoofline(b *testing.B, of func(size int) work) {
	for _, c := range rooflineCases(of) {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(c.size))
			measure(b, c.work)
		})
	}
}

// BenchmarkCopy is one plain copy: the unit in which Smaug's times are also
// told, and the fastest that moving the block once can be.
//
//memcost:expect * allocs/op == 0
func BenchmarkCopy(b *testing.B) { runRoofline(b, copyWork) }

// BenchmarkRead reads the block and writes nothing.
//
//memcost:full -size:(1024 OR 1048576) # the quick profile needs the shape, not every size
//memcost:expect * allocs/op == 0
func BenchmarkRead(b *testing.B) { runRoofline(b, readWork) }

// BenchmarkWrite writes the block and reads nothing.
//
//memcost:full -size:(1024 OR 1048576)
//memcost:expect * allocs/op == 0
func BenchmarkWrite(b *testing.B) { runRoofline(b, writeWork) }
