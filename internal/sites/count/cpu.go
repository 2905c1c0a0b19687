package count

import (
	"context"
	"fmt"
	"time"
)

// cpuRounds runs each benchmark once a round under the CPU profiler, without a memory profile.
// Rounds begin with another benchmark each, so that none always follows the same one.
func cpuRounds(ctx context.Context, benches []*bench, o Options, tell *teller) error {
	var able []*bench
	for _, b := range benches {
		if b.Err == nil {
			able = append(able, b)
		}
	}
	length := o.cpuLength(len(able))
	all := o.CPURuns * len(able)
	began := time.Now()
	for i := range all {
		round := i / len(able)
		b := able[(i%len(able)+round)%len(able)]
		rest := length * time.Duration(all)
		if i > 0 {
			rest = time.Since(began) / time.Duration(i) * time.Duration(all-i)
		}
		tell.step(fmt.Sprintf("round %d of %d: %s", round+1, o.CPURuns, b.Name), i, all, rest)
		if err := b.cpuRun(ctx, length); err != nil {
			return err
		}
	}
	for _, b := range able {
		if b.pilot.toggles() {
			b.warn("%s stops or resets its timer in its loop: its CPU profiles hold what runs meanwhile, too", b.full)
		}
		if b.failedRuns > 0 {
			b.warn("%s: %d of %d runs under the CPU profiler failed: %v", b.full, b.failedRuns, o.CPURuns, b.lastErr)
		}
	}
	return nil
}

// cpuRun takes one CPU profile of a benchmark.
func (b *bench) cpuRun(ctx context.Context, length time.Duration) error {
	ops := int64(max(float64(length)/max(b.pilot.each(), 0.1), 1))
	ops = min(ops, 1e9)
	what := "taking a CPU profile of " + b.full + " of " + b.Package.ImportPath
	a, err := b.program.run(ctx, what, request{mode: "cpu", name: b.full, cpu: true, plain: !b.counts,
		pass: b.pilot.first(ops), resets: b.pilot.resets, args: benchArgs(b.pattern(), ops)})
	if err != nil {
		return err
	}
	p, ok := a.counted()
	if a.err == nil && (!ok || p.ops == 0) {
		a.err = errNotPrinted(what)
	}
	if a.err != nil {
		b.failedRuns++
		b.lastErr = a.err
		return nil
	}
	b.Time = append(b.Time, float64(p.ns)/float64(p.ops)/1e9)
	b.CPU = append(b.CPU, a.cpu)
	b.pilot.ns, b.pilot.wall, b.pilot.ops = p.ns, p.wall, p.ops // a better forecast for the next run
	return nil
}
