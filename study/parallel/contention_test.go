package parallel

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
)

// The purposes of a lock, by the function that held it.
const (
	forAlloc   = "alloc"   // the runtime's allocator
	forGC      = "gc"      // its collector
	forSched   = "sched"   // its scheduler
	forRuntime = "runtime" // other purposes: stacks, memory of the system
	forProgram = "program" // outside the runtime: mutexes of package sync
)

var lockPurposes = []string{forAlloc, forGC, forSched, forRuntime, forProgram}

// contention holds the contents of the mutex profile, or what was added to it: how often
// a goroutine waited, and for how many cycles, by the lock's purpose.
type contention struct {
	waits  int64
	cycles map[string]int64 // of the processor's counter: see cyclesPerSecond
}

// readContention reads the mutex profile of the process so far.
func readContention() contention {
	records := make([]runtime.BlockProfileRecord, 1000)
	n, ok := runtime.MutexProfile(records)
	for !ok {
		records = make([]runtime.BlockProfileRecord, n+1000)
		n, ok = runtime.MutexProfile(records)
	}
	c := contention{cycles: map[string]int64{}}
	for _, r := range records[:n] {
		c.waits += r.Count
		c.cycles[lockPurpose(r.Stack())] += r.Cycles
	}
	return c
}

func (c contention) minus(before contention) contention {
	added := contention{waits: c.waits - before.waits, cycles: map[string]int64{}}
	for purpose, cycles := range c.cycles {
		added.cycles[purpose] = cycles - before.cycles[purpose]
	}
	return added
}

func (c contention) allCycles() (all int64) {
	for _, cycles := range c.cycles {
		all += cycles
	}
	return all
}

// share returns a purpose's part of the waiting: 0 where no goroutine waited.
func (c contention) share(purpose string) float64 {
	if all := c.allCycles(); all > 0 {
		return float64(c.cycles[purpose]) / float64(all)
	}
	return 0
}

// cyclesPerSecond returns the figure in the head of the profile's text form.
func cyclesPerSecond() (perSecond float64, err error) {
	var text strings.Builder
	if err := pprof.Lookup("mutex").WriteTo(&text, 1); err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(text.String(), "--- mutex:\ncycles/second=%g\n", &perSecond)
	return perSecond, err
}

// lockPurpose returns the purpose of a lock: that of the first function, from the
// unlocking outwards, that determines it. The goroutine that unlocks is the one that
// made the others wait.
func lockPurpose(stack []uintptr) string {
	purpose := ""
	frames := runtime.CallersFrames(stack)
	for more := len(stack) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch p := framePurpose(f); {
		case p == forProgram && purpose != "": // the lock is the runtime's all the same
			return purpose
		case p == forSched || p == forRuntime:
			if purpose == "" {
				purpose = p
			}
		case p != "":
			return p
		}
	}
	if purpose == "" {
		return forRuntime
	}
	return purpose
}

// framePurpose returns the purpose of the lock that a function, or one called by it,
// held. A function of package sync determines none: the mutex belongs to its caller. A
// function of the runtime's with several uses (proc.go, which stops the world for the
// collector; mheap.go, mcentral.go) gives "sched" or "runtime", which its caller may
// replace by a more precise purpose.
func framePurpose(f runtime.Frame) string {
	switch {
	case strings.HasPrefix(f.Function, "sync."), strings.HasPrefix(f.Function, "internal/sync."):
		return ""
	case !strings.HasPrefix(f.Function, "runtime."):
		return forProgram
	case strings.HasPrefix(f.Function, "runtime.unlock"):
		return ""
	}
	switch file := path.Base(f.File); {
	case strings.HasPrefix(file, "mgc"), file == "mwbbuf.go", file == "mfinal.go", file == "mcleanup.go":
		return forGC
	case strings.HasPrefix(file, "malloc"), file == "arena.go", file == "slice.go":
		return forAlloc
	case file == "proc.go", file == "time.go":
		return forSched
	}
	return forRuntime
}

// stacksOfRuntimeLocks makes Go 1.22 to 1.24 record the stack at which a lock of the
// runtime's own was held. Later ones always do (Go 1.25 release notes, runtime), and
// earlier ones do not profile them.
func stacksOfRuntimeLocks(t testing.TB) {
	old, set := os.LookupEnv("GODEBUG")
	os.Setenv("GODEBUG", strings.TrimPrefix(old+",runtimecontentionstacks=1", ","))
	t.Cleanup(func() {
		if os.Setenv("GODEBUG", old); !set {
			os.Unsetenv("GODEBUG")
		}
	})
}

// measureContention does b.N operations by g goroutines with every wait for a lock in
// the mutex profile, and reports
//
//	contentions/Mop     waits for a lock in a million operations
//	wait-share          all of that waiting, over the goroutines' time
//	wait-alloc-share    of the waiting in the profile, where there is any, for the allocator's locks
//	wait-gc-share       … the collector's
//	wait-sched-share    … the scheduler's
//	wait-runtime-share  … others of the runtime
//	wait-program-share  … outside the runtime
func measureContention(b *testing.B, g int, c benchCase) {
	stacksOfRuntimeLocks(b)
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	perSecond, err := cyclesPerSecond()
	if err != nil {
		b.Fatalf("reading the head of the mutex profile: %v", err)
	}
	var before contention
	elapsed, slots := together(g, b.N, c.work, func() {
		before = readContention()
		b.ResetTimer()
	})
	b.StopTimer()
	added := readContention().minus(before)
	for _, s := range slots {
		sink += s.sum
	}
	b.ReportMetric(1e6*float64(added.waits)/float64(b.N), "contentions/Mop")
	b.ReportMetric(float64(added.allCycles())/perSecond/(float64(g)*elapsed.Seconds()), "wait-share")
	if added.allCycles() == 0 {
		return // a share of no waiting is undefined, not zero
	}
	for _, purpose := range lockPurposes {
		b.ReportMetric(added.share(purpose), "wait-"+purpose+"-share")
	}
}

// contentionCases returns those of the timed benchmarks that request memory from the
// runtime, and a slab's, which do not.
func contentionCases() []benchCase {
	cases := []benchCase{
		{name: "of=bilbo-heap", work: bilboHeap},
		{name: "of=smaug-heap-16K", work: smaugHeap[[16 << 10]byte]},
		{name: "of=smaug-heap-64K", work: smaugHeap[[64 << 10]byte]},
	}
	for _, c := range objectCases() {
		cases = append(cases, benchCase{name: "of=objects-" + strings.TrimPrefix(c.name, "from="), work: c.work})
	}
	return cases
}

// BenchmarkContention does what Bilbo, Smaug and Objects do, under the mutex profile.
// The profile takes time itself: this is not what those take.
//
//memcost:full -load:full
func BenchmarkContention(b *testing.B) { runCases(b, contentionCases(), measureContention) }
