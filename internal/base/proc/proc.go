// Package proc starts processes; no other package does. Every process runs in its own
// group, its output is limited in size or read while it runs, and it ends when memcost
// ends, so that no process is left behind to disturb the next sample.
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
	"sync"
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
	p.group.close() // which ends, where the group is a Windows job, what may still hold a stream open
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

// process is one that runs.
type process struct {
	*exec.Cmd
	group          *group
	stopper        stopper
	stdout, stderr *clip
	streams        [2]*stream
}

// start starts it, with what reads its output and feeds its input.
func (p *process) start(c Cmd) (err error) {
	p.stdout, p.stderr = newClip(c.Limit), newClip(c.Limit)
	defer func() {
		if err != nil {
			p.drop()
		}
	}()
	if p.Stdout, p.streams[0], err = output(c.ReadStdout, p.stdout); err != nil {
		return err
	}
	if p.Stderr, p.streams[1], err = output(c.ReadStderr, p.stderr); err != nil {
		return err
	}
	feed, err := input(p.Cmd, c.Stdin)
	if err != nil {
		return err
	}
	if err = p.Cmd.Start(); err != nil {
		return err
	}
	p.group.started()
	p.read()
	feed()
	return nil
}

// pipes makes pipes for both output streams.
func (p *process) pipes(c Cmd) (err error) {
	kept := func(read func(io.Reader), into *clip) func(io.Reader) {
		if read == nil {
			return func(r io.Reader) { into.ReadFrom(r) }
		}
		return read
	}
	if _, p.streams[0], err = output(kept(c.ReadStdout, p.stdout), nil); err != nil {
		return err
	}
	if _, p.streams[1], err = output(kept(c.ReadStderr, p.stderr), nil); err != nil {
		p.streams[0].drop()
	}
	return err
}

// read begins to read the output streams, drop closes those of a process that was not started, and
// finish waits until everything has been read.
func (p *process) read() {
	for _, s := range p.streams {
		s.start()
	}
}

func (p *process) drop() {
	for _, s := range p.streams {
		s.drop()
	}
}

func (p *process) finish() {
	for _, s := range p.streams {
		s.finish()
	}
}

// Usage holds what the kernel counted for a process and for the descendants that it
// waited for.
type Usage struct {
	User, Sys time.Duration

	// MaxRSS is the peak resident set in bytes, 0 where the system does not report it.
	//
	// On Linux the figure is never below MaxRSSFloor, memcost's own peak: the child
	// shares memcost's memory until it calls execve, which credits the peak of the old
	// memory to the new program (fs/exec.c, exec_mmap, setmax_mm_hiwater_rss). PeakRSS
	// takes this into account.
	MaxRSS      int64
	MaxRSSFloor int64 // bytes; 0 where there is no such floor

	MinorFaults, MajorFaults               int64
	VoluntarySwitches, InvoluntarySwitches int64
}

// PeakRSS returns the peak resident set in bytes. It is not ok where the system does not
// report it, or where it is only known to be at most MaxRSSFloor.
func (u Usage) PeakRSS() (bytes int64, ok bool) {
	return u.MaxRSS, u.MaxRSS > u.MaxRSSFloor
}

// Together is what a process and its descendants had resident when they had most together, as far as it was seen.
// Pages that they share count in each.
type Together struct {
	Processes    int
	Sum, Largest int64 // bytes: of all of them, and of the largest
}

// Result holds how a process ended and what it wrote.
type Result struct {
	Together               Together // of Cmd.Watch
	Stdout, Stderr         []byte   // where bytes were dropped, a line in the middle says so
	StdoutLost, StderrLost int64    // bytes dropped
	ExitCode               int      // -1 if a signal ended it
	Signal                 string   // "SIGSEGV", or "" if it exited by itself
	TimedOut               bool     // stopped by Cmd.Timeout
	Wall                   time.Duration
	Usage                  Usage
	// Work is the part of Wall that counts as the program's time, where that is not all: its start and its end, or
	// idleness after the work, are none of it; 0 where all counts.
	Work    time.Duration
	Daemons int           // processes that it left in the background, which a Launcher stopped
	Beside  time.Duration // CPU time of what ran for it beside it, such as the load of a server

	timeout time.Duration
}

// Worked returns the time that counts as the program's.
func (r Result) Worked() time.Duration {
	if r.Work > 0 {
		return r.Work
	}
	return r.Wall
}

// Err returns nil for a process that exited with 0, else an error that names the action
// (what), how the process ended, and the last lines it wrote.
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

// lastLines returns the last n lines of b, indented, without blank lines at the end.
func lastLines(b []byte, n int) string {
	text := strings.TrimRight(string(b), " \t\r\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	return "\t" + strings.Join(lines, "\n\t")
}

// stopper ends a group: at once, or by an interrupt (as Ctrl-C), a termination
// and the end, each a grace after the other.
type stopper struct {
	group    *group
	grace    time.Duration
	stopping func()

	mu    sync.Mutex
	timer *time.Timer
	asked bool
	over  bool // the process has ended: its number may soon belong to another
}

func (s *stopper) stop() error {
	s.mu.Lock()
	s.asked = true
	s.mu.Unlock()
	if s.stopping != nil {
		s.stopping()
	}
	if s.grace <= 0 {
		return s.group.kill()
	}
	s.step(0)
	return nil
}

func (s *stopper) step(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	switch n {
	case 0:
		s.group.interrupt()
	case 1:
		s.group.terminate()
	default:
		s.group.kill()
		return
	}
	s.timer = time.AfterFunc(s.grace, func() { s.step(n + 1) })
}

// end records that the process has ended, and reports whether memcost had asked it to
// end.
func (s *stopper) end() (asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.asked
}

// Cmd is one process to run.
type Cmd struct {
	Path    string        // program; a name without a slash is looked up in memcost's own PATH
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

	// Started is called with the number of the process when it has been started; nil is nothing. It has to
	// return at once. Of a Launcher alone.
	Started func(pid int)

	// Grace is the time between the signals that end the process group: SIGINT first,
	// SIGTERM after Grace, SIGKILL after Grace once more. With 0 the group is killed at
	// once.
	Grace    time.Duration
	Stopping func() // called before the process is stopped; it is waited for

	// Watch has a Launcher on Linux look at what the process and its descendants have resident together, every few
	// milliseconds: for a run that is not timed.
	Watch bool

	tune func(*exec.Cmd) // changes how it is started; nil changes nothing
}
