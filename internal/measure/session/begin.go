package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/stat"
	"memcost/internal/report/result"
)

// Begin prepares a comparison: it finds the sides, tries them, and makes the run folder. The
// caller closes the Run, which is nil only where nothing was opened.
func BeginCommands(ctx context.Context, t *Tools, o CommandOptions) (*CommandRun, error) {
	options, err := o.plan()
	if err != nil {
		return nil, err
	}
	q, err := NewQuestion(o.Origin)
	if err != nil {
		return nil, err
	}
	q.Label = o.Label
	q.Comparison = &plan.Comparison{TestArgs: o.TestArgs, Stdin: o.Stdin, Prepare: o.Prepare,
		Alloc: o.Alloc}
	if q.Dir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("finding the current folder: %w", err)
	}
	q.Plan.Options, q.Plan.Sieve = options, true
	r := &CommandRun{Tools: t, Question: q, sides: o.Sides}
	if err := r.sides.choose(ctx, r); err != nil {
		return r, err
	}
	if err := r.open(ctx); err != nil {
		return r, err
	}
	if !o.DryRun {
		_, missing := os.Stat(o.Results)
		r.made = missing != nil
		if r.Folder, err = store.CreateRun(o.Results, q.Machine.Hostname, time.Now()); err != nil {
			return r, err
		}
	}
	if err := r.find(ctx, o.DryRun); err != nil || o.DryRun {
		return r, err
	}
	return r, r.Folder.WriteQuestion(q)
}

// Resume goes on with the comparison in a folder. The caller closes the Run, which is nil only
// where nothing was opened.
func ResumeCommands(ctx context.Context, t *Tools, dir string, q *plan.Question, c CommandChanges) (*CommandRun, error) {
	r := &CommandRun{Tools: t, Question: q, sides: sidesOf(q)}
	lost := store.CheckSamples(dir) // asked first: Open makes a missing file
	var err error
	if r.Folder, err = store.Open(dir); err != nil {
		return nil, err
	}
	for _, w := range append(lost, r.Folder.Warnings...) {
		r.Log.Note("warning: " + w.Error())
	}
	fp, err := machine.ReadFingerprint("")
	if err == nil && fp.ID() != q.Machine.ID() {
		return r, hint.With("begin a comparison of its own here",
			fmt.Errorf("run folder %s was begun on another machine (%s, %s)", dir, q.Machine.Hostname,
				q.Machine.CPUModel))
	}
	c.apply(&q.Plan.Options)
	before := slices.Clone(q.Builds)
	if err := r.open(ctx); err != nil {
		return r, err
	}
	for i, b := range before {
		if i >= len(q.Builds) || q.Builds[i].Hash != b.Hash {
			return r, hint.With("put it back as it was, or begin a new comparison",
				fmt.Errorf("%s is not the program that run folder %s was begun with", q.Plan.Arms[b.Arm].Name, dir))
		}
	}
	q.Builds = before
	r.suites, err = result.Suites(q)
	return r, err
}

// open finds what runs on each arm, and starts what starts it.
func (r *CommandRun) open(ctx context.Context) (err error) {
	r.Question.Builds = nil
	if err := r.sides.targets(ctx, r); err != nil {
		return err
	}
	r.load, err = LoadOf(r.Question.Comparison.Alloc, r.Question.Dir, r.Question.Plan.Options.Timeout)
	if err != nil {
		return err
	}
	if text := r.Question.Comparison.Prepare; text != "" {
		t, _, err := targetOf(text, r.Question.Dir, os.Environ())
		if err != nil {
			return fmt.Errorf("--prepare: %w", err)
		}
		r.prepared = proc.Cmd{Path: t.Path, Args: t.Args, Dir: t.Dir, Env: t.Env,
			Timeout: r.Question.Plan.Options.Timeout}
	}
	r.lab = &sample.Lab{Runner: r.Runner, CPUs: r.Question.Machine.GOMAXPROCS,
		Target: func(_ plan.Case, arm, _ int) (sample.Target, error) { return r.targets[arm], nil },
		SaveLog: func(name string, data []byte) {
			if r.Folder == nil {
				return
			}
			if err := r.Folder.WriteFile(name, data); err != nil {
				r.Log.Note("warning: " + err.Error())
			}
		}}
	if r.launcher != nil {
		r.lab.Launch = r.launch
	}
	if r.prepared.Path != "" {
		r.lab.Before = r.prepare
	}
	return nil
}

// find finds the cases and what they cost.
func (r *CommandRun) find(ctx context.Context, dry bool) error {
	q := r.Question
	p := &q.Plan
	var err error
	if r.suites, err = result.Suites(q); err != nil {
		return err
	}
	r.Log.Step("listing the benchmarks")
	if err := r.sides.list(ctx, r); err != nil {
		return err
	}
	if len(p.Cases) == 0 {
		return r.nothing()
	}
	given := p.Options.Budget > 0
	if !given {
		p.Options.Budget = min(budgetEach*time.Duration(len(p.Cases)), mostBudget)
		if q.Comparison.Alloc != nil {
			p.Options.Budget = allocBudget
		}
	}
	if dry {
		return nil
	}
	r.lab.Budget = p.Options.Budget
	progress := func(done, known int) { r.Log.Step(fmt.Sprintf("calibrating %d/%d", done, known)) }
	if err := r.lab.Calibrate(ctx, p, 0, progress); err != nil {
		return err
	}
	if len(p.Cases) == 0 {
		return r.nothing()
	}
	for _, part := range plan.Unmatched(p) {
		r.warn("-bench: no benchmark matches the part %q", part)
	}
	p.Link(nil)
	if p.Cases[0].Estimate*float64(p.Cases[0].N) < mostDoubled.Seconds() {
		p.ChooseDoubles(doubles)
	}
	if err := r.sides.check(ctx, r); err != nil {
		return err
	}
	r.fitBudget(given)
	return nil
}

const (

	// mostDoubled is the sample from which on that would take too long.
	mostDoubled = 2 * time.Second
)

// fitBudget makes room for the rounds before which nothing is decided where nobody set a budget,
// and says that there is none where one was set.
func (r *CommandRun) fitBudget(given bool) {
	p := &r.Question.Plan
	rounds := stat.MinRounds(p.Options.Alpha)
	f := plan.ForecastOf(p, func(string, string) int { return rounds }, false)
	least, _ := f.Needed()
	switch {
	case p.Options.Rounds > 0 || least <= p.Options.Budget:
	case given:
		r.warn("the budget of %v is too short for %s: the %d rounds before which nothing is decided take about %v "+
			"(use --budget %v)", p.Options.Budget, r.measured(), rounds, least, least)
	default:
		p.Options.Budget = f.Raised(p.Options.Budget)
		r.Log.Note(fmt.Sprintf("%s: about %v is needed for the %d rounds before which nothing is decided; the budget "+
			"is now %v (--budget sets it)", r.measured(), least, rounds, p.Options.Budget))
	}
}

// measured says what takes the time.
func (r *CommandRun) measured() string {
	if p := &r.Question.Plan; r.Question.Comparison.Alloc == nil {
		return units.Plural(len(p.Cases), "benchmark")
	}
	return fmt.Sprintf("the program under %s", units.Plural(len(r.Question.Plan.Arms), "configuration"))
}

// nothing returns the error of a comparison without a case that runs on all sides.
func (r *CommandRun) nothing() error {
	p := &r.Question.Plan
	if len(p.Failures) > 0 {
		f := p.Failures[0]
		advice := ""
		if r.Folder != nil && f.Log != "" {
			advice = "what it printed is in " + filepath.Join(r.Folder.Dir, f.Log)
		}
		if p.Suites[f.Suite].Kind() == plan.Command {
			return hint.With(advice, fmt.Errorf("the command %s failed: %s", f.Arm, f.Reason))
		}
		return hint.With(advice, fmt.Errorf("no benchmark could be run: %s of %s: %s", f.Name, f.Arm, f.Reason))
	}
	if p.Options.Bench != "" {
		return hint.Usage("leave -b out to see what there is", "-bench %q: no benchmark matches that all sides "+
			"have", p.Options.Bench)
	}
	return hint.With("the same benchmark has to have the same name on all sides",
		fmt.Errorf("%w: the sides have none in common", sample.ErrNothing))
}

// Close ends what was started, and closes the run folder: see store.CloseRun.
func (r *CommandRun) Close() {
	if r.launcher != nil {
		r.launcher.Close()
	}
	if r.Folder != nil {
		store.CloseRun(r.Folder, r.made)
	}
}
