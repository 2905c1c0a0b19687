package page

import (
	"cmp"
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// The pictures of the evidence, one of each kind for each run of a study.
func (v *view) evidenceOf(parts []part, study, n int, label func(part, string) string) []drawing {
	var out []drawing
	for _, p := range parts {
		e := p.suite.Evidence
		if e == nil {
			continue
		}
		where := ""
		if len(parts) > 1 {
			where = " · " + v.sets[v.at(p.run, p.answer.Arms[0].Name, false)].Machine
		}
		add := func(kind, title, sentence string, data any, frame pictureView) {
			out = append(out, drawing{
				data: pictureData{ID: fmt.Sprintf("picture-%d", n+len(out)), Study: study, Kind: kind, Title: title +
					where,
					Sentence: sentence, Roofline: -1, Evidence: data},
				frame: frame, caption: title + where})
		}
		if t := e.Timeline; len(t.Points) > 0 {
			add("timeline", "Round by round", t.Sentence(copies(p.answer), p.answer.Rounds, p.answer.Excluded()),
				newTimeline(t),
				timelineTable(t))
		}
		if len(e.Strips) > 0 {
			frame := stripsTable(e.Strips, func(arm string) string { return label(p, arm) })
			if e.MoreCases > 0 {
				frame.Notes = append(frame.Notes, fmt.Sprintf("%d more cases vary less and are not drawn",
					e.MoreCases))
			}
			add("strips", "Process by process", e.StripsSentence(), newStrips(e.Strips, len(p.answer.Arms) > 1), frame)
		}
		if len(e.Narrowing) > 0 {
			add("narrowing", "How the intervals narrowed", e.NarrowingSentence(),
				newNarrowing(e.Narrowing, len(p.answer.Arms) > 1), narrowingTable(e.Narrowing))
		}
	}
	return out
}

// copies returns the cases of a run that were measured against their own copies.
func copies(a *result.Answer) []result.Copy {
	var out []result.Copy
	for _, n := range a.NoiseFloor {
		out = append(out, result.Copy{Case: n.Case, Spread: float64(n.Spread)})
	}
	return out
}

type timelineData struct {
	PerPoint  int             `json:"perPoint"`
	Points    [][4]number     `json:"points"` // round, lo, mid, hi
	Doubles   []doubleData    `json:"doubles"`
	Disturbed []disturbedData `json:"disturbed"`
}

type doubleData struct {
	Case   string      `json:"case"`
	Points [][2]number `json:"points"` // round, ratio
}

type disturbedData struct {
	Round  int    `json:"round"`
	Reason string `json:"reason"`
}

func newTimeline(t result.Timeline) timelineData {
	d := timelineData{PerPoint: t.PerPoint, Doubles: []doubleData{}, Disturbed: []disturbedData{}}
	for _, m := range t.Points {
		d.Points = append(d.Points, [4]number{number(m.Round), number(m.Lo), number(m.Mid), number(m.High)})
	}
	for _, l := range t.Doubles {
		x := doubleData{Case: l.Case}
		for i, r := range l.Rounds {
			x.Points = append(x.Points, [2]number{number(r), number(l.Ratios[i])})
		}
		d.Doubles = append(d.Doubles, x)
	}
	for _, x := range t.Disturbed {
		d.Disturbed = append(d.Disturbed, disturbedData{x.Round, x.Reason + " while " + x.Side + " ran"})
	}
	return d
}

func timelineTable(t result.Timeline) pictureView {
	out := pictureView{Header: []string{"round", "10th percentile", "median", "90th percentile",
		"rule for exclusion met by"}}
	for _, m := range t.Points {
		why := ""
		for _, x := range t.Disturbed {
			if x.Round == m.Round {
				why = fmt.Sprintf("%s while %s ran (%s)", x.Reason, x.Side, units.Plural(x.Count, "comparison"))
			}
		}
		out.Rows = append(out.Rows, texts(fmt.Sprint(m.Round), times(m.Lo), times(m.Mid), times(m.High), why))
	}
	return out
}

func times(x float64) string { return units.Quantity(x, "") }

func texts(ss ...string) []cellView {
	out := make([]cellView, len(ss))
	for i, s := range ss {
		out[i].Text = s
	}
	return out
}

type stripData struct {
	Case   string   `json:"case"`
	Median number   `json:"median"`
	N      int      `json:"n"`
	Ratios []number `json:"ratios"`
	Groups []number `json:"groups,omitempty"` // the two centres over the median
}

func newStrips(ss []result.Strip, arms bool) []stripData {
	var out []stripData
	for _, s := range ss {
		d := stripData{Case: s.Case, Median: number(s.Median), N: s.N}
		if arms {
			d.Case += " · " + s.Arm
		}
		for _, r := range s.Ratios {
			d.Ratios = append(d.Ratios, number(r))
		}
		if s.Groups != nil {
			for _, c := range s.Groups.Centres {
				d.Groups = append(d.Groups, number(c/s.Median))
			}
		}
		out = append(out, d)
	}
	return out
}

func stripsTable(ss []result.Strip, label func(string) string) pictureView {
	out := pictureView{Header: []string{"case", "config", "processes", "median", "fastest", "slowest", "two speeds"}}
	for _, s := range ss {
		two := "no"
		if s.N < 12 {
			two = "too few processes"
		}
		if g := s.Groups; g != nil {
			two = fmt.Sprintf("%d at %s, %d at %s", g.Low, units.Quantity(g.Centres[0], "sec/op"), s.N-g.Low,
				units.Quantity(g.Centres[1], "sec/op"))
		}
		out.Rows = append(out.Rows, texts(s.Case, label(s.Arm), fmt.Sprint(s.N), units.Quantity(s.Median, "sec/op"),
			times(s.Ratios[0]), times(s.Ratios[len(s.Ratios)-1]), two))
	}
	return out
}

type narrowingData struct {
	Label  string      `json:"label"`
	Points [][3]number `json:"points"` // rounds, lo, hi
}

func narrowingLabel(x result.Narrowing, arms bool) string {
	key, value, ok := strings.Cut(x.Label, "=")
	label := x.Label
	if ok && key == "size" {
		label = figures.Label(key, value)
	}
	if arms {
		label += " · " + x.Arm
	}
	return label
}

func newNarrowing(xs []result.Narrowing, arms bool) []narrowingData {
	var out []narrowingData
	for _, x := range xs {
		d := narrowingData{Label: narrowingLabel(x, arms), Points: [][3]number{}}
		for i, r := range x.Rounds {
			d.Points = append(d.Points, [3]number{number(r), number(x.Lo[i]), number(x.Hi[i])})
		}
		out = append(out, d)
	}
	return out
}

func narrowingTable(xs []result.Narrowing) pictureView {
	out := pictureView{Header: []string{"ratio", "config", "first interval", "after", "last interval", "after",
		"rests on"}}
	for _, x := range xs {
		n := len(x.Rounds)
		if n == 0 {
			out.Rows = append(out.Rows, texts(narrowingLabel(x, false), x.Arm, "none yet", "", "", "", ""))
			continue
		}
		iv := func(i int) string { return times(x.Lo[i]) + " to " + times(x.Hi[i]) }
		rounds := func(i int) string { return fmt.Sprintf("%d rounds", x.Rounds[i]) }
		out.Rows = append(out.Rows, texts(narrowingLabel(x, false), x.Arm, iv(0), rounds(0), iv(n-1), rounds(n-1),
			cmp.Or(result.EvidenceRests(x.Rests), "independent rounds")))
	}
	return out
}
