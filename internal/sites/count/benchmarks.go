package count

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

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
		q := request{mode: "list", plain: !t.counts, args: benchArgs(within, 1)}
		a, err := t.program.run(ctx, "running one operation of "+top+" of "+t.Package.ImportPath, q)
		for n := 0; err == nil && n < mostLost && a.lost(); n++ {
			q.args = append(benchArgs(within, 1), "-test.v") // says which benchmarks skip
			a, err = t.program.run(ctx, "running one operation of "+top+" of "+t.Package.ImportPath, q)
		}
		if err != nil {
			return err
		}
		t.addFound(top, a)
	}
	return nil
}

// benchArgs are the arguments to run benchmarks for a number of operations.
func benchArgs(match string, ops int64) []string {
	return []string{"-test.run=^$", "-test.bench=" + match, "-test.benchmem", fmt.Sprintf("-test.benchtime=%dx", ops)}
}

// mostLost bounds how often a process is run again whose panic may have been lost.
const mostLost = 5

// lost reports whether a process ended well although a benchmark that it began neither ended nor skipped: package testing's own
// goroutine goes on while a benchmark panics, and now and then ends the process with status 0 before the runtime does.
func (a answer) lost() bool {
	return a.err == nil && len(a.open) > 0 && !bytes.Contains(a.stdout, []byte("--- SKIP: "))
}

// addFound notes the benchmarks that one process ran.
func (t *target) addFound(top string, a answer) {
	failed := top
	if len(a.open) > 0 {
		failed = a.open[len(a.open)-1]
	}
	for _, l := range a.leaves() {
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
	for _, l := range a.leaves() {
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
	what := "counting what " + b.full + " of " + b.Package.ImportPath + " allocates"
	q := b.memoryOf(operations(b.pilot))
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
			if b.Exact {
				return b.asItIs(ctx)
			}
			return nil
		}
		q.pass, q.resets = b.correct(a, q)
	}
	b.Err = fmt.Errorf("%s: it calls ResetTimer a different number of times in each run, so that its timed part "+
		"cannot be told from the rest", what)
	return nil
}

// asItIs counts the bytes that an operation makes where nothing is profiled: small objects share blocks then, as they do in
// the program as it is. Exact counting gives each a block of its own.
func (b *bench) asItIs(ctx context.Context) error {
	a, err := b.program.run(ctx, "counting the bytes that "+b.full+" of "+b.Package.ImportPath+" makes", request{mode: "list",
		args: benchArgs(b.pattern(), b.N)})
	if err != nil || a.err != nil {
		return err
	}
	for _, l := range a.leaves() {
		if l.name == b.full && l.ops > 0 {
			b.AsItIs = float64(l.bytes) / float64(l.ops)
		}
	}
	return nil
}

// memoryOf asks for the memory profile of so many operations.
func (b *bench) memoryOf(ops int64) request {
	return request{mode: "memory", name: b.full, memory: true, plain: !b.counts, pass: b.pilot.first(ops),
		resets: b.pilot.resets, args: benchArgs(b.pattern(), ops)}
}

// countsAgain is how often a benchmark is counted again whose operations do not allocate alike.
const countsAgain = 2

// again counts once more, where operations do not all allocate alike: half as many of them, so that
// what is done once in a run, as a pool that warms up, shows as a difference. It is the same code,
// so that whatever differs is no change of it.
func (b *bench) again(ctx context.Context, o Options) error {
	if !o.Again || b.Err != nil || !b.counts || alike(b.Mallocs, b.N) && alike(b.Bytes, b.N) {
		return nil
	}
	what := "counting again what " + b.full + " of " + b.Package.ImportPath + " allocates"
	for range countsAgain {
		a, err := b.program.run(ctx, what, b.memoryOf(max(b.N/2, 2)))
		if err != nil {
			return err
		}
		if p, ok := a.counted(); ok && a.err == nil && p.ops > 0 {
			m := join.Measured{N: p.ops}
			b.take(&m, a, p, what)
			b.Again = append(b.Again, m)
		}
	}
	return nil
}

// alike reports whether each of n operations may have made the same part of a count.
func alike(count uint64, n int64) bool {
	each := float64(count) / float64(max(n, 1))
	return math.Abs(each-math.Round(each)) < 0.001
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

// tests runs each test that is asked for in a process of its own, and counts what it allocates
// from its start to the end of all tests.
func (t *target) tests(ctx context.Context, o Options, tell *teller) error {
	top, rest, sub := strings.Cut(o.Test, "/")
	if _, err := regexp.Compile(top); err != nil {
		return hint.Usage("", "-test %q: %v", o.Test, err)
	}
	names, err := t.names(ctx, top, "Test")
	if err != nil {
		return err
	}
	for i, name := range names {
		tell.step("running "+name+" of "+t.Package.ImportPath, i, len(names), 0)
		run := "^" + regexp.QuoteMeta(name) + "$"
		if sub {
			run += "/" + rest
		}
		what := "counting what " + name + " of " + t.Package.ImportPath + " allocates"
		a, err := t.program.run(ctx, what, request{mode: "test", name: name, memory: true, plain: !t.counts,
			args: []string{"-test.run=" + run}})
		if err != nil {
			return err
		}
		t.Measured = append(t.Measured, t.tested(a, name, what))
	}
	return nil
}

func (t *target) tested(a answer, name, what string) join.Measured {
	m := join.Measured{Name: name, N: 1, Err: a.err}
	if a.err != nil {
		return m
	}
	m.Memory = a.memory
	if !t.counts {
		return m
	}
	p, ok := a.counted()
	if !ok {
		m.Memory, m.Err = nil, fmt.Errorf("%s: it did not run to its end", what)
		return m
	}
	t.take(&m, a, p, what)
	return m
}

// printed reads what benchmarks printed, of a binary that records nothing itself. What is counted
// is the one of that name.
func printed(stdout []byte, counted string) []pass {
	var all []pass
	for reader := benchfmt.NewReader(bytes.NewReader(stdout), "stdout"); reader.Scan(); {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		total := func(unit string, each float64) float64 {
			v, _ := r.Value(unit)
			return v * each * float64(r.Iters)
		}
		p := pass{name: "Benchmark" + withoutProcs(string(r.Name)), asked: int64(r.Iters), ops: int64(r.Iters),
			ns: int64(total("sec/op", 1e9)), mallocs: uint64(total("allocs/op", 1)), bytes: uint64(total("B/op", 1))}
		p.counted = p.name == counted
		all = append(all, p)
	}
	return all
}

// withoutProcs cuts off the number of GOMAXPROCS, which is there unless it is 1.
func withoutProcs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name
	}
	if n, err := strconv.Atoi(name[i+1:]); err != nil || n < 2 {
		return name
	}
	return name[:i]
}

// keepWhole keeps the profile of a whole process, of a binary that records nothing itself: what
// ran is a pass of one operation, and that with all of them.
func (b *bench) keepWhole(a answer, what string) {
	p, ok := a.counted()
	if !ok {
		b.Err = errNotPrinted(what)
		return
	}
	b.N, b.Memory = p.ops, a.memory
	if p.ops > 1 {
		b.N++
	}
}

func errNotPrinted(what string) error {
	return fmt.Errorf("%s: it printed no result that can be read", what)
}

// A pass is one call of a benchmark function, as package testing recorded it (see
// toolchain.CountVar).
type pass struct {
	name            string
	asked, ops      int64 // b.N at the start and at the end: b.Loop changes it
	ns, wall        int64 // of the timed part, and of all
	mallocs, bytes  uint64
	tiny            int64 // -1 where it is not known
	resets, starts  int   // of the timer
	counted, failed bool
}

// A record is what a process recorded.
type record struct {
	ended   []pass
	open    []string // benchmarks whose last pass did not end
	parents map[string]bool
	errors  []string
	done    bool // the process came to its end
}

// readRecord reads the file of a process. Its last line may be cut off.
func readRecord(text []byte) record {
	r := record{parents: map[string]bool{}}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		kind, fields, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		if kind == "error" {
			r.errors = append(r.errors, fields)
			continue
		}
		p := readPass(fields)
		switch kind {
		case "done":
			r.done = true
		case "begin":
			r.open = append(r.open, p.name)
		case "parent":
			r.parents[p.name] = true
			r.close(p.name)
		case "end":
			r.ended = append(r.ended, p)
			r.close(p.name)
		}
	}
	return r
}

func (r *record) close(name string) {
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i] == name {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return
		}
	}
}

func readPass(fields string) pass {
	values, numbers := map[string]string{}, map[string]int64{}
	for field := range strings.SplitSeq(fields, "\t") {
		key, value, _ := strings.Cut(field, "=")
		values[key] = value
		numbers[key], _ = strconv.ParseInt(value, 10, 64)
	}
	return pass{name: values["name"], asked: numbers["n"], ops: numbers["ops"], ns: numbers["ns"], wall: numbers["wall"],
		mallocs: uint64(numbers["mallocs"]), bytes: uint64(numbers["bytes"]), tiny: numbers["tiny"],
		resets: int(numbers["resets"]), starts: int(numbers["starts"]), counted: values["counted"] == "true",
		failed: values["failed"] == "true"}
}

// leaves are the last passes of each benchmark that has no sub-benchmarks, in the order in
// which they ran, and which of them loop by b.Loop.
func (r record) leaves() []pilotRun {
	var all []pilotRun
	at := map[string]int{}
	for _, p := range r.ended {
		if r.parents[p.name] {
			continue
		}
		i, known := at[p.name]
		if !known {
			i = len(all)
			at[p.name] = i
			all = append(all, pilotRun{})
		}
		all[i].pass = p
		all[i].loop = all[i].loop || p.ops != p.asked
	}
	return all
}

// A pilotRun is what is known of a benchmark from a short run.
type pilotRun struct {
	pass
	loop bool
}

// each is the time that an operation takes, in ns: with what is not timed where the timer is
// stopped again and again.
func (p pilotRun) each() float64 {
	ns := p.ns
	if p.toggles() {
		ns = p.wall
	}
	return float64(ns) / float64(max(p.ops, 1))
}

// toggles reports whether the benchmark stops its timer, or resets it, in its loop.
func (p pilotRun) toggles() bool { return max(p.starts, p.resets) > 4 }

// first is the pass that is counted, of a run with a fixed number of operations: the first
// pass is of one operation alone, except of b.Loop.
func (p pilotRun) first(ops int64) int {
	if p.loop || ops == 1 {
		return 1
	}
	return 2
}

// counted is the pass that was counted.
func (r record) counted() (pass, bool) {
	for _, p := range r.ended {
		if p.counted {
			return p, true
		}
	}
	return pass{}, false
}
