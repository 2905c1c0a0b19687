package sample

import (
	"context"
	"fmt"
	"strconv"
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

// fewIterations are too few to tell the cost of an operation from what the first one does.
const fewIterations = 10

// calibrate finds a case's N, with which one sample spends the target time in the loop, from
// one sample of a part of it. N stays 0 for a case that fails.
//
// If the cost per op depends on N is not asked here: the first rounds compare a quarter of N
// with the whole in the same round, which noise between two calibrations is no match for.
func (h goTest) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	sample := p.SampleOf(c.Suite)
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
	if c.Estimate = secPerOp(r); c.Estimate == 0 { // it reports other figures, and no time
		c.Estimate = part.Seconds() / float64(max(r.Iters, 1))
	}
	c.N = iterations(lengthFor(r, sample, p.LongestOf(c.Suite)), c.Estimate)
	c.StartUp = max(res.Wall.Seconds()-c.Estimate*float64(r.Iters), 0)
	return nil
}
