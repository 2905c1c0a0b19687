package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/exectrace"
	"memcost/internal/hint"
	"memcost/internal/page"
	"memcost/internal/result"
	"memcost/internal/run"
	"memcost/internal/text"
)

// traceFlags are the flags of memcost trace as they were given.
type traceFlags struct {
	goVersions string
	bench      string
	tests      string
	benchtime  string
	keep       string
	timeout    time.Duration
	format     string
	json       bool
	out        string
	open       bool
	verbose    bool
}

// traceMemory is where reading a trace makes the collector work harder, in bytes: a
// dense trace of 1 GB, of 84 MB a generation, then takes 0.6 GB.
const traceMemory = 500 << 20

// traceFormats are those that memcost trace can print.
var traceFormats = []string{"text", "html", "json", "go"}

func (a *app) traceCommand() *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:   "trace FILE | PACKAGE",
		Short: "What the collector and the scheduler did, by an execution trace",
		Long: `Reads an execution trace (go test -trace, runtime/trace; Go 1.11 to 1.27; - is standard
input) and says what the collector and the scheduler did: collections, pauses by
reason (the collector's own apart from the tool's), marking, assists, sweeping, where
the processors' time went, what goroutines waited for, minimum mutator utilisation,
the heap over time. It needs no browser and reads a trace of any size as a stream.

Of a PACKAGE the benchmarks (-b) or tests (--run) are built, run and traced first.`,
		Example: `  memcost trace trace.out
  memcost trace ./codec -b Decode --keep trace.out
  memcost trace trace.out -o trace.html
  memcost trace results/20261121-101530-myhost/traces/Traced_by=pointer_n=1000000-go1.26.8.trace`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return hint.Usage("memcost trace trace.out, or memcost trace ./pkg -b REGEXP", "memcost trace needs one trace or package, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			given := changed(cmd)
			if err := f.check(given); err != nil {
				return err
			}
			return a.trace(cmd.Context(), &f, args[0], given)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.goVersions, "go", "local", "of a package: the Go `version`")
	fl.StringVarP(&f.bench, "bench", "b", "", "of a package: the benchmarks that match")
	fl.StringVar(&f.tests, "run", "", "of a package: the tests that match")
	fl.StringVar(&f.benchtime, "benchtime", "1s", "of a package: iterations (100x) or time of each benchmark")
	fl.StringVar(&f.keep, "keep", "", "of a package: keep the trace in `FILE`")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Minute, "of a package: end it after this time")
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: "+strings.Join(traceFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .json, .txt)")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser: -o FILE.html --open")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return traceFormats, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func (f *traceFlags) check(changed func(string) bool) error {
	switch {
	case f.json && f.format != "" && f.format != "json":
		return hint.Usage("leave one of them out", "--json and --format %s contradict each other", f.format)
	case f.json:
		f.format = "json"
	case f.format == "" && f.out != "":
		f.format = endings[strings.ToLower(filepath.Ext(f.out))]
	case f.format == "":
		f.format = "text"
	}
	switch {
	case !slices.Contains(traceFormats, f.format):
		return hint.Usage("the formats are "+strings.Join(traceFormats, ", "), "--format %q of -o %q: unknown", f.format, f.out)
	case f.open && (f.format != "html" || f.out == ""):
		return hint.Usage("name the page: -o page.html --open", "--open shows the page, and none would be written to a file")
	case f.timeout <= 0:
		return hint.Usage("for example --timeout 5m", "--timeout must be a positive time")
	case changed("benchtime") && f.bench == "":
		return hint.Usage("name them: -b REGEXP", "--benchtime is for benchmarks")
	case !isBenchtime(f.benchtime):
		return hint.Usage("a time such as 2s, or a number of iterations such as 100x", "--benchtime %q: neither a positive time nor a number of iterations", f.benchtime)
	}
	if err := run.CheckBench(f.bench); err != nil {
		return err
	}
	return run.CheckVersions(f.goVersions)
}

// isBenchtime takes what go test takes.
func isBenchtime(s string) bool {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		count, err := strconv.Atoi(n)
		return err == nil && count > 0
	}
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

// packageFlags are those that say what of a package to run, and how.
var packageFlags = []string{"go", "bench", "run", "benchtime", "keep", "timeout"}

func (a *app) trace(ctx context.Context, f *traceFlags, arg string, given func(flag string) bool) error {
	info, err := os.Stat(arg)
	switch {
	case arg == "-" || err == nil && !info.IsDir():
		if i := slices.IndexFunc(packageFlags, given); i >= 0 {
			return hint.Usage("name a package instead, such as ./pkg", "--%s is for packages, and %s is a trace that there is already: nothing is run", packageFlags[i], arg)
		}
		name, open := arg, func() (io.ReadCloser, error) { return os.Open(arg) }
		if arg == "-" {
			name, open = "standard input", func() (io.ReadCloser, error) { return io.NopCloser(a.stdin), nil }
		}
		t, err := readTrace(ctx, name, open)
		if err != nil {
			return err
		}
		return a.showTrace(f, name, t)
	case err != nil && !strings.ContainsAny(arg, `/\`):
		return hint.Usage("a trace is a file (go test -trace trace.out); a package of your own is named by a path, ./pkg", "%s: there is no such file or package", arg)
	}
	return a.tracePackage(ctx, f, arg)
}

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
		t, err := exectrace.Read(bufio.NewReaderSize(in, 1<<20), exectrace.Options{})
		done <- result{t, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("reading the trace %s: %w", name, r.err)
		}
		return r.trace, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("interrupted while reading the trace %s", name)
	}
}

func (a *app) showTrace(f *traceFlags, name string, t *exectrace.Trace) error {
	for _, w := range t.Warnings {
		fmt.Fprintln(a.stderr, "warning:", w)
	}
	if err := a.output(f.out, func(w *output) error { return renderTrace(w, f.format, name, w.style(a, false), t) }); err != nil {
		return err
	}
	if f.open {
		return openPage(f.out)
	}
	return nil
}

func renderTrace(w io.Writer, format, name string, style text.Style, t *exectrace.Trace) error {
	switch format {
	case "json":
		return writeJSON(w, t)
	case "html":
		return page.WriteTrace(w, name, t)
	case "go":
		out := benchfmt.NewWriter(w)
		for _, r := range t.Records("Trace/file=" + result.FileName(filepath.Base(name))) {
			if err := out.Write(r); err != nil {
				return err
			}
		}
		return nil
	}
	return text.Trace(w, t, style)
}
