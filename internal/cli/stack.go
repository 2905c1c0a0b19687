package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/base/hint"
	"memcost/internal/document"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/session"
	"memcost/internal/measure/stacks"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
)

// stackFlags are the flags of memcost stack as they were given.
type stackFlags struct {
	commonFlags
	of      stacks.Options
	trace   bool
	check   bool
	read    string
	program string
	quiet   bool
}

func stackCommand(a *App) *cobra.Command {
	f := stackFlags{of: stacks.Options{BenchTime: "100x", Grace: 5 * time.Second, Timeout: 30 * time.Second}}
	f.Go = "local"
	cmd := &cobra.Command{
		Use:   "stack [flags] PACKAGE... | FILE.go... | PROGRAM... [-- ARGUMENT...]",
		Short: "How the goroutine stacks of a program grow: sizes, bytes copied, functions that grew",
		Long: `Builds Go programs so that the runtime logs what it does with goroutine stacks, runs
them with the arguments after --, and reports each growth with the function that
grew, the chains of sizes, the bytes copied, the reused stacks and the shrinks.

A PACKAGE is a main package of your own, or one with tests (or any, with -b or --run).
A PROGRAM is one of the study's: ` + strings.Join(stacks.StudyPrograms(), ", ") + `;
stackgrowth is all of them, and tests the study's claims against their logs.

On Linux the log is apart from what the program writes, which is passed on to
standard error. A program that does not end is stopped after --timeout, by SIGINT
first; what it logged until then counts.`,
		Example: `  memcost stack ./cmd/server -- -addr :8080
  memcost stack ./codec -b Decode        benchmarks, 100 iterations of each
  memcost stack hello --go 1.13,1.27
  memcost stack stackgrowth -o stacks.html
  memcost stack ./cmd/tool --check       compare the log with an execution trace
  memcost stack --read stack.log         read a log that was recorded before`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var own []string
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args, own = args[:n], args[n:]
			}
			if err := f.checkArgs(args); err != nil {
				return err
			}
			if f.read != "" {
				return readStacks(a, &f)
			}
			return recordStacks(cmd.Context(), a, &f, args, own)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(stacks.StudyPrograms(), stacks.Study), cobra.ShellCompDirectiveDefault
		},
	}
	f.register(cmd)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			return hint.With("arguments of the program come after --: memcost stack ./cmd/server -- -addr :8080",
				flagError(cmd, err))
		}
		return flagError(cmd, err)
	})
	return cmd
}

func (f *stackFlags) register(cmd *cobra.Command) {
	register(cmd,
		f.output("text", "html", "json", "go").pick("format", "json", "output",
			"open: -o FILE.html --open", "long = print every row of every table"),
		f.sides(nil).pick("go", "bench = run the benchmarks of the package that match `REGEXP`, as go test -bench", "stdin = give the program `FILE` as its standard input, or memcost's own (-)"),
		f.folder().pick("results: "+stacks.Study+" only", "dry-run = build, and print the commands without running them", "verbose"),
		flags{
			{name: "build-flag", takes: words(&f.of.BuildFlags, nil), eg: "-tags=x",
				help: "pass `FLAG` to the go command, as -tags=x (repeatable)"},
			{name: "run", takes: word(&f.of.Tests), help: "run the tests whose names match `REGEXP`"},
			{name: "benchtime", takes: benchtime(&f.of.BenchTime), needs: "bench", eg: "100x",
				help: "run each benchmark so many times, or so long"},
			{name: "trace", takes: toggle(&f.trace), not: "check", help: "record an execution trace instead of the log: " +
				"the runtime is not changed, only sizes are known (Go 1.23 and later)"},
			{name: "check", takes: toggle(&f.check), help: "record the log and an execution trace in one run and " +
				"compare them: exit status 1 if they differ by more than 1% (Go 1.23 and later)"},
			{name: "read", takes: word(&f.read), not: "trace check stdin keep-log",
				help: "read the log or trace in `FILE` (- is standard input)"},
			{name: "program", takes: word(&f.program), needs: "read", help: "name functions by the `BINARY` that wrote the log"},
			{name: "timeout", takes: take(&f.of.Timeout, "duration", readTime), eg: "1m",
				help: "stop a program after this time; 0 is never"},
			{name: "grace", takes: positive(&f.of.Grace, 0), eg: "5s",
				help: "how long a program may take to end after SIGINT, and then after SIGTERM"},
			{name: "stdout", takes: word(&f.of.StdoutFile), help: "write the program's standard output to `FILE`"},
			{name: "keep-log", takes: word(&f.of.KeepLog), help: "keep the log or the trace in `FILE`"},
			{name: "quiet,q", takes: toggle(&f.quiet), help: "do not pass on what the program writes"},
		})
}

// check reports what is missing, or too much.
func (f *stackFlags) checkArgs(args []string) error {
	f.format = cmp.Or(f.format, "text")
	switch {
	case f.of.Timeout < 0:
		return hint.Usage("0 waits until the program ends", "--timeout must not be negative")
	case f.read == "" && len(args) == 0:
		return hint.Usage("name a package (memcost stack ./cmd/server), or one of the study's: "+
			strings.Join(stacks.StudyPrograms(), ", "), "memcost stack needs a program")
	case f.read != "" && len(args) > 0:
		return hint.Usage("leave the rest out", "--read reads what there is already: nothing is run")
	}
	return f.pageInFile()
}

// recording is how the programs record their stacks.
func (f *stackFlags) recording() toolchain.Recording {
	switch {
	case f.check:
		return toolchain.StackLogTrace
	case f.trace:
		return toolchain.StackTrace
	}
	return toolchain.StackLog
}

// choose tells the study's programs from the user's packages.
func (f *stackFlags) choose(o *stacks.Options, args []string) error {
	known := stacks.StudyPrograms()
	for _, arg := range args {
		switch {
		case arg == stacks.Study:
			o.Programs = append(o.Programs, known...)
		case slices.Contains(known, arg):
			o.Programs = append(o.Programs, arg)
		case strings.Contains(arg, "@") && !filepath.IsAbs(arg) && !strings.HasPrefix(arg, "."):
			pkg, version, _ := strings.Cut(arg, "@")
			return hint.Usage(fmt.Sprintf("have your module require it: go get %s; then: memcost stack %s", arg, pkg),
				"%s: a package is named without a version (@%s)", pkg, version)
		// a word alone is of the standard library
		case strings.ContainsAny(arg, `./\`) || f.Bench != "" || f.of.Tests != "":
			o.Packages = append(o.Packages, arg)
		default:
			advice := fmt.Sprintf("a folder here is ./%s, tests of the standard library need -b or --run; the "+
				"study's programs are %s, and %s is all", arg, strings.Join(known, ", "), stacks.Study)
			advice = hint.Meant(arg, append(known, stacks.Study), advice)
			return hint.Usage(advice, "unknown program %q", arg)
		}
	}
	if len(o.Programs) > 0 && (f.Bench != "" || f.of.Tests != "") {
		return hint.Usage("name a package with tests", "-b and --run: %s has no tests", o.Programs[0])
	}
	o.Programs = distinct(o.Programs)
	return nil
}

// stackOptions are the flags, for the programs and packages that args name.
func stackOptions(a *App, f *stackFlags, args, own []string) (stacks.Options, error) {
	o := f.of
	o.Recording, o.Arguments, o.Bench, o.Stdin, o.Input = f.recording(), own, f.Bench, f.Stdin, a.Stdin
	if file, ok := a.Stdin.(*os.File); ok {
		if tty, _ := isTerminal(file); tty {
			// A process group in the background is stopped if it reads from a terminal.
			o.Input = struct{ io.Reader }{a.Stdin}
		}
	}
	err := f.choose(&o, args)
	if !f.quiet && !o.Judges() { // the study's programs say hello a hundred times
		o.Output = a.Stderr
	}
	return o, err
}

func recordStacks(ctx context.Context, a *App, f *stackFlags, args, own []string) error {
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	var leftOut []string
	r := &stacks.Recorder{Finder: t.Finder, Builder: t.Builder, Runner: t.Runner, Note: t.Log.Note, Step: t.Log.Step}
	r.LeftOut = func(text string) {
		leftOut = append(leftOut, text)
		t.Log.Note("left out: " + text)
	}
	r.Start = func(of *stacks.Run) {
		r.Step("running " + of.String())
		t.Log.End()
	}
	if r.Options, err = stackOptions(a, f, args, own); err != nil {
		return err
	}
	if r.Versions, err = t.Versions(ctx, f.Go); err != nil {
		return err
	}
	runs, err := r.Build(ctx)
	if err != nil && ctx.Err() != nil {
		return session.Stopped("no program was run yet")
	}
	if err != nil {
		return err
	}
	t.Log.End()
	if f.Stdin == "-" && len(runs) > 1 {
		return hint.Usage("name one program, or a file that each can read",
			"--stdin -: there are %d programs to read it", len(runs))
	}
	if f.DryRun {
		for _, run := range runs {
			fmt.Fprintln(a.Stdout, r.Command(run))
		}
		return nil
	}
	if err := r.Record(ctx, runs); err != nil {
		return err
	}
	if r.Judges() {
		err = judgeStacks(a, t, f, leftOut, runs)
	} else {
		err = showStacks(a, f, runs)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return session.Stopped("what was recorded until then has been shown")
	}
	return r.Err(runs)
}

// judgeStacks keeps what the study's programs did in a run folder, and says which claims
// hold by it.
func judgeStacks(a *App, t *session.Tools, f *stackFlags, leftOut []string, runs []*stacks.Run) error {
	dir, err := session.KeepStacks(t, a.Origin(), f.Results, leftOut, runs)
	if err != nil {
		return err
	}
	ans, err := result.Read(dir, reportOptions("all", false))
	if err != nil {
		return err
	}
	claims := saidOf([]*result.Answer{ans}, "", "")
	of := commonFlags{} // the claims are shown by themselves
	switch {
	case f.out != "": // the programs go there, the verdicts to the terminal
		err = showStacks(a, f, runs)
	case f.format != "text":
		if path := filepath.Join(dir, pageName); a.page(path, claims.html(), "memcost report "+dir) {
			fmt.Fprintf(a.Stderr, "report: %s\n", path)
		}
		return showStacks(a, f, runs)
	case f.long:
		err = terminal.Write(a.Stdout, stacks.Document(runs), a.Style(true))
	default:
		err = terminal.Write(a.Stdout, stacks.Overview(runs), a.Style(false))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout)
	return of.showFolder(a, claims, dir, "memcost report")
}

// readStacks reads a log or a trace that there is already.
func readStacks(a *App, f *stackFlags) error {
	in, name := a.Stdin, "standard input"
	if f.read != "-" {
		file, err := os.Open(f.read)
		if err != nil {
			return fmt.Errorf("--read %s: %w", f.read, plainError(err))
		}
		defer file.Close()
		in, name = file, f.read
	}
	run, err := stacks.Read(in, name, f.program)
	if err != nil {
		return fmt.Errorf("--read %s: %w", f.read, err)
	}
	if err := showStacks(a, f, []*stacks.Run{run}); err != nil {
		return err
	}
	return errors.Join(run.Failed...)
}

// showStacks prints the runs, or writes them to a file.
func showStacks(a *App, f *stackFlags, runs []*stacks.Run) error {
	return f.showFile(a, said{json: stacks.Answers(runs),
		document: func() *document.Document { return stacks.Document(runs) },
		own:      func(w io.Writer, _ string) error { return stacks.WriteRecords(w, runs) }})
}
