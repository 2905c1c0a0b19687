package stacks

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"memcost/internal/gotool/stacklog"
)

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
