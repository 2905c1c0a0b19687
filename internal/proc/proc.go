// Package proc starts processes; no other package does. Every process runs in
// its own group, with an output of bounded size or one that is read as it comes,
// and a life that ends with memcost's own, so that nothing is left behind to
// disturb the next sample.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// DefaultLimit is the number of bytes kept of each output stream.
const DefaultLimit = 1 << 20

// waitDelay bounds the wait for output that a process which left our group
// (setsid) still holds open after the process itself has ended.
const waitDelay = 2 * time.Second

// Cmd is one process to run.
type Cmd struct {
	Path    string        // program; a name without a slash is looked up on memcost's own PATH
	Args    []string      // arguments, without the program's name
	Dir     string        // working directory; "" is memcost's own
	Env     []string      // complete environment; nil is memcost's own
	Timeout time.Duration // the group is stopped after this; 0 is never
	Limit   int           // bytes kept of each stream, first half and last half; 0 is DefaultLimit

	Stdin io.Reader  // nil is empty; a file is handed over itself
	Files []*os.File // become its files 3, 4 …; not on Windows

	// ReadStdout and ReadStderr are given a stream to read while the process
	// runs, which waits for a slow reader. What they leave is dropped. The stream
	// ends with the group; Run returns after they did. nil keeps it in the Result.
	ReadStdout, ReadStderr func(io.Reader)

	// Grace is what the group is given to end by itself: it is stopped by SIGINT,
	// after Grace by SIGTERM, after Grace again by SIGKILL. 0 kills it at once.
	Grace    time.Duration
	Stopping func() // called before the process is stopped; it is waited for
}

// Usage is what the kernel counted for a process and the descendants it waited for.
type Usage struct {
	User, Sys time.Duration

	// MaxRSS is the peak resident set in bytes, 0 where the system does not tell.
	//
	// On Linux the figure is never below MaxRSSFloor, memcost's own peak: the
	// child shares our memory until it calls execve, which credits the peak of
	// the old memory to the new program (fs/exec.c, exec_mmap,
	// setmax_mm_hiwater_rss). Use PeakRSS, which knows.
	MaxRSS      int64
	MaxRSSFloor int64 // bytes; 0 where there is no such floor

	MinorFaults, MajorFaults               int64
	VoluntarySwitches, InvoluntarySwitches int64
}

// PeakRSS is the peak resident set in bytes. It is not ok where the system
// does not tell, or tells only that the peak was at most MaxRSSFloor.
func (u Usage) PeakRSS() (bytes int64, ok bool) {
	return u.MaxRSS, u.MaxRSS > u.MaxRSSFloor
}

// Result is how a process ended and what it wrote.
type Result struct {
	Stdout, Stderr         []byte // where bytes were dropped, a line in the middle says so
	StdoutLost, StderrLost int64  // bytes dropped
	ExitCode               int    // -1 if a signal ended it
	Signal                 string // "SIGSEGV", or "" if it exited by itself
	TimedOut               bool   // stopped by Cmd.Timeout
	Wall                   time.Duration
	Usage                  Usage

	timeout time.Duration
}

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
	if r != nil && r.Trace != nil {
		fmt.Fprintln(r.Trace, c.String())
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.Timeout)
	}
	defer cancel()

	p := &process{Cmd: exec.CommandContext(limited, c.Path, c.Args...)}
	p.Dir, p.Env, p.ExtraFiles, p.WaitDelay = c.Dir, c.Env, c.Files, waitDelay+2*c.Grace
	p.group = newGroup(p.Cmd)
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

	res := Result{Wall: wall, ExitCode: p.ProcessState.ExitCode(), Signal: signalName(p.ProcessState), timeout: c.Timeout}
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

// Err is nil for a process that exited with 0, else an error that says what
// was being done, how the process ended, and the last lines it wrote.
func (r Result) Err(what string) error {
	var how string
	switch {
	case r.TimedOut:
		how = fmt.Sprintf("killed after its time limit of %v", r.timeout)
	case r.Signal != "":
		how = "killed by " + r.Signal
	case r.ExitCode != 0:
		how = fmt.Sprintf("exit status %d", r.ExitCode)
	default:
		return nil
	}
	tail := lastLines(r.Stderr, 10)
	if tail == "" {
		tail = lastLines(r.Stdout, 10)
	}
	if tail == "" {
		return fmt.Errorf("%s: %s, without any output", what, how)
	}
	return fmt.Errorf("%s: %s; its last output:\n%s", what, how, tail)
}

// lastLines is the last n lines of b, indented, without blank lines at the end.
func lastLines(b []byte, n int) string {
	text := strings.TrimRight(string(b), " \t\r\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	return "\t" + strings.Join(lines, "\n\t")
}
