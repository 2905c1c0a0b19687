package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/proc"
)

// A Lab is what the processes of a run need.
type Lab struct {
	Runner *proc.Runner
	Target func(arm, suite, layout int) (Target, error)
	// Program is the binary of a program of a suite, by its folder.
	Program func(arm, suite int, dir string) (Target, error)
	// Recording reads what a program recorded: kind is "trace" or "cpuprofile".
	Recording func(kind, file string, c plan.Case, arm string) ([]benchfmt.Value, error)
	SaveLog   func(name string, data []byte) // keeps the output of a process that failed
	Skip      func(plan.Case) bool           // cases that the profile leaves out; nil leaves out none

	mu sync.Mutex // of calibrations side by side
}

// calibrationShare is the part of a sample's time that the short sample of the
// calibration takes: long enough to know a cost within some percent.
const calibrationShare = 8

// discoveryArm is the arm on which a suite's cases are looked for: the first of those
// with its newest Go, for an older one may not have all that the cases ask for.
func discoveryArm(p *plan.Plan, suite int) int {
	return slices.MaxFunc(p.ArmsOf(suite), func(a, b int) int {
		return version.Compare(p.Arms[a].Toolchain, p.Arms[b].Toolchain) // of equals the first
	})
}

// Discover finds the cases of every suite by running each benchmark once on its
// discoveryArm, then finds for each case the N of a sample. A benchmark that does
// not survive this becomes a Failure, and the others go on. progress is called
// with the number of cases that are done and known so far.
func (l *Lab) Discover(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	for s := range p.Suites {
		list := l.list
		if p.Suites[s].Google {
			list = l.listGoogle
		}
		if err := list(ctx, p, s); err != nil {
			return err
		}
		if err := l.listPrograms(p, s); err != nil {
			return err
		}
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return l.Skip != nil && l.Skip(c) })
	if err := l.calibrateAll(ctx, p, progress); err != nil {
		return err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return c.N == 0 })
	return nil
}

// calibrateAll calibrates the cases, those of C++ programs as many at a time as there
// are processors: their N need only be about right, and most of the time of their
// processes goes into starting them.
func (l *Lab) calibrateAll(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	many := make(chan struct{}, runtime.NumCPU())
	var wait sync.WaitGroup
	var first error
	done, known := 0, len(p.Failures)
	report := func(err error) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if first == nil {
			first = err
		}
		done++
		progress(done, len(p.Cases))
		return first == nil
	}
	for i := range p.Cases {
		if !p.Suites[p.Cases[i].Suite].Google {
			wait.Wait()
			if !report(l.calibrate(ctx, p, i)) {
				return first
			}
			continue
		}
		many <- struct{}{}
		wait.Go(func() {
			defer func() { <-many }()
			if ctx.Err() == nil {
				report(l.calibrate(ctx, p, i))
			}
		})
	}
	wait.Wait()
	if first == nil {
		first = context.Cause(ctx)
	}
	slices.SortStableFunc(p.Failures[known:], func(a, b plan.Failure) int { return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Name, b.Name)) })
	return first
}

// calibrate finds a case's N, with which one sample spends the target time in
// the loop, and looks whether its cost per op depends on N. Where it seems to, a
// second look at both decides: on a noisy machine the first is often wrong. N
// stays 0 for a case that fails.
func (l *Lab) calibrate(ctx context.Context, p *plan.Plan, i int) error {
	c := &p.Cases[i]
	switch {
	case c.Program != "":
		return l.calibrateProgram(ctx, p, c)
	case p.Suites[c.Suite].Google:
		return l.calibrateGoogle(ctx, p, c)
	}
	sample := p.SampleOf(c.Suite)
	if c.Estimate >= sample.Seconds() {
		return nil // one iteration is long enough
	}
	c.N = 0
	short, full, err := l.calibrationPair(ctx, p, *c)
	if err != nil || full == 0 {
		return err
	}
	if plan.Suspicious(short, full) {
		again, fullAgain, err := l.calibrationPair(ctx, p, *c)
		if err != nil || fullAgain == 0 {
			return err
		}
		if !plan.Suspicious(again, fullAgain) || (again > fullAgain) != (short > full) {
			short, full = again, fullAgain
		}
	}
	c.Short, c.Estimate = short, full
	c.N = iterations(sample, full)
	return nil
}

// calibrationPair takes a short sample, and one of the target time. The costs
// are in seconds per op; 0 when the case failed, which is then in the plan.
func (l *Lab) calibrationPair(ctx context.Context, p *plan.Plan, c plan.Case) (short, full float64, err error) {
	sample := p.SampleOf(c.Suite)
	r, _, err := l.calibrationRun(ctx, p, c, (sample / calibrationShare).String())
	if r == nil || err != nil {
		return 0, 0, err
	}
	short = secPerOp(r)
	r, _, err = l.calibrationRun(ctx, p, c, fmt.Sprintf("%dx", iterations(sample, short)))
	if r == nil || err != nil {
		return 0, 0, err
	}
	return short, secPerOp(r), nil
}

// calibrationRun takes one sample for calibration, and says how much processor time its
// process took; the result is nil when the case failed, which is then in the plan. The
// first arm is the one that the others are compared with; where it cannot run the case,
// that on which the case was found.
func (l *Lab) calibrationRun(ctx context.Context, p *plan.Plan, c plan.Case, benchtime string) (*benchfmt.Result, time.Duration, error) {
	found := discoveryArm(p, c.Suite)
	for _, arm := range slices.Compact([]int{p.ArmsOf(c.Suite)[0], found}) {
		target, err := l.target(p, c, arm, 0)
		if err != nil {
			return nil, 0, err
		}
		res, o, err := l.runCase(ctx, p, c, arm, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: slices.Concat(target.Env, c.Env),
			Args: caseArgs(p, c, benchtime), Timeout: p.Options.Timeout})
		if err != nil {
			return nil, 0, err
		}
		if r := o.find(c.Name); r != nil && res.ExitCode == 0 {
			return r, res.Usage.User + res.Usage.Sys, nil
		}
		if arm == found {
			l.fail(p, plan.Failure{Suite: c.Suite, Name: c.Base, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
		}
	}
	return nil, 0, nil
}

// ErrNothing says that not one benchmark was found.
var ErrNothing = errors.New("no benchmark to run")
