package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/hint"
	"memcost/internal/plan"
	"memcost/internal/sample"
	"memcost/internal/series"
	"memcost/internal/store"
)

// prepare lists the cases and calibrates them.
func (r *Run) prepare(ctx context.Context, budgetGiven bool) error {
	if err := r.readSuites(); err != nil {
		return err
	}
	r.makeLab()
	p := &r.Question.Plan
	r.bound(budgetGiven)
	if err := r.lab.Discover(ctx, p, r.calibrating); err != nil {
		return err
	}
	if len(p.Cases) == 0 {
		return r.noCase()
	}
	for _, c := range r.toFull {
		p.ToFull = append(p.ToFull, plan.Left{Suite: c.Suite, Name: c.Name})
	}
	for _, part := range sample.Unmatched(p) {
		r.warn("-bench: no benchmark matches the part %q", part)
	}
	if most, cpus := slices.Max(append([]int{0}, p.Options.CPU...)), r.Question.Machine.CPUs; cpus > 0 && most > cpus {
		r.warn("--cpu %d: there are %d CPUs here, so that the cases with more are oversubscribed: their threads "+
			"wait for each other", most, cpus)
	}
	r.checkLoads()
	p.Link(r.pairs())
	if !p.Options.NoGuards {
		p.ChooseDoubles(doubles)
		p.ChooseSuspects()
	}
	if err := r.linkCopies(ctx); err != nil {
		return err
	}
	r.explain(r.suites)
	r.fitBudget(budgetGiven)
	r.checkClaims()
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

// fitBudget makes room for the rounds without which no verdict is possible: it raises
// the budget where the user named none, and warns where one was named.
func (r *Run) fitBudget(given bool) {
	p := &r.Question.Plan
	_, guarded := p.RoundTime()
	need := (p.Prepared + guarded*11/10*plan.GuardRounds + time.Second).Round(time.Second)
	if p.Options.Rounds > 0 || need <= p.Options.Budget {
		return
	}
	if !given {
		p.Options.Budget = need * 5 / 4
		r.Log.Note(fmt.Sprintf("%d cases need about %v for the %d rounds that a verdict takes; the budget is now %v "+
			"(--budget sets it, -b selects benchmarks)",
			len(p.Cases), need, plan.GuardRounds, p.Options.Budget.Round(time.Second)))
		return
	}
	r.warn("the budget of %v is too short for %d cases: %d rounds, before which nothing is decided, take about %v "+
		"(use --budget %v, or select benchmarks with -b)",
		p.Options.Budget, len(p.Cases), plan.GuardRounds, need, need)
}

// pairs returns the cases that must be measured in the same rounds, as plan.Link takes
// them.
func (r *Run) pairs() [][2]int {
	var out [][2]int
	for i, x := range r.suites {
		cases, index := namedSeries(i, r.Question.Plan.Cases)
		for _, p := range claim.RatioPairs(x.Study, cases) {
			out = append(out, [2]int{index[p.Num], index[p.Den]})
		}
	}
	return out
}

// checkClaims warns of claims, expectations, tables and pictures that select nothing, unless -b left their
// benchmarks out.
func (r *Run) checkClaims() {
	if r.Question.Plan.Options.Bench != "" {
		return
	}
	for i, x := range r.suites {
		cases := r.emptyResults(i)
		none := func(sel catalog.Selector) bool { return !slices.ContainsFunc(cases, sel.Match) }
		for _, c := range x.Study.Claims {
			for _, sel := range []catalog.Selector{c.Num, c.Den, c.Weak} {
				if !sel.IsZero() && none(sel) {
					r.warn("%s: claim %s: no benchmark matches %q", c.Pos, c.ID, sel)
				}
			}
		}
		for _, e := range x.Study.Expects {
			if none(e.Sel) {
				r.warn("%s: expectation: no benchmark matches %q", e.Pos, e.Sel)
			}
		}
		for _, w := range viewWarnings(x.Study, r.Question.Plan.Suites[i].Shipped, cases) {
			r.warn("%s", w)
		}
	}
}

// emptyResults returns a suite's cases on its arms, those left to the full profile and those
// that were not reached included, with the configuration that their samples will have.
func (r *Run) emptyResults(suite int) []*benchfmt.Result {
	p := &r.Question.Plan
	var out []*benchfmt.Result
	for _, a := range p.ArmsOf(suite) {
		config := append(header(r.Question), [2]string{series.KeySuite, p.Suites[suite].Name},
			[2]string{series.KeyPkg, p.Suites[suite].Pkg},
			[2]string{series.KeyArm, p.Arms[a].Name}, [2]string{series.KeyToolchain, p.Arms[a].Toolchain})
		known := slices.Clone(p.NotReached)
		for _, c := range slices.Concat(p.Cases, r.toFull) {
			known = append(known, plan.Left{Suite: c.Suite, Name: c.Name})
		}
		for _, c := range known {
			if c.Suite != suite {
				continue
			}
			x := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
			for _, kv := range config {
				x.SetConfig(kv[0], kv[1])
			}
			out = append(out, x)
		}
	}
	return out
}
