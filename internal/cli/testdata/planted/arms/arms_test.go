// Package arms has benchmarks that two configurations run differently, by a variable of the
// environment, or by whether a sample comes first.
package arms

import (
	"os"
	"strconv"
	"testing"
	"time"
)

var sink int

func work(n int) {
	for j := 0; j < n; j++ {
		sink += j ^ sink
	}
}

// With FAST an operation takes a hundredth of the time: its loop is too short, for N was
// found without.
func BenchmarkShortOnOneArm(b *testing.B) {
	n := 20_000
	if os.Getenv("FAST") != "" {
		n = 200
	}
	for i := 0; i < b.N; i++ {
		work(n)
	}
}

func BenchmarkLongOnBoth(b *testing.B) {
	n := 20_000
	if os.Getenv("FAST") != "" {
		n = 15_000
	}
	for i := 0; i < b.N; i++ {
		work(n)
	}
}

// first reports whether this process is the first of its pair. Samples come in pairs; they
// bear padding, and what finds the cases does not.
func first(b *testing.B) bool {
	if _, is := os.LookupEnv("MEMCOST_PADDING"); !is || b.N == 1 {
		return false
	}
	name := os.Getenv("COUNTER") + b.Name()[:14]
	text, _ := os.ReadFile(name)
	count, _ := strconv.Atoi(string(text))
	if err := os.WriteFile(name, []byte(strconv.Itoa(count+1)), 0o666); err != nil {
		b.Fatal(err)
	}
	return count%2 == 0
}

// The clock drops when a file was synced: the sample that comes first after it is slower, by
// what is added here: it takes three times as long.
func BenchmarkClockDrops(b *testing.B) {
	slow := first(b)
	b.ResetTimer()
	began := time.Now()
	for i := 0; i < b.N; i++ {
		work(20_000)
	}
	if took := time.Since(began); slow {
		for time.Since(began) < 3*took {
		}
	}
}

func BenchmarkClockStays(b *testing.B) {
	first(b)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		work(20_000)
	}
}
