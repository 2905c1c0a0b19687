package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/exectrace"
)

// tracePackage builds the tests of a package, runs and traces them. What was traced is
// shown also when a test fails, before its error.
func tracePackage(ctx context.Context, a *App, f *traceFlags, pattern string) error {
	if f.bench == "" && f.tests == "" {
		return hint.Usage("name benchmarks with -b REGEXP, or tests with --run REGEXP",
			"memcost trace %s: what of the package is to be traced?", pattern)
	}
	t, failed := traceOfPackage(ctx, a, f, pattern)
	if t == nil {
		return failed
	}
	if err := showTrace(a, f, pattern, t); err != nil {
		return err
	}
	return failed
}

// traceOfPackage runs a package's tests and reads their trace. It leaves no folder behind,
// whatever happens to the output: the folder is gone before the trace is shown, and a reader
// of the messages that stops (as head does) does not end this process.
func traceOfPackage(ctx context.Context, a *App, f *traceFlags, pattern string) (t *exectrace.Trace,
	failed error) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	p := NewProgress(a.Stderr)
	defer p.End()
	tools, err := a.Tools(p, f.verbose)
	if err != nil {
		return nil, err
	}
	file, remove, err := traceFileFor(f.keep)
	if err != nil {
		return nil, err
	}
	defer remove()
	traced, failed := Tests(ctx, tools, traceOptions{Pattern: pattern, Go: f.goVersions, Bench: f.bench,
		BenchTime: f.benchtime, Tests: f.tests, Tags: f.tags, Timeout: f.timeout, File: file})
	if ctx.Err() != nil {
		return nil, errors.New("interrupted; a trace that was cut off is of no use")
	}
	if !traced {
		return nil, failed
	}
	p.End()
	t, err = readTrace(ctx, pattern, func() (io.ReadCloser, error) { return os.Open(file) })
	if t != nil && errors.Is(failed, ErrUnended) {
		t.Warnings = append(t.Warnings, "the process did not end its trace: up to its last second is missing")
	}
	if failed != nil && err != nil {
		failed = fmt.Errorf("%w; it had written no trace that can be read: a trace is written each second, and when "+
			"the tests end", failed)
	}
	return t, cmp.Or(failed, err)
}

// traceFileFor returns where the trace goes, and what removes it in the end.
func traceFileFor(keep string) (file string, remove func(), err error) {
	if keep != "" {
		file, err = filepath.Abs(keep)
		return file, func() {}, err
	}
	dir, err := os.MkdirTemp("", "memcost-trace-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for the trace: %w", err)
	}
	return filepath.Join(dir, "trace.out"), func() { os.RemoveAll(dir) }, nil
}
