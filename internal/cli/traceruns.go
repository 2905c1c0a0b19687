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
	"strings"
	"syscall"

	"memcost/internal/exectrace"
	"memcost/internal/hint"
	"memcost/internal/proc"
	"memcost/internal/run"
	"memcost/internal/toolchain"
)

// tracePackage builds the tests of a package, runs and traces them. What was traced is
// shown also when a test fails, before its error.
func (a *app) tracePackage(ctx context.Context, f *traceFlags, pattern string) error {
	if f.bench == "" && f.tests == "" {
		return hint.Usage("name benchmarks with -b REGEXP, or tests with --run REGEXP", "memcost trace %s: what of the package is to be traced?", pattern)
	}
	t, failed := a.traceOfPackage(ctx, f, pattern)
	if t == nil {
		return failed
	}
	if err := a.showTrace(f, pattern, t); err != nil {
		return err
	}
	return failed
}

// traceOfPackage leaves no folder behind, whatever happens to the output: it is gone
// before the trace is shown, and who reads our messages may stop (as head does) without
// ending us.
func (a *app) traceOfPackage(ctx context.Context, f *traceFlags, pattern string) (t *exectrace.Trace, failed error) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	p := newProgress(a.stderr)
	defer p.end()
	tools, err := a.tools(p, f.verbose)
	if err != nil {
		return nil, err
	}
	file, remove, err := traceFileFor(f.keep)
	if err != nil {
		return nil, err
	}
	defer remove()
	traced, failed := traceTests(ctx, tools, f, pattern, file)
	if ctx.Err() != nil {
		return nil, errors.New("interrupted; a trace that was cut off is of no use")
	}
	if !traced {
		return nil, failed
	}
	p.end()
	t, err = readTrace(ctx, pattern, func() (io.ReadCloser, error) { return os.Open(file) })
	if t != nil && errors.Is(failed, errUnended) {
		t.Warnings = append(t.Warnings, "the process did not end its trace: up to its last second is missing")
	}
	if failed != nil && err != nil {
		failed = fmt.Errorf("%w; it had written no trace that can be read: a trace is written each second, and when the tests end", failed)
	}
	return t, cmp.Or(failed, err)
}

// traceFileFor is where the trace goes, and what removes it in the end.
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

// errUnended marks the failure of a process that was killed. It says nothing.
var errUnended = errors.New("")

// traceTests runs the tests of one package with -test.trace, and tells whether they ran:
// then there is a trace, and perhaps an error, too.
func traceTests(ctx context.Context, t *run.Tools, f *traceFlags, pattern, file string) (traced bool, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return false, fmt.Errorf("finding the current folder: %w", err)
	}
	pkgs, err := t.Packages(ctx, dir, []string{pattern})
	switch {
	case err != nil:
		return false, err
	case len(pkgs) != 1:
		return false, hint.Usage("a trace is of one process: name one package", "%s names %d packages", pattern, len(pkgs))
	}
	versions, err := t.Versions(ctx, f.goVersions)
	if err != nil {
		return false, err
	}
	if len(versions) != 1 {
		return false, hint.Usage("name one version", "--go %s: a trace is of one Go version", f.goVersions)
	}
	tc, err := t.Finder.Find(ctx, strings.TrimPrefix(versions[0], "go"))
	if err != nil {
		return false, err
	}
	bin, err := t.Builder.Build(ctx, toolchain.Build{Toolchain: tc, Dir: pkgs[0].Dir, Pkg: pkgs[0].ImportPath})
	if err != nil {
		return false, err
	}
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
		os.Remove(file) // kept before, and not to be taken for the one to come
	}
	run, bench := f.tests, f.bench
	if run == "" {
		run = "^$"
	}
	args := []string{"-test.run=" + run, "-test.trace=" + file, "-test.timeout=0"}
	if bench != "" {
		args = append(args, "-test.bench="+bench, "-test.benchtime="+f.benchtime)
	}
	t.Log.Step("running " + pkgs[0].ImportPath + " with " + tc.Version)
	res, err := t.Runner.Run(ctx, proc.Cmd{Path: bin.Paths[0], Args: args, Dir: pkgs[0].Dir, Env: t.Env, Timeout: f.timeout})
	if err != nil {
		return false, err
	}
	if err := res.Err("tracing " + pkgs[0].ImportPath); err != nil {
		if res.TimedOut || res.Signal != "" {
			err = fmt.Errorf("%w%w", err, errUnended)
		}
		return true, err
	}
	switch {
	case bench != "" && !strings.Contains(string(res.Stdout), "Benchmark"):
		return false, hint.Usage("go test -list '^Benchmark' lists them; go test -v -bench shows those that skip", "-b %q: no benchmark of %s matches, or all that do skip", bench, pkgs[0].ImportPath)
	case bench == "" && strings.Contains(string(res.Stderr), "testing: warning: no tests to run"):
		return false, hint.Usage("go test -list '^Test' lists them", "--run %q: no test of %s matches", run, pkgs[0].ImportPath)
	}
	t.Log.Note(strings.TrimSpace(string(res.Stdout)))
	return true, nil
}
