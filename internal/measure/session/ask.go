package session

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
)

// ask adds the claims of the command line to the suites that they are about, and reports what
// cannot be answered, before anything is measured.
func ask(r *Run, claims []string) error {
	p := &r.Question.Plan
	added, warnings, err := claim.Claims(claims, suitesAsked(r))
	if err != nil {
		return err
	}
	for i, ds := range added {
		p.Suites[i].Directives = slices.Concat(p.Suites[i].Directives, ds)
	}
	for _, w := range warnings {
		r.warn("%s", w)
	}
	if err := checkClaims(r, len(claims) > 0); err != nil {
		return err
	}
	if err := r.readSuites(); err != nil {
		return err
	}
	r.Need = claim.Rounds(suitesAsked(r), p.Options.Alpha, plan.Compared(p))
	several := slices.ContainsFunc(p.Suites, func(x plan.Suite) bool { return len(x.Arms) != 1 && len(p.Arms) > 1 })
	if p.Options.StopWhenDecided && r.Need.Claims == 0 && !several {
		return hint.Usage("--claim 'BenchmarkOld / BenchmarkNew > 1' makes a claim, and --vary or --go a second "+
			"configuration", "--stop-when-decided: there is nothing to decide: no claim has cases here, and there is "+
			"one configuration")
	}
	return nil
}

// checkClaims warns of what selects nothing or makes no pairs, unless -b left its benchmarks
// out. It is an error where the run has claims, and the sides of all of them make no pairs.
func checkClaims(r *Run, more bool) error {
	if r.Question.Plan.Options.Bench != "" {
		return nil
	}
	judged, mispaired := 0, 0
	for _, s := range suitesAsked(r) {
		warnings, good, bad := claim.Warnings(s)
		judged, mispaired = judged+good, mispaired+bad
		for _, w := range warnings {
			r.warn("%s", w)
		}
	}
	if mispaired > 0 && judged == 0 && !more {
		return hint.Usage("correct them, remove them, or choose what to measure with -b",
			"no claim can be tested: see the warnings above")
	}
	return nil
}

// suitesAsked returns the suites with the cases that were found.
func suitesAsked(r *Run) []claim.AskedStudy {
	var out []claim.AskedStudy
	for i, x := range r.suites {
		s := claim.AskedStudy{Name: x.Name, Shipped: r.Question.Plan.Suites[i].Shipped, Study: x.Study}
		for _, a := range r.Question.Plan.ArmsOf(i) {
			s.Cases = append(s.Cases, withoutSamples(r, i, a, r.Question.Plan.Cases))
			s.Left = append(s.Left, withoutSamples(r, i, a, r.toFull))
		}
		out = append(out, s)
	}
	return out
}

// withoutSamples returns a suite's cases on an arm as series, with the configuration that
// their samples will have.
func withoutSamples(r *Run, suite, arm int, cases []plan.Case) []*series.Series {
	p := &r.Question.Plan
	config := append(r.Question.Header(), [2]string{series.KeySuite, p.Suites[suite].Name},
		[2]string{series.KeyPkg, p.Suites[suite].Pkg},
		[2]string{series.KeyArm, p.Arms[arm].Name}, [2]string{series.KeyToolchain, p.Arms[arm].Toolchain})
	var out []*series.Series
	for _, c := range cases {
		if c.Suite != suite {
			continue
		}
		x := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
		for _, kv := range config {
			x.SetConfig(kv[0], kv[1])
		}
		out = append(out, &series.Series{ID: series.ID{Case: c.Name}, Result: x})
	}
	return out
}

// markShown marks the cases that no claim is about.
func markShown(r *Run) {
	for i := range r.Question.Plan.Cases {
		c := &r.Question.Plan.Cases[i]
		c.Shown = r.Need.Of(r.Question.Plan.Suites[c.Suite].Name, c.Name) <= plan.FirstRounds
	}
}
