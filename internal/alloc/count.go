package alloc

import (
	"context"
	"fmt"
	"os"
	"time"

	"memcost/internal/mallocprofile"
	"memcost/internal/units"
)

const (
	// fewCalls is how many calls of malloc and free a program makes in a second of CPU time below
	// which no allocator can gain much: at 100 ns a call they take 1% of it.
	fewCalls = 100_000
	// longestCounted is the longest that a program may take to be run once more for the count.
	longestCounted = 30 * time.Second
)

// count runs the program once with its calls of malloc counted, and notes how many it makes in a
// second of CPU time. A program in which nothing can be counted has no note: nothing rests on it.
func (b *beginning) count(ctx context.Context, p *prober, own trial) {
	if own.took > longestCounted || b.program.main != nil && b.program.main.Static() {
		return
	}
	build := mallocprofile.Builder{Runner: b.Runner, CacheDir: b.Builder.CacheDir, Env: os.Environ(), Log: b.Log.Step}
	library, err := build.Build(ctx)
	if err != nil {
		return // there is no compiler
	}
	dir, err := mallocprofile.Folder()
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	b.Log.Step("counting the program's calls of malloc")
	env := configuration{library: library, set: []string{mallocprofile.Variable + "=" + dir}}.env(os.Getenv("LD_PRELOAD"))
	t, err := p.try(ctx, env, slowest*own.took+leastLimit)
	if err != nil || t.differs(own, b.alloc) != "" || t.cpu <= 0 {
		return
	}
	all, err := mallocprofile.ReadFolder(dir)
	if err != nil {
		return
	}
	calls := uint64(0)
	for _, x := range all.Profiles {
		calls += x.AllCalls()
	}
	if calls > 0 {
		b.alloc.CallsPerSec = float64(calls) / t.cpu.Seconds()
		b.alloc.Notes = append(b.alloc.Notes, callsSay(b.alloc.CallsPerSec))
	}
}

// callsSay says what follows from the number of calls in a second of CPU time.
func callsSay(rate float64) string {
	say := fmt.Sprintf("it makes %s million calls of malloc and free in a second of CPU time", units.Digits(rate/1e6))
	if rate < fewCalls {
		say += ": with fewer than 0.1 million no allocator can gain much"
	}
	return say + " (memcost alloc --profile says of which sizes)"
}
