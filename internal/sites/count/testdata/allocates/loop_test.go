//go:build go1.24

package allocates

import "testing"

func BenchmarkLoop(b *testing.B) {
	prepare(5000)
	for b.Loop() {
		sink = newPair(1)
	}
}
