package result

import (
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// A judgedStudy holds the verdicts of a study on every side, and of what others published
// of it.
type judgedStudy struct {
	claim.Study
	index             int // in the plan
	judged, published []*claim.Judged
}

func (a *Answer) judge(index int, s claim.Study, set *series.Set, q *plan.Question, files []claim.File) judgedStudy {
	var sides []string
	for _, side := range q.Plan.SidesOf(index) {
		sides = append(sides, q.Plan.Sides[side].Name)
	}
	published := claim.JudgePublished(s.Written, files)
	judged := claim.JudgeArms(s, set, sides, a.Options.Alpha, published)
	for _, j := range judged {
		sayLeftOut(s.Written, index, j, &q.Plan)
	}
	return judgedStudy{s, index, judged, published}
}

func (a *Answer) judgedStudy(s judgedStudy, set *series.Set, q *plan.Question, o Options) Study {
	out := Study{Name: s.Name, Question: s.Written.Question, Judged: s.judged, Study: s.Written,
		Others: s.published}
	index, judged := s.index, s.judged
	for _, f := range q.Plan.Failures {
		if f.Study == index {
			out.Failures = append(out.Failures, f)
		}
	}
	for _, j := range judged {
		claim.FlagPositions(s.Written, j.Data)
		out.Cases = append(out.Cases, cases(j, o)...)
		out.Cases = append(out.Cases, failedCases(j.Data, set, s.Name)...)
	}
	for i := range out.Cases {
		c := &out.Cases[i]
		at := slices.IndexFunc(q.Plan.Sides, func(a plan.Side) bool { return a.Name == c.Side })
		if b := q.Build(index, at); b != nil {
			c.Reasons = b.Reasons[c.Name]
		}
	}
	out.conclude(s.Written, judged, s.published)
	out.Sample, out.LoopShare = q.Plan.SampleOf(index), loopShare(set, s.Name)
	if o.Evidence {
		out.Evidence, out.Recordings = Of(s.Study, set, q, judged), a.recordings(index, q)
	}
	return out
}

// loopShare returns the share of a study's time that went into loops.
func loopShare(set *series.Set, study string) figures.Number {
	var loop, wall float64
	for _, s := range set.All() {
		if s.Study == study {
			loop, wall = loop+s.Loop, wall+s.Wall
		}
	}
	return figures.Number(loop / wall)
}

// sayLeftOut gives the claims that were not tested because the run did not choose their
// cases the option that does.
func sayLeftOut(st *language.Study, study int, j *claim.Judged, p *plan.Plan) {
	chosen := func(sel language.Selector) bool {
		return sel.IsZero() || slices.ContainsFunc(p.Cases, func(c plan.Case) bool {
			return c.Study == study && sel.Match(&benchfmt.Result{Name: benchfmt.Name(c.Name)})
		})
	}
	for i := range j.Verdicts {
		c, v := st.Claims[i], &j.Verdicts[i]
		later := func(sel language.Selector) bool {
			return slices.ContainsFunc(p.NotReached, func(l plan.Left) bool {
				return l.Study == study && sel.Match(&benchfmt.Result{Name: benchfmt.Name(l.Name)})
			})
		}
		if v.Status == claim.Untested && v.Why != claim.NoMachine && (later(c.Num) || later(c.Den)) {
			v.Why, v.Notes = leftToResume, []string{"its cases were not reached in the budget; --resume adds them"}
			continue
		}
		if !slices.Equal(v.Notes, []string{claim.NoFigures}) || chosen(c.Num) && chosen(c.Den) {
			continue
		}
		full := slices.ContainsFunc(st.Full, func(s language.Selector) bool { return s.Scope == c.Num.Scope })
		switch {
		case p.Options.Bench != "":
			v.Why, v.Notes = leftOutByBench, []string{"-b leaves out its cases"}
		case p.Options.Profile == "quick" && full:
			v.Why, v.Notes = leftToFull, []string{"the quick profile leaves out its cases; --full measures them"}
		}
	}
}

// conclude fills in what follows from the cases that s has.
func (s *Study) conclude(st *language.Study, judged, published []*claim.Judged) {
	for _, t := range st.Tables {
		if t.By == language.ByToolchain {
			ratios := slices.ContainsFunc(t.Columns, func(c language.Column) bool { return !c.Den.IsZero() })
			// of one the other tables tell
			if t := acrossSides(t, judged); len(t.Rows) > 1 || len(t.Rows) == 1 && !ratios {
				s.Tables = append(s.Tables, t)
			}
			continue
		}
		for _, j := range judged {
			if t := tableOf(t, j.Data); len(t.Rows) > 0 {
				s.Tables = append(s.Tables, t)
			}
		}
	}
	s.Claims = claims(st, slices.Concat(judged, published))
	s.Answer = headlines(st, s, judged)
	s.Pictures = pictures(st, s, judged, published)
	for i, t := range s.Tables {
		of := slices.IndexFunc(st.Tables, func(x language.Table) bool { return x.Title == t.Title && x.By == t.By })
		if of >= 0 {
			s.Tables[i] = withCPU(t, st.Tables[of], judged)
		}
	}
	s.Answer, s.Tables, s.Claims = list(s.Answer), list(s.Tables), list(s.Claims)
	s.Cases, s.Failures = list(s.Cases), list(s.Failures)
}

func claims(st *language.Study, judged []*claim.Judged) []Claim {
	var out []Claim
	for i, c := range st.Claims {
		x := Claim{ID: c.ID, Prose: c.Prose, Own: c.Own, Published: c.Published, Text: c.Source, Pos: c.Pos.String()}
		for _, j := range judged {
			x.Verdicts = append(x.Verdicts, VerdictOf(st, i, j))
		}
		out = append(out, x)
	}
	return out
}

// VerdictOf returns what was found of one of a study's claims, by its place among them.
func VerdictOf(st *language.Study, i int, j *claim.Judged) Verdict {
	c := st.Claims[i]
	out := verdict(c, j, j.Verdicts[i])
	if c.Kind == language.Ratio {
		out.ratio = sidesOf(st, c.Num, c.Den, c.Unit).Short()
	}
	return out
}

func verdict(c language.Claim, j *claim.Judged, v claim.Verdict) Verdict {
	out := Verdict{Data: v.Data, Published: j.Published, Status: v.Status, Says: v.Says(), Busy: v.Busy,
		Counted: v.Counted, Selected: v.Selected,
		Notes: v.Notes, Why: v.Why}
	if s := v.Scope; s.Places > 0 {
		out.Scope = &s
	}
	unit := ""
	if c.Kind == language.Value {
		unit = c.Unit
		if c.PerKey != "" {
			unit = "B/sec"
		}
	}
	for _, e := range v.Elements {
		f := figure(claim.Estimate{Centre: e.Figure, Medians: math.NaN(), Interval: e.Interval, Rounds: e.N}, unit)
		if e.Single {
			f.Lo, f.Hi = figures.Number(math.NaN()), figures.Number(math.NaN())
		}
		f.Note = e.Note
		x := Element{Label: e.Label, Cases: e.Cases, Status: e.Status, Figure: f}
		if e.Chosen != nil {
			chosen := f.Between(*e.Chosen)
			x.Chosen = &chosen
		}
		if !e.Single && !j.Single {
			x.addEvidence(c, j)
		}
		out.Elements = append(out.Elements, x)
	}
	out.Elements = list(out.Elements)
	if v.Deciding >= 0 {
		out.Deciding = &out.Elements[v.Deciding]
	}
	return out
}

// addEvidence adds what a figure rests on, and what CPU time says of it.
func (x *Element) addEvidence(c language.Claim, j *claim.Judged) {
	var of []*series.Series
	for _, name := range x.Cases {
		of = append(of, j.Find(name))
	}
	switch {
	case slices.Contains(of, nil):
	case c.Kind == language.Ratio && len(of) == 2:
		x.Rests = restsOn(j.Ratio(of[0], of[1], c.Unit))
		if c.Unit == "sec/op" {
			x.CPU = cpuOf(j.Data, of[0], of[1], x.Figure)
		}
	case c.Kind == language.Value && len(of) == 1:
		unit := c.Unit
		if c.PerKey != "" {
			unit = "sec/op"
		}
		x.Rests = restsOn(j.Estimate(of[0], unit))
	}
}
