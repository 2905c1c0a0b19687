package compare

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/result"
)

// errOneSide is the error of a run in which nothing is compared.
var errOneSide = errors.New("its samples are of one configuration, so that nothing is compared in it")

// BusySays is what a busy machine means for a comparison.
const BusySays = "the machine was busy with other programs: both sides met them alike, for their turns came in " +
	"random order, so that verdicts stand; but intervals are wider, and ratios are those beside other programs"

// OfRun returns what a run with several configurations says of each of them against the
// first one.
func OfRun(a *result.Answer) (*Report, error) {
	if a.Question == nil || a.Set == nil || len(a.Sides) < 2 && a.Question.OfHeld() == nil {
		return nil, errOneSide
	}
	q := a.Question
	b := &builder{answer: a, alpha: a.Options.Alpha, looks: a.Question.Plan.JudgedAt(), margin: cmp.Or(a.Options.Margin, claim.Margin),
		families: map[string]*family{}}
	b.Report = &Report{Format: ReportFormat, Label: q.Label, Dir: a.Dir, Interleaved: true, Margin: b.margin,
		Alpha: b.alpha, Sides: []Side{}, Benchmarks: []Benchmark{}, Geomeans: []Geomean{},
		OneSided: []plan.OneSided{}, NoiseFloor: a.NoiseFloor, Warnings: []string{}}
	for _, side := range a.Sides {
		b.Sides = append(b.Sides, sideOf(side, q))
	}
	if q.Comparison != nil {
		b.OneSided = append(b.OneSided, q.Comparison.OneSided...)
		b.Same, b.Unreached = q.Comparison.SamePrograms(&q.Plan), q.Comparison.Unreached
		for _, d := range q.Comparison.Differs {
			if len(d.Tests)+len(d.Data) > 0 {
				b.Differs = append(b.Differs, d)
			}
		}
	}
	if a.Busy != "" {
		b.Warnings = append(b.Warnings, BusySays)
	}
	b.Warnings = append(b.Warnings, a.Warnings...)
	for i := range a.Studies {
		b.study(i, &a.Studies[i])
	}
	for _, unit := range slices.Sorted(maps.Keys(b.families)) {
		b.families[unit].decide()
	}
	b.doubtTimes()
	b.geomeans()
	b.finish()
	return b.Report, nil
}

// sideOf describes a configuration.
func sideOf(side plan.Side, q *plan.Question) Side {
	s := Side{Name: side.Name, Source: side.Source, Kind: OfConfiguration}
	switch {
	case side.Command != "":
		s.Kind = OfCommand
	case len(side.Env)+len(side.Flags)+len(side.Args) > 0 || side.Name == side.Toolchain: // of the same files
	case side.Name == plan.WorkTree, side.Source != nil && (side.Source.Revision != "" || side.Source.Commit != ""):
		s.Kind = OfSource
	}
	if s.Source == nil {
		s.Source = q.Source
	}
	return s
}

// study adds the benchmarks of a study.
func (b *builder) study(index int, s *result.Study) {
	judged := make([]*claim.Judged, len(b.Sides))
	for _, j := range s.Judged {
		if at := slices.IndexFunc(b.Sides, func(x Side) bool { return x.Name == j.Name }); at >= 0 {
			judged[at] = j
		}
	}
	if judged[0] == nil { // without the baseline there is nothing to compare it with
		var on []string
		for i, j := range judged {
			if j != nil {
				on = append(on, b.Sides[i].Name)
			}
		}
		b.OneSided = append(b.OneSided, plan.OneSided{Study: s.Name, On: on})
		return
	}
	for _, name := range namesOf(s) {
		b.benchmark(s, name, judged)
	}
	for _, f := range s.Failures {
		if !f.Skipped && !slices.ContainsFunc(b.Benchmarks, func(x Benchmark) bool {
			return x.Study == s.Name && x.Name == f.Name
		}) {
			b.Benchmarks = append(b.Benchmarks, Benchmark{Study: s.Name, Name: f.Name, Metrics: []Metric{},
				Failed: []string{f.Side + ": " + f.Reason}})
			b.pairs = append(b.pairs, nil)
		}
	}
}

// namesOf returns the names of a study's cases, each once, in their order.
func namesOf(s *result.Study) []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range s.Cases {
		if !seen[c.Name] {
			seen[c.Name] = true
			names = append(names, c.Name)
		}
	}
	return names
}

// benchmark adds a case.
func (b *builder) benchmark(s *result.Study, name string, judged []*claim.Judged) {
	out := Benchmark{Study: s.Name, Name: name, Metrics: []Metric{}}
	on := make(caseSides, len(judged))
	for i, j := range judged {
		if j != nil {
			on[i] = j.Find(name)
		}
	}
	for _, c := range s.Cases {
		if c.Name != name {
			continue
		}
		say := func(to *[]string, text string) {
			*to = append(*to, c.Side+": "+text)
		}
		for _, why := range c.Invalid {
			say(&out.Invalid, why)
		}
		for _, why := range c.Flags {
			say(&out.Flags, why)
		}
		if c.Failed != "" {
			say(&out.Failed, c.Failed)
		}
	}
	for _, f := range s.Failures {
		if f.Name == name && !f.Skipped {
			out.Failed = append(out.Failed, f.Side+": "+f.Reason)
		}
	}
	all := len(out.Invalid) > 0
	wrong := b.wrongOutput(on)
	for i, why := range wrong {
		if why != "" {
			out.Invalid = append(out.Invalid, b.Sides[i].Name+": "+why)
		}
	}
	invalid := func(side int) bool { return all || wrong[side] != "" }
	for _, unit := range unitsOf(on, b.Sides[0].Kind == OfCommand) {
		out.Metrics = append(out.Metrics, b.metric(unit, on, judged, invalid))
	}
	b.Benchmarks, b.pairs = append(b.Benchmarks, out), append(b.pairs, on)
}
