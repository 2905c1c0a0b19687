package lair

import "testing"

func BenchmarkBilbo(b *testing.B) {
	b.Run("place=stack", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			byValue(i)
		}
	})
	b.Run("place=heap", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			byPointer(i)
		}
	})
}
