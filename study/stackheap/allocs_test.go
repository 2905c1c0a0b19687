package stackheap

import (
	"go/build"
	"runtime"
	"testing"
)

// allCases lists every case of the study that must make an exact number of
// allocations, under its full name.
func allCases() []benchCase {
	var all []benchCase
	for _, group := range []struct {
		name  string
		cases []benchCase
	}{
		{"Bilbo/", bilboCases()}, {"Smaug/", smaugCases()}, {"SmaugLocal/", smaugLocalCases(hasRelease("go1.24"))},
		{"Thorin/", thorinCases()}, {"Down/", downCases()}, {"Method/", methodCases()}, {"Range/", rangeCases()},
		{"Map/", mapCases()}, {"Up/", upCases()},
		{"Copy/", rooflineCases(copyWork)}, {"Read/", rooflineCases(readWork)}, {"Write/", rooflineCases(writeWork)},
	} {
		for _, c := range group.cases {
			c.name = group.name + c.name
			all = append(all, c)
		}
	}
	return all
}

// hasRelease reports whether this Go is of the release of that tag, or a later one.
func hasRelease(tag string) bool {
	for _, t := range build.Default.ReleaseTags {
		if t == tag {
			return true
		}
	}
	return false
}

// counted holds what the process did between a work's start and its end.
type counted struct {
	allocs, bytes uint64 // per operation, rounded down as testing.AllocsPerRun does
	grown         int64  // bytes that stacks take up more than at the start
}

// countAllocs does the operation n times. The runtime may make a few objects of its own
// meanwhile; the division by n drops them.
func countAllocs(n int, w work) counted {
	var before, after runtime.MemStats
	w(n, func() { runtime.ReadMemStats(&before) })
	runtime.ReadMemStats(&after)
	return counted{
		allocs: (after.Mallocs - before.Mallocs) / uint64(n),
		bytes:  (after.TotalAlloc - before.TotalAlloc) / uint64(n),
		grown:  int64(after.StackInuse) - int64(before.StackInuse),
	}
}

func TestAllocations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			got := countAllocs(100, c.work)
			if got.allocs != c.allocs {
				t.Errorf("%d allocs/op, want %d", got.allocs, c.allocs)
			}
			// A size class wastes less than an eighth of these sizes, and the
			// runtime's own bytes are far below one block per operation.
			if got.bytes < c.bytes || got.bytes > c.bytes+c.bytes/8+8 {
				t.Errorf("%d B/op, want %d and no more than its size class adds", got.bytes, c.bytes)
			}
			// Small stacks come from shared spans, which do not grow with each of them.
			if c.size >= 64<<10 && got.grown >= int64(c.size) {
				t.Errorf("stacks grew by %d bytes in the timed part, which must find them grown", got.grown)
			}
		})
	}
}

// TestGrowthIsSeen proves that TestAllocations sees a stack that grows in the
// timed part: here it does, because start is called outside the loop's frame.
func TestGrowthIsSeen(t *testing.T) {
	var got counted
	done := make(chan struct{})
	go func() {
		defer close(done)
		got = countAllocs(1, func(n int, start func()) {
			start()
			smaugStack[[1 << 20]byte](n, func() {})
		})
	}()
	<-done
	if got.grown < 1<<20 {
		t.Errorf("stacks grew by %d bytes in a cold call with a 1 MiB argument, want at least that", got.grown)
	}
}

// TestStackCasesNeedNoHeap counts what comes before the loop, too: the source of
// a stack case must lie on the stack as well.
func TestStackCasesNeedNoHeap(t *testing.T) {
	for _, c := range smaugCases() {
		if c.allocs > 0 {
			continue
		}
		got := countAllocs(1, func(n int, start func()) {
			start()
			c.work(n, func() {})
		})
		if got.bytes >= uint64(c.size) {
			t.Errorf("%s: %d bytes of heap, set-up included, for a block of %d", c.name, got.bytes, c.size)
		}
	}
}

// TestHandedOver checks that each way of handing a value over hands over that value.
func TestHandedOver(t *testing.T) {
	if v, p := bilboByValue(111), bilboByPointer(111); v != (bilbo{Age: 111, Rings: 1}) || *p != v {
		t.Errorf("bilbo of age 111 came back as %+v and %+v", v, *p)
	}
	var v smaug[[1 << 10]byte]
	for i := range v.Hoard {
		v.Hoard[i] = byte(i + i>>8)
	}
	if smaugByValue(v) != v {
		t.Error("smaugByValue changed its argument")
	}
	if smaugByLocal(v) != v {
		t.Error("smaugByLocal changed its argument")
	}
	p, q := smaugByPointer(v), smaugByPointer(v)
	if *p != v {
		t.Error("smaugByPointer changed its argument")
	}
	if p == q {
		t.Error("smaugByPointer returned the same object twice")
	}
	for name, sum := range map[string]int{
		"header": transportHeader(64), "pointer": transportPointer(64), "array": transportArray[[64]byte](),
	} {
		if sum != 1 {
			t.Errorf("transport by %s read %d from a block that the service raised from 0 to 1", name, sum)
		}
	}
}

// TestHandedDown checks that by value and by pointer the same bytes are read, once an operation.
func TestHandedDown(t *testing.T) {
	for _, cases := range [][]benchCase{downCases(), methodCases(), rangeCases(), mapCases()} {
		for _, c := range cases {
			if c.work(10, func() {}); sink != 10*3 {
				t.Errorf("%s read %d in 10 operations, want 30", c.name, sink)
			}
		}
	}
}

func TestSumWords(t *testing.T) {
	words := make([]uint64, 128)
	for i := range words {
		words[i] = uint64(i)
	}
	if got, want := sumWords(words), uint64(127*128/2); got != want {
		t.Errorf("sum of 0 to 127 = %d, want %d", got, want)
	}
}
