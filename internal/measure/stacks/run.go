package stacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
)

// Command returns the process of a run, without what it is connected to.
func (r *Recorder) Command(run *Run) proc.Cmd {
	c := proc.Cmd{Path: run.Program.Path, Timeout: r.Timeout, Grace: r.Grace, Env: os.Environ()}
	if run.Program.Test {
		c.Dir = run.Program.Dir
		if r.Bench != "" {
			c.Args = append(c.Args, "-test.bench="+r.Bench, "-test.benchtime="+r.BenchTime)
			if r.Tests == "" {
				c.Args = append(c.Args, "-test.run=^$")
			}
		}
		if r.Tests != "" {
			c.Args = append(c.Args, "-test.run="+r.Tests)
		}
	}
	c.Args = append(c.Args, r.Arguments...)
	if r.Recording != toolchain.StackLog {
		debug := "traceallocfree=1"
		if had := os.Getenv("GODEBUG"); had != "" {
			debug = had + "," + debug
		}
		c.Env = append(c.Env, "GODEBUG="+debug)
	}
	return c
}

// Record runs the programs one after the other and reads what they record. A
// program that fails is a Run that has Failed, with what it recorded; the error is
// for what keeps one from being run. When ctx ends, the program that is running is
// stopped, what it recorded counts, and the others are not run.
func (r *Recorder) Record(ctx context.Context, runs []*Run) error {
	for _, run := range runs {
		if err := r.run(ctx, run, r.keepName(run, len(runs))); err != nil {
			return err
		}
	}
	return nil
}

// keepName returns where the log or trace of one of n runs is kept, or "".
func (r *Recorder) keepName(run *Run, n int) string {
	if r.KeepLog == "" || n == 1 {
		return r.KeepLog
	}
	return r.KeepLog + "." + run.Toolchain + "-" + filepath.Base(run.Program.Path)
}

func (r *Recorder) run(ctx context.Context, run *Run, keep string) error {
	if ctx.Err() != nil {
		run.Ended = "not run"
		return nil
	}
	if r.Start != nil {
		r.Start(run)
	}
	run.Cmd = r.Command(run)
	c := &connection{options: r.Options, run: run, keptName: keep}
	defer c.close()
	if err := c.open(); err != nil {
		return err
	}
	var err error
	if c.readLog != nil {
		run.Result, err = toolchain.RunLogged(ctx, r.Runner, run.Cmd, c.readLog)
	} else {
		run.Result, err = r.Runner.Run(ctx, run.Cmd)
	}
	run.fail(c.stdout.failure("standard output of " + run.Name))
	switch {
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("running %v: %w", run, err)
	case err != nil || ctx.Err() != nil:
		run.Ended = "interrupted, " + run.how() + "; what it recorded until then counts"
	case run.Result.TimedOut:
		run.Ended = fmt.Sprintf("stopped after %v (--timeout), %s; what it recorded until then counts",
			r.Timeout, run.how())
	default:
		c.ended()
	}
	c.finish()
	return nil
}

// ended says how a program ended by itself.
func (c *connection) ended() {
	run := c.run
	run.Ended = run.how()
	run.Result.Stderr, run.Result.Stdout = c.messages.ending(&c.stderr), c.stdout.last()
	run.fail(run.Result.Err("running " + run.String()))
	if run.Idle = c.messages.idle(c.options); run.Idle != "" && len(run.Failed) == 0 {
		run.note("%s: the figures are of the start and the end of the test binary", run.Idle)
	}
	if len(run.Failed) > 0 && c.traceFile != "" && bytes.Contains(run.Result.Stderr, []byte("already enabled")) {
		run.note("the program takes a trace of its own, which it cannot while memcost takes one: leave out --trace " +
			"or --check")
	}
}

// Err returns the error of runs whose figures have been shown: those that failed, or, if
// nothing ran that was asked for, why.
func (r *Recorder) Err(runs []*Run) error {
	var errs []error
	for _, run := range runs {
		errs = append(errs, run.Failed...)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(runs) == 0 || slices.ContainsFunc(runs, func(run *Run) bool { return run.Idle == "" }) {
		return nil
	}
	return fmt.Errorf("%s\nhint: the names of all: go test -list . %s", runs[0].Idle, strings.Join(r.Packages, " "))
}
