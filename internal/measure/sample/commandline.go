package sample

import (
	"context"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// CommandCase is the name of the only case of a suite of command lines.
const CommandCase = "Command"

// commandLine is the harness of command lines, one on each arm: a process is a sample of one
// operation. The target has its arguments.
type commandLine struct{}

func (commandLine) sideBySide() bool { return false }

func (commandLine) args(plan.Case, string) []string { return nil }

func (commandLine) list(_ context.Context, _ *Executor, p *plan.Plan, suite int) error {
	p.Cases = append(p.Cases, plan.Case{Suite: suite, Name: CommandCase, Base: CommandCase, Procs: 1, N: 1})
	return nil
}

// commandTries is how often a command may fail before it is said to fail always.
const commandTries = 3

// calibrate runs the command of each arm, which has to succeed once. The estimate is the mean of
// their times.
func (h commandLine) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	c.N = 0
	sum, arms := 0.0, p.ArmsOf(c.Suite)
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
				l.fail(p, plan.Failure{Suite: c.Suite, Name: c.Base, Arm: p.Arms[arm].Name, Reason: why(res, o)}, res)
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
			sec(res.Wall.Seconds(), "sec/op", "ns/op"),
			sec((res.Usage.User + res.Usage.Sys).Seconds(), series.UnitCPU, "cpu-ns/op")}}}
	}
	return o
}
