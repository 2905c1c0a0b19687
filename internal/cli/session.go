package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/report"
	"memcost/internal/sample"
	"memcost/internal/store"
	"memcost/internal/toolchain"
)

// A session is one invocation of memcost run.
type session struct {
	app      *app
	flags    *runFlags
	question *plan.Question
	folder   *store.Folder // nil in a dry run
	runner   *proc.Runner
	builder  *toolchain.Builder
	finder   *toolchain.Finder
	tools    []toolchain.Toolchain // parallel to the arms
	packages map[string]toolchain.Package
	binaries map[[2]int]toolchain.Binaries // by arm and suite
	lab      *sample.Lab
	suites   []claim.Suite
	progress *progress
	env      []string
	measured time.Duration
	fresh    bool // the folder was made by this session
}

func (a *app) newSession(f *runFlags) (*session, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, withHint("set HOME or XDG_CACHE_HOME", fmt.Errorf("finding a folder for built binaries: %w", err))
	}
	if dir := os.Getenv("MEMCOST_CACHE"); dir != "" {
		cache = dir
	} else {
		cache = filepath.Join(cache, "memcost")
	}
	var trace io.Writer
	if f.verbose {
		trace = a.stderr
	}
	s := &session{app: a, flags: f, runner: &proc.Runner{Trace: trace}, env: proc.CleanEnv(os.Environ()),
		packages: map[string]toolchain.Package{}, binaries: map[[2]int]toolchain.Binaries{}}
	s.progress = newProgress(a.stderr)
	s.finder = &toolchain.Finder{Runner: s.runner, Log: s.progress.note}
	s.builder = &toolchain.Builder{Runner: s.runner, CacheDir: cache, Log: s.progress.step}
	return s, nil
}

func (s *session) close() {
	s.progress.end()
	if s.folder == nil {
		return
	}
	if info, err := os.Stat(filepath.Join(s.folder.Dir, store.SamplesFile)); s.fresh && err == nil && info.Size() == 0 {
		// Nothing was measured: leave no folder behind that looks like a run.
		s.folder.Close()
		os.RemoveAll(s.folder.Dir)
		os.Remove(filepath.Dir(s.folder.Dir)) // results/, if it is empty now
		return
	}
	s.folder.Close()
}

// begin prepares a new run.
func (a *app) begin(ctx context.Context, f *runFlags, args []string, changed func(string) bool) (*session, error) {
	o, err := f.options(changed)
	if err != nil {
		return nil, err
	}
	s, err := a.newSession(f)
	if err != nil {
		return nil, err
	}
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return s, fmt.Errorf("reading what this machine is: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return s, fmt.Errorf("finding the current folder: %w", err)
	}
	s.question = &plan.Question{Format: plan.Format, Tool: "memcost " + Version, Created: time.Now().UTC().Truncate(time.Second),
		Command: append([]string{"memcost"}, os.Args[1:]...), Machine: fp, Plan: plan.Plan{Options: o}, Dir: dir}
	if err := s.chooseSuites(ctx, args); err != nil {
		return s, err
	}
	if !f.dryRun {
		s.folder, err = store.Create(newFolder(f.results, fp.Hostname, time.Now()))
		if err != nil {
			return s, withHint("name another place with --results DIR", err)
		}
		s.fresh = true
	}
	if err := s.prepare(ctx, changed("budget")); err != nil {
		return s, err
	}
	if f.dryRun {
		return s, nil
	}
	return s, s.folder.WriteQuestion(s.question)
}

// prepare builds, lists and calibrates.
func (s *session) prepare(ctx context.Context, budgetGiven bool) error {
	if err := s.chooseArms(ctx); err != nil {
		return err
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	s.makeLab()
	p := &s.question.Plan
	var err error
	if s.suites, err = report.Suites(s.question); err != nil {
		return err
	}
	s.lab.Skip = s.leftToFull
	err = s.lab.Discover(ctx, p, func(done, known int) {
		s.progress.step(fmt.Sprintf("calibrating %d/%d", done, known))
	})
	if err != nil {
		return err
	}
	if len(p.Cases) == 0 {
		return s.nothing()
	}
	p.Link(s.pairs())
	if !p.Options.NoGuards {
		p.ChooseDoubles(doubles)
		p.ChooseSuspects()
	}
	s.fitBudget(budgetGiven)
	s.checkClaims()
	return nil
}

// leftToFull reports whether a case is one that a study leaves to the full
// profile. A case that the user asks for by -b is measured in any profile.
func (s *session) leftToFull(c plan.Case) bool {
	o := s.question.Plan.Options
	if o.Profile != "quick" || o.Bench != "" {
		return false
	}
	r := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
	return slices.ContainsFunc(s.suites[c.Suite].Study.Full, func(sel catalog.Selector) bool { return sel.Match(r) })
}

// doubles is the number of cases that ride along twice (A′): enough to see the
// noise floor at more than one size, few enough to cost some percent.
const doubles = 3

// nothing says why there is no case to run.
func (s *session) nothing() error {
	p := &s.question.Plan
	if len(p.Failures) > 0 {
		f := p.Failures[0]
		return fmt.Errorf("no benchmark could be run: %s on %s: %s", f.Name, f.Arm, f.Reason)
	}
	var names []string
	for _, x := range p.Suites {
		names = append(names, x.Name)
	}
	if p.Options.Bench != "" {
		return usage("go test -list '^Benchmark' lists the benchmarks of a package; memcost list those of the studies",
			"-bench %q: no benchmark of %s matches", p.Options.Bench, strings.Join(names, ", "))
	}
	return usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s", sample.ErrNothing, strings.Join(names, ", "))
}

// fitBudget makes room for the rounds without which nothing can be decided: by
// itself where the user named no budget, with a warning where one was named.
func (s *session) fitBudget(given bool) {
	p := &s.question.Plan
	_, guarded := p.RoundTime()
	need := (guarded*11/10*plan.GuardRounds + time.Second).Round(time.Second)
	if p.Options.Rounds > 0 || need <= p.Options.Budget {
		return
	}
	if !given {
		p.Options.Budget = need * 5 / 4
		s.progress.note(fmt.Sprintf("%d cases need about %v for the %d rounds that a verdict takes; the budget is now %v (--budget sets it, -b selects benchmarks)",
			len(p.Cases), need, plan.GuardRounds, p.Options.Budget.Round(time.Second)))
		return
	}
	s.warn("the budget of %v is too short for %d cases: %d rounds, before which nothing is decided, take about %v (use --budget %v, or select benchmarks with -b)",
		p.Options.Budget, len(p.Cases), plan.GuardRounds, need, need)
}

func (s *session) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	s.question.Warnings = append(s.question.Warnings, w)
	s.progress.note("warning: " + w)
}

// leftOut records something that was asked for and cannot be had.
func (s *session) leftOut(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	s.question.LeftOut = append(s.question.LeftOut, w)
	s.progress.note("left out: " + w)
}

// measure takes the samples.
func (s *session) measure(ctx context.Context) (sample.Stop, error) {
	sampler, err := machine.NewSampler("")
	if err != nil {
		return "", fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	began := time.Now()
	e := &sample.Engine{Plan: &s.question.Plan, Suites: s.suites, Lab: s.lab, Folder: s.folder,
		Sampler: sampler, Header: header(s.question), Progress: s.progress.sample}
	stop, err := e.Run(ctx)
	s.measured = time.Since(began)
	return stop, err
}

// header is the file configuration of every sample.
func header(q *plan.Question) [][2]string {
	return [][2]string{
		{"memcost", strings.TrimPrefix(q.Tool, "memcost ")},
		{"goos", q.Machine.OS}, {"goarch", q.Machine.Arch}, {"cpu", q.Machine.CPUModel}, {"machine", q.Machine.Hostname},
	}
}

// kept words an error that stops a run in its middle.
func (s *session) kept(err error) error {
	return withHint("go on with: memcost run --resume "+s.folder.Dir, fmt.Errorf("%w; the samples taken so far are kept", err))
}

// loopShare is the share of the time since the first round began that was spent
// inside benchmark loops.
func (s *session) loopShare(ans *report.Answer) float64 {
	return float64(ans.LoopSec) / max(s.measured.Seconds(), float64(ans.WallSec))
}

// resume goes on with the run in a folder.
func (a *app) resume(ctx context.Context, f *runFlags, args []string, changed func(string) bool) (*session, error) {
	for _, flag := range []string{"go", "vary", "bench", "cpu", "quick", "full", "seed", "sample", "alpha", "layouts", "shard", "results", "no-guards"} {
		if changed(flag) {
			return nil, usage("only --budget, --precision, --rounds and --timeout may change", "--%s cannot be changed by --resume: the run goes on as it began", flag)
		}
	}
	if len(args) > 0 {
		return nil, usage("", "--resume %s goes on with that run; it takes no %q beside it", f.resume, args)
	}
	s, err := a.newSession(f)
	if err != nil {
		return nil, err
	}
	q := &plan.Question{}
	if err := store.ReadQuestion(f.resume, q); err != nil {
		return s, err
	}
	if err := q.Check(); err != nil {
		return s, fmt.Errorf("reading run folder %s: %s: %w", f.resume, store.QuestionFile, err)
	}
	s.question = q
	if s.folder, err = store.Open(f.resume); err != nil {
		var busy *store.BusyError
		if errors.As(err, &busy) {
			return s, withHint("wait for it to end, or start a run of its own", err)
		}
		return s, err
	}
	for _, w := range s.folder.Warnings {
		s.progress.note("warning: " + w.Error())
	}
	if err := s.adjust(f, changed); err != nil {
		return s, err
	}
	return s, s.rebuild(ctx)
}

// adjust applies the flags that may change between two parts of a run.
func (s *session) adjust(f *runFlags, changed func(string) bool) error {
	o := &s.question.Plan.Options
	if f.precision != "" {
		p, err := parsePercent(f.precision)
		if err != nil {
			return err
		}
		o.Precision = p
	}
	if changed("budget") {
		o.Budget = f.budget
	}
	if changed("rounds") {
		o.Rounds = f.rounds
	}
	if changed("timeout") {
		o.Timeout = f.timeout
	}
	fp, err := machine.ReadFingerprint("")
	if err == nil && fp.ID() != s.question.Machine.ID() {
		return withHint("begin a run of its own here, and look at both: memcost report RUN RUN",
			fmt.Errorf("run folder %s was begun on another machine (%s, %s)", s.folder.Dir, s.question.Machine.Hostname, s.question.Machine.CPUModel))
	}
	return nil
}

// rebuild makes the binaries of a resumed run again (they come from the cache)
// and refuses to go on with others than it was begun with.
func (s *session) rebuild(ctx context.Context) error {
	q := s.question
	begun := slices.Clone(q.Builds)
	if err := s.findSuites(ctx); err != nil {
		return err
	}
	if err := s.findTools(ctx); err != nil {
		return err
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	for _, b := range begun {
		now := q.Build(b.Suite, b.Arm)
		if now == nil || now.Hash != b.Hash {
			return withHint("put the code back as it was, or begin a new run",
				fmt.Errorf("the benchmarks of %s on %s are not those that run folder %s was begun with", q.Plan.Suites[b.Suite].Name, q.Plan.Arms[b.Arm].Name, s.folder.Dir))
		}
	}
	q.Builds = begun
	s.makeLab()
	var err error
	s.suites, err = report.Suites(q)
	return err
}
