package allocates

import (
	"context"
	"os"
	"runtime/trace"
	"testing"
	"time"
)

var (
	sink interface{}
	kept [][]byte
)

func prepare(n int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, 100))
	}
}

func BenchmarkPair(b *testing.B) {
	prepare(5000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink = newPair(i)
	}
}

func BenchmarkTiny(b *testing.B) {
	ctx := context.Background()
	b.ResetTimer()
	trace.Log(ctx, "timed", "begins")
	for i := 0; i < b.N; i++ {
		sink = box(i)
	}
	trace.Log(ctx, "timed", "ends")
}

func BenchmarkSub(b *testing.B) {
	prepare(5000)
	for _, name := range []string{"size=1", "size=two words"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				b.StopTimer()
				prepare(1)
				b.StartTimer()
				sink = newPair(i)
			}
		})
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		var last *pair
		for pb.Next() {
			last = newPair(1)
		}
		_ = last
	})
}

func BenchmarkBadReset(b *testing.B) {
	for i := 0; i < b.N; i++ {
		prepare(1)
		b.ResetTimer()
		sink = newPair(i)
	}
}

func BenchmarkBadPanic(b *testing.B) { panic("out of luck") }

func BenchmarkBadHang(b *testing.B) { time.Sleep(time.Hour) }

func BenchmarkBadExit(b *testing.B) { os.Exit(0) }

func BenchmarkBadFail(b *testing.B) {
	b.Run("fails", func(b *testing.B) { b.Fatal("it does not work") })
	b.Run("works", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink = newPair(i)
		}
	})
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not here") }

func TestText(t *testing.T) { sink = text(3) }

func TestFails(t *testing.T) { t.Error("it fails") }
