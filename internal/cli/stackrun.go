package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"memcost/internal/proc"
	"memcost/internal/stacklog"
	"memcost/internal/toolchain"
)

// stackRun is one program that was run, and what it recorded.
type stackRun struct {
	name      string
	toolchain string
	program   toolchain.LoggedProgram

	cmd    proc.Cmd
	result proc.Result
	ended  string        // how, in words
	log    *stacklog.Log // what is shown: of a trace, if there is no log
	check  []stacklog.Difference
	agrees bool
	notes  []string
	failed []error
	idle   string // why the tests or benchmarks asked for are not what ran, or ""
}

func (r *stackRun) String() string { return r.name + " with " + r.toolchain }

func (r *stackRun) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *stackRun) fail(err error) {
	if err != nil {
		r.failed = append(r.failed, err)
	}
}

// command is the process to run, without what it is connected to.
func (j *stackJob) command(r *stackRun) proc.Cmd {
	c := proc.Cmd{Path: r.program.Path, Timeout: j.f.timeout, Grace: j.f.grace, Env: os.Environ()}
	if r.program.Test {
		c.Dir = r.program.Dir
		if j.f.bench != "" {
			c.Args = append(c.Args, "-test.bench="+j.f.bench, "-test.benchtime="+j.f.benchtime)
			if j.f.tests == "" {
				c.Args = append(c.Args, "-test.run=^$")
			}
		}
		if j.f.tests != "" {
			c.Args = append(c.Args, "-test.run="+j.f.tests)
		}
	}
	c.Args = append(c.Args, j.own...)
	if j.f.record() != toolchain.StackLog {
		debug := "traceallocfree=1"
		if had := os.Getenv("GODEBUG"); had != "" {
			debug = had + "," + debug
		}
		c.Env = append(c.Env, "GODEBUG="+debug)
	}
	return c
}

func (j *stackJob) printCommands() error {
	for _, r := range j.runs {
		if _, err := fmt.Fprintln(j.app.stdout, j.command(r)); err != nil {
			return err
		}
	}
	return nil
}

// keepName is where the log of a run is kept, or "".
func (j *stackJob) keepName(r *stackRun) string {
	if j.f.keep == "" || len(j.runs) == 1 {
		return j.f.keep
	}
	return j.f.keep + "." + r.toolchain + "-" + filepath.Base(r.program.Path)
}

// run runs a program and reads what it records. A program that fails has failed,
// with what it recorded; the error is for what keeps it from being run.
func (j *stackJob) run(ctx context.Context, r *stackRun) error {
	if ctx.Err() != nil {
		r.ended = "not run"
		return nil
	}
	j.progress.step(j.app.fit(fmt.Sprintf("running %v", r)))
	j.progress.end()
	r.cmd = j.command(r)
	c := &connection{job: j, run: r}
	defer c.close()
	if err := c.open(); err != nil {
		return err
	}
	var err error
	if c.readLog != nil {
		r.result, err = toolchain.RunLogged(ctx, j.runner, r.cmd, c.readLog)
	} else {
		r.result, err = j.runner.Run(ctx, r.cmd)
	}
	c.stdout.flush("standard output of "+r.name, r)
	switch {
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("running %v: %w", r, err)
	case err != nil || ctx.Err() != nil:
		r.ended = "interrupted, " + r.how() + "; what it recorded until then counts"
	case r.result.TimedOut:
		r.ended = fmt.Sprintf("stopped after %v (--timeout), %s; what it recorded until then counts", j.f.timeout, r.how())
	default:
		r.ended = r.how()
		r.result.Stderr, r.result.Stdout = c.lastWords(), c.stdout.last()
		r.fail(r.result.Err("running " + r.String()))
		if r.idle = c.idle(); r.idle != "" && len(r.failed) == 0 {
			r.note("%s: the figures are of the start and the end of the test binary", r.idle)
		}
		if len(r.failed) > 0 && c.traceFile != "" && bytes.Contains(r.result.Stderr, []byte("already enabled")) {
			r.note("the program takes a trace of its own, which it cannot while memcost takes one: leave out --trace or --check")
		}
	}
	return c.finish()
}

// how the process ended, in words.
func (r *stackRun) how() string {
	text := fmt.Sprintf("exit status %d", r.result.ExitCode)
	if r.result.Signal != "" {
		text = "ended by " + r.result.Signal
	}
	return fmt.Sprintf("%s after %v", text, r.result.Wall.Round(time.Millisecond))
}

// symbolise names the functions that grew.
func (r *stackRun) symbolise(binary string) {
	if r.log == nil || r.log.Trace || len(r.log.Sites) == 0 {
		return
	}
	f, err := os.Open(binary)
	if err == nil {
		defer f.Close()
		var hook func(uint64) (string, string, int)
		if hook, err = stacklog.Symbols(f); err == nil {
			r.log.Symbolise(hook)
		}
	}
	if err != nil {
		r.note("the functions have no names: %v", err)
	}
}

// plainError is without the name of a file that the message names already.
func plainError(err error) error {
	var named *os.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}
