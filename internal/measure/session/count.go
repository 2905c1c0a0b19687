package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/malloc/mallocprofile"
)

const (
	// fewCalls is how many calls of malloc and free a program makes in a second of CPU time below
	// which no allocator can gain much: at 100 ns a call they take 1% of it.
	fewCalls = 100_000
	// longestCounted is the longest that a program may take to be run once more for the count.
	longestCounted = 30 * time.Second
)

// count runs the program once with its calls of malloc counted, and returns how many it makes in a
// second of CPU time; 0 where that cannot be known, which nothing rests on: there is no compiler, or
// the program does something else then.
func (p *prober) count(ctx context.Context, t *Tools, limit time.Duration, same func(trial) bool) float64 {
	build := mallocprofile.Builder{Runner: t.Runner, CacheDir: t.Builder.CacheDir, Env: os.Environ(), Log: t.Log.Step}
	library, err := build.Build(ctx)
	if err != nil {
		return 0
	}
	dir, err := mallocprofile.Folder()
	if err != nil {
		return 0
	}
	defer os.RemoveAll(dir)
	t.Log.Step("counting the program's calls of malloc")
	c := configuration{library: library, set: []string{mallocprofile.Variable + "=" + dir}}
	counted, err := p.try(ctx, c.env(os.Getenv("LD_PRELOAD")), limit)
	if err != nil || !same(counted) || counted.cpu <= 0 {
		return 0
	}
	all, err := mallocprofile.ReadFolder(dir)
	if err != nil {
		return 0
	}
	calls := uint64(0)
	for _, x := range all.Profiles {
		calls += x.AllCalls()
	}
	return float64(calls) / counted.cpu.Seconds()
}

// callsSay says what follows from the number of calls in a second of CPU time.
func callsSay(rate float64) string {
	say := fmt.Sprintf("it makes %s million calls of malloc and free in a second of CPU time", units.Digits(rate/1e6))
	if rate < fewCalls {
		say += ": with fewer than 0.1 million no allocator can gain much"
	}
	return say + " (memcost alloc --profile says of which sizes)"
}
