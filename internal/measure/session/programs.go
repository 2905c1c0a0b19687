package session

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// Programs are test binaries of Go (go test -c) or programs on Google Benchmark, all of one kind.
type Programs struct{ Files []string }

// AllPrograms reports whether arguments are all files that the system can run, two at least.
func AllPrograms(args []string) bool {
	return len(args) > 1 && !slices.ContainsFunc(args, func(arg string) bool { return executable(arg) != nil })
}

func (x Programs) choose(ctx context.Context, r *CommandRun) error {
	q := r.Question
	var suite plan.Suite
	for i, name := range x.Files {
		file, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		s, err := suiteOf(ctx, r, file, name)
		if err != nil {
			return err
		}
		switch of := x.Files[0]; {
		case i == 0:
			suite = s
		case (s.Harness == "") != (suite.Harness == ""):
			return hint.Usage("compare two of the same kind", "%s and %s: one is a test binary of Go, and one a "+
				"program on Google Benchmark", of, name)
		case s.Harness == plan.HarnessTimed: // what all of them can do
			suite.Harness = s.Harness
		}
		q.Plan.Arms = append(q.Plan.Arms, plan.Arm{Name: name, Program: file})
	}
	distinguish(q.Plan.Arms)
	q.Plan.Suites = []plan.Suite{suite}
	return nil
}

// suiteOf finds out what benchmarks a program has.
func suiteOf(ctx context.Context, r *CommandRun, file, name string) (plan.Suite, error) {
	if info, err := buildinfo.ReadFile(file); err == nil {
		pkg, test := strings.CutSuffix(info.Path, ".test")
		if !test {
			return plan.Suite{}, hint.Usage("go test -c -o FILE makes one; --command 'PROGRAM ARG' compares any "+
				"program", "%s is a Go program, and no test binary", name)
		}
		return plan.Suite{Name: pkg, Pkg: pkg}, nil
	}
	neither := hint.Usage("--command './program args' compares any program",
		"%s is neither a test binary of Go nor a program on Google Benchmark", name)
	text, err := os.ReadFile(file)
	if err != nil {
		return plan.Suite{}, err
	}
	if !bytes.Contains(text, []byte("benchmark")) { // its name is in the names of what it calls
		return plan.Suite{}, neither
	}
	suite := plan.Suite{Name: "benchmarks", Pkg: "benchmarks", Harness: plan.HarnessTimed}
	list := func(more ...string) (proc.Result, error) {
		return r.Runner.Run(ctx, proc.Cmd{Path: file, Args: slices.Concat([]string{"--benchmark_list_tests=true"}, more,
			r.Question.Comparison.TestArgs), Env: r.Env, Timeout: r.Question.Plan.Options.Timeout})
	}
	res, err := list()
	switch {
	case err != nil:
		return suite, err
	case res.ExitCode != 0:
		return suite, fmt.Errorf("%w: %w", neither, res.Err("asking it for its benchmarks"))
	case len(bytes.TrimSpace(res.Stdout)) == 0:
		return suite, neither
	}
	// From version 1.8 on a number of iterations can be asked for.
	counted, err := list("--benchmark_min_time=1x")
	if err == nil && counted.ExitCode == 0 && bytes.Equal(counted.Stdout, res.Stdout) {
		suite.Harness = plan.HarnessCounted
	}
	return suite, err
}

func (Programs) targets(_ context.Context, r *CommandRun) error {
	for i, a := range r.Question.Plan.Arms {
		if err := executable(a.Program); err != nil {
			return hint.With("put it back as it was, or begin a new comparison", err)
		}
		hash, err := hashOf(a.Program)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, sample.Target{Path: a.Program, Args: r.Question.Comparison.TestArgs,
			Dir: r.Question.Dir, Env: r.Env})
		r.Question.Builds = append(r.Question.Builds, plan.Build{Arm: i, Layouts: []uint64{0}, Hash: hash})
	}
	return nil
}

// list keeps the benchmarks that all sides have, and notes the others.
func (Programs) list(ctx context.Context, r *CommandRun) error {
	p := &r.Question.Plan
	r.lab.ListOn = p.ArmsOf
	r.lab.OneSided = func(found []plan.OneSided) {
		r.Question.Comparison.OneSided = found
		for _, x := range found {
			r.Log.Note(fmt.Sprintf("not compared: %s is only on %s", x.Name, strings.Join(x.On, ", ")))
		}
	}
	return r.lab.List(ctx, p)
}

func (Programs) check(_ context.Context, r *CommandRun) error {
	if n := len(r.Question.Plan.NotReached); n > 0 {
		r.warn("%s not reached in the budget of %v", units.Plural(n, "benchmark"), r.Question.Plan.Options.Budget)
	}
	return nil
}
