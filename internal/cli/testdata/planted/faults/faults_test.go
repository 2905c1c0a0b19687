// Package faults has benchmarks that are wrong, each in a way that somebody published, and
// for each a sound one.
package faults

import (
	"runtime"
	"testing"
)

var (
	sink  int
	block []byte
	boxes []*[64]byte
)

//memcost:program Program/grows=yes: grower -name=Program/grows=yes -n={n} -grow
//memcost:program Program/grows=no: grower -name=Program/grows=no -n={n}

func square(x int) int { return x * x }

// The result is not used: nothing of it is left.
func BenchmarkBodyRemoved(b *testing.B) {
	for i := 0; i < b.N; i++ {
		square(i)
	}
}

func BenchmarkBodyKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for j := 0; j < 8; j++ {
			sink += square(sink + j)
		}
	}
}

// The block does not escape: it was to be a heap allocation.
func BenchmarkAllocationVanished(b *testing.B) {
	for i := 0; i < b.N; i++ {
		x := new(int)
		*x = i
		sink = *x
	}
}

func BenchmarkAllocationKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		boxes[i&1] = new([64]byte)
	}
}

func init() { boxes = make([]*[64]byte, 2) }

// The same copy again and again is done once.
func BenchmarkCopyHoisted(b *testing.B) {
	const size = 1 << 20
	from, to := make([]byte, size), make([]byte, size)
	b.SetBytes(size)
	b.ResetTimer()
	copy(to, from)
	for i := 0; i < b.N; i++ {
		sink += int(to[i&(size-1)])
	}
}

func BenchmarkCopyDone(b *testing.B) {
	const size = 1 << 14
	from, to := make([]byte, size), make([]byte, size)
	b.SetBytes(size)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		copy(to, from)
	}
}

// What it walks gets longer with each operation.
func BenchmarkWorkGrows(b *testing.B) {
	var list []int
	for i := 0; i < b.N; i++ {
		list = append(list, i)
		for _, x := range list {
			sink += x
		}
	}
}

func BenchmarkWorkConstant(b *testing.B) {
	list := make([]int, 1000)
	for i := 0; i < b.N; i++ {
		for _, x := range list {
			sink += x
		}
	}
}

// A goroutine that nobody ends, and that does not wait.
func BenchmarkGoroutineLeaks(b *testing.B) {
	go func() {
		x := 0
		for {
			x++
		}
	}()
	for i := 0; i < b.N; i++ {
		for j := 0; j < 100; j++ {
			sink += j
		}
	}
}

func BenchmarkGoroutineEnds(b *testing.B) {
	done := make(chan bool)
	go func() { <-done }()
	for i := 0; i < b.N; i++ {
		for j := 0; j < 100; j++ {
			sink += j
		}
	}
	close(done)
}

func blocks() [][]byte {
	var out [][]byte
	for i := 0; i < 64; i++ {
		out = append(out, make([]byte, 1<<20))
	}
	return out
}

// The blocks from before the timer are garbage that is collected in the timed part.
func BenchmarkDebtLeft(b *testing.B) {
	old := blocks()
	block, old = old[0], nil
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		block = make([]byte, 1<<16)
	}
}

func BenchmarkDebtPaid(b *testing.B) {
	old := blocks()
	block, old = old[0], nil
	runtime.GC()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		block = make([]byte, 1<<16)
	}
}

var pages [1 << 30]byte // of which only what is touched is there

// Each operation touches a page for the first time.
func BenchmarkFirstTouch(b *testing.B) {
	for i := 0; i < b.N; i++ {
		pages[i<<12&(len(pages)-1)]++
	}
}

func BenchmarkTouchedBefore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		pages[i<<12&(1<<20-1)]++
		for j := 0; j < 20; j++ {
			sink += j
		}
	}
}

// One operation in ten allocates: two different ones are averaged.
func BenchmarkOneInTen(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if i%10 == 0 {
			boxes[0] = new([64]byte)
		}
		for j := 0; j < 20; j++ {
			sink += j
		}
	}
}

func BenchmarkEach(b *testing.B) {
	for i := 0; i < b.N; i++ {
		boxes[0] = new([64]byte)
	}
}

// The timer is stopped for each operation.
func BenchmarkTimerInLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list := make([]int, 2000)
		b.StartTimer()
		for _, x := range list {
			sink += x
		}
	}
}

func BenchmarkTimerOutside(b *testing.B) {
	list := make([]int, 2000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for _, x := range list {
			sink += x
		}
	}
}

var passed = 0

// What this leaves in the process, the next would find.
func BenchmarkStateLeft(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for j := 0; j < 100; j++ {
			sink += j
		}
	}
	passed = 1
}

func BenchmarkStateSeen(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for j := 0; j < 100; j++ {
			sink += j
		}
	}
	b.ReportMetric(float64(passed), "passed")
}
