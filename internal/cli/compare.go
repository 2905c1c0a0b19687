package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/gate"
	"memcost/internal/plan"
)

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

func compareCommand(a *app) *cobra.Command {
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
repository and its index are not touched. All sides are built before anything is timed.
Benchmarks that stand on one side only are listed, and not measured.

Samples are taken in rounds, the sides next to each other in random order, until each
benchmark is decided: a minute for each benchmark, and half an hour for all of them at
most, unless their first verdicts take longer (--budget). Ctrl-C is safe at any time:
what was measured is kept, and --resume goes on with it.`,
		Example: `  memcost compare HEAD~1 .             the last commit but one, and the files as they lie
  memcost compare main . ./codec -b Decode --margin 2%
  memcost compare go1.25.4 go1.26.8 ./...
  memcost compare GOGC=off             the same files, with a setting
  memcost compare v1.2 'HEAD -pgo=cpu.pprof' ./codec
  memcost compare main . ./codec --gate -- -size=100
  memcost compare --resume results/20261121-101530-myhost`,
		ValidArgsFunction: completeSides,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, f.testArgs = args[:at], args[at:]
			}
			if isHistory(f.resume) {
				if err := mayChange(cmd, "budget", "timeout", "format", "output"); err != nil {
					return err
				}
				return resumeHistory(cmd.Context(), a, &f, changed(cmd))
			}
			if cmd.Flags().Changed("resume") {
				return resumeComparison(cmd, a, &f, args)
			}
			return compare(cmd.Context(), a, &f, args, changed(cmd))
		},
	}
	f.register(cmd)
	return cmd
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
	fl.DurationVar(&f.budget, "budget", 0, "stop after this time of calibrating and measuring (default: 60s a "+
		"benchmark, at most 30m)")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "a process that takes longer is killed, and its sample failed")
	fl.DurationVar(&f.sample, "sample", 0, "least loop time of one sample (default: 60ms, up to 235ms where it "+
		"collects seldom)")
	fl.IntVar(&f.layouts, "layouts", 0, "how many memory layouts each side is linked in, to draw from (default: 12)")
	fl.IntVar(&f.rounds, "rounds", 0, "take exactly this many rounds (default: until all is decided)")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: random, recorded)")
	fl.StringVar(&f.gate, "gate", "", "exit with status 3 on regressions beyond a margin: --gate=slower=3%,allocs, and "+
		"bytes, cpu, memory, metrics; with undecided on what is not decided, too")
	fl.Lookup("gate").NoOptDefVal = gate.Default
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

// compare is the way to the four kinds of comparisons.
func compare(ctx context.Context, a *app, f *compareFlags, args []string, given func(string) bool) error {
	if err := f.checkShow(); err != nil {
		return err
	}
	switch {
	case f.command:
		return compareCommands(ctx, a, f, args, given)
	case f.each != "" || f.goList != "":
		return compareHistory(ctx, a, f, args, given)
	case anyRecorded(args):
		return compareRecorded(a, f, args, given)
	}
	return compareSides(ctx, a, f, args, given)
}
