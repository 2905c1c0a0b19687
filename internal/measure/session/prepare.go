package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
)

// prepare lists the cases, holds what is asked of them to what there is, and calibrates them;
// of a plan that is only printed they are not calibrated.
func (r *Run) prepare(ctx context.Context, o Options) error {
	if err := r.readSuites(); err != nil {
		return err
	}
	r.makeLab()
	p := &r.Question.Plan
	r.Log.Step("listing the cases")
	if err := r.lab.List(ctx, p); err != nil {
		return err
	}
	if err := r.presets.Build(ctx, p, r.toolchains, r.leftOut); err != nil {
		return err
	}
	if len(o.Vary) == 0 && !o.DryRun {
		if err := r.tryVariants(ctx, false); err != nil {
			return err
		}
	}
	if len(p.Cases) == 0 {
		return r.noCase()
	}
	if err := ask(r, o.Claims); err != nil {
		return err
	}
	if r.sources != nil && o.Budget == 0 {
		p.Options.Budget = min(BudgetOfBenchmark*time.Duration(len(p.Cases)), BudgetOfComparison)
	}
	r.bound(o.Budget != 0)
	if o.DryRun {
		plan.Uncalibrate(p)
	} else if err := r.lab.Calibrate(ctx, p, 0, calibrating(r, o.Budget != 0)); err != nil {
		return err
	}
	if len(p.Cases) == 0 {
		return r.noCase()
	}
	for _, c := range r.toFull {
		p.ToFull = append(p.ToFull, plan.Left{Suite: c.Suite, Name: c.Name})
	}
	for _, part := range plan.Unmatched(p) {
		r.warn("-bench: no benchmark matches the part %q", part)
	}
	if most, cpus := slices.Max(append([]int{0}, p.Options.CPU...)), r.Question.Machine.CPUs; cpus > 0 && most > cpus {
		r.warn("--cpu %d: there are %d CPUs here, so that the cases with more are oversubscribed: their threads "+
			"wait for each other", most, cpus)
	}
	r.checkLoads()
	p.Link(r.pairs())
	markShown(r)
	if !p.Options.NoGuards {
		p.ChooseDoubles(doubles)
		p.ChooseSuspects()
	}
	if !o.DryRun {
		if err := r.linkCopies(ctx); err != nil {
			return err
		}
	}
	r.explain(r.suites)
	fitBudget(r, o.Budget != 0)
	return nil
}

// checkLoads warns of a load of more processes than there are cores for.
func (r *Run) checkLoads() {
	most := 0
	for _, c := range r.Question.Plan.Cases {
		if c.Busy != plan.AllBusy {
			most = max(most, c.Spinning)
		}
	}
	if cpus := r.cpus(); most > cpus {
		r.warn("%s=%d: there are %d CPUs here, so that the processes that keep them busy wait for each other, too; "+
			"all is the load of one for each CPU", plan.BusyKey, most, cpus)
	}
}

// doubles is the number of cases that are measured twice (A′): enough to show the noise
// floor at more than one size, few enough to cost some percent.
const doubles = 2

// noCase returns the error of a plan without a case to run.
func (r *Run) noCase() error {
	p := &r.Question.Plan
	for _, f := range p.Failures {
		r.Log.Note(fmt.Sprintf("failed: %s on %s: %s", f.Name, f.Arm, f.Reason))
	}
	if n := len(p.Failures); n > 0 {
		advice := ""
		if r.Folder != nil {
			advice = "what they printed is in " + filepath.Join(r.Folder.Dir, store.LogsDir)
		}
		return hint.With(advice, fmt.Errorf("no benchmark could be run: %s", failures(n)))
	}
	var names []string
	for _, x := range p.Suites {
		names = append(names, x.Name)
	}
	of := strings.Join(names, ", ")
	switch {
	case p.Options.Bench != "" && !p.Has(plan.GoTest):
		return hint.Usage("a case is named like "+
			"Malloc/allocator=glibc/setting=default/op=malloc_free/size=4096/method=published, "+
			"and -b takes its parts: "+
			"-b 'Malloc/glibc/trim0/malloc_free'; memcost run malloc -n lists them", "-bench %q: no case of %s matches",
			p.Options.Bench, of)
	case p.Options.Bench != "":
		return hint.Usage("go test -list '^Benchmark' lists the benchmarks of a package; memcost list those of the "+
			"studies",
			"-bench %q: no benchmark of %s matches", p.Options.Bench, of)
	}
	return hint.Usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s", sample.ErrNothing,
		of)
}

func failures(n int) string {
	if n == 1 {
		return "the only one failed"
	}
	return fmt.Sprintf("all %d failed", n)
}

// The time that a comparison takes at most, where the user names none: so much for each
// benchmark, and so much for all of them.
const (
	BudgetOfBenchmark  = time.Minute
	BudgetOfComparison = 30 * time.Minute
)
