//go:build go1.24

package floor

import "testing"

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
	}
}
