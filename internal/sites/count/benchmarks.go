package count

import (
	"context"
	"fmt"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/sites/join"
)

// names asks the binary for the names of its tests or benchmarks that match.
func (t *target) names(ctx context.Context, match, prefix string) ([]string, error) {
	what := "asking the tests of " + t.Package.ImportPath + " for their names (-test.list)"
	a, err := t.program.run(ctx, what, request{plain: true, args: []string{"-test.list=" + match}})
	if err == nil {
		err = a.err
	}
	if err != nil {
		return nil, err
	}
	var all []string
	for line := range strings.Lines(string(a.stdout)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, prefix) && !strings.ContainsAny(line, " \t") {
			all = append(all, line)
		}
	}
	return all, nil
}

// find runs one operation of each benchmark that is asked for: which sub-benchmarks it has, and whether
// they fail. One that fails stands in the list with its error.
func (t *target) find(ctx context.Context, asked plan.Pattern, tell *teller) error {
	tops, err := t.names(ctx, "^Benchmark", "Benchmark")
	if err != nil {
		return err
	}
	for i, top := range tops {
		if !asked.Top(top) {
			continue
		}
		tell.step("looking at "+top+" of "+t.Package.ImportPath, i, len(tops), 0)
		within := asked.Within(strings.TrimPrefix(top, "Benchmark"))
		a, err := t.program.run(ctx, "running one operation of "+top+" of "+t.Package.ImportPath, request{
			mode: "list", plain: !t.counts, args: benchArgs(within, 1)})
		if err != nil {
			return err
		}
		leaves := a.leaves()
		if !t.counts {
			leaves = printed(a.stdout)
		}
		t.addFound(top, leaves, a)
	}
	return nil
}

// benchArgs are the arguments to run benchmarks for a number of operations.
func benchArgs(match string, ops int64) []string {
	return []string{"-test.run=^$", "-test.bench=" + match, "-test.benchmem", fmt.Sprintf("-test.benchtime=%dx", ops)}
}

// addFound notes the benchmarks that one process ran.
func (t *target) addFound(top string, leaves []pilotRun, a answer) {
	failed := top
	if len(a.open) > 0 {
		failed = a.open[len(a.open)-1]
	}
	for _, l := range leaves {
		if l.failed {
			failed = l.name
			continue
		}
		t.benches = append(t.benches, newBench(t, l.name, l, nil))
	}
	if a.err == nil {
		return
	}
	t.benches = append(t.benches, newBench(t, failed, pilotRun{}, a.err))
}

func newBench(t *target, full string, p pilotRun, err error) *bench {
	return &bench{target: t, full: full, pilot: p, Measured: join.Measured{
		Name: strings.TrimPrefix(full, "Benchmark"), Err: err}}
}

// look runs a benchmark for a short time: how long an operation takes, and how its timer runs.
func (b *bench) look(ctx context.Context) error {
	ops := min(max(int64(float64(pilot)/max(float64(b.pilot.wall), 1)), 2), pilotOps)
	if !b.counts {
		ops = pilotOps
	}
	a, err := b.program.run(ctx, "running "+b.full+" of "+b.Package.ImportPath+" for a short time", request{
		mode: "list", plain: !b.counts, args: benchArgs(b.pattern(), ops)})
	if err != nil {
		return err
	}
	leaves := a.leaves()
	if !b.counts {
		leaves = printed(a.stdout)
	}
	for _, l := range leaves {
		if l.name == b.full {
			b.pilot = l
		}
	}
	b.Err = a.err
	return nil
}

// missing is the error of a -bench that names no benchmark of any package.
func missing(o Options, targets []*target) error {
	for _, t := range targets {
		if len(t.benches) > 0 || t.program == nil {
			return nil
		}
	}
	if o.Bench == "" || o.Bench == "." {
		return nil
	}
	return hint.Usage("go test -list '^Benchmark' lists them; go test -v -bench shows those that skip",
		"-bench %q: no benchmark of %s matches, or all that do skip", o.Bench, strings.Join(o.Patterns, " "))
}

// memory counts what the timed part of a benchmark allocates.
func (b *bench) memory(ctx context.Context) error {
	ops := operations(b.pilot)
	what := "counting what " + b.full + " of " + b.Package.ImportPath + " allocates"
	q := request{mode: "memory", name: b.full, memory: true, plain: !b.counts, pass: b.pilot.first(ops),
		resets: b.pilot.resets, args: benchArgs(b.pattern(), ops)}
	for range 3 {
		a, err := b.program.run(ctx, what, q)
		if err != nil {
			return err
		}
		if b.Err = a.err; a.err != nil {
			return nil
		}
		if q.plain {
			b.keepWhole(a, what)
			return nil
		}
		p, ok := a.counted()
		if ok && p.resets == q.resets {
			b.keepMemory(a, p, what)
			return nil
		}
		q.pass, q.resets = b.correct(a, q)
	}
	b.Err = fmt.Errorf("%s: it calls ResetTimer a different number of times in each run, so that its timed part "+
		"cannot be told from the rest", what)
	return nil
}

func (b *bench) pattern() string { return plan.Exactly(strings.TrimPrefix(b.full, "Benchmark")) }

// correct chooses the pass to count, and after which ResetTimer, by a run for which they were
// not right.
func (b *bench) correct(a answer, q request) (pass, resets int) {
	if p, ok := a.counted(); ok {
		return q.pass, p.resets
	}
	for _, p := range a.ended {
		if p.name == b.full && p.asked == 1 { // there was no second pass: it is a loop by b.Loop
			b.pilot.loop = p.ops > 1
			return 1, p.resets
		}
	}
	return q.pass, q.resets
}
