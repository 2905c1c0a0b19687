package count

import (
	"time"

	"memcost/internal/gotool/toolchain"
)

// Options say what is built and run.
type Options struct {
	Toolchain toolchain.Toolchain
	Dir       string   // from which Patterns are seen
	Patterns  []string // of packages
	Flags     []string // of the go command, one word each: "-tags=x"
	Env       []string // variables of the build: CGO_ENABLED …
	Vars      []string // variables of what is run

	Bench string   // run the benchmarks that match, as go test -bench does; "" is all
	Test  string   // run the tests that match, and no benchmark; "" is none
	Args  []string // of the test binary, behind those of go test
	Build bool     // build alone, and run nothing

	// Exact counts each object where it is made, those under 16 bytes too: by a runtime that
	// puts no two of them into one block while all are profiled.
	Exact bool

	CPURuns int           // runs of each benchmark under the CPU profiler; 0 leaves them out
	CPUTime time.Duration // of each; 0: of the budget, else 300 ms
	Budget  time.Duration // for all runs together, about; 0 is no limit
	Timeout time.Duration // of one process; 0 is two minutes

	Progress func(Progress) // may be nil
}

// Progress is how far Count is.
type Progress struct {
	What     string // "building memcost/x"
	Done, Of int    // steps
	Left     time.Duration
}

// timeout of one process.
func (o Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return 2 * time.Minute
}

// What a benchmark is run for. A first run of pilot or pilotOps operations shows how it runs.
// Counting takes as many operations as fit into countTime, for what the benchmark prepares
// in its timed part, and what is done once, to be a small share of what is counted, as it
// is in a run of go test. Of an operation that takes long, there are at least leastOps as
// long as they take no more than slowTime.
const (
	pilot     = 20 * time.Millisecond
	pilotOps  = 100
	countTime = 500 * time.Millisecond
	slowTime  = 5 * time.Second
	leastOps  = 100
	mostOps   = 1_000_000
	cpuTime   = 300 * time.Millisecond
	leastCPU  = 50 * time.Millisecond
	mostCPU   = time.Second
	// recorded is what it takes to record the stack of an object, of 2 µs with a deep one.
	recorded = 2 * time.Microsecond
	// stopped is what it takes to stop the timer of a benchmark that is counted.
	stopped = 200 * time.Microsecond
)

// operations is how many are counted of a benchmark.
func operations(p pilotRun) int64 {
	ns := p.each() + float64(p.mallocs)/float64(max(p.ops, 1))*float64(recorded)
	if p.toggles() {
		ns += float64(stopped)
	}
	n := int64(float64(countTime) / max(ns, 1))
	n = max(n, min(leastOps, int64(float64(slowTime)/max(ns, 1))))
	return min(max(n, 2), mostOps)
}

// cpuLength is how long each run under the CPU profiler is to be.
func (o Options) cpuLength(benchmarks int) time.Duration {
	switch {
	case o.CPUTime > 0:
		return o.CPUTime
	case o.Budget > 0 && o.CPURuns > 0 && benchmarks > 0:
		// a fifth is left to counting, and to what the processes do besides
		return min(max(o.Budget*4/5/time.Duration(o.CPURuns*benchmarks), leastCPU), mostCPU)
	}
	return cpuTime
}
