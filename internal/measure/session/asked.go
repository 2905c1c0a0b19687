package session

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// ask adds the claims of the command line to the studies that they are about, and reports what
// cannot be answered, before anything is measured.
func (s *Session) ask(claims []string) error {
	p := &s.Question.Plan
	added, warnings, err := claim.Claims(claims, s.asked())
	if err != nil {
		return err
	}
	for i, ds := range added {
		p.Studies[i].Directives = slices.Concat(p.Studies[i].Directives, ds)
	}
	for _, w := range warnings {
		s.warn("%s", w)
	}
	if err := s.checkClaims(len(claims) > 0); err != nil {
		return err
	}
	if err := s.readStudies(); err != nil {
		return err
	}
	s.Need = claim.Rounds(s.asked(), p.Options.Alpha, plan.Compared(p))
	several := slices.ContainsFunc(p.Studies, func(x plan.Study) bool { return len(x.Sides) != 1 && len(p.Sides) > 1 })
	if p.Options.StopWhenDecided && s.Need.Claims == 0 && !several {
		return hint.Usage("--claim 'BenchmarkOld / BenchmarkNew > 1' makes a claim, and --vary or --go a second "+
			"configuration", "--stop-when-decided: there is nothing to decide: no claim has cases here, and there is "+
			"one configuration")
	}
	return nil
}

// checkClaims warns of what selects nothing or makes no pairs, unless -b left its benchmarks
// out. It is an error where the run has claims, and the sides of all of them make no pairs.
func (s *Session) checkClaims(more bool) error {
	if s.Question.Plan.Options.Bench != "" || s.ready != nil {
		return nil
	}
	judged, mispaired := 0, 0
	for _, x := range s.asked() {
		warnings, good, bad := claim.Warnings(x)
		judged, mispaired = judged+good, mispaired+bad
		for _, w := range warnings {
			s.warn("%s", w)
		}
	}
	if mispaired > 0 && judged == 0 && !more {
		return hint.Usage("correct them, remove them, or choose what to measure with -b",
			"no claim can be tested: see the warnings above")
	}
	return nil
}

// asked returns the studies with the cases that were found.
func (s *Session) asked() []claim.AskedStudy {
	var out []claim.AskedStudy
	p := &s.Question.Plan
	for i, x := range s.studies {
		of := claim.AskedStudy{Name: x.Name, Shipped: p.Studies[i].Shipped, Study: x.Written}
		for _, a := range p.SidesOf(i) {
			of.Cases = append(of.Cases, s.withoutSamples(i, a, p.Cases))
			of.Left = append(of.Left, s.withoutSamples(i, a, s.toFull))
		}
		out = append(out, of)
	}
	return out
}

// withoutSamples returns a study's cases on a side as series, with the configuration that
// their samples will have.
func (s *Session) withoutSamples(study, side int, cases []plan.Case) []*series.Series {
	p := &s.Question.Plan
	config := append(s.Question.Header(), [2]string{series.KeyStudy, p.Studies[study].Name},
		[2]string{series.KeyPkg, p.Studies[study].Pkg},
		[2]string{series.KeySide, p.Sides[side].Name}, [2]string{series.KeyToolchain, p.Sides[side].Toolchain})
	var out []*series.Series
	for _, c := range cases {
		if c.Study != study {
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

// link has the cases of a pair measured in the same rounds, and marks those that no claim is about.
func (s *Session) link() {
	s.Question.Plan.Link(s.pairs())
	for i := range s.Question.Plan.Cases {
		c := &s.Question.Plan.Cases[i]
		c.Shown = s.Need.Of(s.Question.Plan.Studies[c.Study].Name, c.Name) <= plan.FirstRounds
	}
}

// pairs returns the cases that must be measured in the same rounds, as plan.Link takes
// them.
func (s *Session) pairs() [][2]int {
	var out [][2]int
	for i, x := range s.studies {
		cases, index := claim.Named(i, s.Question.Plan.Cases)
		for _, p := range claim.RatioPairs(x.Written, cases) {
			out = append(out, [2]int{index[p.Num], index[p.Den]})
		}
	}
	return out
}

// loads returns those beside which a case is measured: what the user asks for, else what
// its study does.
func (s *Session) loads(c plan.Case) []string {
	if asked := s.Question.Plan.Options.Load; len(asked) > 0 {
		return asked
	}
	return s.studies[c.Study].Written.LoadsOf(&benchfmt.Result{Name: benchfmt.Name(c.Name)})
}

// checkLoads warns of a load of more processes than there are cores for.
func (s *Session) checkLoads() {
	most := 0
	for _, c := range s.Question.Plan.Cases {
		if c.Busy != plan.AllBusy {
			most = max(most, c.Spinning)
		}
	}
	if cpus := s.cpus(); most > cpus {
		s.warn("%s=%d: there are %d CPUs here, so that the processes that keep them busy wait for each other, too; "+
			"all is the load of one for each CPU", plan.BusyKey, most, cpus)
	}
}

// batches returns the cases in the order in which they are needed: see claim.Batches.
func (s *Session) batches(cases []plan.Case) [][]int {
	var studies []*language.Study
	for _, x := range s.studies {
		studies = append(studies, x.Written)
	}
	return claim.Batches(studies, cases)
}
