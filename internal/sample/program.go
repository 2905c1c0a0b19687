package sample

import (
	"bytes"
	"context"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/proc"
)

// program is the harness of programs of a suite that are one case each: their work is in
// their arguments, and one run is one sample.
type program struct{}

func (program) sideBySide() bool { return false }

func (program) args(c plan.Case, _ string) []string { return c.Args }

// list adds the cases that programs of a suite give, one line of output each.
func (program) list(_ context.Context, _ *Lab, p *plan.Plan, suite int) error {
	want, err := newPattern(p.Options.Bench)
	if err != nil {
		return err
	}
	for _, x := range p.Suites[suite].Programs {
		if want.full("Benchmark" + x.Case) {
			p.Cases = append(p.Cases, plan.Case{Suite: suite, Name: x.Case, Base: x.Case, Procs: 1, N: 1,
				Program: x.Dir, Args: x.Args})
		}
	}
	return nil
}

// calibrate finds how long the program takes.
func (h program) calibrate(ctx context.Context, l *Lab, p *plan.Plan, c *plan.Case) error {
	r, _, err := l.calibrationRun(ctx, h, p, *c, "1x")
	c.N = 0
	if r == nil || err != nil {
		return err
	}
	c.N, c.Estimate = 1, secPerOp(r)
	c.Short = c.Estimate
	return nil
}

// parse reads what a program printed that is in the Go benchmark format.
func (program) parse(c plan.Case, res proc.Result) output {
	o := output{words: map[string]string{}}
	for r := benchfmt.NewReader(bytes.NewReader(res.Stdout), "output"); r.Scan(); {
		if x, ok := r.Result().(*benchfmt.Result); ok && len(x.Values) > 0 {
			o.results = append(o.results, x.Clone())
		}
	}
	if res.ExitCode == 0 && len(o.results) == 0 {
		o.fail(c.Base, "a program prints its figures as a line BenchmarkNAME 1 NUMBER ns/op; this one: "+lastLine(res))
	}
	return o
}
