package busy

import (
	"runtime"
	"testing"
)

// countAllocs returns the heap objects and bytes of one operation, rounded down as
// testing.AllocsPerRun does, for the runtime makes a few of its own.
func countAllocs(n int, w work) (allocs, bytes int) {
	var before, after runtime.MemStats
	w(n, func() { runtime.ReadMemStats(&before) })
	runtime.ReadMemStats(&after)
	return int(after.Mallocs-before.Mallocs) / n, int(after.TotalAlloc-before.TotalAlloc) / n
}

func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("sync.Pool drops one Put in four on purpose under the race detector (sync/pool.go)")
	}
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			allocs, bytes := countAllocs(1000, c.work)
			if allocs != c.allocs || c.allocs > 0 && (bytes < c.size || bytes > c.size+c.size/8) {
				t.Errorf("%d allocs/op and %d B/op, want %d of %d bytes", allocs, bytes, c.allocs, c.size)
			}
		})
	}
}

// Each place hands out a zeroed block: a byte that use wrote before is not read again.
func TestBlocksAreZeroed(t *testing.T) {
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			if got := c.work(200, func() {}); got != 0 {
				t.Errorf("the bytes beside the one just written add up to %d, want 0", got)
			}
		})
	}
}

// The collector has run before the timed part of a heap case begins.
func TestHeapIsWarm(t *testing.T) {
	for _, c := range allCases() {
		if c.allocs == 0 {
			continue
		}
		var before, started runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c.work(1, func() { runtime.ReadMemStats(&started) })
		if started.NumGC == before.NumGC {
			t.Errorf("%s: no collection in the warm-up", c.name)
		}
	}
}
