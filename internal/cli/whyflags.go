package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/sites/explain"
)

// whyFlags are the flags of memcost why as they were given.
type whyFlags struct {
	explain.Options
	goList  string
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
	fl.StringVar(&f.Since, "since", "", "compare with the revision `REV` of the repository")
	fl.StringVar(&f.goList, "go", "local", "Go `versions`; each further one is compared with the first")
	fl.StringVar(&f.site, "site", "", "one site in full: its `number`, its ID, or FILE:LINE")
	fl.StringVar(&f.source, "source", "", "the source of `FILE` with the costs beside its lines")
	fl.BoolVar(&f.all, "all", false, "show the lines inside other packages, too")
	fl.BoolVar(&f.gate, "gate", false, "exit with status 3 where a budget is broken; with --since, where something "+
		"is new or costs more")
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: "+strings.Join(whyFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .md, "+
		".json, .sarif, .txt)")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser")
	fl.BoolVar(&f.long, "long", false, "print every site, also those that did not allocate")
	fl.StringVar(&f.results, "results", "results", "make the folder in `DIR`")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return whyFormats, cobra.ShellCompDirectiveNoFileComp
	})
}

// whyFormats are what memcost why can print.
var whyFormats = []string{"text", "html", "md", "json", "github", "sarif", "lsp", "pprof"}

// onlyMeasuring are the flags that say how to measure, and mean nothing to what was found before.
var onlyMeasuring = []string{"bench", "test", "static", "profile", "binary", "exact", "runs", "budget", "timeout",
	"tags", "build-flag", "since", "go", "results"}

func (f *whyFlags) check(args []string, given func(string) bool) (err error) {
	if f.format, err = ChooseFormat(f.format, f.out, f.json, whyFormats); err != nil {
		return err
	}
	kept := len(args) == 1 && explain.Is(args[0])
	for _, name := range onlyMeasuring {
		if kept && given(name) {
			return hint.Usage("name packages instead", "--%s says how to measure, and %s was measured before", name,
				args[0])
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
		return hint.Usage("--profile heap.pprof --binary ./server",
			"--profile needs the program that it is of: --binary")
	case f.Runs < 0:
		return hint.Usage("--runs=0 counts alone", "--runs must not be negative")
	case given("budget") && f.Budget <= 0:
		return hint.Usage("for example --budget 1m", "--budget must be a positive time")
	case f.Timeout <= 0:
		return hint.Usage("for example --timeout 1m", "--timeout must be a positive time")
	}
	return nil
}
