package page

import (
	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
)

// machines returns what several machines say together: every claim by machine, and figures by the
// strength of the machines; nil where there are not several.
func (p *page) machines() document.Block {
	r := p.front.Machines
	if r == nil {
		return nil
	}
	g := &document.Group{Frame: document.Frame{ID: "by-machine", Class: "machines"}, Level: 2,
		Head: document.Say("Claims by machine: ", r.Says)}
	letters := map[string]string{}
	names := map[string][]document.Text{}
	var kinds []string
	for i, m := range r.Machines {
		if i == 0 || m.Kind != r.Machines[i-1].Kind {
			letters[m.Kind] = units.Letter(len(kinds))
			kinds = append(kinds, m.Kind)
		}
		names[m.Kind] = append(names[m.Kind], given(m.Name))
	}
	f := &document.Facts{}
	for _, k := range kinds {
		f.Add(letters[k], given(k).Said(": ").And(document.Join(names[k], ", "))...)
	}
	g.Add(sentence("soft", "Each mark is one machine; a claim about machines has one verdict over their kinds."), f)
	for _, s := range r.Studies {
		fold := &document.Fold{Head: given(s.Name), Open: len(r.Studies) == 1}
		t := &document.Table{Frame: document.Frame{Class: "by-machine"}, Columns: []document.Column{
			{Head: "claim", Kind: document.Key}}}
		for _, k := range kinds {
			t.Columns = append(t.Columns, document.Column{Head: letters[k], Kind: document.Words, Title: k})
		}
		t.Columns = append(t.Columns, document.Column{Head: "together", Kind: document.Prose})
		for _, c := range s.Claims {
			byMachine(t, r, c, kinds)
		}
		if len(t.Rows) > 0 {
			fold.Add(t)
		}
		for _, c := range s.Claims {
			if c.Line != nil && len(c.Line.Points) > 1 {
				fold.Open = true
				fold.Add(strength(c.ID+": "+c.Line.Title, c.Line, letters))
			}
		}
		if s.Cost != nil {
			fold.Add(strength(s.Cost.Title, s.Cost, letters))
		}
		g.Add(fold)
	}
	return g
}

// byMachine adds the row of a claim: its marks by kind of machine, and behind them what each says.
func byMachine(t *document.Table, r *across.Report, c across.Claim, kinds []string) {
	row := []document.Text{given(c.ID)}
	each := &document.Fold{Head: document.Say(c.Prose)}
	for _, k := range kinds {
		var marks document.Text
		for i, x := range c.Cells {
			if r.Machines[i].Kind == k && x.Status != "" {
				v := x.Status.Verdict()
				marks = append(marks, v.Glyph())
				each.Add(&document.Sentence{Item: true, Text: document.Text{v.Glyph()}.Said(" ", r.Machines[i].Name, ": ",
					x.Says)})
			}
		}
		row = append(row, marks)
	}
	t.Add(append(row, document.Say(c.Says))...).Detail = []document.Block{each}
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

func strength(title string, l *across.Line, letters map[string]string) document.Block {
	d := strengths{Unit: l.Points[0].Figure.Unit, Fitted: [][4]figures.Number{}}
	t := texts("machine", "kind", "strength", "figure")
	for _, x := range l.Points {
		d.Points = append(d.Points, strong{x.Strength, [3]figures.Number{x.Figure.Value, x.Figure.Lo, x.Figure.Hi},
			letters[x.Kind], x.Published, x.Name + ", " + x.Kind + ": " + x.Figure.String()})
		t.Add(given(x.Name), given(x.Kind), document.Say(units.Bytes(float64(x.Strength)), "/s"), figure(x.Figure))
	}
	for _, f := range l.Fitted {
		d.Fitted = append(d.Fitted, [4]figures.Number{f.Strength, f.Value, f.Lo, f.Hi})
	}
	return &document.Picture{Kind: "strength", Says: given(title), Data: d, Table: t,
		Title: document.Say(l.Says, ". Up: ", l.Figure, ". To the right: ", l.Strength, ". Both by factors.")}
}
