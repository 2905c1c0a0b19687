package sample

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/proc"
)

// A Lab is what the processes of a run need.
type Lab struct {
	Runner  *proc.Runner
	Target  func(arm, suite, layout int) (Target, error)
	SaveLog func(name string, data []byte) // keeps the output of a process that failed
	Skip    func(plan.Case) bool           // cases that the profile leaves out; nil leaves out none
}

// calibrationShare is the part of a sample's time that calibration spends on a
// case: long enough to know its cost within some percent.
const calibrationShare = 4

// Discover finds the cases of every suite by running each benchmark once on the
// suite's first arm, then finds for each case the N of a sample. A benchmark that does
// not survive this becomes a Failure, and the others go on. progress is called
// with the number of cases that are done and known so far.
func (l *Lab) Discover(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	for s := range p.Suites {
		if err := l.list(ctx, p, s); err != nil {
			return err
		}
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return l.Skip != nil && l.Skip(c) })
	for i := range p.Cases {
		progress(i, len(p.Cases))
		if err := l.calibrate(ctx, p, i); err != nil {
			return err
		}
	}
	progress(len(p.Cases), len(p.Cases))
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return c.N == 0 })
	return nil
}

// list adds the cases of one suite to the plan.
func (l *Lab) list(ctx context.Context, p *plan.Plan, suite int) error {
	arm := p.ArmsOf(suite)[0]
	target, err := l.Target(arm, suite, 0)
	if err != nil {
		return err
	}
	res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: target.Env,
		Args: []string{"-test.list=^Benchmark"}, Timeout: p.Options.Timeout})
	if err != nil {
		return err
	}
	if res.ExitCode != 0 {
		l.fail(p, plan.Failure{Suite: suite, Name: p.Suites[suite].Name, Arm: p.Arms[arm].Name, Reason: "listing its benchmarks: " + why(res, output{})}, res)
		return nil
	}
	want, err := newPattern(p.Options.Bench)
	if err != nil {
		return err
	}
	for name := range strings.Lines(string(res.Stdout)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(name), "Benchmark")
		if !ok || !want.top("Benchmark"+name) {
			continue
		}
		if err := l.listBenchmark(ctx, p, suite, target, name, want); err != nil {
			return err
		}
	}
	return nil
}

// maxRestarts bounds the attempts at one top-level benchmark, each of which
// leaves out what went wrong before.
const maxRestarts = 30

// listBenchmark runs one top-level benchmark with N = 1 to see its cases. When a
// sub-benchmark takes the process down, it is noted and left out, and the rest
// is tried again.
func (l *Lab) listBenchmark(ctx context.Context, p *plan.Plan, suite int, target Target, name string, want pattern) error {
	bench := want.within(name)
	arm := p.ArmsOf(suite)[0]
	cpus := p.Options.CPU
	if len(cpus) == 0 {
		cpus = []int{0}
	}
	for _, procs := range cpus {
		var skip []string
		for range maxRestarts {
			args := testArgs(bench, "1x", procs)
			if len(skip) > 0 {
				args = append(args, "-test.skip="+strings.Join(skip, "|"))
			}
			res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: target.Env, Args: args, Timeout: p.Options.Timeout})
			if err != nil {
				return err
			}
			o := parse(res.Stdout)
			for _, r := range o.results {
				base, procs := splitProcs(string(r.Name), procs)
				p.Cases = append(p.Cases, plan.Case{Suite: suite, Name: string(r.Name), Base: base, Procs: procs, N: 1, Estimate: secPerOp(r)})
				skip = append(skip, exactly(base))
			}
			if res.ExitCode == 0 && len(o.failed) == 0 {
				if len(o.results) == 0 && len(skip) == 0 && len(o.skipped) == 0 && o.unfinished != "" {
					l.fail(p, plan.Failure{Suite: suite, Name: name, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
				}
				break
			}
			if strings.Contains(string(res.Stderr), "flag provided but not defined: -test.skip") {
				l.fail(p, plan.Failure{Suite: suite, Name: name, Arm: p.Arms[arm].Name,
					Reason: "the benchmarks after the one that failed could not be listed (this needs Go 1.20)"}, res)
				break
			}
			if len(o.failed) > 0 && res.Signal == "" && !res.TimedOut && o.unfinished == "" || len(o.failed) > 0 && slices.Contains(o.failed, trimProcs(o.unfinished)) {
				// b.Fatal fails its own benchmark and lets the others run.
				for _, f := range leaves(o.failed) {
					l.fail(p, plan.Failure{Suite: suite, Name: f, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
				}
				break
			}
			guilty := o.unfinished
			if guilty == "" {
				guilty = name
			}
			base, _ := splitProcs(guilty, procs)
			l.fail(p, plan.Failure{Suite: suite, Name: base, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
			if base == name {
				break // the whole benchmark died, not one of its parts
			}
			skip = append(skip, exactly(base))
		}
	}
	return nil
}

// leaves drops the failures that only repeat that of a sub-benchmark.
func leaves(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.ContainsFunc(names, func(m string) bool { return strings.HasPrefix(m, n+"/") })
	})
}

func (l *Lab) fail(p *plan.Plan, f plan.Failure, res proc.Result) {
	f.Log = l.keep(p.Suites[f.Suite].Name, f.Name, f.Arm, res)
	p.Failures = append(p.Failures, f)
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9._=+-]+`)

// keep saves what a failed process printed and returns the log's name inside
// the run folder.
func (l *Lab) keep(suite, name, arm string, res proc.Result) string {
	if l.SaveLog == nil {
		return ""
	}
	file := unsafeInName.ReplaceAllString(fmt.Sprintf("%s-%s-%s", filepath.Base(suite), name, arm), "_")
	file = "logs/" + file[:min(len(file), 150)] + ".txt"
	var text strings.Builder
	fmt.Fprintf(&text, "exit status %d, signal %q, after %v\n--- standard output\n%s\n--- standard error\n%s\n",
		res.ExitCode, res.Signal, res.Wall.Round(time.Millisecond), res.Stdout, res.Stderr)
	l.SaveLog(file, []byte(text.String()))
	return file
}

// calibrate finds a case's N, with which one sample spends the target time in
// the loop, from a sample of a quarter of that time; then takes one with that N,
// to see whether the cost per op is the same. It leaves N at 0 for a case that
// fails.
func (l *Lab) calibrate(ctx context.Context, p *plan.Plan, i int) error {
	c := &p.Cases[i]
	if c.Estimate >= p.Options.Sample.Seconds() {
		return nil // one iteration is long enough
	}
	short := p.Options.Sample / calibrationShare
	c.N = 0
	r, err := l.calibrationRun(ctx, p, *c, short.String())
	if r == nil || err != nil {
		return err
	}
	c.Short = secPerOp(r)
	n := iterations(p.Options.Sample, c.Short)
	r, err = l.calibrationRun(ctx, p, *c, fmt.Sprintf("%dx", n))
	if r == nil || err != nil {
		return err
	}
	c.Estimate = secPerOp(r)
	c.N = iterations(p.Options.Sample, c.Estimate)
	return nil
}

// calibrationRun takes one sample for calibration; the result is nil when the
// case failed, which is then in the plan.
func (l *Lab) calibrationRun(ctx context.Context, p *plan.Plan, c plan.Case, benchtime string) (*benchfmt.Result, error) {
	arm := p.ArmsOf(c.Suite)[0]
	target, err := l.Target(arm, c.Suite, 0)
	if err != nil {
		return nil, err
	}
	res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: target.Env,
		Args: testArgs(exactly(c.Base), benchtime, c.Procs), Timeout: p.Options.Timeout})
	if err != nil {
		return nil, err
	}
	o := parse(res.Stdout)
	r := o.find(c.Name)
	if r == nil || res.ExitCode != 0 {
		l.fail(p, plan.Failure{Suite: c.Suite, Name: c.Base, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
		return nil, nil
	}
	return r, nil
}

// ErrNothing says that not one benchmark was found.
var ErrNothing = errors.New("no benchmark to run")

// trimProcs is a name without its GOMAXPROCS suffix, if it has one.
func trimProcs(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i]
		}
	}
	return name
}

// splitProcs splits a printed name into the benchmark's own and GOMAXPROCS. go
// test adds "-N" for every N but 1, so that a name may end in a number of its
// own: where procs is known (from -cpu), only that suffix is taken off.
func splitProcs(name string, procs int) (string, int) {
	if procs > 0 {
		return strings.TrimSuffix(name, "-"+strconv.Itoa(procs)), procs
	}
	base := trimProcs(name)
	if base == name {
		return name, 1
	}
	n, _ := strconv.Atoi(name[len(base)+1:])
	return base, n
}
