package stacks

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"memcost/internal/gotool/stacklog"
	"memcost/internal/gotool/toolchain"
)

// connection is what a program is connected to while it runs.
type connection struct {
	options        Options
	run            *Run
	stdout, stderr stream
	messages       messages
	keptName       string // of the log or trace, or ""
	kept           *stream
	readLog        func(io.Reader) // nil if there is none
	reading        error           // of the log
	traceFile      string
	temp           string
	files          []*os.File
}

// open connects the run's command.
func (c *connection) open() error {
	o, cmd := c.options, &c.run.Cmd
	c.stdout.to, c.stderr.to = o.Output, o.Output
	if o.StdoutFile != "" {
		file, err := c.create(o.StdoutFile, "--stdout")
		if err != nil {
			return err
		}
		c.stdout.to = file
	}
	if err := c.openStdin(); err != nil {
		return err
	}
	c.messages.listen(&c.stdout, &c.stderr, o.Bench != "")
	cmd.ReadStdout = func(r io.Reader) { io.Copy(&c.stdout, r) }
	cmd.ReadStderr = func(r io.Reader) { io.Copy(&c.stderr, r) }
	if o.Recording != toolchain.StackTrace {
		if err := c.openLog(); err != nil {
			return err
		}
	}
	if o.Recording != toolchain.StackLog {
		return c.openTrace()
	}
	return nil
}

func (c *connection) create(path, flag string) (*os.File, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\nhint: name another file with %s", flag, path, plainError(err), flag)
	}
	c.files = append(c.files, file)
	return file, nil
}

func (c *connection) openStdin() error {
	switch name := c.options.Stdin; name {
	case "":
	case "-":
		c.run.Cmd.Stdin = c.options.Input
	default:
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("--stdin %s: %w\nhint: name a file that can be read, or - for memcost's own standard "+
				"input", name, plainError(err))
		}
		c.files = append(c.files, file)
		c.run.Cmd.Stdin = file
	}
	return nil
}

// openLog lets the log be read while it is written.
func (c *connection) openLog() error {
	var o stacklog.Options
	if !toolchain.StackLogAlone {
		o.Output = &c.stderr
	}
	if c.options.Recording == toolchain.StackLogTrace {
		o.From, o.Until = toolchain.TraceBegins, toolchain.TraceEnds
	}
	if c.keptName != "" {
		file, err := c.create(c.keptName, "--keep-log")
		if err != nil {
			return err
		}
		c.kept = &stream{to: file}
	}
	c.readLog = func(r io.Reader) {
		if c.kept != nil {
			r = io.TeeReader(r, c.kept)
		}
		c.run.Log, c.reading = stacklog.Read(r, o)
	}
	return nil
}

// openTrace names the file of the trace, and makes the pipes that end it.
func (c *connection) openTrace() (err error) {
	record := c.options.Recording
	if c.traceFile = c.keptName; c.traceFile != "" && record == toolchain.StackLogTrace {
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
	cmd := &c.run.Cmd
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

func (c *connection) close() {
	for _, f := range c.files {
		f.Close()
	}
	if c.temp != "" {
		os.RemoveAll(c.temp)
	}
}
