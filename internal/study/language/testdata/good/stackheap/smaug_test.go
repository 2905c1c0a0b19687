//go:build go1.18 && neverset

package stackheap_test

import "testing"

//memcost:claim C2 place:stack linear in size
func BenchmarkSmaug(b *testing.B) {
	_ = one[int]
}

//line smaug.y:1
func BenchmarkBilbo(b *testing.B) {}

func one[T any](v T) T { return v }
