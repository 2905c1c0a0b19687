package planted

import "testing"

func BenchmarkAll(b *testing.B) {
	setUp := make([][]byte, 100) // before the timer: it does not count
	for i := range setUp {
		setUp[i] = make([]byte, 1000)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		Nodes = Returned(i)
		UsesInlined(i)
		Boxed(i + 1000)
		Total += int(*Small(i) + *Small(i + 1) + *Small(i + 2))
		Total += len(Grown(100))
		Total += len(Formatted(i + 1000))
		Total += Mapped(100)
		Total += len(Generic[string](4)) + len(Generic[int32](50))
		Total += Captured(i)()
		Total += len(Joined("ab", "cdefgh"))
		Total += Stays(i)
		if Total == -1 {
			Nodes = Never(i)
		}
	}
	Total += len(setUp)
}

func BenchmarkNothing(b *testing.B) {
	for i := range b.N {
		Total += Stays(i)
	}
}
