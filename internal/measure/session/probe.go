package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// A prober runs the program before it is measured, or to count its calls.
type prober struct {
	*Tools
	launch
	cmd     proc.Cmd // the program, with the environment as it is here
	counter string   // the library that counts its calls
}

// A trial is what one process of the program did.
type trial struct {
	ends      string // "exit status 0"
	broken    string // of a server, why its load did not come to its end
	printed   string // a hash of its standard output, or of its load's
	size      int
	errors    []string // lines of its standard error
	processes []allocator.Process
	took, cpu time.Duration
	res       proc.Result
	seen      *seen // of memcost held
}

// try runs the program with some variables. The loader writes what it loads.
func (p *prober) try(ctx context.Context, env []string, limit time.Duration) (t trial, err error) {
	dir, err := os.MkdirTemp("", "memcost-loader-")
	if err != nil {
		return t, fmt.Errorf("making a folder for what the loader writes: %w", err)
	}
	defer os.RemoveAll(dir)
	t, err = p.run(ctx, slices.Concat(env, allocator.LoaderEnv(dir)), limit)
	if err != nil {
		return t, err
	}
	t.processes, err = allocator.ReadLoader(dir)
	return t, err
}

// run runs the program with some variables besides its environment. That a load did not come to its end is no error.
func (p *prober) run(ctx context.Context, env []string, limit time.Duration) (t trial, err error) {
	cmd := p.cmd
	cmd.Env, cmd.Timeout = slices.Concat(cmd.Env, env), limit
	var out *printed
	t.res, out, err = p.launch.run(ctx, p.Runner, cmd)
	t.seen = p.launch.held.last()
	if out != nil {
		t.printed, t.size = string(out.hash.Sum(nil)), int(out.size)
	}
	if broken, is := err.(*sample.Broken); is && ctx.Err() == nil {
		t.broken, err = broken.Why, nil
	}
	t.ends, t.took, t.errors = Ends(t.res), t.res.Worked(), linesOf(t.res.Stderr)
	t.cpu = t.res.Usage.User + t.res.Usage.Sys
	return t, err
}

func linesOf(text []byte) []string {
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// differs says what else the program does than under its own allocator: how it ends, and what it
// prints unless that varies by itself; "" where it does the same.
func (t trial) differs(own trial, alloc *plan.Alloc) string {
	under := ", and under " + alloc.Own + " "
	last := ""
	if len(t.errors) > 0 {
		last = ": " + t.errors[len(t.errors)-1]
	}
	switch {
	case strings.HasPrefix(t.ends, "no end"):
		return fmt.Sprintf("it did not end within %v%sit takes %v", t.took.Round(time.Second), under,
			own.took.Round(time.Millisecond))
	case t.ends != alloc.Ends && strings.HasPrefix(t.ends, "SIG"):
		return "it died of " + t.ends + last
	case t.broken != "":
		return t.broken
	case t.ends != alloc.Ends:
		return t.ends + under + alloc.Ends + last
	case t.printed != own.printed && !alloc.Varies:
		return fmt.Sprintf("it prints something else: %d bytes%s%d bytes", t.size, under, own.size)
	}
	return ""
}

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
func (p *prober) count(ctx context.Context, limit time.Duration, same func(trial) bool) float64 {
	var err error
	if p.counter, err = p.buildCounter(ctx); err != nil {
		return 0
	}
	p.Log.Step("counting the program's calls of malloc")
	var counted trial
	all, err := p.counted(func(env []string) (err error) {
		counted, err = p.try(ctx, env, limit)
		return err
	})
	if err != nil || !same(counted) || counted.cpu <= 0 {
		return 0
	}
	calls := uint64(0)
	for _, x := range all.Profiles {
		calls += x.AllCalls()
	}
	return float64(calls) / counted.cpu.Seconds()
}

// kernelShare is the share of CPU time in the kernel from which an allocator that keeps its memory may save some:
// large blocks that are mapped, faulted in and given back cost there, and not in calls.
const kernelShare = 0.1

// dearestFault is the most that a page fault takes, in seconds: kernel time that faults cannot explain is that of what
// the program does, such as a server's network.
const dearestFault = 5e-6

// callsSay says what follows from the number of calls in a second of CPU time, and from the time in the kernel.
func callsSay(rate float64, own trial) string {
	say := fmt.Sprintf("it makes %s million calls of malloc and free in a second of CPU time", units.Digits(rate/1e6))
	sys, cpu := own.res.Usage.Sys.Seconds(), own.cpu.Seconds()
	switch {
	case cpu > 0 && sys > kernelShare*cpu && float64(own.res.Usage.MinorFaults)*dearestFault > kernelShare*cpu:
		say += fmt.Sprintf("; %.0f%% of its CPU time is in the kernel, with %s page faults: what of that comes from memory that "+
			"is given back and taken again another allocator or setting can save", 100*sys/cpu,
			units.Thousands(own.res.Usage.MinorFaults))
	case rate < fewCalls:
		say += ": with fewer than 0.1 million, and little time in the kernel, no allocator can gain much"
	}
	return say + " (memcost alloc --profile says of which sizes)"
}
