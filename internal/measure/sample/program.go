package sample

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// program is the harness of programs of a study that are one case each: one run is one
// sample. What a program does is in its arguments; {n} in them stands for the number of
// operations, which is calibrated. Without it the whole run is one operation.
type program struct{}

func (program) sideBySide() bool { return false }

// numberWord stands in a program's arguments for the number of operations.
const numberWord = "{n}"

func counts(c plan.Case) bool {
	return slices.ContainsFunc(c.Args, func(a string) bool { return strings.Contains(a, numberWord) })
}

func (program) args(c plan.Case, benchtime string) []string {
	if !counts(c) {
		return c.Args
	}
	n, ok := strings.CutSuffix(benchtime, "x")
	if !ok { // a time, which a program cannot be given
		n = "1"
	}
	args := slices.Clone(c.Args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], numberWord, n)
	}
	return args
}

// list adds the cases that programs of a study give, one line of output each.
func (program) list(_ context.Context, _ *Executor, p *plan.Plan, study int) error {
	want, err := plan.New(p.Options.Bench)
	if err != nil {
		return err
	}
	for _, x := range p.Studies[study].Programs {
		if want.Full("Benchmark" + x.Case) {
			p.Cases = append(p.Cases, plan.Case{Study: study, Name: x.Case, Base: x.Case, Procs: 1, N: 1,
				Program: x.Dir, Args: x.Args})
		}
	}
	return nil
}

// calibrate finds how long the program takes, and how many operations a sample has where
// that can be chosen: ever more of them, until they take an eighth of a sample.
func (h program) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	c.N = 0
	sample := p.SampleOf(c.Study)
	for n := int64(1); ; {
		r, res, err := l.calibrationRun(ctx, h, p, *c, fmt.Sprintf("%dx", n), 0)
		if r == nil || err != nil {
			return err
		}
		c.Estimate = secPerOp(r)
		c.StartUp = max(res.Wall.Seconds()-c.Estimate*float64(n), 0)
		if !counts(*c) {
			c.N = 1
			return nil
		}
		took := time.Duration(c.Estimate * float64(n) * float64(time.Second))
		if took >= sample/countingShare || n >= maxCount {
			break
		}
		n = min(max(iterations(sample/countingShare, c.Estimate), 2*n), 100*n, maxCount)
	}
	c.N = min(iterations(sample, c.Estimate), maxCount) // Short stays 0: the first rounds see if it depends on N
	return nil
}

// countingShare is the part of a sample's time that a program's operations take in the end.
const countingShare = 8

// maxCount bounds what a program is asked to do. One that reports no time would be asked for
// ever more.
const maxCount = int64(1e9)

// parse reads what a program printed that is in the Go benchmark format.
func (program) parse(c plan.Case, res proc.Result) output {
	o := output{words: map[string]string{}}
	for r := benchfmt.NewReader(bytes.NewReader(res.Stdout), "output"); r.Scan(); {
		if x, ok := r.Result().(*benchfmt.Result); ok && len(x.Values) > 0 {
			o.results = append(o.results, x.Clone())
		}
	}
	if res.ExitCode == 0 && len(o.results) == 0 {
		o.fail(c.Base, "a program prints its figures as a line BenchmarkNAME 1 NUMBER ns/op; this one: "+
			proc.LastLine(res))
	}
	return o
}

// CommandCase is the name of the only case of a study of command lines.
const CommandCase = "Command"

// commandLine is the harness of command lines, one on each arm: a process is a sample of one
// operation. The target has its arguments.
type commandLine struct{}

func (commandLine) sideBySide() bool { return false }

func (commandLine) args(plan.Case, string) []string { return nil }

func (commandLine) list(_ context.Context, _ *Executor, p *plan.Plan, study int) error {
	p.Cases = append(p.Cases, plan.Case{Study: study, Name: CommandCase, Base: CommandCase, Procs: 1, N: 1})
	return nil
}

// commandTries is how often a command may fail before it is said to fail always.
const commandTries = 3

// calibrate runs the command of each arm, which has to succeed once. The estimate is the mean of
// their times.
func (h commandLine) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	if c.Estimate > 0 {
		return nil // it was tried before
	}
	c.N = 0
	sum, arms := 0.0, p.SidesOf(c.Study)
	for _, arm := range arms {
		for try := 1; ; try++ {
			r, res, o, err := l.runOn(ctx, h, p, *c, arm, "1x", 0)
			if err != nil {
				return err
			}
			if r != nil {
				sum += secPerOp(r)
				break
			}
			if try == commandTries || res.TimedOut {
				l.fail(p, plan.Failure{Study: c.Study, Name: c.Base, Side: p.Sides[arm].Name, Reason: why(res, o)}, res)
				return nil
			}
		}
	}
	c.N, c.Estimate = 1, sum/float64(len(arms))
	return nil
}

// parse makes a result of a process that succeeded.
func (commandLine) parse(c plan.Case, res proc.Result) output {
	o := output{words: map[string]string{}}
	if res.ExitCode == 0 && !res.TimedOut {
		sec := func(v float64, unit, ns string) benchfmt.Value {
			return benchfmt.Value{Value: v, Unit: unit, OrigValue: v * 1e9, OrigUnit: ns}
		}
		o.results = []*benchfmt.Result{{Name: benchfmt.Name(c.Printed()), Iters: 1, Values: []benchfmt.Value{
			sec(res.Worked().Seconds(), "sec/op", "ns/op"),
			sec((res.Usage.User + res.Usage.Sys).Seconds(), series.UnitCPU, "cpu-ns/op")}}}
	}
	return o
}
