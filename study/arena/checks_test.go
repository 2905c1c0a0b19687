package arena

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// family is a benchmark's variants and what one operation of method=fixed leaves,
// with the heap objects that it makes on the heap (0: not the same at all sizes).
type family struct {
	name     string
	variants []variant
	result   func(n int) int
	objects  func(n int) uint64
}

func families() []family {
	few := func(n uint64) func(int) uint64 { return func(int) uint64 { return n } }
	return []family{
		{"Slice", sliceVariants(), func(n int) int { return n - 1 }, few(5)},
		{"SimpleStruct", simpleVariants(), func(n int) int {
			return n * (n - 1) / 2
		}, func(n int) uint64 { return uint64(n) }},
		{"ComplexStruct", complexVariants(1), func(n int) int { return n }, few(2)},
		{"ComplexStructIter", complexVariants(1000), func(n int) int { return 1000 * n }, few(2000)},
	}
}

// eachVariant calls fn with those that can run in this build.
func eachVariant(fn func(f family, v variant, name string)) {
	for _, f := range families() {
		for _, v := range f.variants {
			if v.work(1) != nil {
				fn(f, v, f.name+"/"+v.name())
			}
		}
	}
}

// With method=fixed every operation does the same, wherever the memory is from,
// and the operations before it leave nothing behind.
func TestFixedWorkIsConstant(t *testing.T) {
	const n, ops = 100, 7
	eachVariant(func(f family, v variant, name string) {
		if v.method != "fixed" {
			return
		}
		v.work(n)(ops, func() {})
		if want := (ops + 1) * f.result(n); sink != want {
			t.Errorf("%s: %d operations leave %d, want %d", name, ops+1, sink, want)
		}
	})
}

// The published method has its flaw: what an operation finds depends on how many
// came before it.
func TestPublishedWorkGrows(t *testing.T) {
	const n, ops = 100, 7
	eachVariant(func(f family, v variant, name string) {
		if v.method != "published" || f.name == "SimpleStruct" {
			return
		}
		v.work(n)(ops, func() {})
		if sink != ops*n {
			t.Errorf("%s: after %d operations the slice has %d elements, want %d", name, ops, sink, ops*n)
		}
	})
}

// The cases allocate where their names say.
func TestAllocations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a pool keeps objects per P
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const n, ops = 100, 20
	eachVariant(func(f family, v variant, name string) {
		if v.method != "fixed" {
			return
		}
		var before, after runtime.MemStats
		v.work(n)(ops, func() { runtime.ReadMemStats(&before) })
		runtime.ReadMemStats(&after)
		allocs := (after.Mallocs - before.Mallocs) / ops
		switch heap := f.objects(n); {
		case v.from == "heap" && allocs != heap:
			t.Errorf("%s: %d allocs/op, want %d", name, allocs, heap)
		case v.from == "arena" && (allocs < 1 || allocs > 3):
			t.Errorf("%s: %d allocs/op, want the arena's own one to three", name, allocs)
		case v.from == "slab" && allocs != 0:
			t.Errorf("%s: %d allocs/op, want 0", name, allocs)
		case v.from == "pool" && !raceDetector && allocs != 0: // with it, a pool drops objects at random
			t.Errorf("%s: %d allocs/op, want 0", name, allocs)
		}
	})
}

// What a slab hands out is zeroed, apart from everything else it has handed out,
// and its own memory again after a reset.
func TestSlab(t *testing.T) {
	s := new(slab[int])
	var firsts []*int
	for r := 0; r < 3; r++ {
		taken := map[*int]bool{}
		for i, n := range []int{1, 100, slabBlock - 100, slabBlock, 5 * slabBlock, 3} {
			x := s.take(n)
			if len(x) != 0 || cap(x) != n {
				t.Fatalf("take(%d) has length %d and capacity %d", n, len(x), cap(x))
			}
			for j := range x[:n] {
				if p := &x[:n][j]; taken[p] || *p != 0 {
					t.Fatalf("round %d: element %d of take(%d) holds %d, handed out before: %v", r, j, n, *p, taken[p])
				} else {
					*p, taken[p] = 7, true
				}
			}
			if r == 0 {
				firsts = append(firsts, &x[:1][0])
			} else if &x[:1][0] != firsts[i] {
				t.Errorf("round %d: take(%d) is not from where it was before the reset", r, n)
			}
		}
		s.reset()
	}
}

// The GC program makes as many elements as the published one, and forces a
// collection between its parts only.
func TestProgram(t *testing.T) {
	for _, c := range programCases() {
		if c.program.needsArenas() {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := c.program.run()
		runtime.ReadMemStats(&after)
		if want := len(c.program) * 100 * 100_000; got != want {
			t.Errorf("method=%s/from=%s made %d elements, want %d", c.method, c.from, got, want)
		}
		if forced, want := int(after.NumForcedGC-before.NumForcedGC), len(c.program)-1; forced != want {
			t.Errorf("method=%s/from=%s forced %d collections, want %d", c.method, c.from, forced, want)
		}
	}
}

// What a run of the GC program collects does not depend on how many there are: none
// with arenas, which are freed by hand, and about as many in each run on the heap.
func TestProgramCollections(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector an arena never passes its last chunk on")
	}
	for _, c := range programCases() {
		if c.method != "fixed" || c.from != "arena" && c.from != "heap" || c.program.needsArenas() {
			continue
		}
		runtime.GC()
		c.program.run()
		for _, runs := range []int{1, 2, 4} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := 0; i < runs; i++ {
				c.program.run()
			}
			runtime.ReadMemStats(&after)
			perRun := float64(after.NumGC-before.NumGC) / float64(runs)
			if c.from == "arena" && perRun != 0 || c.from == "heap" && perRun < 1 {
				t.Errorf("from=%s: %g collections in each of %d runs, want none in arenas and many on the heap", c.from,
					perRun, runs)
			}
		}
	}
}

// The arena cases pass the same tests where the toolchain has the experiment: this
// package is built once more with it. A toolchain that does not know it any more
// says so, and that is all right.
func TestWithArenas(t *testing.T) {
	switch {
	case haveArenas:
		t.Skip("this build has arenas already")
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
