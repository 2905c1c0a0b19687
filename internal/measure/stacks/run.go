package stacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
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

// finish reads what is complete only now, and reports what went wrong.
func (c *connection) finish() {
	r := c.run
	r.fail(c.stderr.failure("standard error of " + r.Name))
	if c.kept != nil && c.kept.err != nil {
		r.fail(fmt.Errorf("--keep-log %s: %w; that file is not complete, the figures are",
			c.keptName, plainError(c.kept.err)))
	}
	r.fail(c.reading)
	if c.traceFile == "" {
		r.symbolise(r.Program.Path)
		return
	}
	r.takeTrace(c.traceFile)
	r.symbolise(r.Program.Path)
}

// takeTrace reads the trace of a run, and sets it beside the log if there is one.
func (r *Run) takeTrace(file string) {
	trace, err := readTraceFile(file, r.Log != nil)
	if err == nil && trace.Partial {
		trace.Partial = !r.died() // else the trace died with it
	}
	if err == nil && trace.Partial {
		r.note("the trace ends before the program did, because the program calls trace.Stop: what came after is in " +
			"no figure. The log (without --trace) has all of it")
	}
	if strings.HasPrefix(r.Toolchain, "go1.23.") {
		r.note("Go 1.23 leaves stacks out of a trace that change while it writes another event: the figures of the " +
			"trace may be too low. Go 1.24 and later leave out none, and neither does the log")
	}
	switch {
	case err != nil:
		r.fail(fmt.Errorf("%v: %w", r, err))
		r.Log = nil
	case r.Log == nil:
		r.Log = trace
	case trace.Partial:
		r.note("--check: the log goes on after the trace, so that they cannot be compared")
	default:
		r.Check = stacklog.Compare(r.Log, trace)
		err := stacklog.Agree(r.Log, trace, Agreement)
		if r.Agrees = err == nil; err != nil {
			r.fail(fmt.Errorf("%v: the log and the trace differ by more than %g%%:\n%w", r, 100*Agreement, err))
		}
		for _, w := range trace.Warnings {
			r.note("%v", w)
		}
	}
}

// died reports whether the program ended without running the hooks at its end: by a
// signal, or by a panic or another fatal error, of which the runtime says the goroutine.
func (r *Run) died() bool {
	return r.Result.Signal != "" || r.Result.TimedOut ||
		r.Result.ExitCode == 2 && bytes.Contains(r.Result.Stderr, []byte("goroutine "))
}

// Agreement is how far the figures of a log and a trace of one run may be apart, as
// a share.
const Agreement = 0.01

// readTraceFile reads a trace; with all, as a log has it: the goroutine that
// writes the trace too.
func readTraceFile(path string, all bool) (*stacklog.Log, error) {
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("the program wrote no trace: it ended before it could, or it starts another program " +
			"in its place")
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return stacklog.ReadTrace(file, stacklog.Options{Tracer: all})
}

// stream takes what a program writes: it is passed on or saved, and its end is
// remembered for the case that the program fails.
type stream struct {
	to   io.Writer
	tail []byte
	err  error
	line []byte            // the beginning of the line that is being written
	each func(line []byte) // told of the beginning of each line; nil is not
}

// lastBytes of a program's output are remembered.
const lastBytes = 8 << 10

// Write never fails: the program, and the reading of its log, go on.
func (s *stream) Write(p []byte) (int, error) {
	if s.to != nil && s.err == nil {
		_, s.err = s.to.Write(p)
	}
	if s.each != nil {
		s.watch(p)
	}
	s.tail = append(s.tail, p[max(0, len(p)-lastBytes):]...)
	if over := len(s.tail) - 2*lastBytes; over > 0 {
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-lastBytes:]...)
	}
	return len(p), nil
}

func (s *stream) last() []byte {
	tail := s.tail[max(0, len(s.tail)-lastBytes):]
	if len(tail) == lastBytes { // begin with a whole line
		if _, rest, ok := strings.Cut(string(tail), "\n"); ok {
			return []byte(rest)
		}
	}
	return tail
}

// failure returns the error of an output that could not be written.
func (s *stream) failure(what string) error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("writing the %s: %w", what, plainError(s.err))
}

// lineStart is how much of a line a stream's each is told.
const lineStart = 200

func (s *stream) watch(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p[:max(end, 0)]
		if end < 0 {
			part = p
		}
		switch room := lineStart - len(s.line); {
		case end >= 0 && len(s.line) == 0:
			s.each(part[:min(len(part), lineStart)])
		case room > 0:
			s.line = append(s.line, part[:min(len(part), room)]...)
		}
		if end < 0 {
			return
		}
		if len(s.line) > 0 {
			s.each(s.line)
			s.line = s.line[:0]
		}
		p = p[end+1:]
	}
}

// messages are what a program says of itself.
type messages struct {
	crash      string // the line with which a crash begins
	noTests    bool   // the testing package found none to run
	benchmarks bool   // one ran, or failed
}

// listen notes what can be far from the end of a program's output, and the testing
// package's answer to -test.bench and -test.run.
func (m *messages) listen(stdout, stderr *stream, benchmarks bool) {
	stderr.each = func(line []byte) {
		switch {
		case bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")):
			m.crash = string(line)
		case bytes.Equal(line, []byte("testing: warning: no tests to run")):
			m.noTests = true
		}
	}
	if benchmarks {
		stdout.each = func(line []byte) {
			if bytes.HasPrefix(line, []byte("Benchmark")) || bytes.HasPrefix(line, []byte("--- FAIL: Benchmark")) {
				m.benchmarks = true
			}
		}
	}
}

// ending returns the end of standard error, and the line with which a crash began before
// it, if the end does not show that.
func (m *messages) ending(stderr *stream) []byte {
	last := stderr.last()
	lines := strings.Split(strings.TrimRight(string(last), " \t\r\n"), "\n")
	const shown = 10 // lines, by proc.Result.Err
	shows := lines[max(0, len(lines)-shown):]
	for _, line := range shows {
		if m.crash == "" || strings.HasPrefix(line, m.crash) {
			return last
		}
	}
	shows = shows[max(0, len(shows)-shown+2):]
	return []byte(m.crash + "\n…\n" + strings.Join(shows, "\n"))
}

// idle says why the tests or benchmarks that were asked for did not run.
func (m *messages) idle(o Options) string {
	switch {
	case o.Bench != "" && !m.benchmarks:
		return fmt.Sprintf("no benchmark matches -b %s, or all that do were skipped", o.Bench)
	case o.Bench == "" && o.Tests != "" && m.noTests:
		return fmt.Sprintf("no test matches --run %s", o.Tests)
	}
	return ""
}

// plainError returns an error without the name of a file that the message names already.
func plainError(err error) error {
	var named *os.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}
