package result

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/evidence"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/units"
)

func (a *Answer) suite(index int, s claim.Suite, set *series.Set, q *plan.Question, files []claim.File, drawn bool) Suite {
	out := Suite{Name: s.Name, Question: s.Study.Question}
	var arms []string
	for _, arm := range q.Plan.ArmsOf(index) {
		arms = append(arms, q.Plan.Arms[arm].Name)
	}
	published := claim.JudgePublished(s.Study, files)
	judged := claim.JudgeArms(s, set, arms, a.Options.Alpha, published)
	for _, j := range judged {
		j.EstimateCases()
	}
	for _, f := range q.Plan.Failures {
		if f.Suite == index {
			out.Failures = append(out.Failures, f)
		}
	}
	for i, j := range judged {
		out.Cases = append(out.Cases, cases(j.Data, judged[0].Data, i > 0)...)
		out.Cases = append(out.Cases, failedCases(j.Data, set, s.Name)...)
	}
	for i := range out.Cases {
		c := &out.Cases[i]
		at := slices.IndexFunc(q.Plan.Arms, func(a plan.Arm) bool { return a.Name == c.Arm })
		if b := q.Build(index, at); b != nil {
			c.Reasons = b.Reasons[c.Name]
		}
	}
	out.conclude(s.Study, judged, published)
	out.Sample = q.Plan.SampleOf(index)
	if drawn {
		out.Evidence, out.Recordings = evidence.Of(s, set, q, judged), a.recordings(index, q)
	}
	return out
}

// conclude fills in what follows from the cases that s has.
func (s *Suite) conclude(st *catalog.Study, judged, published []*claim.Judged) {
	for _, t := range st.Tables {
		if t.By == catalog.ByToolchain {
			ratios := slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return !c.Den.IsZero() })
			if t := acrossArms(t, judged); len(t.Rows) > 1 || len(t.Rows) == 1 && !ratios { // of one the other tables tell
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
	s.Answer, s.Tables, s.Claims = list(s.Answer), list(s.Tables), list(s.Claims)
	s.Cases, s.Failures = list(s.Cases), list(s.Failures)
}

func claims(st *catalog.Study, judged []*claim.Judged) []Claim {
	var out []Claim
	for i, c := range st.Claims {
		x := Claim{ID: c.ID, Prose: c.Prose, Own: c.Own, Published: c.Published, Text: c.Source, Pos: c.Pos.String()}
		for _, j := range judged {
			x.Verdicts = append(x.Verdicts, verdict(c, j, j.Verdicts[i]))
		}
		out = append(out, x)
	}
	return out
}

func verdict(c catalog.Claim, j *claim.Judged, v claim.Verdict) Verdict {
	out := Verdict{Data: v.Data, Published: j.Published, Status: string(v.Status), Notes: v.Notes}
	unit := ""
	if c.Kind == catalog.Value {
		unit = c.Unit
		if c.PerKey != "" {
			unit = "B/sec"
		}
	}
	for _, e := range v.Elements {
		f := figure(claim.Estimate{Centre: e.Figure, Medians: math.NaN(), Interval: e.Interval, Rounds: e.N}, unit)
		if e.Single {
			f.Lo, f.Hi = Number(math.NaN()), Number(math.NaN())
		}
		f.Note = e.Note
		out.Elements = append(out.Elements, Element{Label: e.Label, Cases: e.Cases, Status: string(e.Status), Figure: f})
	}
	out.Elements = list(out.Elements)
	if v.Deciding >= 0 {
		out.Deciding = &out.Elements[v.Deciding]
	}
	return out
}

// tableOf fills a study's table from one arm: a row for each value of its key, in
// numerical order where the values are numbers.
func tableOf(t catalog.Table, d *claim.Data) Table {
	out := Table{Title: t.Title, By: t.By, Arm: d.Name}
	byLabel := map[string][]Figure{}
	var labels []string
	cell := func(label string, col int, f Figure) {
		if byLabel[label] == nil {
			row := make([]Figure, len(t.Columns))
			for i := range row {
				row[i] = noFigure
			}
			byLabel[label] = row
			labels = append(labels, label)
		}
		byLabel[label][col] = f
	}
	for i, col := range t.Columns {
		out.Columns = append(out.Columns, col.Header)
		err := d.Column(col, t.By, func(label string, e claim.Estimate, note string) {
			unit := col.Unit
			switch {
			case !col.Den.IsZero():
				unit = ""
			case col.PerKey != "":
				unit = "B/sec"
			}
			f := figure(e, unit)
			if note != "" {
				f.Note = note
			}
			cell(label, i, f)
		})
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("column %s: %v", col.Header, err))
		}
	}
	slices.SortStableFunc(labels, compareLabels)
	for _, l := range labels {
		if !floorAlone(t.Columns, byLabel[l]) {
			out.Rows = append(out.Rows, Row{l, byLabel[l]})
		}
	}
	return out
}

// floorAlone tells whether a row has figures only in the column that is the
// floor: there is nothing that it is the floor of.
func floorAlone(columns []catalog.Column, row []Figure) bool {
	floor, other := false, false
	for i, f := range row {
		switch {
		case math.IsNaN(float64(f.Value)) && f.Note == "": // with a note it is a case without a figure, as one that is INVALID
		case columns[i].Floor:
			floor = true
		default:
			other = true
		}
	}
	return floor && !other
}

func cases(d, first *claim.Data, compare bool) []Case {
	drifts := map[string]claim.Drift{}
	for _, x := range claim.Drifts(d) {
		drifts[x.Case] = x
	}
	changes := map[string]claim.Change{}
	if compare {
		for _, x := range claim.Changes(d, first) {
			changes[x.Case] = x
		}
	}
	var out []Case
	for _, s := range d.Cases {
		c := Case{Name: s.Case, Arm: d.Name, Time: figure(d.Estimate(s, "sec/op"), "sec/op"), Iterations: s.Result.Iters,
			Invalid: d.Invalid[s.Case], Metrics: metrics(s), times: positive(d.Set.Valid(s, "sec/op"))}
		for _, unit := range []string{series.UnitRound, series.UnitOrder, series.UnitLayout, series.UnitPadding} {
			delete(c.Metrics, unit) // a mean of them means nothing
		}
		if x, ok := drifts[s.Case]; ok {
			c.Flags = append(c.Flags, "the cost per op depends on the number of iterations: "+
				units.Ratio(x.Centre)+" as much at a quarter of them")
		}
		if n := len(s.Failures); n > 0 {
			c.Flags = append(c.Flags, strconv.Itoa(n)+" samples failed: "+s.Failures[n-1].Reason)
		}
		if x, ok := changes[s.Case]; ok {
			c.VsFirst = &Comparison{figure(x.Estimate, ""), string(x.Difference), x.Discovery}
		}
		out = append(out, c)
	}
	return out
}

// metrics are the means of what else a case's samples hold.
func metrics(s *series.Series) map[string]Number {
	out := map[string]Number{}
	for _, unit := range s.Units() {
		if unit != "sec/op" {
			out[unit] = Number(s.MeanOf(unit))
		}
	}
	for unit, t := range s.Totals {
		out[unit] = Number(t.Mean())
	}
	return out
}

// positive are the figures that can be times. It makes use of vs.
func positive(vs []float64) []float64 {
	return slices.DeleteFunc(vs, func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
}

// failedCases are those that never gave a result on this arm.
func failedCases(d *claim.Data, set *series.Set, suite string) []Case {
	var out []Case
	for _, s := range set.All() {
		if s.Suite == suite && s.Arm == d.Name && s.Role == "" && len(s.Rounds) == 0 && len(s.Failures) > 0 {
			c := Case{Name: s.Case, Arm: d.Name, Time: noFigure, Failed: s.Failures[len(s.Failures)-1].Reason}
			if why, ok := strings.CutPrefix(c.Failed, Invalid+": "); ok { // the program itself says so
				c.Failed, c.Invalid = "", []string{why}
			}
			out = append(out, c)
		}
	}
	return out
}
