package sample

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/proc"
)

// listPrograms adds the cases that programs of a suite give, one line of output each.
func (l *Lab) listPrograms(p *plan.Plan, suite int) error {
	want, err := newPattern(p.Options.Bench)
	if err != nil {
		return err
	}
	for _, x := range p.Suites[suite].Programs {
		if want.full("Benchmark" + x.Case) {
			p.Cases = append(p.Cases, plan.Case{Suite: suite, Name: x.Case, Base: x.Case, Procs: 1, N: 1, Program: x.Dir, Args: x.Args})
		}
	}
	return nil
}

// recordings are the files that a program's arguments may name.
var recordings = []string{"trace", "cpuprofile"}

// runCase runs the process of a case. The files that a program is asked to write are
// read when it has ended; their figures are added to its own.
func (l *Lab) runCase(ctx context.Context, p *plan.Plan, c plan.Case, arm int, cmd proc.Cmd) (proc.Result, output, error) {
	files := map[string]string{}
	for _, kind := range recordings {
		for i, a := range cmd.Args {
			if c.Program == "" || !strings.Contains(a, "{"+kind+"}") {
				continue
			}
			if files[kind] == "" {
				dir, err := os.MkdirTemp("", "memcost-"+kind+"-")
				if err != nil {
					return proc.Result{}, output{}, fmt.Errorf("making a folder for the %s of %s: %w", kind, c.Name, err)
				}
				defer os.RemoveAll(dir)
				files[kind] = filepath.Join(dir, kind)
			}
			cmd.Args = slices.Clone(cmd.Args)
			cmd.Args[i] = strings.ReplaceAll(a, "{"+kind+"}", files[kind])
		}
	}
	res, err := l.Runner.Run(ctx, cmd)
	if err != nil {
		return res, output{}, err
	}
	o := parseCase(p, c, res.Stdout)
	r := o.find(c.Name)
	if c.Program != "" && res.ExitCode == 0 && len(o.results) == 0 {
		o.failed, o.words = []string{c.Base}, map[string]string{c.Base: fmt.Sprintf("a program prints its figures as a line BenchmarkNAME 1 NUMBER ns/op; this one: %s", lastLine(res))}
	}
	if r == nil || res.ExitCode != 0 {
		return res, o, nil
	}
	for kind, file := range files {
		values, err := l.Recording(kind, file, c, p.Arms[arm].Name)
		if err != nil {
			o.results = nil
			o.failed, o.words = []string{c.Base}, map[string]string{c.Base: err.Error()}
			return res, o, nil
		}
		r.Values = append(r.Values, values...)
	}
	return res, o, nil
}

// target is the binary of a case.
func (l *Lab) target(p *plan.Plan, c plan.Case, arm, layout int) (Target, error) {
	if c.Program != "" {
		return l.Program(arm, c.Suite, c.Program)
	}
	return l.Target(arm, c.Suite, layout)
}

// calibrateProgram finds how long a program takes: its work is in its arguments, and
// one run is one sample.
func (l *Lab) calibrateProgram(ctx context.Context, p *plan.Plan, c *plan.Case) error {
	r, _, err := l.calibrationRun(ctx, p, *c, "1x")
	c.N = 0
	if r == nil || err != nil {
		return err
	}
	c.N, c.Estimate = 1, secPerOp(r)
	c.Short = c.Estimate
	return nil
}

// parseLines reads what a program printed that is in the Go benchmark format.
func parseLines(stdout []byte) output {
	o := output{words: map[string]string{}}
	for r := benchfmt.NewReader(bytes.NewReader(stdout), "output"); r.Scan(); {
		if res, ok := r.Result().(*benchfmt.Result); ok && len(res.Values) > 0 {
			o.results = append(o.results, res.Clone())
		}
	}
	return o
}
