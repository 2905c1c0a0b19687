package sample

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/exchange"
	"memcost/internal/measure/plan"
)

// builtGoogle is the harness of programs on Google Benchmark that the user built: they know the
// library's own flags alone.
type builtGoogle struct {
	googleBenchmark
	counted bool // Google Benchmark 1.8 or newer: it runs as many iterations as it is told
}

func (h builtGoogle) args(c plan.Case, benchtime string) []string {
	args := append(slices.Clone(c.Args), "--benchmark_format=json", "--benchmark_filter=^"+regexp.QuoteMeta(c.Call)+"$")
	n, isCount := strings.CutSuffix(benchtime, "x")
	if isCount && h.counted {
		return append(args, "--benchmark_min_time="+benchtime)
	}
	d, _ := time.ParseDuration(benchtime)
	if iterations, err := strconv.ParseFloat(n, 64); isCount && err == nil {
		d = time.Duration(iterations * c.Estimate * float64(time.Second))
	}
	return append(args, "--benchmark_min_time="+strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}

// list adds the cases that the program of the first arm lists.
func (builtGoogle) list(ctx context.Context, l *Executor, p *plan.Plan, suite int) error {
	arm := p.ArmsOf(suite)[0]
	target, err := l.Target(plan.Case{Suite: suite}, arm, 0)
	if err != nil {
		return err
	}
	want, err := plan.New(p.Options.Bench)
	if err != nil {
		return err
	}
	res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: target.Env,
		Args: append(slices.Clone(target.Args), "--benchmark_list_tests=true"), Timeout: p.Options.Timeout})
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(res.Stdout)) {
		call := strings.TrimSpace(line)
		name := exchange.GoogleName(googleSuffix.ReplaceAllString(call, ""))
		if call != "" && res.ExitCode == 0 && want.Top("Benchmark"+firstPart(name)) && want.Full("Benchmark"+name) &&
			!slices.ContainsFunc(p.Cases, func(c plan.Case) bool { return c.Suite == suite && c.Name == name }) {
			p.Cases = append(p.Cases, plan.Case{Suite: suite, Name: name, Base: name, Procs: 1, N: 1, Call: call})
		}
	}
	if res.ExitCode != 0 || len(res.Stdout) == 0 {
		l.fail(p, plan.Failure{Suite: suite, Name: p.Suites[suite].Name, Arm: p.Arms[arm].Name,
			Reason: "listing its benchmarks: " + why(res, output{})}, res)
	}
	return nil
}

// calibrate finds N from a process that has a part of a sample's time.
func (h builtGoogle) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	c.N = 0
	sample := p.SampleOf(c.Suite)
	r, res, err := l.calibrationRun(ctx, h, p, *c, (sample / calibrationShare).String(), 0)
	if r == nil || err != nil {
		return err
	}
	if c.Estimate = secPerOp(r); c.Estimate <= 0 {
		l.fail(p, plan.Failure{Suite: c.Suite, Name: c.Base, Arm: p.Arms[p.ArmsOf(c.Suite)[0]].Name,
			Reason: "it reports no time"}, res)
		return nil
	}
	c.N = iterations(sample, c.Estimate)
	c.StartUp = max(res.Wall.Seconds()-c.Estimate*float64(r.Iters), 0)
	return nil
}
