package result

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
)

// study returns the answer of one part of a file.
func (f *file) study(p *filePart) Study {
	out := Study{Name: p.name, Question: p.study.Question, Study: p.study, Unnamed: p.unnamed}
	var sides []claim.File
	bySide := map[string][]*series.Series{}
	for _, s := range p.set.All() {
		side := f.side(s)
		if bySide[side] == nil {
			sides = append(sides, claim.File{Name: side, Times: map[string]claim.Estimate{}})
		}
		bySide[side] = append(bySide[side], s)
	}
	for i := range sides {
		cases := bySide[sides[i].Name]
		if p.directed() { // else the file's order is as good as any
			slices.SortStableFunc(cases, func(a, b *series.Series) int { return claim.NaturalOrder(a.Case, b.Case) })
		}
		for _, s := range cases {
			out.Cases = append(out.Cases, f.oneCase(p, s, &sides[i]))
		}
	}
	judged, published := f.judge(p, sides)
	invalid := map[[2]string]claim.Reasons{}
	for _, j := range judged {
		for name, why := range j.Invalid {
			invalid[[2]string{j.Name, name}] = why
		}
	}
	for i := range out.Cases {
		c := &out.Cases[i]
		c.Invalid = invalid[[2]string{c.Side, c.Name}]
	}
	out.conclude(p.study, judged, published)
	p.set = nil // its memory is needed for the next one
	return out
}

// judge applies the study's directives, if it has any.
func (f *file) judge(p *filePart, sides []claim.File) (judged, published []*claim.Judged) {
	if !p.directed() {
		return nil, nil
	}
	var others []claim.File
	if f.options.Published != nil {
		others = f.options.Published(p.name)
	}
	published = claim.JudgePublished(p.study, others)
	return claim.JudgeFigures(p.study, sides, published), published
}

// directed reports whether there is anything to judge.
func (p *filePart) directed() bool { return len(p.study.Directives) > 0 }

// oneCase returns a case on a side, whose figures it adds to those that are judged.
func (f *file) oneCase(p *filePart, s *series.Series, side *claim.File) Case {
	c := Case{Name: s.Case, Side: side.Name, Time: figures.NoFigure(), Iterations: s.Result.Iters, foreign: f.foreign}
	f.failures(&c, s)
	if len(s.Rounds) == 0 {
		return c // its processes failed, all of them
	}
	c.Metrics, c.Notes = metrics(s), recordNotes(s)
	c.Times = positive(slices.Clone(s.Values("sec/op")))
	if f.options.Samples {
		c.Samples = samplesOf(s, s.Values)
	}
	e := orderStatistics(c.Times, plan.Alpha)
	if e.Rounds > 0 {
		c.Time = figure(e, "sec/op")
		side.Times[s.Case] = e
	}
	if p.directed() {
		side.Results = append(side.Results, medians(s, e))
	}
	return c
}

// failures says that processes of a case failed, as memcost records it.
func (f *file) failures(c *Case, s *series.Series) {
	switch n := len(s.Failures); {
	case n == 0:
	case len(s.Rounds) == 0:
		c.Failed = s.Failures[n-1].Reason
	default:
		c.Flags = append(c.Flags, fmt.Sprintf("%d samples failed: %s", n, s.Failures[n-1].Reason))
	}
}

// medians returns a case of a file as one result: the figures that it is judged by.
func medians(s *series.Series, time claim.Estimate) *benchfmt.Result {
	r := &benchfmt.Result{Config: s.Result.Config, Name: s.Result.Name, Iters: s.Result.Iters}
	add := func(unit string, v float64) {
		if !math.IsNaN(v) {
			r.Values = append(r.Values, benchfmt.Value{Value: v, Unit: unit})
		}
	}
	add("sec/op", time.Centre)
	for _, unit := range s.Units() {
		if unit != "sec/op" {
			add(unit, stat.Median(slices.DeleteFunc(slices.Clone(s.Values(unit)), func(v float64) bool {
				return math.IsNaN(v) || math.IsInf(v, 0)
			})))
		}
	}
	add(series.UnitGCCycles, s.Totals[series.UnitGCCycles].Mean())
	return r
}

// recordNotes say by what a record was found; see package search.
func recordNotes(s *series.Series) []string {
	var out []string
	for _, key := range []string{"how", "note"} {
		if v := s.Result.GetConfig(key); v != "" {
			out = append(out, v)
		}
	}
	return out
}
