// Package tracing runs the tests or benchmarks of a package with an execution trace.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/session"
)

// Options say which tests of a package are traced, and how.
type traceOptions struct {
	Pattern   string // names one package, relative to the current folder
	Go        string // one version
	Bench     string // run the benchmarks that match; "" is none
	BenchTime string // iterations (100x) or time of each benchmark
	Tests     string // run the tests that match; "" is none
	Tags      string // build tags
	Timeout   time.Duration
	File      string // where the trace goes
}

// ErrUnended is in the error of a process that was killed before it ended its trace. Its
// text is empty.
var ErrUnended = errors.New("")

// Tests runs the tests of a package with -test.trace, and reports whether they ran:
// then there is a trace, and perhaps an error, too.
func Tests(ctx context.Context, t *session.Tools, o traceOptions) (traced bool, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return false, fmt.Errorf("finding the current folder: %w", err)
	}
	var flags []string
	if o.Tags != "" {
		flags = []string{"-tags=" + o.Tags}
	}
	pkgs, err := t.Packages(ctx, dir, []string{o.Pattern}, flags...)
	switch {
	case err != nil:
		return false, err
	case len(pkgs) != 1:
		return false, hint.Usage("a trace is of one process: name one package", "%s names %d packages", o.Pattern,
			len(pkgs))
	}
	versions, err := t.Versions(ctx, o.Go)
	if err != nil {
		return false, err
	}
	if len(versions) != 1 {
		return false, hint.Usage("name one version", "--go %s: a trace is of one Go version", o.Go)
	}
	tc, err := t.Finder.Find(ctx, strings.TrimPrefix(versions[0], "go"))
	if err != nil {
		return false, err
	}
	bin, err := t.Builder.Build(ctx, toolchain.Build{Toolchain: tc, Dir: pkgs[0].Dir, Pkg: pkgs[0].ImportPath,
		Flags: flags, Quiet: true})
	if err != nil {
		return false, err
	}
	if info, err := os.Lstat(o.File); err == nil && info.Mode().IsRegular() {
		os.Remove(o.File) // kept before, and not to be taken for the one to come
	}
	tests, bench := o.Tests, o.Bench
	if tests == "" {
		tests = "^$"
	}
	args := []string{"-test.run=" + tests, "-test.trace=" + o.File, "-test.timeout=0"}
	if bench != "" {
		args = append(args, "-test.bench="+bench, "-test.benchtime="+o.BenchTime)
	}
	t.Log.Step("running " + pkgs[0].ImportPath + " with " + tc.Version)
	res, err := t.Runner.Run(ctx, proc.Cmd{Path: bin.Paths[0], Args: args, Dir: pkgs[0].Dir, Env: t.Env,
		Timeout: o.Timeout})
	if err != nil {
		return false, err
	}
	if err := res.Err("tracing " + pkgs[0].ImportPath); err != nil {
		if res.TimedOut || res.Signal != "" {
			err = fmt.Errorf("%w%w", err, ErrUnended)
		}
		return true, err
	}
	switch {
	case bench != "" && !strings.Contains(string(res.Stdout), "Benchmark"):
		return false, hint.Usage("go test -list '^Benchmark' lists them; go test -v -bench shows those that skip",
			"-b %q: no benchmark of %s matches, or all that do skip", bench, pkgs[0].ImportPath)
	case bench == "" && strings.Contains(string(res.Stderr), "testing: warning: no tests to run"):
		return false, hint.Usage("go test -list '^Test' lists them", "--run %q: no test of %s matches", tests,
			pkgs[0].ImportPath)
	}
	t.Log.Note(strings.TrimSpace(string(res.Stdout)))
	return true, nil
}
