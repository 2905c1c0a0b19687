package onaxis

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// sevens returns memory that is as dirty as it can be.
func sevens(words int) []uint64 {
	out := make([]uint64, words)
	for i := range out {
		out[i] = 7
	}
	return out
}

// marked reports how a block differs from one that was zeroed and touched once.
func marked(t *testing.T, name string, words []uint64) {
	t.Helper()
	for i, w := range words {
		want := uint64(0)
		if i%(line/wordBytes) == 0 {
			want = mark
		}
		if w != want {
			t.Errorf("%s: word %d of %d is %d, want %d", name, i, len(words), w, want)
			return
		}
	}
}

// Touching writes the first word of each line and nothing else, and returns what it wrote.
func TestTouch(t *testing.T) {
	for _, words := range []int{1, 2, 7, 8, 9, 16, 1 << 10} {
		block := make([]uint64, words)
		if got := touchWords(block); got != mark {
			t.Errorf("touching %d words loaded %d, want %d", words, got, mark)
		}
		marked(t, "touch", block)
	}
}

// A means whose memory was used before clears all of it, but for the pool as left.
func TestUsedMemoryIsCleared(t *testing.T) {
	for _, n := range []int{8, 64, 4096} {
		block := sevens(n / wordBytes)
		pool := &sync.Pool{New: func() any { return &block }}
		clearedFrom(pool)()
		marked(t, "pool", block)

		block = sevens(n / wordBytes)
		leftFrom(pool)()
		if n > wordBytes && block[len(block)-1] != 7 {
			t.Errorf("pool as left: the last word of %d bytes is %d, want the 7 that was left", n, block[len(block)-1])
		}

		memory := sevens(2 * n / wordBytes)
		op := slabOf(memory, n/wordBytes)
		for i := 0; i < 2; i++ { // these are of the dirty memory
			op()
		}
		for i := range memory {
			memory[i] = 7
		}
		op() // takes both back
		marked(t, "slab", memory[:n/wordBytes])
		if last := memory[len(memory)-1]; last != 0 {
			t.Errorf("slab: after a reset the last word is %d, want 0", last)
		}
	}
}

// eachOperation calls f with every means at some sizes.
func eachOperation(f func(m means, n int, op operation)) {
	for _, m := range allMeans() {
		for _, n := range []int{8, 64, 4096, 128 << 10, 2 << 20} {
			if n <= m.largest {
				f(m, n, m.make(n))
			}
		}
	}
}

// Every operation loads the mark, as the sum that each sample checks needs.
func TestEachOperationLoadsTheMark(t *testing.T) {
	const times = 5
	eachOperation(func(m means, n int, op operation) {
		if sum := work(op, times, func() {}); sum != (times+warmUp)*mark {
			t.Errorf("by=%s/size=%d: %d operations loaded %d in all", m.by, n, times+warmUp, sum)
		}
	})
}

// The blocks are where their names say.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector sync.Pool drops objects at random")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a pool keeps objects per P
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const times = 50
	eachOperation(func(m means, n int, op operation) {
		var before, after runtime.MemStats
		work(op, times, func() { runtime.ReadMemStats(&before) })
		runtime.ReadMemStats(&after)
		allocs, bytes := (after.Mallocs-before.Mallocs)/times, (after.TotalAlloc-before.TotalAlloc)/times
		switch {
		case m.by == "heap" && (allocs != 1 || bytes < uint64(n)):
			t.Errorf("by=heap/size=%d: %d allocs/op of %d B/op, want 1 of the whole size", n, allocs, bytes)
		case m.by == "arena" && allocs > 4:
			t.Errorf("by=arena/size=%d: %d allocs/op, want the arena's own few", n, allocs)
		case m.by != "heap" && m.by != "arena" && allocs != 0:
			t.Errorf("by=%s/size=%d: %d allocs/op, want 0", m.by, n, allocs)
		}
	})
}

// An operation that was optimised away would take the same time at every size: one of 64 KiB
// stores a thousand times as often as one of 64 B.
func TestTimeGrowsWithTheSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes time")
	}
	least := func(op operation) time.Duration {
		best := time.Duration(0)
		for try := 0; try < 10; try++ {
			began := time.Now()
			work(op, 200, func() { began = time.Now() })
			if d := time.Since(began); best == 0 || d < best {
				best = d
			}
		}
		return best
	}
	for _, m := range allMeans() {
		if m.largest < 64<<10 {
			continue
		}
		if small, large := least(m.make(64)), least(m.make(64<<10)); large < 2*small {
			t.Errorf("by=%s: blocks of 64 KiB take %v, and blocks of 64 B %v", m.by, large, small)
		}
	}
}

// The sum of a sample notices an operation that does nothing, or too much.
func TestWrongOperationIsNoticed(t *testing.T) {
	for name, op := range map[string]operation{
		"left out": func() uint64 { return 0 },
		"twice":    func() uint64 { return 2 * mark },
	} {
		r := testing.Benchmark(func(b *testing.B) { measure(b, op, false, 1) })
		if r.N != 0 {
			t.Errorf("%s: the benchmark gave a result", name)
		}
	}
}

// Each block of a stack case has its own size.
func TestStackSizes(t *testing.T) {
	sizes := 0
	eachSize(maxStack, func(n int) {
		sizes++
		if onStack(n) == nil {
			t.Errorf("there is no operation on a block of %d bytes on the stack", n)
		}
	})
	if unsafe.Sizeof(uint64(0)) != wordBytes || sizes != 15 {
		t.Errorf("%d sizes of words of %d bytes", sizes, wordBytes)
	}
}
