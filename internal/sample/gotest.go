package sample

import (
	"context"
	"fmt"
	"strconv"

	"memcost/internal/plan"
	"memcost/internal/proc"
)

// goTest is the harness of Go test binaries.
type goTest struct{}

func (goTest) sideBySide() bool { return false }

func (goTest) args(c plan.Case, benchtime string) []string {
	return testArgs(exactly(c.Base), benchtime, c.Procs)
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

// calibrationShare is the part of a sample's time that the short sample of the
// calibration takes: long enough to know a cost within some percent.
const calibrationShare = 8

// calibrate finds a case's N, with which one sample spends the target time in
// the loop, and looks whether its cost per op depends on N. Where it seems to, a
// second look at both decides: on a noisy machine the first is often wrong. N
// stays 0 for a case that fails.
func (h goTest) calibrate(ctx context.Context, l *Lab, p *plan.Plan, c *plan.Case) error {
	sample := p.SampleOf(c.Suite)
	if c.Estimate >= sample.Seconds() {
		return nil // one iteration is long enough
	}
	c.N = 0
	short, full, err := h.calibrationPair(ctx, l, p, *c)
	if err != nil || full == 0 {
		return err
	}
	if plan.Suspicious(short, full) {
		again, fullAgain, err := h.calibrationPair(ctx, l, p, *c)
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
func (h goTest) calibrationPair(ctx context.Context, l *Lab, p *plan.Plan, c plan.Case) (short, full float64,
	err error) {
	sample := p.SampleOf(c.Suite)
	r, _, err := l.calibrationRun(ctx, h, p, c, (sample / calibrationShare).String())
	if r == nil || err != nil {
		return 0, 0, err
	}
	if short = secPerOp(r); short == 0 { // it reports other figures, and no time
		short = (sample / calibrationShare).Seconds() / float64(max(r.Iters, 1))
		return short, short, nil
	}
	r, _, err = l.calibrationRun(ctx, h, p, c, fmt.Sprintf("%dx", iterations(sample, short)))
	if r == nil || err != nil {
		return 0, 0, err
	}
	return short, secPerOp(r), nil
}
