package parallel

import (
	"go/build"
	"math"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// Every operation is done once, by shares that differ by one at most; and nobody
// begins before everybody is ready.
func TestTogether(t *testing.T) {
	for _, c := range []struct{ g, n int }{{1, 10}, {2, 10}, {3, 10}, {4, 3}, {7, 100}, {64, 1000}} {
		var ready, early, done int64
		started := false
		_, slots := together(c.g, c.n, func(ops int, start func()) int {
			atomic.AddInt64(&ready, 1)
			start()
			if atomic.LoadInt64(&ready) != int64(c.g) || !started {
				atomic.AddInt64(&early, 1)
			}
			atomic.AddInt64(&done, int64(ops))
			return 2 * ops
		}, func() { started = true })
		if early != 0 {
			t.Errorf("%d of %d goroutines began before all were ready", early, c.g)
		}
		if int(done) != c.n {
			t.Errorf("%d goroutines did %d operations, want %d", c.g, done, c.n)
		}
		for i, s := range slots {
			if s.ops < c.n/c.g || s.ops > c.n/c.g+1 || s.sum != 2*s.ops {
				t.Errorf("goroutine %d of %d did %d of %d operations and returned %d", i, c.g, s.ops, c.n, s.sum)
			}
		}
	}
}

// The time is that of the slowest: one sleeps, and nothing else takes time.
func TestTogetherWaitsForAll(t *testing.T) {
	var first int64
	const nap = 50 * time.Millisecond
	elapsed, _ := together(8, 8, func(ops int, start func()) int {
		start()
		if atomic.AddInt64(&first, 1) == 1 {
			time.Sleep(nap)
		}
		return ops
	}, func() {})
	if elapsed < nap {
		t.Errorf("it took %v, and one of the goroutines %v", elapsed, nap)
	}
}

// No two goroutines write to one cache line of the harness.
func TestSlotsAreApart(t *testing.T) {
	if size := unsafe.Sizeof(slot{}); size != 128 {
		t.Errorf("a slot has %d bytes, want 128", size)
	}
}

func TestCounts(t *testing.T) {
	for cores, want := range map[int][]int{1: {1, 2}, 2: {1, 2, 4}, 3: {1, 2, 3, 6}, 4: {1, 2, 4, 8},
		6: {1, 2, 4, 6, 12}, 16: {1, 2, 4, 8, 16, 32}} {
		got := counts(cores)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("on %d cores %v goroutines, want %v", cores, got, want)
		}
		loads := map[string]int{}
		for _, g := range got {
			loads[load(g, cores)]++
		}
		if loads["full"] != 1 || loads["over"] != 1 || cores > 1 && loads["alone"] != 1 {
			t.Errorf("on %d cores %v: the claims need one case that is alone, one that is full and one that is over",
				cores, loads)
		}
		if len(loads) != len(got) {
			t.Errorf("on %d cores the loads %v name %d cases", cores, loads, len(got))
		}
	}
}

func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	before := &metrics.Float64Histogram{Counts: []uint64{5, 0, 7}, Buckets: []float64{0, 1, 2, inf}}
	for _, c := range []struct {
		counts []uint64
		q      float64
		want   float64
	}{
		{[]uint64{5, 0, 7}, 0.99, 0}, // nothing was added
		{[]uint64{104, 1, 7}, 0.99, 1},
		{[]uint64{103, 2, 7}, 0.99, 2},
		{[]uint64{5, 0, 8}, 0.5, 2}, // the last bucket has no upper end
		{[]uint64{6, 1, 7}, 0.5, 1},
	} {
		h := &metrics.Float64Histogram{Counts: c.counts, Buckets: before.Buckets}
		if got := quantile(h, before, c.q); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.q, c.counts, got, c.want)
		}
	}
}

// The gauges see what is planted: waiting for a mutex, and collections. Each is
// held against work of the same length without it.
func TestGauges(t *testing.T) {
	// Waiting is sampled, one change of a goroutine's state in eight (gTrackingPeriod in
	// runtime/runtime2.go): it takes many to record some.
	const many, few, nap = 400, 20, 200 * time.Microsecond
	var mu sync.Mutex
	var garbage atomic.Value
	since := func(g, n int, name string, op func()) float64 {
		var before, after gauges
		together(g, n, func(ops int, start func()) int {
			start()
			for i := 0; i < ops; i++ {
				op()
			}
			return 0
		}, before.read)
		after.read()
		if _, ok := after.seconds[name]; !ok {
			t.Skipf("this Go has no %s", name)
		}
		return after.seconds[name] - before.seconds[name]
	}
	held := func() {
		mu.Lock()
		time.Sleep(nap)
		mu.Unlock()
	}
	if free, waiting := since(1, many, lockWait, held),
		since(4, many, lockWait, held); waiting < many/4*nap.Seconds() || waiting < 5*free {
		t.Errorf("four goroutines waited %v s for a mutex that is always held, one %v s", waiting, free)
	}
	quiet := since(1, few, gcTime, func() { time.Sleep(nap) })
	if busy := since(1, few, gcTime, func() {
		garbage.Store(make([]*int, 1<<16))
		runtime.GC()
	}); busy < 5*quiet || busy <= 0 {
		t.Errorf("%v s of %d collections, %v s without any", busy, few, quiet)
	}
}

// The mutex profile sees what is planted, and whose lock it was: four goroutines that
// sleep with a mutex of the program's wait for each other most of the time.
func TestContention(t *testing.T) {
	stacksOfRuntimeLocks(t)
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	var mu sync.Mutex
	const ops, g = 40, 4
	before := readContention()
	elapsed, _ := together(g, ops, func(ops int, start func()) int {
		start()
		for i := 0; i < ops; i++ {
			mu.Lock()
			time.Sleep(time.Millisecond)
			mu.Unlock()
		}
		return ops
	}, func() {})
	added := readContention().minus(before)
	perSecond, err := cyclesPerSecond()
	if err != nil {
		t.Fatal(err)
	}
	waited := float64(added.allCycles()) / perSecond
	if all := g * elapsed.Seconds(); added.waits < ops/2 || waited < all/4 || waited > 2*all {
		t.Errorf("%d goroutines take a mutex %d times and have it for %v: %d waits, %.3g s", g, ops, elapsed,
			added.waits, waited)
	}
	if share := added.share(forProgram); share < 0.9 {
		t.Errorf("%.0f%% of the waiting is for the program's mutex: %v", 100*share, added.cycles)
	}
}

func TestFramePurpose(t *testing.T) {
	for _, c := range []struct{ function, file, want string }{
		{"runtime.unlock2", "runtime/lock_spinbit.go", ""},
		{"sync.(*Mutex).Unlock", "sync/mutex.go", ""},
		{"internal/sync.(*Mutex).Unlock", "internal/sync/mutex.go", ""},
		{"runtime.(*mheap).freeSpan.func1", "runtime/mheap.go", forRuntime},
		{"runtime.wakep", "runtime/proc.go", forSched},
		{"runtime.(*sweepLocked).sweep", "runtime/mgcsweep.go", forGC},
		{"runtime.mallocgcLarge", "runtime/malloc.go", forAlloc},
		{"memcost/study/parallel.bilboHeap", "stackheap_test.go", forProgram},
	} {
		if got := framePurpose(runtime.Frame{Function: c.function, File: "/go/src/" + c.file}); got != c.want {
			t.Errorf("%s in %s is for %q, want %q", c.function, c.file, got, c.want)
		}
	}
}

// The cases allocate what their names say, on one goroutine and on many.
func TestAllocations(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const ops = 100
	type want struct {
		c      benchCase
		allocs int // per operation; the pool and the arena have a few of their own
	}
	var cases []want
	for _, c := range append(bilboCases(), smaugCases()...) {
		allocs := 0
		if strings.HasPrefix(c.name, "place=heap") {
			allocs = 1
		}
		cases = append(cases, want{c, allocs})
	}
	for _, c := range objectCases() {
		if c.work == nil || c.name == "from=pool" && raceDetector { // with it, a pool drops objects at random
			continue
		}
		allocs := 0
		if c.name == "from=heap" {
			allocs = batch
		}
		cases = append(cases, want{c, allocs})
	}
	for _, x := range cases {
		for _, g := range []int{1, 4} {
			var before, after runtime.MemStats
			together(g, ops, x.c.work, func() { runtime.ReadMemStats(&before) })
			runtime.ReadMemStats(&after)
			low, high := x.allocs*ops, x.allocs*ops+ops/10
			switch x.c.name {
			case "from=pool": // goroutines change places, and find another pool there
				high += g * 2 * batch
			case "from=arena":
				low, high = ops, 5*ops
			}
			if got := int(after.Mallocs - before.Mallocs); got < low || got > high {
				t.Errorf("%s on %d goroutines: %d allocations in %d operations, want %d to %d", x.c.name, g, got, ops,
					low, high)
			}
		}
	}
}

// Wherever the objects are from, they hold the same.
func TestObjects(t *testing.T) {
	for _, c := range objectCases() {
		if c.work == nil {
			continue
		}
		for i := 0; i < 2; i++ { // the second time, what the first has left must be clear
			if got, want := c.work(3, func() {}), 4*batch*(batch-1)/2; got != want {
				t.Errorf("%s: the objects hold %d, want %d", c.name, got, want)
			}
		}
	}
}

// The arena case passes the same tests where the toolchain has the experiment.
func TestWithArenas(t *testing.T) {
	switch {
	case fromArena != nil:
		t.Skip("this build has arenas already")
	case !strings.Contains(strings.Join(build.Default.ReleaseTags, " ")+" ", "go1.20 "):
		t.Skip("this Go has no arenas")
	case testing.Short():
		t.Skip("builds the standard library with the experiment")
	}
	goCmd, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(goCmd, "test", "-count=1", ".")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT=arenas")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "unknown GOEXPERIMENT") {
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Errorf("with GOEXPERIMENT=arenas: %v\n%s", err, out)
	}
}
