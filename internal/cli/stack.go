package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/run"
	"memcost/internal/sample"
	"memcost/internal/toolchain"
)

// stackFlags are the flags of memcost stack as they were given.
type stackFlags struct {
	goVersions string
	results    string
	buildFlags []string
	bench      string
	tests      string
	benchtime  string
	trace      bool
	check      bool
	read       string
	program    string
	timeout    time.Duration
	grace      time.Duration
	stdin      string
	stdout     string
	keep       string
	quiet      bool
	format     string
	json       bool
	long       bool
	out        string
	open       bool
	dryRun     bool
	verbose    bool
}

func (a *app) stackCommand() *cobra.Command {
	var f stackFlags
	cmd := &cobra.Command{
		Use:   "stack [flags] PACKAGE... | FILE.go... | PROGRAM... [-- ARGUMENT...]",
		Short: "How the goroutine stacks of a program grow: sizes, copies, who grew",
		Long: `Builds programs with the log of the runtime's stacks switched on, runs them with
the arguments after --, and says what they did with their stacks: each growth with
the function that grew, the chains of sizes, the bytes copied, reuse, shrinks.

A PACKAGE is a main package of your own, or one with tests (or any, with -b or --run).
A PROGRAM is one of the study's: ` + strings.Join(studyPrograms(), ", ") + `;
stackgrowth is all of them, and judges the study's claims by what they did.

What the program writes is passed on to standard error. One that does not end is
stopped after --timeout, by SIGINT first; what it logged until then counts.`,
		Example: `  memcost stack ./cmd/server -- -addr :8080
  memcost stack ./codec -b Decode        benchmarks, 100 iterations of each
  memcost stack hello --go 1.13,1.27
  memcost stack stackgrowth -o stacks.html
  memcost stack ./cmd/tool --check       the log against an execution trace
  memcost stack --read stderr.txt        a log that there is already`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var own []string
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args, own = args[:n], args[n:]
			}
			if err := f.checkFlags(args, changed(cmd)); err != nil {
				return err
			}
			if f.read != "" {
				return a.stackRead(&f)
			}
			return a.stack(cmd.Context(), &f, args, own)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(studyPrograms(), stackStudy), cobra.ShellCompDirectiveDefault
		},
	}
	f.register(cmd)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("arguments of the program come after --: memcost stack ./cmd/server -- -addr :8080", "%w", err)
	})
	return cmd
}

func (f *stackFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.goVersions, "go", "local", "Go `versions`: 1.25.4,1.27 · local · all")
	fl.StringVar(&f.results, "results", "results", "of "+stackStudy+": make the run folder in `DIR`")
	fl.StringArrayVar(&f.buildFlags, "build-flag", nil, "a `FLAG` for the go command, as -tags=x (repeatable)")
	fl.StringVarP(&f.bench, "bench", "b", "", "run the benchmarks that match, of the package's tests")
	fl.StringVar(&f.tests, "run", "", "run the tests that match")
	fl.StringVar(&f.benchtime, "benchtime", "100x", "with -b: iterations or time of each benchmark")
	fl.BoolVar(&f.trace, "trace", false, "take an execution trace instead of the log (Go 1.23): the runtime stays as it is; sizes only")
	fl.BoolVar(&f.check, "check", false, "take both in one run, and compare: exit status 1 if they differ by more than 1%")
	fl.StringVar(&f.read, "read", "", "read the log or trace in `FILE` (- is standard input)")
	fl.StringVar(&f.program, "program", "", "with --read: the `BINARY` that wrote it, to name functions")
	fl.DurationVar(&f.timeout, "timeout", 30*time.Second, "stop a program after this time; 0 is never")
	fl.DurationVar(&f.grace, "grace", 5*time.Second, "how long to wait after SIGINT for SIGTERM, and then for SIGKILL")
	fl.StringVar(&f.stdin, "stdin", "", "standard input of the program: a `FILE`, or - for that of memcost (default: empty)")
	fl.StringVar(&f.stdout, "stdout", "", "write the program's standard output to `FILE`")
	fl.StringVar(&f.keep, "keep-log", "", "write the log, as the program wrote it, or the trace to `FILE`")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "do not pass on what the program writes")
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: "+strings.Join(stackFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.BoolVar(&f.long, "long", false, "print every row of every table")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .json, .txt)")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser: -o FILE.html --open")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "build, and print the commands without running them")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return stackFormats, cobra.ShellCompDirectiveNoFileComp
	})
}

// stackFormats are those that memcost stack can print.
var stackFormats = []string{"text", "html", "json", "go"}

// checkFlags reports flags that are wrong by their form, or beside each other.
func (f *stackFlags) checkFlags(args []string, changed func(string) bool) error {
	switch {
	case f.json && f.format != "" && f.format != "json":
		return usage("leave one of them out", "--json and --format %s contradict each other", f.format)
	case f.json:
		f.format = "json"
	case f.format == "" && f.out != "":
		if f.format = endings[strings.ToLower(filepath.Ext(f.out))]; !slices.Contains(stackFormats, f.format) {
			return usage("name a .html, .json or .txt, or say --format: "+strings.Join(stackFormats, ", "), "-o %s: its ending does not say the format", f.out)
		}
	case f.format == "":
		f.format = "text"
	}
	if !slices.Contains(stackFormats, f.format) {
		return usage("the formats are "+strings.Join(stackFormats, ", "), "--format %s: unknown", f.format)
	}
	if err := sample.CheckPattern(f.bench); err != nil {
		return usage("regular expressions as in go test -bench: https://pkg.go.dev/regexp/syntax", "%w", err)
	}
	for _, bad := range []struct {
		is        bool
		say, hint string
	}{
		{f.trace && f.check, "--trace and --check exclude each other", "--check takes the log and the trace"},
		{f.timeout < 0, "--timeout must not be negative", "0 waits until the program ends"},
		{f.grace <= 0, "--grace must be a positive time", "for example --grace 5s"},
		{f.open && (f.format != "html" || f.out == ""), "--open shows the page, and none would be written to a file", "name the page: -o page.html --open"},
		{f.read == "" && f.program != "", "--program is for --read", "memcost stack --read LOG --program BINARY"},
		{f.read == "" && len(args) == 0, "memcost stack needs a program", "name a package (memcost stack ./cmd/server), or one of the study's: " + strings.Join(studyPrograms(), ", ")},
		{f.read != "" && (len(args) > 0 || f.check || f.trace || changed("stdin") || changed("keep-log")), "--read reads what there is already: nothing is run", "leave the rest out"},
		{changed("benchtime") && f.bench == "", "--benchtime is for benchmarks", "name them: -b REGEXP"},
	} {
		if bad.is {
			return usage(bad.hint, "%s", bad.say)
		}
	}
	return run.CheckVersions(f.goVersions)
}

// record is how the programs tell of their stacks.
func (f *stackFlags) record() toolchain.Recording {
	switch {
	case f.check:
		return toolchain.StackLogTrace
	case f.trace:
		return toolchain.StackTrace
	}
	return toolchain.StackLog
}

func (a *app) stack(ctx context.Context, f *stackFlags, args, own []string) error {
	s, err := a.newSession(f.goVersions, f.results, f.verbose)
	if err != nil {
		return err
	}
	defer s.close()
	j := &stackJob{session: s, f: f, own: own}
	if err := j.choose(args); err != nil {
		return err
	}
	if err := j.build(ctx); err != nil {
		if ctx.Err() != nil {
			return errors.New("interrupted before a program was run")
		}
		return err
	}
	s.progress.end()
	if f.dryRun {
		return j.printCommands()
	}
	f.quiet = f.quiet || j.judged() // a hundred times hello world
	for _, r := range j.runs {
		if err := j.run(ctx, r); err != nil {
			return err
		}
	}
	if j.judged() {
		err = a.judge(j)
	} else {
		err = a.stackOutput(f, j.runs)
	}
	if err != nil {
		return err
	}
	return j.verdict(ctx)
}

// verdict is the error that ends a job whose figures have been shown.
func (j *stackJob) verdict(ctx context.Context) error {
	if ctx.Err() != nil {
		return errors.New("interrupted; what was recorded until then has been shown")
	}
	var errs []error
	for _, r := range j.runs {
		errs = append(errs, r.failed...)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return j.idle()
}

// idle is the error of a job of which nothing ran that was asked for.
func (j *stackJob) idle() error {
	if len(j.runs) == 0 || slices.ContainsFunc(j.runs, func(r *stackRun) bool { return r.idle == "" }) {
		return nil
	}
	return withHint("the names of all: go test -list . "+strings.Join(j.patterns, " "), errors.New(j.runs[0].idle))
}
