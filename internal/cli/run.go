package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/plan"
	"memcost/internal/report"
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
	noGuards   bool
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
  memcost run --resume results/20261121-101530-myhost
  memcost run stackheap -n             print the plan and the commands`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(cmd.Context(), &f, args, changed(cmd))
		},
		ValidArgsFunction: completeStudies,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.goVersions, "go", "local", "Go `versions`: 1.25.4,1.27 · local · published (those of the published figures) · all")
	fl.StringArrayVar(&f.vary, "vary", nil, "add an arm with a `setting`: NAME=VALUE of the environment, or a build flag (repeatable)")
	fl.StringVarP(&f.bench, "bench", "b", "", "run only benchmarks that match the regular expression, as go test -bench does")
	fl.StringVar(&f.cpu, "cpu", "", "GOMAXPROCS `values`, as go test -cpu: 1,2,4")
	fl.BoolVar(&f.quick, "quick", false, "the quick profile (the default): 3% precision, under 3 minutes")
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
	fl.BoolVar(&f.gate, "gate", false, "exit with status 3 if a claim fails here")
	fl.BoolVar(&f.noGuards, "no-guards", false, "leave out the samples that check the instrument (A′, a quarter of N)")
	cmd.MarkFlagsMutuallyExclusive("quick", "full")
	cmd.RegisterFlagCompletionFunc("go", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"local", "published", "all"}, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func changed(cmd *cobra.Command) func(string) bool {
	return func(name string) bool { return cmd.Flags().Changed(name) }
}

// options turns the flags into what the plan records.
func (f *runFlags) options(changed func(string) bool) (plan.Options, error) {
	o := plan.Options{Profile: "quick", Alpha: f.alpha, Precision: plan.QuickPrecision, Budget: plan.QuickBudget,
		Sample: plan.QuickSample, Layouts: plan.QuickLayouts, Seed: f.seed, Rounds: f.rounds, Timeout: f.timeout, Bench: f.bench, NoGuards: f.noGuards}
	if f.full {
		o.Profile, o.Precision, o.Budget = "full", plan.FullPrecision, plan.FullBudget
		o.Sample, o.Layouts = plan.FullSample, plan.FullLayouts
	}
	if !changed("seed") {
		o.Seed = rand.Uint64N(1e9)
	}
	if f.precision != "" {
		p, err := parsePercent(f.precision)
		if err != nil {
			return o, err
		}
		o.Precision = p
	}
	if changed("budget") {
		o.Budget = f.budget
	}
	if changed("sample") {
		o.Sample = f.sample
	}
	if changed("layouts") {
		o.Layouts = f.layouts
	}
	for _, bad := range []struct {
		is        bool
		flag, say string
	}{
		{o.Alpha <= 0 || o.Alpha >= 0.5, "alpha", "must be between 0 and 0.5"},
		{o.Rounds < 0, "rounds", "must not be negative"},
		{o.Budget <= 0, "budget", "must be a positive time, like 3m"},
		{o.Sample < time.Millisecond, "sample", "must be at least 1ms"},
		{o.Timeout <= o.Sample, "timeout", "must be longer than a sample"},
		{o.Layouts < 1 || o.Layouts > 256, "layouts", "must be between 1 and 256"},
	} {
		if bad.is {
			return o, usage("memcost run --help lists the flags", "--%s %s", bad.flag, bad.say)
		}
	}
	var err error
	if o.CPU, err = parseCPU(f.cpu); err != nil {
		return o, err
	}
	o.Shard, o.Shards, err = parseShard(f.shard)
	if o.Shards > 1 && !changed("seed") && err == nil {
		err = usage("give every shard the same seed: --seed 1", "--shard needs --seed: the shards must draw the same plan")
	}
	return o, err
}

func parsePercent(s string) (float64, error) {
	num, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if percent {
		v /= 100
	}
	if err != nil || v <= 0 || v >= 1 {
		return 0, usage("for example --precision 1%", "--precision %q: not a share between 0 and 100%%", s)
	}
	return v, nil
}

func parseCPU(s string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, usage("for example --cpu 1,2", "--cpu %q: %q is not a number of CPUs", s, part)
		}
		out = append(out, n)
	}
	return out, nil
}

func parseShard(s string) (i, n int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return 0, 0, usage("for example --shard 3/8 for the third of eight parts", "--shard %q: not a part i/n", s)
	}
	return i, n, nil
}

func (a *app) run(ctx context.Context, f *runFlags, args []string, changed func(string) bool) error {
	var s *session
	var err error
	if f.resume != "" {
		s, err = a.resume(ctx, f, args, changed)
	} else {
		s, err = a.begin(ctx, f, args, changed)
	}
	if s != nil {
		defer s.close()
	}
	if err != nil {
		return a.interrupted(ctx, s, err)
	}
	if f.dryRun {
		return s.printPlan()
	}
	stop, err := s.measure(ctx)
	s.progress.end()
	if err != nil {
		return s.kept(err)
	}
	return a.conclude(s, f, stop)
}

// interrupted words an error of the preparation.
func (a *app) interrupted(ctx context.Context, s *session, err error) error {
	if ctx.Err() == nil || errors.As(err, new(*usageError)) {
		return err
	}
	return errors.New("interrupted before the first sample; nothing was measured yet")
}

// conclude prints the answer and says how the run ended.
func (a *app) conclude(s *session, f *runFlags, stop sample.Stop) error {
	ans, err := answer(s.folder.Dir, true)
	if err != nil {
		return err
	}
	format := "text"
	if f.json {
		format = "json"
	}
	if err := render(a.stdout, []*report.Answer{ans}, format, a.style(f.long)); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "stopped: %s; %s of measuring, %.1f%% of it inside benchmark loops\n", stop, s.measured.Round(time.Second), 100*s.loopShare(ans))
	if stop == sample.Interrupted {
		return withHint("go on with: memcost run --resume "+s.folder.Dir, errors.New("interrupted; everything measured so far is kept"))
	}
	if f.gate && anyFails(ans) {
		return errFinding
	}
	return nil
}

func anyFails(ans *report.Answer) bool {
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

// newFolder is the path of a new run folder: the time and the machine, and a
// number where two runs begin in the same second.
func newFolder(results, host string, now time.Time) string {
	host = strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, host)
	base := filepath.Join(results, now.Format("20060102-150405")+"-"+host)
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}
