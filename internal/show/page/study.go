package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// study returns the view of a study, and what its pictures are drawn from: that of its card first,
// where it has one.
func (v *view) study(name string, index, firstPicture int, answers []*result.Answer,
	card *answer.Study) (studyView, []pictureData, error) {
	out := studyView{Name: name, Index: index, Anchor: fmt.Sprintf("study-%d", index)}
	if card != nil {
		own := *card
		out.Card = &own
	}
	var parts []part
	for i, a := range answers {
		for j := range a.Suites {
			if s := &a.Suites[j]; v.suiteName(i, s.Name) == name {
				parts = append(parts, part{i, a, s})
				if out.Question == "" {
					out.Question = s.Question
				}
			}
		}
	}
	label := func(p part, arm string) string {
		if i := v.at(p.run, arm, false); i >= 0 {
			return v.sets[i].Label
		}
		return arm
	}
	for _, p := range parts {
		out.LeftOut = out.LeftOut || p.answer.Question != nil && len(p.answer.Question.LeftOut) > 0
		for _, h := range p.suite.Answer {
			out.Answers = append(out.Answers, answerView{label(p, h.Arm), h.Sentence()})
		}
		for _, t := range p.suite.Tables {
			out.Tables = append(out.Tables, shownTable{label(p, t.Arm), t.Shown()})
		}
		for _, x := range p.suite.Causes(true) {
			x.Case = x.Of() + x.Case
			out.Problems = append(out.Problems, problemView{x.Problem, label(p, x.Arm)})
		}
		for _, r := range p.suite.Recordings {
			x, err := newRecording(r, label(p, r.Arm), v.at(p.run, r.Arm, false))
			if err != nil {
				return out, nil, fmt.Errorf("drawing %s: %w", r.File, err)
			}
			out.Recordings = append(out.Recordings, x)
		}
		out.Reproduce = append(out.Reproduce, reproduction(p, v.machineName(answers, p.run)))
	}
	v.claims(&out, parts)
	reasons(&out, parts, label)
	cases(&out, parts, label)
	n := firstPicture
	pictures := v.compared(name, index, n)
	pictures = append(pictures, v.pictures(parts, index, n+len(pictures))...)
	evidence := v.evidenceOf(parts, index, n+len(pictures), label)
	var data []pictureData
	if at := keyOf(pictures, card, answers); at >= 0 {
		key := pictures[at]
		key.data.Compact = true
		view := key.view()
		out.Key, data = &view, append(data, key.data)
		pictures = slices.Delete(pictures, at, at+1)
	}
	out.Pictures, out.Evidence = columns(pictures), columns(evidence)
	for _, p := range slices.Concat(pictures, evidence) {
		data = append(data, p.data)
	}
	return out, data, nil
}

// keyOf returns which of the pictures is the card's, −1 if none is.
func keyOf(pictures []drawing, card *answer.Study, answers []*result.Answer) int {
	if card == nil {
		return -1
	}
	all := answers[card.Run].Suites[card.Suite].Pictures
	if card.Key < 0 || card.Key >= len(all) {
		return -1
	}
	k := all[card.Key]
	return slices.IndexFunc(pictures, func(d drawing) bool {
		return d.data.Kind == k.Kind && d.data.Title == k.Title && d.data.By == k.By
	})
}

// columns puts pictures side by side: each into the column that is shorter so
// far. (A grid would leave holes beside tall ones, and CSS columns would jump
// when a table is opened.)
func columns(ds []drawing) [][]pictureView {
	if len(ds) == 0 {
		return nil
	}
	out := make([][]pictureView, min(2, len(ds)))
	height := make([]int, len(out))
	for _, d := range ds {
		at := 0
		if len(out) > 1 && height[1] < height[0] {
			at = 1
		}
		out[at] = append(out[at], d.view())
		height[at] += d.height()
	}
	return out
}

// height returns about how many pixels a picture takes.
func (d drawing) height() int {
	const frame = 220
	rows := len(d.frame.Rows)
	switch d.data.Kind {
	case language.Curve, language.Steps:
		return frame + 400
	case "timeline":
		return frame + 260
	case "strips":
		return frame + 18*rows
	case "rounds":
		return frame + 60*rows
	case "narrowing":
		return frame + 40*rows
	}
	return frame + max(24, 9*len(d.data.Sets)*len(d.data.Columns)+10)*rows
}

func reproduction(p part, name string) reproduce {
	a := p.answer
	if a.Kind == result.File {
		return reproduce{Label: name, Facts: []fact{{"file", a.Dir}}}
	}
	r := reproduce{Label: name, Command: a.CommandLine()}
	add := func(n, format string, args ...any) { r.Facts = append(r.Facts, fact{n, fmt.Sprintf(format, args...)}) }
	add("tool", "%s", a.Tool)
	if a.Options.Seed != 0 {
		add("seed", "%d", a.Options.Seed)
		add("profile", "%s, α = %g, at least %s a sample, budget %s", a.Options.Profile, a.Options.Alpha,
			cmp.Or(p.suite.Sample, a.Options.Sample), a.Options.Budget)
	}
	for _, arm := range a.Arms {
		say := arm.Toolchain
		if len(arm.Flags)+len(arm.Env) > 0 {
			say += " with " + strings.Join(slices.Concat(arm.Env, arm.Flags), " ")
		}
		if say != arm.Name {
			say = arm.Name + ": " + say
		}
		add("configuration", "%s", say)
	}
	add("run folder", "%s", a.Dir)
	return r
}

// claims fills the table of claims: a row for each claim of any run, a column
// for each data set that any of them was judged on.
func (v *view) claims(out *studyView, parts []part) {
	var columns []int
	for _, p := range parts {
		for _, c := range p.suite.Claims {
			for _, x := range c.Verdicts {
				if i := v.at(p.run, x.Data, x.Published); i >= 0 && !slices.Contains(columns, i) {
					columns = append(columns, i)
				}
			}
		}
	}
	slices.Sort(columns)
	for _, i := range columns {
		out.Columns = append(out.Columns, setView{v.sets[i].Label, v.sets[i].Published})
	}
	row := map[string]int{}
	for _, p := range parts {
		arms := 0
		if len(parts) > 1 || len(p.answer.Arms) > 1 {
			arms = 2
		}
		for _, c := range p.suite.Claims {
			i, known := row[c.ID]
			if !known {
				i = len(out.Claims)
				row[c.ID] = i
				x := claimView{ID: c.ID, Anchor: fmt.Sprintf("%s-c%d", out.Anchor, i+1), Says: c.Says(), Text: c.Text,
					Pos: c.Pos, Cells: make([]verdictView, len(columns))}
				if all := p.answer.Releases(&c); len(parts) == 1 && len(all) > 1 {
					x.Releases = all
				}
				out.Claims = append(out.Claims, x)
			}
			for _, x := range c.Verdicts {
				at := slices.Index(columns, v.at(p.run, x.Data, x.Published))
				if at < 0 {
					continue
				}
				figures := strings.TrimPrefix(x.Short(), x.Status)
				details := c.Details(x, arms > 1, true)
				out.Claims[i].Cells[at] = verdictView{x.Status, figures}
				for _, d := range details {
					if len(parts) > 1 && !x.Published {
						d = v.sets[columns[at]].Label + ": " + d
					}
					if !slices.Contains(out.Details, d) {
						out.Details = append(out.Details, d)
					}
				}
			}
		}
	}
}

// reasons fills the table of why cases are on the heap: a row for each reason, and for
// the data sets of which the same is said.
func reasons(out *studyView, parts []part, label func(part, string) string) {
	labels := map[string]bool{}
	for _, p := range parts {
		for _, g := range p.suite.ReasonGroups() {
			arms := make([]string, len(g.Arms))
			for i, arm := range g.Arms {
				arms[i] = label(p, arm)
			}
			at := strings.Join(arms, ", ")
			labels[at] = true
			for i, r := range g.Rows {
				x := reasonView{ReasonRow: r}
				if i == 0 {
					x.Case, x.Label, x.Allocs, x.Rows = g.Case, at, g.Allocated, len(g.Rows)
				}
				out.Reasons = append(out.Reasons, x)
			}
		}
	}
	out.ReasonArms = len(labels) > 1
}

// cases fills the table of all cases.
func cases(out *studyView, parts []part, label func(part, string) string) {
	labels := map[string]bool{}
	for _, p := range parts {
		for _, c := range p.suite.Cases {
			x := caseView{Name: c.Name, Label: label(p, c.Arm), Time: c.Time.String(), Others: c.Others(),
				Notes: strings.Join(c.Notes, "; ")}
			out.Others = out.Others || x.Others != "" || x.Notes != ""
			labels[x.Label] = true
			if n, ok := c.Metrics["B/op"]; ok {
				x.Bytes = units.Quantity(float64(n), "B/op")
			}
			if n, ok := c.Metrics["allocs/op"]; ok {
				x.Allocs = units.Quantity(float64(n), "allocs/op")
			}
			if c.Time.N > 0 {
				x.Samples = fmt.Sprint(c.Time.N)
			}
			if c.VsFirst != nil {
				x.Against, out.Compared = c.VsFirst.String(), true
			}
			switch {
			case c.Failed != "":
				x.Time, x.Bad = "failed", true
			case len(c.Invalid) > 0:
				x.Time, x.Bad = result.Invalid, true
			}
			out.Cases = append(out.Cases, x)
		}
	}
	out.SeveralArms = len(labels) > 1
}
