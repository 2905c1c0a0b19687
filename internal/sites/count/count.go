// Package count builds a package's benchmarks or tests with the compiler's diagnostics, and
// counts what they allocate: a heap profile of the timed part alone, and CPU profiles.
package count

import (
	"context"
	"os"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// A Counted is one package, built and run.
type Counted struct {
	Package     toolchain.Package
	Toolchain   toolchain.Toolchain
	Binary      string            // the test binary that was run; without tests the program, "" if it is none
	Diagnostics []byte            // the compiler's -m=2 of the package and its tests, with absolute names of files
	Folders     map[string]string // import path of each dependency → its folder; nil if nothing was run
	Measured    []join.Measured
	Exact       bool
	Warnings    []string

	asked   Options
	builder *toolchain.Builder
}

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

	// Again counts once more what is not the same in each operation: two sources are compared.
	Again bool

	CPURuns int           // runs of each benchmark under the CPU profiler; 0 leaves them out
	CPUTime time.Duration // of each; 0: of the budget, else 300 ms
	Budget  time.Duration // for all runs together, about; 0 is no limit
	Timeout time.Duration // of one process; 0 is two minutes

	Progress func(sites.Progress) // may be nil
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

// environ returns the user's environment; nil is memcost's own.
func environ(env []string) []string {
	if env == nil {
		return os.Environ()
	}
	return env
}

// Count builds packages and counts what their benchmarks, or tests, allocate. A benchmark that
// fails costs its own figures alone. An error is of what was asked, of a package that does not
// compile where there is no other, and of a ctx that was cancelled before anything was counted; else
// what was counted until then is the answer.
func Count(ctx context.Context, b *toolchain.Builder, o Options) ([]Counted, error) {
	asked, err := plan.New(o.Bench)
	if err != nil {
		return nil, hint.Usage("it is a regular expression, as of go test -bench", "-bench %q: %v", o.Bench, err)
	}
	if o.Toolchain, err = b.Outside(o.Toolchain); err != nil {
		return nil, err
	}
	pkgs, err := Packages(ctx, b, o)
	if err != nil {
		return nil, err
	}
	tell := &teller{to: o.Progress, began: time.Now()}
	pkgs, left, err := wanted(pkgs, asked, o)
	if err != nil {
		return nil, err
	}
	targets, err := buildAll(ctx, b, o, pkgs, tell)
	if err != nil {
		return nil, err
	}
	if left > 0 {
		targets[0].warn("%s not built: nothing in them is to be run", packagesAre(left))
	}
	if !slices.ContainsFunc(targets, func(t *target) bool { return t.program != nil }) {
		return finish(targets, nil), nil
	}
	temp, err := b.Temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	for _, t := range targets {
		if t.program != nil {
			t.program.temp = temp
		}
	}
	folders := listFolders(context.WithoutCancel(ctx), b, o) // what was counted is of no use without them
	defer folders.wait()
	err = measure(ctx, targets, asked, o, tell, folders)
	if err != nil && (ctx.Err() == nil || !counted(targets)) {
		return nil, err
	}
	return finish(targets, folders), nil
}

// counted leaves out the benchmarks that were not counted when counting was interrupted, says so, and
// reports whether some were.
func counted(targets []*target) bool {
	some, all := 0, 0
	for _, t := range targets {
		all += len(t.benches)
		t.benches = slices.DeleteFunc(t.benches, func(b *bench) bool { return b.Memory == nil && b.Err == nil })
		some += len(t.benches)
		all, some = all+len(t.Measured), some+len(t.Measured)
	}
	if some == 0 {
		return false
	}
	targets[0].warn("it was interrupted when %d of %d had been counted", some, all)
	return true
}

// measure runs what was built.
func measure(ctx context.Context, targets []*target, asked plan.Pattern, o Options, tell *teller,
	folders *listing) error {
	var benches []*bench
	for _, t := range targets {
		var err error
		switch {
		case t.program == nil:
		case o.Test != "":
			err = t.tests(ctx, o, tell)
		default:
			err = t.find(ctx, asked, tell)
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			if len(targets) == 1 {
				return err
			}
			t.warn("%v", err)
		}
		benches = append(benches, t.benches...)
	}
	if o.Test != "" {
		return untested(o, targets)
	}
	if err := missing(o, targets); err != nil {
		return err
	}
	for i, b := range benches {
		tell.step("counting what "+b.Name+" allocates", i, len(benches), time.Duration(len(benches)-i)*countTime)
		if b.Err == nil {
			if err := b.look(ctx); err != nil {
				return err
			}
		}
		if b.Err == nil {
			if err := b.memory(ctx); err != nil {
				return err
			}
			tell.counted(b)
			if err := b.again(ctx, o); err != nil {
				return err
			}
		}
	}
	folders.wait() // what it computes must not be in the CPU profiles
	return cpuRounds(ctx, benches, o, tell)
}

// untested is the error of a -test that names no test of any package.
func untested(o Options, targets []*target) error {
	for _, t := range targets {
		if len(t.Measured) > 0 || t.program == nil {
			return nil
		}
	}
	return hint.Usage("go test -list '^Test' lists them", "-test %q: no test matches", o.Test)
}

// finish returns what is known of each package.
func finish(targets []*target, folders *listing) []Counted {
	if folders == nil { // nothing was run, so nobody asks where something was allocated
		folders = &listing{}
	} else {
		folders.wait()
	}
	var all []Counted
	for _, t := range targets {
		for _, b := range t.benches {
			t.Measured = append(t.Measured, b.Measured)
		}
		if folders.err != nil {
			t.warn("the folders of the packages that it imports are not known: %v", folders.err)
		}
		t.Folders = folders.folders
		all = append(all, t.Counted)
	}
	return all
}
