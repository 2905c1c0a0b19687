package sample

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	o := parse(res.Stdout, c.Procs)
	r := o.find(c.Name)
	if r == nil || res.ExitCode != 0 {
		l.fail(p, plan.Failure{Suite: c.Suite, Name: c.Base, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
		return nil, nil
	}
	return r, nil
}

// ErrNothing says that not one benchmark was found.
var ErrNothing = errors.New("no benchmark to run")
