// Package floor measures what a benchmark costs in which nothing is done: the loop itself,
// and a start of the timer.
package floor

import (
	"testing"
	"time"
)

func BenchmarkEmpty(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

// BenchmarkTimer reports the time that a stop and a start of the timer take within what is
// timed. A start reads the memory statistics, which takes longer than a loop may: 50 of them
// have to do.
func BenchmarkTimer(b *testing.B) {
	const n = 50
	least := time.Hour
	for i := 0; i < n; i++ {
		b.StopTimer()
		b.StartTimer()
		began := time.Now()
		ended := time.Now()
		if d := ended.Sub(began); d < least {
			least = d
		}
	}
	b.ReportMetric(float64(least.Nanoseconds()), "ns/op")
}
