package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/document"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/report/blocks"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
)

func compareCommand(a *App) *cobra.Command {
	var f compareFlags
	f.Alpha, f.Margin, f.Go = plan.Alpha, claim.Margin, "local"
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
Benchmarks that stand on one side only are listed, and not measured; nor are packages of
which both sides are the same program, unless the same side is named twice.

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
				args, f.TestArgs = args[:at], args[at:]
			}
			if f.resume != "" {
				return a.resume(cmd, &f.commonFlags, args)
			}
			return compareAny(cmd, a, &f, args)
		},
	}
	f.register(cmd)
	return cmd
}

// compareAny is the way to the kinds of comparisons.
func compareAny(cmd *cobra.Command, a *App, f *compareFlags, args []string) error {
	o := &f.Options
	o.Origin, o.StopWhenDecided = a.Origin(), new(f.Rounds == 0)
	about := ofPackages
	malloc, ok := session.OfMalloc(args)
	switch {
	case f.command:
		about, o.Ready = ofCommands, session.Lines{Args: args}
	case ok:
		about, o.Ready = ofPrograms, malloc
	case session.AllPrograms(args):
		about, o.Ready = ofPrograms, session.Programs{Files: args}
	case f.each != "" || f.releases != "":
		about = ofHistory
	case anyRecorded(args):
		return compareRecorded(cmd, a, f, args)
	}
	if err := fits(cmd, about); err != nil {
		return err
	}
	switch about {
	case ofHistory:
		return compareHistory(cmd.Context(), a, f, args)
	case ofCommands:
		if len(f.TestArgs) > 0 {
			return hint.Usage("write them into the command: 'program -a'", "arguments behind -- are those of benchmarks")
		}
	case ofPackages:
		var err error
		if o.Sides, o.Args, err = source.Arguments(args, isStudy); err != nil {
			return err
		}
		if len(o.Args) == 0 {
			o.Args = []string{"."}
		}
	}
	return a.measure(cmd.Context(), comparison(a, &f.commonFlags).begins())
}

// compareFlags are the flags of memcost compare as they were given.
type compareFlags struct {
	commonFlags
	command        bool
	each, releases string
}

func (f *compareFlags) register(cmd *cobra.Command) {
	register(cmd,
		f.output("text", "html", "md", "json", "github").pick("format", "json", "output", "open",
			"long = print every benchmark and metric"),
		f.gatesSides(compare.Default, "on regressions beyond a margin: --gate=slower=3%,allocs, and bytes, cpu, "+
			"memory, metrics; with undecided on what is not decided, too"),
		f.budgets().pick("budget: calibration included; of a run that is resumed in all; default: 60s a "+
			"benchmark, at most 30m", "timeout: default: 1m", "rounds: default: until all is decided", "alpha", "margin"),
		f.sampling().pick("seed", "sample: default: 60ms, up to 235ms where it collects seldom",
			"layouts: with 1, two links of the same code may differ; default: as many as are worth their time", "cpu"),
		f.sides(nil).pick("bench", "tags: of all sides", "build-flag: of all sides; repeatable", "stdin"),
		f.folder().pick("results", "resume", "trust", "label", "dry-run", "verbose"),
		flags{
			{name: "command", takes: toggle(&f.command), help: "the arguments are command lines, and settings for them"},
			{name: "each", takes: word(&f.each), of: ofHistory, not: "go", eg: "v1.2..HEAD",
				help: "find the commits of `REV..REV` that changed something"},
			{name: "go", takes: word(&f.releases), of: ofHistory, eg: "all",
				help: "find the releases of these Go `versions` that changed something: all, or a list"},
			{name: "prepare", takes: word(&f.Prepare), of: ofPrograms | ofCommands,
				help: "`command` before each sample, which is not timed"},
		})
}

func isStudy(name string) bool { _, err := session.Study(name); return err == nil }

// comparison is the measurement of sides.
func comparison(a *App, f *commonFlags) measurement {
	return measurement{flags: f, decided: f.gateDecided(),
		plan: func(s *session.Session) error {
			if session.IsReady(s.Question) {
				return a.Lines(s.Lines())
			}
			printOneSided(a, s.Question)
			if s.Question.NothingDiffers() {
				return a.Lines([]string{"the sides are the same program: nothing to compare"})
			}
			return printPlan(a.Stdout, s, f.format == "json")
		},
		show: func(s *session.Session) (string, error) { return "", showComparison(a, s.Folder.Dir, f) }}
}

// printOneSided lists the benchmarks that some sides do not have.
func printOneSided(a *App, q *plan.Question) {
	for _, x := range q.Comparison.OneSided {
		fmt.Fprintf(a.Stderr, "not compared: %s is only on %s\n", strings.TrimSpace(x.Study+" "+x.Name),
			strings.Join(x.On, ", "))
	}
}

// completeSides offers what a side may be: branches and tags, the work tree, studies.
func completeSides(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	out, how := completeStudies(cmd, args, prefix)
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

// showComparison shows what the run of a comparison in a folder says, writes its page, and
// returns what --gate stops for.
func showComparison(a *App, dir string, f *commonFlags) error {
	ans, err := result.Read(dir, reportOptions("all", true))
	if err != nil {
		return err
	}
	r, err := compare.OfRun(ans)
	if err != nil {
		return fmt.Errorf("reading the comparison in %s: %w", dir, err)
	}
	g := f.gateRules()
	if err := f.showFolder(a, saidOfSides(r, []*result.Answer{ans}, g), dir, "memcost report"); err != nil {
		return err
	}
	return Closed(a, r, g)
}

// saidOfSides is what a comparison of sides says, with what a gate finds in it.
func saidOfSides(r *compare.Report, answers []*result.Answer, g *compare.Gate) said {
	return said{json: r, document: r.Document,
		page: func() *document.Document { return blocks.Page(answers, nil) },
		text: func(w io.Writer, s terminal.Style) error {
			return terminal.Write(w, r.Document(), s.AtMost(compare.Widest))
		},
		own: func(w io.Writer, _ string) error { // github
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
		}}
}

// gateRules returns those of a comparison, nil without --gate.
func (f *commonFlags) gateRules() *compare.Gate {
	if f.gate && f.rules == nil {
		f.rules, _ = compare.Parse(compare.Default)
	}
	return f.rules
}

// gateDecided returns what says that a gate that asks for no times has found what it can, nil for other gates.
func (f *commonFlags) gateDecided() func(dir string) bool {
	g := f.gateRules()
	if g == nil || g.Times() {
		return nil
	}
	return func(dir string) bool {
		ans, err := result.Read(dir, result.Options{})
		if err != nil {
			return false
		}
		r, err := compare.OfRun(ans)
		return err == nil && g.Decided(r)
	}
}

// compareRecorded compares run folders and files of benchmark results with the first of them.
func compareRecorded(cmd *cobra.Command, a *App, f *compareFlags, args []string) error {
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
	if err := measures(cmd, "nothing is measured where all sides are recorded", "leave it out", "margin",
		"alpha"); err != nil {
		return err
	}
	o := reportOptions("none", false)
	o.Samples = true
	answers, err := readRuns(a, args, o)
	if err != nil {
		return err
	}
	r := compare.OfFiles(answers, f.Margin, f.Alpha)
	if len(r.Benchmarks) == 0 && settingsOfOne(answers) {
		o.Bare = true
		if answers, err = readRuns(a, args, o); err != nil {
			return err
		}
		r = compare.OfFiles(answers, f.Margin, f.Alpha)
	}
	if len(r.Benchmarks) == 0 {
		return hint.New("see what they hold: memcost report "+args[0], "the sides have no benchmark in common")
	}
	g := f.gateRules()
	if err := f.showFile(a, saidOfSides(r, answers, g)); err != nil {
		return err
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
