package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/count"
	"memcost/internal/explain"
	"memcost/internal/front"
	"memcost/internal/hint"
)

func whyCommand(a *front.App) *cobra.Command {
	var f whyFlags
	cmd := &cobra.Command{
		Use:   "why [PACKAGE ...]",
		Short: "Each heap allocation of a package: its reason, its cost, its usual fix",
		Long: `Says of each place in a Go package that allocates why it does, what it costs, and what
usually helps. Three sources are joined: what the compiler says (-gcflags=-m=2), what a heap
profile of the timed part of each benchmark counts, and the calls of the allocator in the very
binary that ran. What is counted is what the benchmarks' timed parts allocate, and no set-up.

A PACKAGE is a pattern of Go packages (./..., ./codec, encoding/json); without one it is the
package of the current folder. Its benchmarks are run (-b chooses), or its tests (--test), or
nothing (--static), or a profile is read that there is already (--profile, with --binary).
Each benchmark runs alone: once to count, and then under the CPU profiler, --runs times. With
--runs=0 there are counts, and no shares of CPU time.

An allocation inside of another package is charged to the line that called it, with the reason
in that package; --all shows the lines inside. Objects of less than 16 bytes share blocks, and
a profile does not see all of them: they are shared out by estimate, and with --exact counted,
for which the runtime is built anew.

What was found is kept in a folder below results: memcost why FOLDER shows it again, with
--site and --source more of it, without measuring.

--since REV measures that revision too and says which places are gone, new, or cost something
else; --go 1.25,1.27 does so for Go versions. In the source, //memcost:allocs 0 before a
function or at the end of a line is a budget, which the compiler, the binary and the benchmarks
are held to. With --gate the exit status is 3 where a budget is broken, and with --since where
something is new or costs more.`,
		Example: `  memcost why                            the package in this folder
  memcost why ./codec -b Decode
  memcost why encoding/json -b 'CodeDecoder$'
  memcost why results/20261123-101530-why --site 1
  memcost why results/20261123-101530-why --source decode.go
  memcost why ./codec --since HEAD~1 --gate
  memcost why ./codec --go 1.25,1.27
  memcost why ./codec --test TestRoundTrip
  memcost why ./codec --profile heap.pprof --binary ./server
  memcost why ./... --static --format sarif -o allocations.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, f.TestArgs = args[:at], args[at:]
			}
			return why(cmd.Context(), a, &f, args, front.Changed(cmd))
		},
	}
	f.register(cmd)
	return cmd
}

// whyFlags are the flags of memcost why as they were given.
type whyFlags struct {
	explain.Options
	goList  string
	since   string
	site    string
	source  string
	all     bool
	gate    bool
	format  string
	json    bool
	out     string
	open    bool
	long    bool
	results string
	verbose bool
}

func (f *whyFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.Bench, "bench", "b", "", "only benchmarks that match the regular expression, as go test -bench")
	fl.StringVar(&f.Test, "test", "", "run the tests that match the regular expression, and no benchmarks")
	fl.BoolVar(&f.Static, "static", false, "run nothing: what the compiler and the binary say")
	fl.StringVar(&f.Profile, "profile", "", "read the heap profile in `FILE`, and run nothing")
	fl.StringVar(&f.Binary, "binary", "", "the `program` that --profile is of")
	fl.BoolVar(&f.Exact, "exact", false, "count objects of less than 16 bytes one by one: builds the runtime anew")
	fl.IntVar(&f.Runs, "runs", 10, "runs of each benchmark under the CPU profiler; 0: counts alone")
	fl.DurationVar(&f.Budget, "budget", 0, "time for all runs (default: 10s a benchmark, at most 5m)")
	fl.DurationVar(&f.Timeout, "timeout", time.Minute, "a process that takes longer is killed")
	fl.StringVar(&f.Tags, "tags", "", "build `tags`, as of go build")
	fl.StringArrayVar(&f.BuildFlags, "build-flag", nil, "build `flag`: -race=false, -pgo=off (repeatable)")
	fl.StringVar(&f.since, "since", "", "compare with the revision `REV` of the repository")
	fl.StringVar(&f.goList, "go", "local", "Go `versions`; each further one is compared with the first")
	fl.StringVar(&f.site, "site", "", "one place in full: its `number`, its ID, or FILE:LINE")
	fl.StringVar(&f.source, "source", "", "the source of `FILE` with the costs beside its lines")
	fl.BoolVar(&f.all, "all", false, "show the lines inside other packages, too")
	fl.BoolVar(&f.gate, "gate", false, "exit with status 3 where a budget is broken; with --since, where something "+
		"is new or costs more")
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: "+strings.Join(whyFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .md, "+
		".json, .sarif, .txt)")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser")
	fl.BoolVar(&f.long, "long", false, "print every place, also those that did not allocate")
	fl.StringVar(&f.results, "results", "results", "make the folder in `DIR`")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return whyFormats, cobra.ShellCompDirectiveNoFileComp
	})
}

// whyFormats are what memcost why can print.
var whyFormats = []string{"text", "html", "md", "json", "github", "sarif", "lsp", "pprof"}

// why explains packages, or shows what was found before.
func why(ctx context.Context, a *front.App, f *whyFlags, args []string, given func(string) bool) error {
	err := f.check(args, given)
	if err != nil {
		return err
	}
	if len(args) == 1 && explain.Is(args[0]) {
		k, err := explain.Read(args[0])
		if err != nil {
			return err
		}
		return showWhy(a, f, k, args[0])
	}
	if f.Dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	f.Patterns = args
	if len(args) == 0 {
		f.Patterns = []string{"."}
	}
	p := front.NewProgress(a.Stderr)
	defer p.End()
	tools, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	if f.Versions, err = tools.Versions(ctx, f.goList); err != nil {
		return err
	}
	k, err := explain.Explain(ctx, tools, f.Options, func(x count.Progress) { p.Step(progressOf(x)) })
	p.End()
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted; memcost why keeps nothing of what is half counted")
	case err != nil:
		return err
	}
	dir, err := k.Write(f.results, time.Now())
	if err != nil {
		return err
	}
	return showWhy(a, f, k, dir)
}

// progressOf says how far counting is.
func progressOf(x count.Progress) string {
	says := x.What
	if x.Of > 0 {
		says += fmt.Sprintf(", %d of %d", x.Done, x.Of)
	}
	if x.Left >= time.Second {
		says += fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
	}
	return says
}

// onlyMeasuring are the flags that say how to measure, and mean nothing to what was found before.
var onlyMeasuring = []string{"bench", "test", "static", "profile", "binary", "exact", "runs", "budget", "timeout",
	"tags", "build-flag", "since", "go", "results"}

func (f *whyFlags) check(args []string, given func(string) bool) (err error) {
	if f.format, err = front.ChooseFormat(f.format, f.out, f.json, whyFormats); err != nil {
		return err
	}
	kept := len(args) == 1 && explain.Is(args[0])
	for _, name := range onlyMeasuring {
		if kept && given(name) {
			return hint.Usage("name packages instead", "--%s says how to measure, and %s was measured before", name, args[0])
		}
	}
	for _, two := range [][2]string{{"bench", "test"}, {"bench", "static"}, {"test", "static"}, {"profile", "bench"},
		{"profile", "test"}, {"profile", "static"}, {"profile", "exact"}, {"profile", "since"}, {"static", "exact"},
		{"profile", "go"}, {"site", "source"}} {
		if given(two[0]) && given(two[1]) {
			return hint.Usage("leave one of them out", "--%s and --%s exclude each other", two[0], two[1])
		}
	}
	switch {
	case f.Profile == "" && f.Binary != "":
		return hint.Usage("--profile heap.pprof --binary ./server", "--binary is the program of a --profile")
	case f.Profile != "" && f.Binary == "":
		return hint.Usage("--profile heap.pprof --binary ./server", "--profile needs the program that it is of: --binary")
	case f.Runs < 0:
		return hint.Usage("--runs=0 counts alone", "--runs must not be negative")
	case given("budget") && f.Budget <= 0:
		return hint.Usage("for example --budget 1m", "--budget must be a positive time")
	case f.Timeout <= 0:
		return hint.Usage("for example --timeout 1m", "--timeout must be a positive time")
	}
	return nil
}
