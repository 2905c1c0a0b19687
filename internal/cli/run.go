package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/hint"
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/sample"
)

// runFlags are the flags of memcost run as they were given.
type runFlags struct {
	goVersions string
	vary       []string
	bench      string
	cpu        string
	quick      bool
	full       bool
	seed       uint64
	rounds     int
	precision  string
	budget     time.Duration
	sample     time.Duration
	timeout    time.Duration
	alpha      float64
	layouts    int
	shard      string
	only       string
	results    string
	resume     string
	dryRun     bool
	verbose    bool
	json       bool
	long       bool
	gate       bool
	open       bool
	noGuards   bool
	cliffs     string
	latency    bool
	rt         time.Duration
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [STUDY or PACKAGE ...]",
		Short: "Measure the shipped studies, or any Go benchmark package",
		Long: `Measures, and prints which conclusions hold here.

A STUDY is the name of a shipped study (memcost list); a PACKAGE is a Go package
pattern of your own module (./..., ./codec, example.com/m/codec). Without an
argument every shipped study is run in the quick profile.

Every sample is a fresh process. Rounds go on until each claim is decided and each
ratio is known to --precision, or the --budget is spent. Ctrl-C is safe at any time:
what was measured is kept, and --resume goes on with it.`,
		Example: `  memcost run
  memcost run stackheap --go 1.25.4,1.27.4
  memcost run stackheap --go published
  memcost run ./... -b 'Encode|Decode' --cpu 1,2 --budget 5m
  memcost run ./codec --vary GOGC=off --vary '-gcflags=-N -l'
  memcost run malloc --vary M_TRIM_THRESHOLD=0,M_TOP_PAD=0 --vary LD_PRELOAD=libjemalloc.so.2
  memcost run malloc --rt 20us         is a setting fit for real time?
  memcost run --resume results/20261121-101530-myhost
  memcost run stackheap -n             print the plan and the commands`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(cmd.Context(), &f, args, changed(cmd))
		},
		ValidArgsFunction: completeStudies,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.goVersions, "go", "local", "Go `versions`: 1.25.4,1.27 · local · published (those of the published figures) · all")
	fl.StringArrayVar(&f.vary, "vary", nil, "add an arm with a `setting`: NAME=VALUE of the environment, or a build flag; of malloc alone M_TOP_PAD=0, LD_PRELOAD=FILE, -L, or NAME=VALUE (repeatable)")
	fl.StringVarP(&f.bench, "bench", "b", "", "run only benchmarks that match the regular expression, as go test -bench does")
	fl.StringVar(&f.cpu, "cpu", "", "GOMAXPROCS `values`, as go test -cpu: 1,2,4")
	fl.BoolVar(&f.quick, "quick", false, "the quick profile (the default): 3% precision, under 5 minutes")
	fl.BoolVar(&f.full, "full", false, "the full profile: 1% precision, 30 minutes, longer samples")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: random, recorded)")
	fl.IntVar(&f.rounds, "rounds", 0, "take exactly this many rounds")
	fl.StringVar(&f.precision, "precision", "", "stop when ratios and costs are known this well: 1%")
	fl.DurationVar(&f.budget, "budget", 0, "stop after this time of measuring")
	fl.DurationVar(&f.sample, "sample", 0, "least loop time of one sample")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "a process that takes longer is killed and its case marked failed")
	fl.Float64Var(&f.alpha, "alpha", plan.Alpha, "error rate of a verdict")
	fl.IntVar(&f.layouts, "layouts", 0, "number of random links per binary to draw from")
	fl.StringVar(&f.shard, "shard", "", "take only part `i/n` of the comparisons")
	fl.StringVar(&f.results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the run in `DIR`")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "build, list and calibrate, then print the plan and the commands of the first round")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	fl.BoolVar(&f.json, "json", false, "print the answer as JSON")
	fl.BoolVar(&f.long, "long", false, "print every case, beside the tables")
	fl.BoolVar(&f.gate, "gate", false, "exit with status 3 if a claim fails here, or a case is INVALID, failed or left out")
	fl.BoolVar(&f.open, "open", false, "open the report in a browser at the end")
	fl.BoolVar(&f.noGuards, "no-guards", false, "leave out the samples that check the instrument (A′, a quarter of N)")
	fl.StringVar(&f.only, "only", "", "of malloc: `published` leaves our own settings and the other allocators out")
	fl.StringVar(&f.cliffs, "cliffs", "", "of malloc: find the block sizes, of a `range`, at which something changes, and why")
	fl.Lookup("cliffs").NoOptDefVal = cliffRange
	fl.BoolVar(&f.latency, "latency", false, "of malloc: the worst calls and their causes, threads, and memory, under each allocator and setting")
	fl.DurationVar(&f.rt, "rt", 0, "of malloc, with --latency: is each setting fit for real time, no page fault and no call longer than this `TIME`?")
	cmd.RegisterFlagCompletionFunc("go", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"local", "published", "all"}, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func changed(cmd *cobra.Command) func(string) bool {
	return func(name string) bool { return cmd.Flags().Changed(name) }
}

func (a *app) run(ctx context.Context, f *runFlags, args []string, changed func(string) bool) error {
	if changed("cliffs") {
		if err := cliffMode.check(f, args, changed); err != nil {
			return err
		}
		return a.cliffs(ctx, f)
	}
	if f.latency || changed("rt") {
		if err := checkLatency(f, args, changed); err != nil {
			return err
		}
		return a.latency(ctx, f)
	}
	var s *session
	var err error
	if changed("resume") {
		s, err = a.resume(ctx, f, args, changed)
	} else {
		s, err = a.begin(ctx, f, args, changed)
	}
	if s != nil {
		defer s.close()
	}
	if err != nil {
		return interrupted(ctx, f, err)
	}
	if f.dryRun {
		return s.printPlan()
	}
	said := slices.Clone(s.question.Warnings)
	stop, err := s.measure(ctx)
	s.progress.end()
	if err == nil && !slices.Equal(said, s.question.Warnings) { // what came up while measuring
		err = s.folder.WriteQuestion(s.question)
	}
	if err != nil {
		return s.kept(err)
	}
	return a.conclude(s, f, stop)
}

// interrupted words an error of the preparation.
func interrupted(ctx context.Context, f *runFlags, err error) error {
	switch {
	case ctx.Err() == nil || hint.IsUsage(err):
		return err
	case f.resume != "":
		return withHint("go on with: memcost run --resume "+f.resume, errors.New("interrupted before the next sample; everything measured so far is kept"))
	}
	return errors.New("interrupted before the first sample; nothing was measured yet")
}

// show is how the answer of a command that measured is shown.
type show struct{ json, long, open bool }

// answer reads what a run folder says, prints it, and writes the folder's page.
func (a *app) answer(dir string, evidence bool, how show) (*result.Answer, error) {
	o, err := reportOptions("all")
	if err != nil {
		return nil, err
	}
	o.Evidence = evidence
	ans, err := result.Read(dir, o)
	if err != nil {
		return nil, err
	}
	format := "text"
	if how.json {
		format = "json"
	}
	if err := render(a.stdout, []*result.Answer{ans}, format, a.style(how.long)); err != nil {
		return nil, err
	}
	a.pageOf(dir, ans, how.open)
	return ans, nil
}

// conclude prints the answer and says how the run ended.
func (a *app) conclude(s *session, f *runFlags, stop sample.Stop) error {
	ans, err := a.answer(s.folder.Dir, true, show{f.json, f.long, f.open})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "stopped: %s; %s of measuring, %.1f%% of it inside benchmark loops\n", stop, s.measured.Round(time.Second), 100*s.loopShare(ans))
	if stop == sample.Interrupted {
		return withHint("go on with: memcost run --resume "+s.folder.Dir, errors.New("interrupted; everything measured so far is kept"))
	}
	if f.gate {
		return finding(ans, s.question.LeftOut)
	}
	return nil
}

// pageOf writes the page of a run that is over into its folder. The samples are safe by then, and
// memcost report makes the page at any time: a page that cannot be written is no
// failure of the run.
func (a *app) pageOf(dir string, ans *result.Answer, open bool) {
	path := filepath.Join(dir, pageName)
	if err := writePage(path, []*result.Answer{ans}); err != nil {
		fmt.Fprintf(a.stderr, "warning: %v; make it with: memcost report %s -o FILE.html\n", err, dir)
		return
	}
	fmt.Fprintf(a.stderr, "report: %s\n", path)
	if open {
		if err := openPage(path); err != nil {
			fmt.Fprintln(a.stderr, "warning:", err)
		}
	}
}

// finding is what --gate stops for: a claim that fails here; and whatever keeps
// claims from being judged, for a gate that a broken benchmark opens is none.
func finding(ans *result.Answer, leftOut []string) error {
	if anyFails(ans) {
		return errFinding
	}
	if len(leftOut) > 0 {
		return fmt.Errorf("%w: left out: %s", errGate, leftOut[0])
	}
	for _, s := range ans.Suites {
		for _, x := range s.Problems() {
			if x.Kind != result.Flagged && !strings.HasPrefix(x.Why, "skipped by the benchmark itself") {
				return fmt.Errorf("%w: %s %s", errGate, x.Kind, x)
			}
		}
	}
	return nil
}

func anyFails(ans *result.Answer) bool {
	for _, s := range ans.Suites {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				if !v.Published && v.Status == "fails" {
					return true
				}
			}
		}
	}
	return false
}
