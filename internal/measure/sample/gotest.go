package sample

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// goTest is the harness of Go test binaries.
type goTest struct{}

func (goTest) sideBySide() bool { return false }

func (goTest) args(c plan.Case, benchtime string) []string {
	return testArgs(plan.Exactly(c.Base), benchtime, c.Procs)
}

func (goTest) parse(c plan.Case, res proc.Result) output { return parse(res.Stdout, c.Procs) }

// testArgs are the flags of every run of a test binary: one process, one count,
// no tests, no deadline of its own (the harness has one).
func testArgs(bench, benchtime string, procs int) []string {
	args := []string{
		"-test.run=^$",
		"-test.bench=" + bench,
		"-test.benchtime=" + benchtime,
		"-test.benchmem",
		"-test.timeout=0",
	}
	if procs > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(procs))
	}
	return args
}

// calibrationShare is the part of a sample's time that the sample of the calibration takes:
// long enough to know a cost within some percent, collections included.
const calibrationShare = 4

// lengthFor returns how long the loop of a sample is to be, from one that was shorter or as
// long: the least time, or so long that it has plan.MinCollections. Where it is not known how
// often it collects it is the longest: with one collection in some samples and none in others
// a ratio is of nothing.
func lengthFor(r *benchfmt.Result, least, longest time.Duration) time.Duration {
	if bytes, ok := r.Value("B/op"); ok && bytes == 0 || longest <= least {
		return least
	}
	cycles, _ := r.Value(series.UnitGCCycles)
	if cycles < 2 {
		return longest
	}
	loop := secPerOp(r) * float64(r.Iters) * float64(time.Second)
	return min(max(time.Duration(loop/cycles*plan.MinCollections), least), longest)
}

// shortPart is the length below which a calibration counts twice, and the lesser cost is taken: another process that has
// the CPU for one of the kernel's slices, of some milliseconds, makes the cost of a shorter loop many times what it
// is, and N as much too small.
const shortPart = 5 * time.Millisecond

// fewIterations are too few to tell the cost of an operation from what the first one does.
const fewIterations = 10

// calibrate finds a case's N, with which one sample spends the target time in the loop, from
// one sample of a part of it. N stays 0 for a case that fails.
//
// If the cost per op depends on N is not asked here: the first rounds compare a quarter of N
// with the whole in the same round, which noise between two calibrations is no match for.
func (h goTest) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	sample := p.SampleOf(c.Study)
	if c.Estimate >= sample.Seconds() {
		return nil // one iteration is long enough
	}
	c.N = 0
	part := sample / calibrationShare
	r, res, err := l.calibrationRun(ctx, h, p, *c, part.String(), 0)
	if r != nil && err == nil && r.Iters < fewIterations && secPerOp(r) > 0 {
		// Most of it may be what the first iteration alone does.
		r, res, err = l.calibrationRun(ctx, h, p, *c, fmt.Sprintf("%dx", iterations(sample, secPerOp(r))), 0)
	}
	if r == nil || err != nil {
		return err
	}
	if part < shortPart {
		again, resAgain, err := l.calibrationRun(ctx, h, p, *c, part.String(), 0)
		if err != nil {
			return err
		}
		if again != nil && secPerOp(again) < secPerOp(r) {
			r, res = again, resAgain
		}
	}
	if c.Estimate = secPerOp(r); c.Estimate == 0 { // it reports other figures, and no time
		c.Estimate = part.Seconds() / float64(max(r.Iters, 1))
	}
	c.N = iterations(lengthFor(r, sample, p.LongestOf(c.Study)), c.Estimate)
	c.StartUp = max(res.Wall.Seconds()-c.Estimate*float64(r.Iters), 0)
	return nil
}

// list adds the cases of one study to the plan.
func (goTest) list(ctx context.Context, l *Executor, p *plan.Plan, study int) error {
	arm := discoveryArm(p, study)
	target, err := l.Target(plan.Case{Study: study}, arm, 0)
	if err != nil {
		return err
	}
	want, err := plan.New(p.Options.Bench)
	if err != nil {
		return err
	}
	res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir,
		Env:  slices.Concat(target.Env, p.Sides[arm].Env),
		Args: append([]string{"-test.list=^Benchmark"}, target.Args...), Timeout: p.Options.Timeout})
	if err != nil {
		return err
	}
	names := topLevel(res.Stdout)
	if res.ExitCode != 0 || len(names) == 0 {
		reason := "it lists no benchmarks (does TestMain call m.Run?): " + proc.LastLine(res)
		if res.ExitCode != 0 {
			reason = "listing its benchmarks: " + why(res, output{})
		}
		l.fail(p, plan.Failure{Study: study, Name: p.Studies[study].Name, Side: p.Sides[arm].Name, Reason: reason}, res)
		return nil
	}
	for _, name := range names {
		if !want.Top("Benchmark" + name) {
			continue
		}
		if name == "" {
			l.fail(p, plan.Failure{Study: study, Name: "Benchmark", Side: p.Sides[arm].Name,
				Reason: "its name is no more than Benchmark, and results go by what follows that: rename it"}, res)
			continue
		}
		for _, procs := range cpusOf(p) {
			x := &listing{Executor: l, plan: p, study: study, arm: arm, procs: procs, target: target, name: name,
				bench: want.Within(name)}
			if err := x.run(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// cpusOf returns the values of GOMAXPROCS of a plan. They are the same for every arm: Go 1.25
// and newer know a container's CPU limit, older ones do not, and a case's name depends on it.
func cpusOf(p *plan.Plan) []int {
	if len(p.Options.CPU) > 0 {
		return p.Options.CPU
	}
	return []int{runtime.GOMAXPROCS(0)}
}

// TestMain may print before a name, in the same line.
var listedName = regexp.MustCompile(`(?m)Benchmark([\pL\pN_]+)\r?$|^Benchmark\r?$`)

// topLevel reads the output of -test.list.
func topLevel(stdout []byte) []string {
	var names []string
	for _, m := range listedName.FindAllSubmatch(stdout, -1) {
		if n := string(m[1]); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// maxRestarts bounds the attempts at one top-level benchmark, each of which
// leaves out what went wrong before.
const maxRestarts = 30

// A listing runs one top-level benchmark with N = 1 to see its cases. When a
// sub-benchmark takes the process down, it is noted and left out, and the rest
// is tried again.
type listing struct {
	*Executor
	plan              *plan.Plan
	study, arm, procs int
	target            Target
	name, bench       string   // of the top-level benchmark; what to run of it
	known             []string // base names of the cases found and of the failures
}

func (x *listing) run(ctx context.Context) error {
	for range maxRestarts {
		res, err := x.try(ctx, x.bench)
		if err != nil {
			return err
		}
		if strings.Contains(string(res.Stderr), "flag provided but not defined: -test.skip") {
			x.failed(x.name, "its parts after the one that failed could not be listed (that needs Go 1.20)", res)
			return nil
		}
		o := parse(res.Stdout, x.procs)
		guilty, died, err := x.guilty(ctx, res, o)
		if err != nil {
			return err
		}
		x.found(o, res, guilty)
		if guilty == "" {
			return nil
		}
		reason := why(died, output{})
		if died.ExitCode == 0 && died.Signal == "" && !died.TimedOut {
			reason = "it ended the process with status 0 (os.Exit?): " + proc.LastLine(died)
		}
		x.failed(guilty, reason, died)
		if guilty == x.name {
			return nil // the whole benchmark died, not one of its parts
		}
	}
	x.failed(x.name, fmt.Sprintf("%d of its parts ended the process; the rest was not tried", maxRestarts),
		proc.Result{})
	return nil
}

// try runs what is not known yet. With -test.v, Go 1.14 and newer say what they
// are about to run: else nobody could tell which part ended the process.
func (x *listing) try(ctx context.Context, bench string) (proc.Result, error) {
	args := append(testArgs(bench, "1x", x.procs), "-test.v")
	if len(x.known) > 0 {
		var skip []string
		for _, name := range x.known {
			skip = append(skip, plan.Exactly(name))
		}
		args = append(args, "-test.skip="+strings.Join(skip, "|"))
	}
	return x.Runner.Run(ctx, proc.Cmd{Path: x.target.Path, Dir: x.target.Dir,
		Env: slices.Concat(x.target.Env, x.plan.Sides[x.arm].Env), Args: append(args, x.target.Args...),
		Timeout: x.plan.Options.Timeout})
}

// guilty is the base name of the part that ended the process before its time,
// with the process that proves it; "" if it ran to its end.
//
// The part that was running is not always the one: a benchmark that panics wakes
// the testing package up before the runtime takes the process down, and that
// may print a figure and begin the next part in between. So the part before it
// is tried alone.
func (x *listing) guilty(ctx context.Context, res proc.Result, o output) (string, proc.Result, error) {
	if !died(res, o, x.procs) {
		return "", res, nil
	}
	name := o.running(x.procs)
	if !strings.HasPrefix(name, x.name+"/") || slices.Contains(x.known, name) {
		name = x.name
	}
	before := o.before(name)
	if before == "" || res.TimedOut || slices.Contains(x.known, before) {
		return name, res, nil
	}
	alone, err := x.try(ctx, plan.Exactly(before))
	if err != nil {
		return "", res, err
	}
	if died(alone, parse(alone.Stdout, x.procs), x.procs) {
		return before, alone, nil
	}
	return name, res, nil
}

// died reports whether a process ended before the testing package was done. A
// benchmark may exit with status 0 itself.
func died(res proc.Result, o output, procs int) bool {
	return res.Signal != "" || res.TimedOut || !o.ended && (res.ExitCode != 0 || o.running(procs) != "")
}

// found notes the cases that gave a result, and those that said themselves that
// they would give none; not the guilty one.
func (x *listing) found(o output, res proc.Result, guilty string) {
	for _, r := range o.results {
		base := baseName(string(r.Name), x.procs)
		switch sec, ok := r.Value("sec/op"); {
		case base == guilty || slices.Contains(x.known, base):
		case !ok && res.ExitCode != 0: // it died in its first moment, and 0 ns/op is no time
			x.failed(base, why(res, output{}), res)
		default: // without ns/op (b.ReportMetric(0, "ns/op")) its other figures count
			x.known = append(x.known, base)
			x.plan.Cases = append(x.plan.Cases, plan.Case{Study: x.study, Name: string(r.Name), Base: base,
				Procs: x.procs, N: 1, Estimate: sec})
		}
	}
	for _, name := range leaves(o.failed) {
		x.failed(name, "failed: "+words(o, name), res)
	}
	for _, name := range o.skipped {
		x.failure(plan.Failure{Name: name, Reason: words(o, name), Skipped: true}, res)
	}
	if o.ended {
		for _, name := range o.garbled {
			one := o
			one.garbled = []string{name}
			x.failed(name, why(proc.Result{Stdout: res.Stdout}, one), res)
		}
	}
}

func words(o output, name string) string {
	if w := o.words[name]; w != "" {
		return w
	}
	return "without a word"
}

func (x *listing) failed(base, reason string, res proc.Result) {
	x.failure(plan.Failure{Name: base, Reason: reason}, res)
}

func (x *listing) failure(f plan.Failure, res proc.Result) {
	if slices.Contains(x.known, f.Name) {
		return
	}
	x.known = append(x.known, f.Name)
	f.Study, f.Side = x.study, x.plan.Sides[x.arm].Name
	x.fail(x.plan, f, res)
}
