package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/page"
	"memcost/internal/show/text"
)

func compareCommand(a *App) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW [PACKAGE ...]",
		Short: "Did this change matter? Commits, toolchains, settings, commands",
		Long: `Compares two sides of Go benchmarks, and says of each benchmark whether the change
matters: changed, equivalent (within --margin), or undecided when the time is over.

A side is a revision of git (HEAD~1, main, v1.2; "." is the files as they lie), a
toolchain (go1.25.4, go1.25), a setting of the environment (GOGC=off), a build flag
(-gcflags=-l, -pgo=cpu.pprof), or several of them in quotes: 'HEAD~1 GOGC=off'. What a
side does not name is as it lies here: the files, the local Go. One side alone is
compared with the files as they lie: a revision or a toolchain as OLD, a setting or a
flag as NEW. Further sides are each compared with the first.

A PACKAGE is a pattern of Go packages (./..., ./codec, example.com/m/codec) or a shipped
study; without one it is the package of the current folder. The first two arguments are
sides; a further one is a package if it begins with a dot or a slash, contains ..., or is
an import path or the name of a study. Flags of the test binary stand behind --.

Revisions are checked out in a folder of memcost's cache, with their submodules; the
repository and its index are not touched. All sides are built before anything is timed;
further random links of them come with the rounds.
Benchmarks that stand on one side only are listed, and not measured.

With --command the sides are command lines, or one of them and settings for it: the time
of a process, its CPU time, the peak of its memory, its page faults and context switches
are compared, its exit status is checked, and a different output is warned of. A command
without quotes, pipes and variables of a shell is started without one. Test binaries
(go test -c) and programs on Google Benchmark can be sides as they are; before the study
malloc, settings of malloc are (M_TOP_PAD=0, LD_PRELOAD=libjemalloc.so.2).

Samples are taken in rounds, the sides next to each other in random order, until each
benchmark is decided: a minute for each benchmark, and half an hour for all of them at
most, unless their first verdicts take longer (--budget). Ctrl-C is safe at any time:
what was measured is kept, and --resume goes on with it.

--each searches the commits of a range, and --go releases of Go, for those that changed a
benchmark: by halving, so that 1,000 commits take about 13 builds for one change. Without
--each and --go, sides may be run folders and files of benchmark results, which were not
measured in turns: a weaker statement.`,
		Example: `  memcost compare HEAD~1 .             the last commit but one, and the files as they lie
  memcost compare main . ./codec -b Decode --margin 2%
  memcost compare go1.25.4 go1.26.8 ./...
  memcost compare GOGC=off             the same files, with a setting
  memcost compare v1.2 'HEAD -pgo=cpu.pprof' ./codec
  memcost compare main . ./codec --gate -- -size=100
  memcost compare --command './old args' './new args'
  memcost compare --command 'sqlite3 :memory: < load.sql' LD_PRELOAD=libjemalloc.so.2
  memcost compare ./old.test ./new.test -b Decode
  memcost compare M_TRIM_THRESHOLD=0 malloc
  memcost compare --each v1.2..HEAD ./codec -b Decode
  memcost compare --go all ./codec
  memcost compare old.txt new.txt
  memcost compare --resume results/20261121-101530-myhost`,
		ValidArgsFunction: completeSides,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, f.testArgs = args[:at], args[at:]
			}
			if IsHistory(f.resume) {
				if err := MayChange(cmd, "budget", "timeout", "format", "output"); err != nil {
					return err
				}
				return resumeHistory(cmd.Context(), a, &f, Changed(cmd))
			}
			if cmd.Flags().Changed("resume") {
				return resumeComparison(cmd, a, &f, args)
			}
			return compareSides(cmd.Context(), a, &f, args, Changed(cmd))
		},
	}
	f.register(cmd)
	return cmd
}

// compare is the way to the four kinds of comparisons.
func compareSides(ctx context.Context, a *App, f *compareFlags, args []string, given func(string) bool) error {
	if err := f.checkShow(); err != nil {
		return err
	}
	switch malloc, ok := session.OfMalloc(args); {
	case f.command:
		return compareCommands(ctx, a, f, args, given)
	case ok:
		return compareReady(ctx, a, f, malloc, given)
	case session.AllPrograms(args):
		return compareReady(ctx, a, f, session.Programs{Files: args}, given)
	case f.each != "" || f.goList != "":
		return compareHistory(ctx, a, f, args, given)
	case anyRecorded(args):
		return compareRecorded(a, f, args, given)
	}
	return comparingCompareSides(ctx, a, f, args, given)
}

// compareFlags are the flags of memcost compare as they were given.
type compareFlags struct {
	command  bool
	each     string
	goList   string
	bench    string
	cpu      string
	tags     string
	build    []string // build flags
	testArgs []string // behind --
	stdin    string
	prepare  string
	margin   string
	alpha    float64
	budget   time.Duration
	timeout  time.Duration
	sample   time.Duration
	layouts  int
	rounds   int
	seed     uint64
	gate     string
	format   string
	json     bool
	out      string
	open     bool
	long     bool
	label    string
	results  string
	resume   string
	dryRun   bool
	verbose  bool
}

func (f *compareFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.command, "command", false, "the arguments are command lines, and settings for them")
	fl.StringVar(&f.each, "each", "", "find the commits of `REV..REV` that changed something")
	fl.StringVar(&f.goList, "go", "", "find the releases of these Go `versions` that changed something: all, or a list")
	fl.StringVarP(&f.bench, "bench", "b", "", "only benchmarks that match the regular expression, as go test -bench")
	fl.StringVar(&f.cpu, "cpu", "", "GOMAXPROCS `values`, as go test -cpu: 1,2,4")
	fl.StringVar(&f.tags, "tags", "", "build `tags` of all sides, as of go build")
	fl.StringArrayVar(&f.build, "build-flag", nil, "build `flag` of all sides: -race=false, -pgo=off (repeatable)")
	fl.StringVar(&f.stdin, "stdin", "", "`FILE` that each command reads")
	fl.StringVar(&f.prepare, "prepare", "", "`command` before each sample, which is not timed")
	fl.StringVar(&f.margin, "margin", "1%", "the `difference` that is worth knowing")
	fl.Float64Var(&f.alpha, "alpha", plan.Alpha, "error rate of a verdict")
	fl.DurationVar(&f.budget, "budget", 0, "stop after this time of calibrating and measuring, "+
		"of a run that is resumed in all (default: 60s a "+
		"benchmark, at most 30m)")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "a process that takes longer is killed, and its sample failed")
	fl.DurationVar(&f.sample, "sample", 0, "least loop time of one sample (default: 60ms, up to 235ms where it "+
		"collects seldom)")
	fl.IntVar(&f.layouts, "layouts", 0, "how many memory layouts each side is linked in, to draw from: with 1, "+
		"two links of the same code may differ (default: 12)")
	fl.IntVar(&f.rounds, "rounds", 0, "take exactly this many rounds (default: until all is decided)")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: random, recorded)")
	fl.StringVar(&f.gate, "gate", "", "exit with status 3 on regressions beyond a margin: --gate=slower=3%,allocs, "+
		"and bytes, cpu, memory, metrics; with undecided on what is not decided, too")
	fl.Lookup("gate").NoOptDefVal = compare.Default
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: text, md, html, json, github")
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser")
	fl.BoolVar(&f.long, "long", false, "print every benchmark and metric")
	fl.StringVar(&f.label, "label", "", "`name` of the run, where it is shown")
	fl.StringVar(&f.results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the comparison in `DIR`")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "print what would be done, and measure nothing")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
}

// options turns the flags of a comparison into those of its run.
func (f *compareFlags) options(given func(string) bool) (o session.Options, err error) {
	o = session.Options{Go: "local", Results: f.results, DryRun: f.dryRun, Bench: f.bench, Tags: f.tags, Label: f.label,
		BuildFlags: f.build, TestArgs: f.testArgs, Profile: session.Quick, Rounds: f.rounds, Budget: f.budget,
		Timeout: f.timeout, Alpha: f.alpha, StopWhenDecided: f.rounds == 0}
	if given("seed") {
		o.Seed = &f.seed
	}
	for _, n := range []struct {
		flag, say string
		wrong     bool
	}{
		{"alpha", "must be between 0 and 0.5", f.alpha <= 0},
		{"budget", "must be a positive time, like 3m", f.budget <= 0},
		{"timeout", "must be a positive time, like 1m", f.timeout <= 0},
		{"sample", "must be at least 1ms", f.sample <= 0},
		{"layouts", "must be between 1 and 256", f.layouts <= 0},
	} {
		if given(n.flag) && n.wrong {
			return o, hint.Usage("memcost compare --help lists the flags", "--%s %s", n.flag, n.say)
		}
	}
	for i, word := range o.BuildFlags {
		o.BuildFlags[i] = strings.TrimSpace(word) // see side.Shield
	}
	o.Sample, o.Layouts = f.sample, f.layouts
	if o.Margin, err = ParseShare("margin", f.margin); err != nil {
		return o, err
	}
	o.CPU, err = ParseCPU(f.cpu)
	return o, err
}

// mayResume reports flags that a comparison which is gone on with cannot take.
func (f *compareFlags) mayResume(cmd *cobra.Command) error {
	if err := MayChange(cmd, "budget", "rounds", "timeout", "format", "output"); err != nil {
		return err
	}
	if _, err := f.options(Changed(cmd)); err != nil {
		return err
	}
	return f.checkShow()
}

// compareCommands compares command lines, or settings of one.
func compareCommands(ctx context.Context, a *App, f *compareFlags, args []string, given func(string) bool) error {
	for _, flag := range []string{"bench", "cpu", "tags", "build-flag", "sample", "layouts", "each", "go"} {
		if given(flag) {
			return hint.Usage("it is for benchmarks: leave it out, or --command", "--%s means nothing to a command",
				flag)
		}
	}
	if len(f.testArgs) > 0 {
		return hint.Usage("write them into the command: 'program -a'", "arguments behind -- are those of benchmarks")
	}
	return compareReady(ctx, a, f, session.Lines{Args: args}, given)
}

// compareReady compares sides that need no building.
func compareReady(ctx context.Context, a *App, f *compareFlags,
	sides session.Sides, given func(string) bool) error {
	o, err := f.options(given)
	if err != nil {
		return err
	}
	for _, flag := range []string{"tags", "build-flag", "layouts", "sample"} {
		if given(flag) {
			return hint.Usage("leave it out", "--%s means nothing to programs that are built already", flag)
		}
	}
	o.Ready, o.Stdin, o.Prepare, o.Origin = sides, f.stdin, f.prepare, a.Origin()
	return measureComparison(ctx, a, f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Begin(ctx, t, o)
	})
}

// compareSides compares revisions, toolchains, settings and build flags of Go benchmarks.
func comparingCompareSides(ctx context.Context, a *App, f *compareFlags, args []string, given func(string) bool) error {
	o, err := f.options(given)
	if err != nil {
		return err
	}
	if o.Sides, o.Args, err = source.Arguments(args, isStudy); err != nil {
		return err
	}
	if len(o.Args) == 0 {
		o.Args = []string{"."}
	}
	for _, n := range []string{"stdin", "prepare"} {
		if given(n) {
			return hint.Usage("memcost compare --command './old' './new'", "--%s is for commands (--command)", n)
		}
	}
	o.Origin = a.Origin()
	return measureComparison(ctx, a, f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Begin(ctx, t, o)
	})
}

func isStudy(name string) bool { _, err := session.Study(name); return err == nil }

// measureComparison begins a comparison, or goes on with one, and shows what its samples say.
func measureComparison(ctx context.Context, a *App, f *compareFlags,
	begin func(ctx context.Context, t *session.Tools) (*session.Session, error)) error {
	m := measurement{verbose: f.verbose, begin: begin, show: func(s *session.Session) (string, error) {
		return "", showComparison(a, s.Folder.Dir, f)
	}}
	if f.dryRun {
		m.plan = func(s *session.Session) error {
			if session.IsReady(s.Question) {
				return a.Lines(s.Lines())
			}
			printOneSided(a, s.Question)
			return PrintPlan(a.Stdout, s, f.json || f.format == "json")
		}
	}
	return a.measure(ctx, m)
}

// printOneSided lists the benchmarks that some sides do not have.
func printOneSided(a *App, q *plan.Question) {
	for _, x := range q.Comparison.OneSided {
		fmt.Fprintf(a.Stderr, "not compared: %s is only on %s\n", strings.TrimSpace(x.Suite+" "+x.Name),
			strings.Join(x.On, ", "))
	}
}

// completeSides offers what a side may be: branches and tags, the work tree, studies.
func completeSides(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	out, how := CompleteStudies(cmd, args, prefix)
	if len(args) < 2 {
		out = []string{".\tthe files as they lie"}
	}
	dir, err := os.Getwd()
	if err != nil {
		return out, how
	}
	if repo, err := source.Open(cmd.Context(), &proc.Runner{}, os.Environ(), dir); err == nil && len(args) < 2 {
		out = append(out, repo.Names(cmd.Context())...)
	}
	return out, how
}

// resumeComparison goes on with the comparison in a folder, whatever its sides are.
func resumeComparison(cmd *cobra.Command, a *App, f *compareFlags, args []string) error {
	q, err := Resumed(cmd, f.resume, args)
	switch {
	case err != nil:
		return err
	case q.Comparison == nil:
		return hint.Usage("go on with: memcost run --resume "+f.resume, "run folder %s is not one of memcost compare",
			f.resume)
	case q.Comparison.Alloc != nil:
		return hint.Usage("go on with: memcost alloc --resume "+f.resume, "run folder %s is one of memcost alloc",
			f.resume)
	}
	if err := f.mayResume(cmd); err != nil {
		return err
	}
	changes := session.Changes{Budget: f.budget, Rounds: f.rounds}
	if cmd.Flags().Changed("timeout") {
		changes.Timeout = f.timeout
	}
	return measureComparison(cmd.Context(), a, f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Resume(ctx, t, f.resume, q, changes)
	})
}

// comparisonFormats are what memcost compare can print.
var comparisonFormats = []string{"text", "html", "md", "json", "github"}

// checkShow refuses a format or a gate that there is not, before anything is measured.
func (f *compareFlags) checkShow() (err error) {
	if f.format, err = ChooseFormat(f.format, f.out, f.json, comparisonFormats); err != nil {
		return err
	}
	_, err = GateOf(f.gate)
	return err
}

// showComparison shows what the run of a comparison in a folder says, writes its page, and
// returns what --gate stops for.
func showComparison(a *App, dir string, f *compareFlags) error {
	o, err := ReportOptions("all")
	if err != nil {
		return err
	}
	o.Evidence = true
	ans, err := ReadRun(a, dir, o)
	if err != nil {
		return err
	}
	r, err := compare.OfRun(ans)
	if err != nil {
		return fmt.Errorf("reading the comparison in %s: %w", dir, err)
	}
	g, err := GateOf(f.gate)
	if err != nil {
		return err
	}
	if err := showReport(a, r, []*result.Answer{ans}, f, g); err != nil {
		return err
	}
	a.PageOf(dir, ans, f.open)
	return Closed(a, r, g)
}

// showReport prints a comparison in the format that was asked for.
func showReport(a *App, r *compare.Report, answers []*result.Answer, f *compareFlags, g *compare.Gate) error {
	return a.Output(f.out, func(w *Output) error {
		return writeReport(w, r, answers, f.format, w.Style(a, f.long), g)
	})
}

func writeReport(w io.Writer, r *compare.Report, answers []*result.Answer, format string, style text.Style,
	g *compare.Gate) error {
	switch format {
	case "json":
		return WriteJSON(w, r)
	case "html":
		return page.Write(w, answers, nil)
	case "md":
		return text.SidesMarkdown(w, "", r)
	case "github":
		var found []compare.Finding
		if g != nil {
			found = g.Check(r)
		}
		dir := ""
		for _, ans := range answers {
			if ans.Question != nil {
				dir = ans.Question.Dir
			}
		}
		return compare.Write(w, r, found, compare.In(dir))
	}
	return text.Sides(w, r, style)
}

// compareRecorded compares run folders and files of benchmark results with the first of them.
func compareRecorded(a *App, f *compareFlags, args []string, given func(string) bool) error {
	for _, arg := range args {
		if !isRecord(arg) {
			return hint.Usage("measure it first, with memcost run, or name revisions alone",
				"%s is neither a run folder nor a file of benchmark results, as the other sides are", arg)
		}
	}
	if len(args) < 2 {
		return hint.Usage("memcost report "+args[0]+" shows what it says by itself",
			"%s is one side, and a comparison needs two", args[0])
	}
	for _, flag := range []string{"bench", "cpu", "tags", "build-flag", "stdin", "prepare", "budget", "timeout",
		"sample", "layouts", "rounds", "seed", "results", "dry-run", "label"} {
		if given(flag) {
			return hint.Usage("leave --"+flag+" out", "--%s says how to measure, and nothing is measured where "+
				"all sides are recorded", flag)
		}
	}
	margin, err := ParsePercent(f.margin)
	if err != nil {
		return hint.Usage("for example --margin 1%", "--margin: %w", err)
	}
	if !(f.alpha > 0 && f.alpha < 0.5) {
		return hint.Usage("for example --alpha 0.01", "--alpha must be between 0 and 0.5")
	}
	o, err := ReportOptions("none")
	if err != nil {
		return err
	}
	o.Samples = true
	answers, err := ReadRuns(a, args, o)
	if err != nil {
		return err
	}
	r := compare.OfFiles(answers, margin, f.alpha)
	if len(r.Benchmarks) == 0 && settingsOfOne(answers) {
		o.Bare = true
		if answers, err = ReadRuns(a, args, o); err != nil {
			return err
		}
		r = compare.OfFiles(answers, margin, f.alpha)
	}
	if len(r.Benchmarks) == 0 {
		return hint.New("see what they hold: memcost report "+args[0], "the sides have no benchmark in common")
	}
	g, err := GateOf(f.gate)
	if err != nil {
		return err
	}
	if err := showReport(a, r, answers, f, g); err != nil {
		return err
	}
	if f.open && f.out != "" {
		if err := OpenPage(f.out); err != nil {
			return err
		}
	}
	return Closed(a, r, g)
}

// settingsOfOne reports whether the sides are files of one machine, on which a study's program was
// run once for each setting.
func settingsOfOne(answers []*result.Answer) bool {
	return !slices.ContainsFunc(answers[1:], func(b *result.Answer) bool { return !answers[0].Joins(b) })
}

// anyRecorded reports whether some side is a run folder or a file of benchmark results.
func anyRecorded(args []string) bool { return slices.ContainsFunc(args, isRecord) }

// isRecord reports whether a side is a run folder or a file of benchmark results. Packages and
// programs are none.
func isRecord(arg string) bool {
	info, err := os.Stat(arg)
	switch {
	case arg == "-":
		return true
	case err != nil:
		return false
	case info.IsDir():
		return store.IsRun(arg)
	}
	return info.Mode().IsRegular() && info.Mode()&0o111 == 0
}
