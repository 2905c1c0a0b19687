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
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/document"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
)

func traceCommand(a *App) *cobra.Command {
	f := traceFlags{benchtime: "1s"}
	f.Go, f.Timeout = "local", 10*time.Minute
	cmd := &cobra.Command{
		Use:   "trace FILE | PACKAGE",
		Short: "What the collector and the scheduler did, by an execution trace",
		Long: `Reads an execution trace (go test -trace, runtime/trace; Go 1.11 to 1.27; - is standard
input) and says what the collector and the scheduler did: collections, pauses by
reason (the collector's own apart from the tool's), marking, assists, sweeping, where
the processors' time went, what goroutines waited for, minimum mutator utilization,
the heap over time. It needs no browser and reads a trace of any size as a stream.

Of a PACKAGE the benchmarks (-b) or tests (--run) are built, run and traced first.`,
		Example: `  memcost trace trace.out
  memcost trace ./codec -b Decode --keep trace.out
  memcost trace trace.out -o trace.html
  memcost trace results/20261121-101530-myhost/traces/Traced_by=pointer_n=1000000-go1.26.8.trace`,
		Args: needs(true, "trace or package", "memcost trace trace.out, or memcost trace ./pkg -b REGEXP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.pageInFile(); err != nil {
				return err
			}
			return traceAny(cmd, a, &f, args[0])
		},
	}
	register(cmd,
		f.output("text", "html", "json", "go").pick("format", "json", "output", "open: -o FILE.html --open"),
		f.sides(nil).pick("go = of a package: the Go `version`", "bench = of a package: the benchmarks that match `REGEXP`", "tags = of a package: the build `tags`"),
		f.budgets().pick("timeout = of a package: end it after this time"),
		f.folder().pick("verbose"),
		flags{
			{name: "run", takes: word(&f.tests), help: "of a package: the tests that match"},
			{name: "benchtime", takes: benchtime(&f.benchtime), needs: "bench", eg: "100x",
				help: "of a package: iterations (100x) or time of each benchmark"},
			{name: "keep", takes: word(&f.keep), help: "of a package: keep the trace in `FILE`"},
		})
	return cmd
}

func traceAny(cmd *cobra.Command, a *App, f *traceFlags, arg string) error {
	ctx := cmd.Context()
	info, err := os.Stat(arg)
	switch {
	case arg == "-" || err == nil && !info.IsDir():
		if err := measures(cmd, arg+" is a trace that there is already: nothing is run", "name a package instead, such as ./pkg"); err != nil {
			return err
		}
		name, open := arg, func() (io.ReadCloser, error) { return os.Open(arg) }
		if arg == "-" {
			name, open = "standard input", func() (io.ReadCloser, error) { return io.NopCloser(a.Stdin), nil }
		}
		t, err := readTrace(ctx, name, open)
		if err != nil {
			return err
		}
		return showTrace(a, f, name, t)
	case err != nil && !strings.ContainsAny(arg, `/\`):
		return hint.Usage("a trace is a file (go test -trace trace.out); a package of your own is named by a path, "+
			"./pkg", "%s: there is no such file or package", arg)
	}
	return tracePackage(ctx, a, f, arg)
}

// traceFlags are the flags of memcost trace as they were given.
type traceFlags struct {
	commonFlags
	tests     string
	benchtime string
	keep      string
}

// traceMemory is where reading a trace makes the collector work harder, in bytes: a
// dense trace of 1 GB, of 84 MB a generation, then takes 0.6 GB.
const traceMemory = 500 << 20

// readTrace reads a trace until ctx is done: a pipe may have nobody who writes to it, and
// then neither opening nor reading it comes to an end.
func readTrace(ctx context.Context, name string, open func() (io.ReadCloser, error)) (*exectrace.Trace, error) {
	// The parser needs some 12 times a trace's largest generation, and the collector
	// lets that double unless it is told not to.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(traceMemory))
	type result struct {
		trace *exectrace.Trace
		err   error
	}
	done := make(chan result, 1)
	go func() {
		in, err := open()
		if err != nil {
			done <- result{nil, plainError(err)}
			return
		}
		defer in.Close()
		file, end, err := seekable(in)
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer end()
		t, err := exectrace.Read(file, exectrace.Options{})
		done <- result{t, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("reading the trace %s: %w", name, r.err)
		}
		return r.trace, nil
	case <-ctx.Done():
		return nil, session.Stopped("the trace " + name + " was not read to its end")
	}
}

// seekable returns what can be read twice: of a pipe a copy, which end removes.
func seekable(in io.Reader) (file io.ReadSeeker, end func(), err error) {
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f, func() {}, nil
		}
	}
	spool, err := os.CreateTemp("", "memcost-trace-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a file for what comes from a pipe: %w", err)
	}
	os.Remove(spool.Name()) // where that is possible of a file that is open
	end = func() {
		spool.Close()
		os.Remove(spool.Name())
	}
	if _, err = io.Copy(spool, in); err == nil {
		_, err = spool.Seek(0, io.SeekStart)
	}
	if err != nil {
		end()
	}
	return spool, end, err
}

func showTrace(a *App, f *traceFlags, name string, t *exectrace.Trace) error {
	for _, w := range t.Warnings {
		fmt.Fprintln(a.Stderr, "warning:", w)
	}
	return f.showFile(a, said{json: t, document: func() *document.Document { return t.Document(name) },
		own: func(w io.Writer, _ string) error {
			out := benchfmt.NewWriter(w)
			for _, r := range t.Records("Trace/file=" + store.FileName(filepath.Base(name))) {
				if err := out.Write(r); err != nil {
					return err
				}
			}
			return nil
		}})
}

// tracePackage builds the tests of a package, runs and traces them. What was traced is
// shown also when a test fails, before its error.
func tracePackage(ctx context.Context, a *App, f *traceFlags, pattern string) error {
	if f.Bench == "" && f.tests == "" {
		return hint.Usage("name benchmarks with -b REGEXP, or tests with --run REGEXP",
			"memcost trace %s: what of the package is to be traced?", pattern)
	}
	t, failed := traceOfPackage(ctx, a, f, pattern)
	if t == nil {
		return failed
	}
	if err := showTrace(a, f, namedFolder(pattern), t); err != nil {
		return err
	}
	return failed
}

// namedFolder returns a pattern of a package, and of the current folder or one above it the name.
func namedFolder(pattern string) string {
	if base := filepath.Base(pattern); base != "." && base != ".." {
		return pattern
	}
	dir, err := filepath.Abs(pattern)
	if err != nil {
		return pattern
	}
	return filepath.Base(dir)
}

// traceOfPackage runs a package's tests and reads their trace. It leaves no folder behind,
// whatever happens to the output: the folder is gone before the trace is shown, and a reader
// of the messages that stops (as head does) does not end this process.
func traceOfPackage(ctx context.Context, a *App, f *traceFlags, pattern string) (t *exectrace.Trace,
	failed error) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	tools, err := a.Tools(f.verbose)
	if err != nil {
		return nil, err
	}
	defer tools.Log.End()
	file, remove, err := traceFileFor(f.keep)
	if err != nil {
		return nil, err
	}
	defer remove()
	traced, failed := f.trace(ctx, tools, pattern, file)
	if ctx.Err() != nil {
		return nil, session.Stopped("a trace that was cut off is of no use")
	}
	if !traced {
		return nil, failed
	}
	tools.Log.End()
	t, err = readTrace(ctx, pattern, func() (io.ReadCloser, error) { return os.Open(file) })
	if t != nil && errors.Is(failed, errUnended) {
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

// errUnended is in the error of a process that was killed before it ended its trace. Its
// text is empty.
var errUnended = errors.New("")

// trace runs the tests of the package that a pattern names with -test.trace, and reports whether they ran:
// then there is a trace in the file, and perhaps an error, too.
func (f *traceFlags) trace(ctx context.Context, t *session.Tools, pattern, file string) (traced bool, err error) {
	var flags []string
	if f.Tags != "" {
		flags = []string{"-tags=" + f.Tags}
	}
	pkgs, err := t.Packages(ctx, t.Dir, []string{pattern}, flags...)
	switch {
	case err != nil:
		return false, err
	case len(pkgs) != 1:
		return false, hint.Usage("a trace is of one process: name one package", "%s names %d packages", pattern,
			len(pkgs))
	}
	versions, err := t.Versions(ctx, f.Go)
	if err != nil {
		return false, err
	}
	if len(versions) != 1 {
		return false, hint.Usage("name one version", "--go %s: a trace is of one Go version", f.Go)
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
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
		os.Remove(file) // kept before, and not to be taken for the one to come
	}
	tests, bench := f.tests, f.Bench
	if tests == "" {
		tests = "^$"
	}
	args := []string{"-test.run=" + tests, "-test.trace=" + file, "-test.timeout=0"}
	if bench != "" {
		args = append(args, "-test.bench="+bench, "-test.benchtime="+f.benchtime)
	}
	t.Log.Step("running " + pkgs[0].ImportPath + " with " + tc.Version)
	res, err := t.Runner.Run(ctx, proc.Cmd{Path: bin.Paths[0], Args: args, Dir: pkgs[0].Dir, Env: t.Env,
		Timeout: f.Timeout})
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
		return false, hint.Usage("go test -list '^Benchmark' lists them; go test -v -bench shows those that skip",
			"-b %q: no benchmark of %s matches, or all that do skip", bench, pkgs[0].ImportPath)
	case bench == "" && strings.Contains(string(res.Stderr), "testing: warning: no tests to run"):
		return false, hint.Usage("go test -list '^Test' lists them", "--run %q: no test of %s matches", tests,
			pkgs[0].ImportPath)
	}
	t.Log.Note(strings.TrimSpace(string(res.Stdout)))
	return true, nil
}
