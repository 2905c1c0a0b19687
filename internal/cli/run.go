package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

func runCommand(a *App) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [STUDY or PACKAGE ...]",
		Short: "Measure the shipped studies, or any Go benchmark package",
		Long: `Measures, and prints what memory costs here on one screen: the answer, what a block
costs by every means, which conclusions hold, and what to do. --long prints everything;
memcost report RUN STUDY prints one study.

A STUDY is the name of a shipped study (memcost list); a PACKAGE is a Go package
pattern of your own module (./..., ./codec, example.com/m/codec). Without an
argument every shipped study is run in the quick profile.

Every sample is a fresh process. Rounds go on until each claim is decided and each
ratio is known to --precision, or the --budget is spent; with --stop-when-decided they
end as soon as there is nothing left to decide. Ctrl-C is safe at any time: what was
measured is kept, and --resume goes on with it, whichever command began it.

--claim tests a claim that stands in no file: two benchmarks by their names, as in
'BenchmarkOld / BenchmarkNew > 1', or whatever a directive //memcost:claim may say
(docs/format.md). Old/small is compared with New/small. A claim that no benchmark
matches, or whose cases make no pairs, is an error before anything is measured.

--plan measures a shard of a plan that memcost plan wrote, and --to copies it to where the
shards of many machines meet: memcost status PLACE, memcost report PLACE.

-n runs each benchmark once, with one iteration, to find its cases, and calibrates and
measures nothing: how long the run takes follows from the lengths of samples.`,
		Example: `  memcost run
  memcost run stackheap --long         with every table and case
  memcost run stackheap --go 1.25.4,1.27.4
  memcost run stackheap --go published
  memcost run ./... -b 'Encode|Decode' --cpu 1,2 --budget 5m
  memcost run stackheap --load 0,1,all -b 'Smaug/./size=16384$'
  memcost run ./codec --claim 'BenchmarkOld / BenchmarkNew > 1' --stop-when-decided
  memcost run ./codec --claim 'Encode/lib=std / Encode/lib=fast > 1.2 for every size'
  memcost run ./codec --vary GOGC=off --vary '-gcflags=-N -l'
  memcost run malloc --vary M_TRIM_THRESHOLD=0,M_TOP_PAD=0 --vary LD_PRELOAD=libjemalloc.so.2
  memcost run --resume results/20261121-101530-myhost
  memcost run --plan plan.json --shard 3/8 --to /mnt/shared
  memcost run ./... -n                 the plan, how long it takes, and the commands`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := Changed(cmd)
			if given("resume") {
				return resumeAny(a, cmd, &f, args)
			}
			if err := f.part.Check(cmd, args); err != nil {
				return err
			}
			f.Args = args
			if err := f.read(given); err != nil {
				return err
			}
			if f.part.Plan != "" {
				return runPart(cmd, a, &f)
			}
			f.Origin = a.Origin()
			return measureRun(cmd.Context(), a, &f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
				return session.Begin(ctx, t, f.Options)
			})
		},
		ValidArgsFunction: CompleteStudies,
	}
	f.register(cmd)
	return cmd
}

// measureRun begins a run, or goes on with one, and prints its answer.
func measureRun(ctx context.Context, a *App, f *runFlags,
	begin func(ctx context.Context, t *session.Tools) (*session.Session, error)) error {
	m := measurement{verbose: f.verbose, begin: begin, show: func(s *session.Session) (string, error) {
		ans, err := answerOf(a, s.Folder.Dir, true, f.show)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf(", %.1f%% of run time in benchmark loops", 100*ans.LoopShare), f.judge(a, s, ans)
	}}
	if f.DryRun {
		m.plan = func(s *session.Session) error { return PrintPlan(a.Stdout, s, f.show.json) }
	}
	return a.measure(ctx, m)
}

// runFlags are the flags of memcost run as they were given.
type runFlags struct {
	session.Options
	quick, full bool
	cpu, load   string
	seed        uint64
	slices      int
	precision   string
	shard       string
	resume      string
	verbose     bool
	gate        string
	part        Part
	show        show
}

func (f *runFlags) register(cmd *cobra.Command) {
	f.registerAsked(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.shard, "shard", "", "take only part `i/n` of the comparisons")
	fl.StringVar(&f.Results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the run in `DIR`")
	fl.BoolVarP(&f.DryRun, "dry-run", "n", false,
		"build and list, then print the plan, how long it takes, and the commands of the first round")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	fl.StringVar(&f.gate, "gate", "", "exit with status 3 if a claim fails or cannot be tested here, or a case is "+
		"INVALID, failed or left out; with a value, --gate=slower=3%, also if a configuration is slower than the first")
	fl.Lookup("gate").NoOptDefVal = claimsAlone
	f.part.Register(fl)
	f.show.register(cmd)
}

// registerAsked adds the flags that say what is measured and how, which a plan records.
func (f *runFlags) registerAsked(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.Go, "go", "local", "Go `versions`: 1.25.4,1.27 · local · published (those of the published "+
		"figures) · all")
	fl.StringArrayVar(&f.Vary, "vary", nil, "add a configuration with a `setting`: NAME=VALUE of the environment, "+
		"or a build flag; for the study "+
		"malloc M_TOP_PAD=0, LD_PRELOAD=FILE, -L or NAME=VALUE (repeatable)")
	fl.StringVarP(&f.Bench, "bench", "b", "",
		"run only benchmarks that match the regular expression, as go test -bench does")
	fl.StringVar(&f.Tags, "tags", "", "build `tags` of the user's packages, as of go build")
	fl.StringVar(&f.Label, "label", "", "`name` of the run, where it is shown")
	fl.StringVar(&f.cpu, "cpu", "", "GOMAXPROCS `values`, as go test -cpu: 1,2,4")
	fl.StringVar(&f.load, "load", "", "measure each case beside so many busy `cores`, as cases of their own: 0,1,all "+
		"(default: as the study asks)")
	fl.BoolVar(&f.quick, "quick", false, "the quick profile (the default): 3% precision, under 5 minutes")
	fl.BoolVar(&f.full, "full", false, "the full profile: 1% precision, 30 minutes, longer samples")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: random, recorded)")
	fl.IntVar(&f.Rounds, "rounds", 0, "take exactly this many rounds (default: until all is decided, or the budget "+
		"is spent)")
	fl.StringVar(&f.precision, "precision", "", "stop when ratios and costs are known this well: 1%")
	fl.StringArrayVar(&f.Claims, "claim", nil, "test this `claim`, too: 'BenchmarkOld / BenchmarkNew > 1', or as a "+
		"directive //memcost:claim has it (repeatable)")
	fl.BoolVar(&f.StopWhenDecided, "stop-when-decided", false, "stop when all claims are decided, and all comparisons "+
		"of configurations, whatever --precision asks of tables")
	fl.DurationVar(&f.Budget, "budget", 0, "stop after this time of calibrating and measuring, with --resume in all "+
		"(default: what the profile and the number of studies need)")
	fl.DurationVar(&f.Sample, "sample", 0, "least loop time of one sample (default: 60ms, up to 235ms "+
		"where it collects seldom; several studies together 30ms)")
	fl.DurationVar(&f.Timeout, "timeout", time.Minute,
		"a process that takes longer is killed and its case marked failed")
	fl.Float64Var(&f.Alpha, "alpha", plan.Alpha, "error rate of a verdict")
	fl.IntVar(&f.Layouts, "layouts", 0, "how many memory layouts each configuration is linked in, to draw from "+
		"(default: 12, several studies together 4, with --full 16)")
	fl.IntVar(&f.slices, "slices", plan.MostSlices, "at most so many slices in a sample, where the processes of a "+
		"case's configurations take turns; 0: each process runs alone")
	fl.BoolVar(&f.NoGuards, "no-guards", false,
		"leave out the samples that check the instrument: the noise floor, and a quarter of the iterations")
	fl.StringVar(&f.Only, "only", "", "published: leave our own settings and the other allocators out (malloc only)")
	cmd.RegisterFlagCompletionFunc("go", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"local", "published", "all"}, cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RegisterFlagCompletionFunc("load", CompleteLoad)
	cmd.RegisterFlagCompletionFunc("claim", CompleteClaim)
}

// read turns the flags into options.
func (f *runFlags) read(given func(string) bool) (err error) {
	if f.Profile, err = Profile(f.quick, f.full); err != nil {
		return err
	}
	if given("seed") {
		f.Seed = &f.seed
	}
	if given("slices") {
		if f.slices != 0 && (f.slices < plan.LeastSlices || f.slices > plan.MostSlices) {
			return hint.Usage(fmt.Sprintf("--slices 0, or from %d to %d", plan.LeastSlices, plan.MostSlices),
				"--slices %d: a sample cannot have so many", f.slices)
		}
		f.Slices = &f.slices
	}
	if err := f.numbers(given); err != nil {
		return err
	}
	if f.CPU, err = ParseCPU(f.cpu); err != nil {
		return err
	}
	if given("load") {
		f.Load = Distinct(Words(f.load, ","))
		if len(f.Load) == 0 {
			return hint.Usage("for example --load 0,1,all", "--load %q: it names no number of busy cores", f.load)
		}
	}
	if f.Shard, f.Shards, err = ParseShard(f.shard); err != nil {
		return err
	}
	_, err = f.gateOf()
	return err
}

// claimsAlone is what --gate is without a value.
const claimsAlone = "claims"

// gateOfComparison returns what --gate of memcost run means for a comparison that it goes on with.
func gateOfComparison(given string) string {
	if given == claimsAlone {
		return compare.Default
	}
	return given
}

// gateOf returns what --gate asks of configurations; nil where it asks for nothing.
func (f *runFlags) gateOf() (*compare.Gate, error) {
	if f.gate == "" || f.gate == claimsAlone {
		return nil, nil
	}
	return compare.Parse(f.gate)
}

// numbers reads those that are 0 when they are not given, and refuses to take 0 for that.
func (f *runFlags) numbers(given func(string) bool) (err error) {
	for _, n := range []struct {
		flag, say string
		wrong     bool
	}{
		{"alpha", "must be between 0 and 0.5", f.Alpha <= 0},
		{"budget", "must be a positive time, like 3m", f.Budget <= 0},
		{"sample", "must be at least 1ms", f.Sample <= 0},
		{"timeout", "must be a positive time, like 1m", f.Timeout <= 0},
		{"layouts", "must be between 1 and 256", f.Layouts <= 0},
	} {
		if given(n.flag) && n.wrong {
			return hint.Usage("memcost run --help lists the flags", "--%s %s", n.flag, n.say)
		}
	}
	if given("precision") {
		f.Precision, err = ParsePercent(f.precision)
	}
	return err
}

// judge returns what of an answer is an error: what closes the gate, or could not be measured.
func (f *runFlags) judge(a *App, s *session.Session, ans *result.Answer) error {
	if f.gate != "" {
		if n := undecided(ans); n > 0 {
			what := "a longer --budget may decide more"
			if ans.Busy != "" {
				what = "the machine was busy, and the gate says nothing of ratios of different code and of costs"
			}
			fmt.Fprintf(a.Stderr, "note: --gate: %s undecided here, which closes no gate; %s\n",
				units.Plural(n, "claim"), what)
		}
		if err := finding(ans, s.Question.LeftOut); err != nil {
			return err
		}
		return configurations(a, ans, f)
	}
	return broken(ans, s.Broken)
}

// configurations returns what closes the gate among the configurations of a run.
func configurations(a *App, ans *result.Answer, f *runFlags) error {
	g, err := f.gateOf()
	if g == nil || err != nil {
		return err
	}
	r, err := compare.OfRun(ans)
	if err != nil {
		return hint.With("add a configuration: --vary or --go", fmt.Errorf("--gate %s: %w", f.gate, err))
	}
	return Closed(a, r, g)
}

// broken is the error of a run of which something could not be measured that was asked for;
// the rest has been shown.
func broken(ans *result.Answer, leftOut []string) error {
	failed := 0
	for _, s := range ans.Suites {
		for _, x := range s.Problems() {
			if x.Kind == result.Failed {
				failed++
			}
		}
	}
	switch {
	case len(leftOut) > 0:
		return fmt.Errorf("not everything could be measured: %s left out, as said above",
			units.Plural(len(leftOut), "build"))
	case failed > 0:
		return fmt.Errorf("not everything could be measured: %d of the benchmarks failed, as listed above", failed)
	}
	return nil
}

// resumeAny goes on with the run in a folder, whichever command began it.
func resumeAny(a *App, cmd *cobra.Command, f *runFlags, args []string) error {
	q, err := Resumed(cmd, f.resume, args)
	if err != nil {
		return err
	}
	if q.Attempt != nil {
		return hint.Usage("memcost run --plan plan.json begins another attempt, which goes on from its rounds",
			"%s holds an attempt at a shard of a plan, which is not gone on with", f.resume)
	}
	timeout := f.Timeout
	if !cmd.Flags().Changed("timeout") {
		timeout = 0
	}
	if q.Comparison != nil && q.Comparison.Alloc != nil {
		return goOnAlloc(a, cmd, q, &allocFlags{AllocOptions: session.AllocOptions{Options: session.Options{
			Budget: f.Budget, Timeout: timeout, Rounds: f.Rounds}}, resume: f.resume, verbose: f.verbose, json: f.show.json,
			long: f.show.long, open: f.show.open})
	}
	if q.Comparison != nil {
		return resumeComparison(cmd, a, &compareFlags{resume: f.resume, budget: f.Budget, rounds: f.Rounds,
			timeout: f.Timeout, alpha: f.Alpha, margin: "1%", verbose: f.verbose, json: f.show.json,
			long: f.show.long, open: f.show.open, gate: gateOfComparison(f.gate)}, args)
	}
	if q.Recorded != "" {
		if err := MayChange(cmd, "timeout"); err != nil {
			return err
		}
		return resumeSearch(cmd.Context(), a, q, timeout, &searchFlags{resume: f.resume, verbose: f.verbose,
			gate: f.gate != "", show: f.show})
	}
	if err := MayChange(cmd, "budget", "precision", "rounds", "timeout", "stop-when-decided"); err != nil {
		return err
	}
	if _, err := f.gateOf(); err != nil {
		return err
	}
	if err := f.numbers(Changed(cmd)); err != nil {
		return err
	}
	changes := session.Changes{Budget: f.Budget, Precision: f.Precision, Rounds: f.Rounds, Timeout: timeout}
	if cmd.Flags().Changed("stop-when-decided") {
		changes.StopWhenDecided = &f.StopWhenDecided
	}
	return measureRun(cmd.Context(), a, f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Resume(ctx, t, f.resume, q, changes)
	})
}
