// Package objects measures what it costs to make one object of the heap, by its size, with its
// share of collecting: nothing holds an object for longer than until the next one is made, as
// in most benchmarks, so that a collection has little to mark.
package objects

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

var (
	kept     []byte
	pointers []*byte
)

// bytes makes objects without pointers.
//
//go:noinline
func bytes(size int) []byte { return make([]byte, size) }

// word makes an object of one pointer: without one, two objects of 8 bytes share a block.
//
//go:noinline
func word(words int) []*byte { return make([]*byte, words) }

// BenchmarkObject makes an object in each operation, of the sizes that MEMCOST_SIZES lists.
func BenchmarkObject(b *testing.B) {
	for _, text := range strings.Fields(os.Getenv("MEMCOST_SIZES")) {
		size, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("size="+text, func(b *testing.B) {
			b.ReportAllocs()
			if size < 16 {
				for i := 0; i < b.N; i++ {
					pointers = word(size / 8)
				}
				return
			}
			for i := 0; i < b.N; i++ {
				kept = bytes(size)
			}
		})
	}
}
