package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"memcost/internal/stacklog"
	"memcost/internal/toolchain"
)

// connection is what a program is connected to while it runs.
type connection struct {
	job            *stackJob
	run            *stackRun
	stdout, stderr outlet
	heard          heard
	kept           *outlet // the raw log, or nil
	keptName       string
	traceFile      string
	temp           string
	readLog        func(io.Reader) // nil if there is none
	reading        error           // of the log
	files          []*os.File
	request, done  *os.File // how a trace is ended: see toolchain.TraceVar
}

// open connects the run's command.
func (c *connection) open() error {
	f, cmd := c.job.f, &c.run.cmd
	if !f.quiet {
		c.stdout.to, c.stderr.to = c.job.app.stderr, c.job.app.stderr
	}
	if f.stdout != "" {
		file, err := c.create(f.stdout, "--stdout")
		if err != nil {
			return err
		}
		c.stdout.to = file
	}
	if err := c.openStdin(); err != nil {
		return err
	}
	c.watch()
	cmd.ReadStdout = func(r io.Reader) { io.Copy(&c.stdout, r) }
	cmd.ReadStderr = func(r io.Reader) { io.Copy(&c.stderr, r) }
	record := f.record()
	if record != toolchain.StackTrace {
		if err := c.openLog(record); err != nil {
			return err
		}
	}
	if record != toolchain.StackLog {
		return c.openTrace(record)
	}
	return nil
}

func (c *connection) create(path, flag string) (*os.File, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, withHint("name another file with "+flag, fmt.Errorf("%s %s: %w", flag, path, plainError(err)))
	}
	c.files = append(c.files, file)
	return file, nil
}

func (c *connection) openStdin() error {
	switch name := c.job.f.stdin; name {
	case "":
	case "-":
		c.run.cmd.Stdin = c.job.app.stdin
		if tty, _ := isTerminal(asWriter(c.job.app.stdin)); tty {
			// A process group in the background is stopped if it reads from a terminal.
			c.run.cmd.Stdin = struct{ io.Reader }{c.job.app.stdin}
		}
	default:
		file, err := os.Open(name)
		if err != nil {
			return withHint("name a file that can be read, or - for memcost's own standard input", fmt.Errorf("--stdin %s: %w", name, plainError(err)))
		}
		c.files = append(c.files, file)
		c.run.cmd.Stdin = file
	}
	return nil
}

// asWriter lets isTerminal look at an input.
func asWriter(r io.Reader) io.Writer {
	w, _ := r.(*os.File)
	return w
}

// openLog lets the log be read while it is written.
func (c *connection) openLog(record toolchain.Recording) error {
	o := stacklog.Options{}
	if !toolchain.StackLogAlone {
		o.Output = &c.stderr
	}
	if record == toolchain.StackLogTrace {
		o.From, o.Until = toolchain.TraceBegins, toolchain.TraceEnds
	}
	if c.keptName = c.job.keepName(c.run); c.keptName != "" {
		file, err := c.create(c.keptName, "--keep-log")
		if err != nil {
			return err
		}
		c.kept = &outlet{to: file}
	}
	c.readLog = func(r io.Reader) {
		if c.kept != nil {
			r = io.TeeReader(r, c.kept)
		}
		c.run.log, c.reading = stacklog.Read(r, o)
	}
	return nil
}

// openTrace names the file of the trace, and makes the pipes that end it.
func (c *connection) openTrace(record toolchain.Recording) (err error) {
	if c.traceFile = c.job.keepName(c.run); c.traceFile != "" && record == toolchain.StackLogTrace {
		c.traceFile += ".trace"
	}
	if c.traceFile == "" {
		if c.temp, err = os.MkdirTemp("", "memcost-trace-"); err != nil {
			return fmt.Errorf("making a folder for the trace: %w", err)
		}
		c.traceFile = filepath.Join(c.temp, "trace")
	}
	if c.traceFile, err = filepath.Abs(c.traceFile); err != nil {
		return err
	}
	cmd := &c.run.cmd
	cmd.Env = append(cmd.Env, toolchain.TraceVar+"="+c.traceFile)
	if record == toolchain.StackLogTrace {
		cmd.Env = append(cmd.Env, toolchain.MarksVar+"=1")
	}
	if runtime.GOOS == "windows" {
		return nil // the trace of a program that is stopped is cut off
	}
	request, end, err := os.Pipe()
	if err != nil {
		return err
	}
	done, told, err := os.Pipe()
	if err != nil {
		return err
	}
	c.request, c.done = end, done
	c.files = append(c.files, request, end, done, told)
	cmd.Files = []*os.File{request, told}
	cmd.Stopping = func() {
		end.Close()
		told.Close() // the program has its own
		done.SetReadDeadline(time.Now().Add(traceEnd))
		done.Read(make([]byte, 1))
	}
	return nil
}

// traceEnd is how long a program may take to end its trace before it is stopped.
// A healthy one takes a second: so often the tracer looks whether it should.
const traceEnd = 5 * time.Second

// finish reads what is complete only now, and tells of what went wrong.
func (c *connection) finish() error {
	r := c.run
	c.stderr.flush("standard error of "+r.name, r)
	if c.kept != nil && c.kept.err != nil {
		r.fail(fmt.Errorf("--keep-log %s: %w; that file is not complete, the figures are", c.keptName, plainError(c.kept.err)))
	}
	r.fail(c.reading)
	if c.traceFile == "" {
		r.symbolise(r.program.Path)
		return nil
	}
	trace, err := readTraceFile(c.traceFile, r.log != nil)
	if err == nil && trace.Partial {
		trace.Partial = !r.died() // else the trace died with it
	}
	if err == nil && trace.Partial {
		r.note("the trace ends before the program did, which calls trace.Stop: what came after is in no figure; the log, without --trace, has it")
	}
	if strings.HasPrefix(r.toolchain, "go1.23.") {
		r.note("Go 1.23 leaves stacks out of a trace that change while it writes another event: figures of the trace may be too low. Go 1.24 and later, and the log, have all")
	}
	switch {
	case err != nil:
		r.fail(fmt.Errorf("%v: %w", r, err))
		r.log = nil
	case r.log == nil:
		r.log = trace
	case trace.Partial:
		r.note("--check: the log goes on after the trace, so that they cannot be compared")
	default:
		r.check = stacklog.Compare(r.log, trace)
		err := stacklog.Agree(r.log, trace, agreement)
		if r.agrees = err == nil; err != nil {
			r.fail(fmt.Errorf("%v: the log and the trace differ by more than %g%%:\n%w", r, 100*agreement, err))
		}
		for _, w := range trace.Warnings {
			r.note("%v", w)
		}
	}
	r.symbolise(r.program.Path)
	return nil
}

// died tells whether the program ended without running the hooks at its end: by a
// signal, or by a panic or another fatal error, of which the runtime says the goroutine.
func (r *stackRun) died() bool {
	return r.result.Signal != "" || r.result.TimedOut || r.result.ExitCode == 2 && bytes.Contains(r.result.Stderr, []byte("goroutine "))
}

// agreement is how far a log and a trace may be apart (--check).
const agreement = 0.01

// readTraceFile reads a trace; with all, as a log has it: the goroutine that
// writes the trace too.
func readTraceFile(path string, all bool) (*stacklog.Log, error) {
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("the program wrote no trace: it ended before it could, or it starts another program in its place")
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return stacklog.ReadTrace(file, stacklog.Options{Tracer: all})
}

func (c *connection) close() {
	for _, f := range c.files {
		f.Close()
	}
	if c.temp != "" {
		os.RemoveAll(c.temp)
	}
}
