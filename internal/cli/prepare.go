package cli

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
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/sample"
	"memcost/internal/series"
	"memcost/internal/store"
)

// prepare builds, lists and calibrates.
func (s *session) prepare(ctx context.Context, budgetGiven bool) error {
	if err := s.chooseArms(ctx); err != nil {
		return err
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	if err := s.checkOwnVariants(ctx); err != nil {
		return err
	}
	s.makeLab()
	p := &s.question.Plan
	var err error
	if s.suites, err = result.Suites(s.question); err != nil {
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
	for _, part := range sample.Unmatched(p) {
		s.warn("-bench: no benchmark matches the part %q", part)
	}
	if most, cpus := slices.Max(append([]int{0}, p.Options.CPU...)), s.question.Machine.CPUs; cpus > 0 && most > cpus {
		s.warn("--cpu %d: there are %d CPUs here, so that the cases with more are oversubscribed: their threads wait for each other", most, cpus)
	}
	p.Link(s.pairs())
	if !p.Options.NoGuards {
		p.ChooseDoubles(doubles)
		p.ChooseSuspects()
	}
	s.explain()
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
	left := slices.ContainsFunc(s.suites[c.Suite].Study.Full, func(sel catalog.Selector) bool { return sel.Match(r) })
	if left {
		s.toFull = append(s.toFull, c)
	}
	return left
}

// doubles is the number of cases that ride along twice (A′): enough to see the
// noise floor at more than one size, few enough to cost some percent.
const doubles = 2

// nothing says why there is no case to run.
func (s *session) nothing() error {
	p := &s.question.Plan
	for _, f := range p.Failures {
		s.progress.note(fmt.Sprintf("failed: %s on %s: %s", f.Name, f.Arm, f.Reason))
	}
	if n := len(p.Failures); n > 0 {
		hint := ""
		if s.folder != nil {
			hint = "what they printed is in " + filepath.Join(s.folder.Dir, store.LogsDir)
		}
		return withHint(hint, fmt.Errorf("no benchmark could be run: %s", failures(n)))
	}
	var names []string
	for _, x := range p.Suites {
		names = append(names, x.Name)
	}
	if p.Options.Bench != "" && !s.hasGo() {
		return usage("a case is named like Malloc/allocator=glibc/setting=default/op=malloc_free/size=4096/method=published, and -b takes its parts: -b 'Malloc/glibc/trim0/malloc_free'; memcost run malloc -n lists them",
			"-bench %q: no case of %s matches", p.Options.Bench, strings.Join(names, ", "))
	}
	if p.Options.Bench != "" {
		return usage("go test -list '^Benchmark' lists the benchmarks of a package; memcost list those of the studies",
			"-bench %q: no benchmark of %s matches", p.Options.Bench, strings.Join(names, ", "))
	}
	return usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s", sample.ErrNothing, strings.Join(names, ", "))
}

func failures(n int) string {
	if n == 1 {
		return "the only one failed"
	}
	return fmt.Sprintf("all %d failed", n)
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

// makeLab ties the plan's arms and suites to the binaries.
func (s *session) makeLab() {
	s.lab = &sample.Lab{Runner: s.runner, Target: func(arm, suite, layout int) (sample.Target, error) {
		bin, ok := s.binaries[[2]int{arm, suite}]
		if !ok {
			return sample.Target{}, fmt.Errorf("no binary of %s for %s", s.question.Plan.Suites[suite].Name, s.question.Plan.Arms[arm].Name)
		}
		path := bin.Paths[layout%len(bin.Paths)]
		dir := filepath.Dir(path)
		if pkg, ok := s.packages[s.question.Plan.Suites[suite].Name]; ok {
			dir = pkg.Dir
		}
		return sample.Target{Path: path, Dir: dir, Env: s.env}, nil
	}}
	s.lab.Program, s.lab.Recording = s.program, s.recording
	if s.folder != nil {
		s.lab.SaveLog = func(name string, data []byte) {
			if err := s.folder.WriteFile(name, data); err != nil {
				s.progress.note("warning: " + err.Error())
			}
		}
	}
}

// pairs are the cases that must be measured side by side, as plan.Link wants
// them.
func (s *session) pairs() [][2]int {
	var out [][2]int
	for i, x := range s.suites {
		cases, index := s.emptySeries(i)
		for _, p := range claim.RatioPairs(x.Study, cases) {
			out = append(out, [2]int{index[p.Num], index[p.Den]})
		}
	}
	return out
}

// emptySeries are a suite's cases as series without samples, for matching.
func (s *session) emptySeries(suite int) ([]*series.Series, map[*series.Series]int) {
	var cases []*series.Series
	index := map[*series.Series]int{}
	for i, c := range s.question.Plan.Cases {
		if c.Suite != suite {
			continue
		}
		sr := &series.Series{ID: series.ID{Case: c.Name}, Result: &benchfmt.Result{Name: benchfmt.Name(c.Name)}}
		cases = append(cases, sr)
		index[sr] = i
	}
	return cases, index
}

// checkClaims warns of claims and expectations that select nothing, unless -b
// left their benchmarks out.
func (s *session) checkClaims() {
	if s.question.Plan.Options.Bench != "" {
		return
	}
	for i, x := range s.suites {
		cases := s.emptyResults(i)
		none := func(sel catalog.Selector) bool { return !slices.ContainsFunc(cases, sel.Match) }
		for _, c := range x.Study.Claims {
			for _, sel := range []catalog.Selector{c.Num, c.Den, c.Weak} {
				if !sel.IsZero() && none(sel) {
					s.warn("%s: claim %s: no benchmark matches %q", c.Pos, c.ID, sel)
				}
			}
		}
		for _, e := range x.Study.Expects {
			if none(e.Sel) {
				s.warn("%s: expectation: no benchmark matches %q", e.Pos, e.Sel)
			}
		}
	}
}

// emptyResults are a suite's cases on its arms, those left to the full profile
// included, with what their samples will say of
// themselves.
func (s *session) emptyResults(suite int) []*benchfmt.Result {
	p := &s.question.Plan
	var out []*benchfmt.Result
	for _, a := range p.ArmsOf(suite) {
		config := append(header(s.question), [2]string{series.KeySuite, p.Suites[suite].Name}, [2]string{series.KeyPkg, p.Suites[suite].Pkg},
			[2]string{series.KeyArm, p.Arms[a].Name}, [2]string{series.KeyToolchain, p.Arms[a].Toolchain})
		for _, c := range slices.Concat(p.Cases, s.toFull) {
			if c.Suite != suite {
				continue
			}
			r := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
			for _, kv := range config {
				r.SetConfig(kv[0], kv[1])
			}
			out = append(out, r)
		}
	}
	return out
}
