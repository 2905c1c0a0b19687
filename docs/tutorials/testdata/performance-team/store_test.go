package store

import "testing"

var (
	records = make([]Record, 1000)
	sum     int
	keys    []string
)

func BenchmarkSum(b *testing.B) {
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		sum += Sum(records)
	}
}

func BenchmarkKeys(b *testing.B) {
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		keys = Keys(records)
	}
}
