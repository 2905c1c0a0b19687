package cli

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
)

func traceCommand(a *App) *cobra.Command {
	var f traceFlags
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
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return hint.Usage("memcost trace trace.out, or memcost trace ./pkg -b REGEXP",
					"memcost trace needs one trace or package, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			given := Changed(cmd)
			if err := f.check(given); err != nil {
				return err
			}
			return traceAny(cmd.Context(), a, &f, args[0], given)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.goVersions, "go", "local", "of a package: the Go `version`")
	fl.StringVarP(&f.bench, "bench", "b", "", "of a package: the benchmarks that match")
	fl.StringVar(&f.tests, "run", "", "of a package: the tests that match")
	fl.StringVar(&f.benchtime, "benchtime", "1s", "of a package: iterations (100x) or time of each benchmark")
	fl.StringVar(&f.tags, "tags", "", "of a package: the build `tags`")
	fl.StringVar(&f.keep, "keep", "", "of a package: keep the trace in `FILE`")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Minute, "of a package: end it after this time")
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: "+strings.Join(traceFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .json, "+
		".txt)")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser: -o FILE.html --open")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return traceFormats, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// packageFlags are those that say what of a package to run, and how.
var packageFlags = []string{"go", "bench", "run", "benchtime", "tags", "keep", "timeout"}

func traceAny(ctx context.Context, a *App, f *traceFlags, arg string, given func(flag string) bool) error {
	info, err := os.Stat(arg)
	switch {
	case arg == "-" || err == nil && !info.IsDir():
		if i := slices.IndexFunc(packageFlags, given); i >= 0 {
			return hint.Usage("name a package instead, such as ./pkg",
				"--%s is for packages, and %s is a trace that there is already: nothing is run", packageFlags[i], arg)
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
