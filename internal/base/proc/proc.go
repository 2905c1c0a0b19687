// Package proc starts processes; no other package does. Every process runs in its own
// group, its output is limited in size or read while it runs, and it ends when memcost
// ends, so that no process is left behind to disturb the next sample.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// Runner runs processes. The zero value is ready, and may be used by several
// goroutines if Trace may.
type Runner struct {
	Trace io.Writer // each command's String and a newline; nil is silent
}

// Run runs c and waits for it. A process that fails is a Result; the error is
// for one that could not be started and for a ctx that was cancelled (it wraps
// the context's cause, and the Result holds what there was until then).
//
// When the process ends, what it started and left running in its group is
// killed. On Linux the process is killed when memcost dies, however it dies.
func (r *Runner) Run(ctx context.Context, c Cmd) (Result, error) {
	r.trace(c)
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.Timeout)
	}
	defer cancel()

	p := &process{Cmd: exec.CommandContext(limited, c.Path, c.Args...)}
	p.Dir, p.Env, p.ExtraFiles, p.WaitDelay = c.Dir, c.Env, c.Files, waitDelay+2*c.Grace
	p.group = newGroup(p.Cmd)
	if c.tune != nil {
		c.tune(p.Cmd)
	}
	defer p.group.close()
	p.stopper = stopper{group: p.group, grace: c.Grace, stopping: c.Stopping}
	p.Cancel = p.stopper.stop

	// Linux ties the parent-death signal to the thread that forked; the lock
	// keeps that thread alive as long as the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	start := time.Now()
	if err := p.start(c); err != nil {
		return Result{}, startError(ctx, c, err)
	}
	floor := maxRSSFloor() // Start returns after execve, so this is no less than what it credited
	ended := p.group.wait()
	wall := time.Since(start)
	if ended {
		p.stopper.end()
		p.group.kill() // what it left running; as a zombie it still holds the group's number
	}
	err := p.Wait()
	asked := p.stopper.end()
	if !ended {
		wall = time.Since(start)
	}
	p.finish()

	res := Result{Wall: wall, ExitCode: p.ProcessState.ExitCode(),
		Signal: signalName(p.ProcessState), timeout: c.Timeout}
	res.Stdout, res.StdoutLost = p.stdout.bytes()
	res.Stderr, res.StderrLost = p.stderr.bytes()
	res.Usage = usage(p.ProcessState)
	res.Usage.MaxRSSFloor = floor
	if asked && (c.Grace > 0 || !p.ProcessState.Success()) {
		if ctx.Err() != nil {
			return res, fmt.Errorf("running %s: stopped: %w", c.Path, context.Cause(ctx))
		}
		res.TimedOut = true
		return res, nil
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) && !asked {
		return res, fmt.Errorf("running %s: reading its output: %w", c.Path, err)
	}
	return res, nil
}

// trace prints a command that is about to be run. It ignores a nil Runner.
func (r *Runner) trace(c Cmd) {
	if r != nil && r.Trace != nil {
		fmt.Fprintln(r.Trace, c.String())
	}
}

func startError(ctx context.Context, c Cmd, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("starting %s: stopped: %w", c.Path, context.Cause(ctx))
	}
	where := ""
	if c.Dir != "" {
		where = " in " + c.Dir
	}
	return fmt.Errorf("starting %s%s: %w", c.Path, where, err)
}
