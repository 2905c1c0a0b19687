package blocks

import (
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/method/claim"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
)

// kindsOf returns the machines of each kind, by the indices of their columns.
func kindsOf(m *across.Report) [][]int {
	var out [][]int
	for i, x := range m.Machines {
		if i == 0 || x.Kind != m.Machines[i-1].Kind {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}

// A machineRow is a claim of a study.
type machineRow struct {
	name  string
	claim *across.Claim
}

// machineRows are the claims of all studies: those about machines, then those on which machines differ.
func machineRows(m *across.Report) []machineRow {
	var out []machineRow
	for i := range m.Studies {
		s := &m.Studies[i]
		for k := range s.Claims {
			name := s.Claims[k].ID
			if len(m.Studies) > 1 {
				name = s.Name + " " + name
			}
			out = append(out, machineRow{name, &s.Claims[k]})
		}
	}
	rank := func(c *across.Claim) int {
		has := func(s claim.Status) bool {
			return slices.ContainsFunc(c.Cells, func(x across.Cell) bool { return x.Status == s })
		}
		switch {
		case c.Line != nil:
			return 0
		case has(claim.Holds) && has(claim.Fails):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b machineRow) int { return rank(a.claim) - rank(b.claim) })
	return out
}

// machines are every claim by machine, by how much machines and boards differ, and figures by the strength
// of the machines; none of one machine.
func machines(m *across.Report) []document.Block {
	if m == nil {
		return nil
	}
	table, lines := claimsByMachine(m)
	if len(table.Rows) == 0 {
		return nil
	}
	head := document.Say("Claims by machine: " + m.Says)
	legend := &document.Sentence{Frame: document.Frame{Rank: 3, Most: 4}, Flow: true, Hang: 2, Text: kindNames(m)}
	spreads := &document.Group{Frame: document.Frame{Rank: 4, Gap: 4, Good: 2},
		Head: document.Say("Time of one case by machine")}
	all := []document.Block{table, lines, legend, spreads}
	for i := range m.Studies {
		s := &m.Studies[i]
		for _, c := range s.Claims {
			if c.Line != nil && len(c.Line.Points) > 1 {
				all = append(all, strength(c.ID+": "+c.Line.Title, c.Line, m, document.Page))
			}
		}
		if s.Cost != nil {
			spreads.Add(item(given(s.Cost.Figure).Said(": ", spreadOf(s, s.Cost.Figure),
				". By the speed of a plain copy: ", s.Cost.Says, ".")))
			all = append(all, strength(s.Cost.Title, s.Cost, m, folded))
		}
	}
	terminal := *spreads
	terminal.On = document.Terminal
	return []document.Block{&document.Group{Frame: document.Frame{Gap: 3, On: document.Terminal}, Head: head,
		Blocks: []document.Block{table, lines, legend}}, &terminal,
		&document.Fold{Frame: document.Frame{Rank: 3, On: document.Markdown}, Head: head, Blocks: all},
		&document.Group{Frame: document.Frame{ID: "by-machine", Class: "machines", On: document.Page}, Level: 2, Head: head,
			Blocks: all}}
}

// folded is where there is room for all of it.
const folded = document.Markdown | document.Page

// claimsByMachine is a row for each claim with its mark on each machine of each kind, behind which the page
// has what each says, and a sentence for each that is about machines.
func claimsByMachine(m *across.Report) (*document.Table, *document.Group) {
	kinds := kindsOf(m)
	t := table(nil, "claim")
	t.Frame, t.Columns[0].Most = document.Frame{Class: "by-machine", Rank: 3, Good: 8, Least: 2}, 25
	for i, of := range kinds {
		t.Columns = append(t.Columns, document.Column{Head: units.Letter(i), Kind: document.Words, Drop: 1 + i,
			Title: m.Machines[of[0]].Kind})
	}
	t.Columns = append(t.Columns, document.Column{Head: "together", Kind: document.Prose})
	lines := &document.Group{Frame: document.Frame{Rank: 3, Good: 2, Least: 1, Inset: 2}}
	for _, r := range machineRows(m) {
		cells := []document.Text{given(r.name)}
		each := &document.Fold{Frame: document.Frame{On: document.Page}, Head: document.Say(r.claim.Prose)}
		for _, of := range kinds {
			var marks document.Text
			for _, i := range of {
				mark := document.Span{Text: " "}
				if v := r.claim.Cells[i].Status.Verdict(); v != document.NoVerdict {
					mark = document.Span{Verdict: v, Text: v.Mark()}
					each.Add(item(document.Text{v.Glyph()}.Said(" ").And(given(m.Machines[i].Name)).Said(": ", r.claim.Cells[i].Says)))
				}
				marks = append(marks, mark)
			}
			cells = append(cells, marks)
		}
		t.Add(append(cells, document.Say(r.claim.Says))...).Detail = []document.Block{each}
		if l := r.claim.Line; l != nil {
			lines.Add(item(given(r.name).Said(": ", l.Says)))
		}
	}
	return t, lines
}

// kindNames says which machines are of which kind.
func kindNames(m *across.Report) document.Text {
	var out document.Text
	for i, of := range kindsOf(m) {
		var names []string
		for _, k := range of {
			names = append(names, m.Machines[k].Name)
		}
		if i > 0 {
			out = out.Said(" · ")
		}
		out = out.And(document.As(document.Strong, units.Letter(i)), document.Say(" "),
			given(m.Machines[of[0]].Kind+": "+strings.Join(names, ", ")))
	}
	return out
}

// strengths is what a figure by the strength of machines is drawn from.
type strengths struct {
	Unit   string              `json:"unit"`
	Points []strong            `json:"points"`
	Fitted [][4]figures.Number `json:"fitted"` // strength, value, lo, hi
}

type strong struct {
	Strength  figures.Number    `json:"strength"`
	Figure    [3]figures.Number `json:"figure"` // value, lo, hi
	Letter    string            `json:"letter"`
	Published bool              `json:"published,omitempty"`
	Says      string            `json:"says"`
}

// strength is a figure of each machine by its strength.
func strength(title string, l *across.Line, m *across.Report, on document.Targets) document.Block {
	letters := map[string]string{}
	for i, of := range kindsOf(m) {
		letters[m.Machines[of[0]].Kind] = units.Letter(i)
	}
	d := strengths{Unit: l.Points[0].Figure.Unit, Fitted: [][4]figures.Number{}}
	t := table(nil, "machine", "kind", "plain copy", "time of "+l.Figure)
	t.Columns[1].Kind = document.Words
	for _, x := range l.Points {
		d.Points = append(d.Points, strong{x.Strength, [3]figures.Number{x.Figure.Value, x.Figure.Lo, x.Figure.Hi},
			letters[x.Kind], x.Published, x.Name + ", " + x.Kind + ": " + x.Figure.String()})
		t.Add(given(x.Name), given(x.Kind), document.Say(units.Bytes(float64(x.Strength)), "/s"), x.Figure.Text())
	}
	for _, f := range l.Fitted {
		d.Fitted = append(d.Fitted, [4]figures.Number{f.Strength, f.Value, f.Lo, f.Hi})
	}
	return &document.Picture{Frame: document.Frame{On: on, Rank: 5}, Kind: "strength", Says: given(title), Data: d, Table: t,
		Title: document.Say(l.Says, ". Up: ", l.Figure, ". To the right: ", l.Strength, ". Both by factors.")}
}

// spreadOf says by how much the times of a case differ.
func spreadOf(s *across.Study, name string) string {
	for _, x := range s.Spreads {
		if x.Case == name {
			return "kinds differ by " + shareText(x.Kinds) + ", boards of one kind by " + shareText(x.Boards) +
				", samples of one board by " + shareText(x.Samples)
		}
	}
	return ""
}

// shareText returns a share, or that it is not known.
func shareText(v figures.Number) string {
	if v >= 0 {
		return units.Percent(float64(v))
	}
	return "an unknown share"
}
