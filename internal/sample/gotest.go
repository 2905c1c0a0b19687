package sample

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

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

// testArgs returns the flags of every run of a test binary: one process, one count, no
// tests, no deadline of its own (the harness has one).
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

// exactly returns the -test.bench pattern that selects one benchmark: go test matches
// each part of the name, between slashes, separately.
func exactly(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// calibrationShare is the part of a sample's time that the short sample of the
// calibration takes: long enough to measure a cost to within some percent.
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
		second, fullSecond, err := h.calibrationPair(ctx, l, p, *c)
		if err != nil || fullSecond == 0 {
			return err
		}
		if !plan.Suspicious(second, fullSecond) || (second > fullSecond) != (short > full) {
			short, full = second, fullSecond
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
	short = secPerOp(r)
	r, _, err = l.calibrationRun(ctx, h, p, c, fmt.Sprintf("%dx", iterations(sample, short)))
	if r == nil || err != nil {
		return 0, 0, err
	}
	return short, secPerOp(r), nil
}
