package front

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/method/claim"
	"memcost/internal/report/across"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// cases adds the cases of packages that nothing else shows, or what several answers say of the
// same cases.
func (r *Report) cases(d *document.Document) {
	for i := range r.Compared {
		d.Add(compared(&r.Compared[i]))
	}
	if len(r.Compared) > 0 {
		d.Add(&document.Sentence{Frame: document.Frame{Rank: 5, Good: 2, Least: 1, On: document.Terminal}, Flow: true, Hang: 2,
			Text: document.As(document.Warning, "note:").Said(" ", compare.NotSideBySide)})
		return
	}
	for i := range r.Front.Studies {
		a, s := r.study(&r.Front.Studies[i])
		switch titled := len(r.Front.Studies) > 1; {
		case s == nil:
		case len(s.Cases) == 0 || !listed(s):
			changes(d, a, s, titled)
		default:
			add(d, casesOf(a, s, titled))
		}
	}
}

// listed reports whether the cases of a study are listed: where nothing else shows its figures.
func listed(s *result.Study) bool { return len(s.Claims) == 0 || len(s.Tables) == 0 }

// casesOf lists the cases of a package with their costs: of many the first ones.
func casesOf(a *result.Answer, s *result.Study, titled bool) *document.Table {
	t := &document.Table{Frame: document.Frame{Rank: 7, Gap: 2, Good: 6, Least: 1, On: document.Terminal},
		Columns: []document.Column{{Head: "case", Kind: document.Name}}, LeftOut: max(len(s.Cases)-Lines, 0)}
	if titled {
		t.Title = given(s.Name)
	} else {
		t.Inset = 2
	}
	many := len(a.Arms) > 1
	against := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.VsFirst != nil })
	others := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.Others() != "" })
	column := func(shown bool, head string, kind document.ColumnKind, drop int) {
		if shown {
			t.Columns = append(t.Columns, document.Column{Head: head, Kind: kind, Drop: drop})
		}
	}
	column(many, "config", document.Words, 0)
	column(true, "time/op", document.Figure, 0)
	column(true, "B/op", document.Figure, 2)
	column(true, "allocs/op", document.Figure, 1)
	column(others, "other metrics", document.Words, 3)
	if against {
		column(true, "vs "+a.Arms[0].Name, document.Figure, 0)
	}
	for _, c := range s.Cases[:min(len(s.Cases), Lines)] {
		row := []document.Text{given(c.Name)}
		if many {
			row = append(row, given(c.Arm))
		}
		row = append(row, timeOf(c), document.Say(c.Metric("B/op")), document.Say(c.Metric("allocs/op")))
		if others {
			row = append(row, given(c.Others()))
		}
		if against {
			row = append(row, versus(c.VsFirst))
		}
		t.Add(row...)
	}
	if _, count, rest := a.Changed(s); count != "" {
		t.Notes = append(t.Notes, document.As(document.Strong, count).Said(" ", rest))
	}
	return t
}

// timeOf returns the time of a case, or why it has none.
func timeOf(c result.Case) document.Text {
	switch {
	case c.Failed != "":
		return document.Text{document.Failed.Says(result.Failed)}
	case len(c.Invalid) > 0:
		return document.Text{document.Invalid.Says(claim.InvalidNote)}
	}
	return document.Say(c.Time.String())
}

// versus returns a comparison with the first configuration.
func versus(c *result.Comparison) document.Text {
	if c == nil {
		return nil
	}
	v := document.NotTested
	if c.Difference == claim.Changed {
		v = c.Difference.Verdict(c.Value >= 1)
	}
	return document.Text{{Text: c.String(), Verdict: v}}
}

// changes lists the cases of a study that cost more or less than with the first configuration, if
// there are several.
func changes(d *document.Document, a *result.Answer, s *result.Study, titled bool) {
	changed, count, rest := a.Changed(s)
	if count == "" {
		return
	}
	if titled {
		count = s.Name + ": " + count
	}
	say := document.As(document.Strong, count).Said(" ", rest)
	frame := document.Frame{Rank: 7, Gap: 2, Good: 4, Least: 1, On: document.Terminal}
	if len(changed) == 0 {
		frame.Most, frame.Good, frame.Least = 3, -1, 0
		d.Add(&document.Sentence{Frame: frame, Text: say, Flow: true, Hang: 2})
		return
	}
	t := &document.Table{Frame: frame, Title: say, LeftOut: max(len(changed)-Lines, 0),
		Columns: []document.Column{{Head: "changed", Kind: document.Name}, {Head: "config", Kind: document.Words},
			{Head: "time/op"}, {Head: "vs " + a.Arms[0].Name}}}
	for _, c := range changed[:min(len(changed), Lines)] {
		t.Add(given(c.Name), given(c.Arm), document.Say(c.Time.String()), versus(c.VsFirst))
	}
	d.Add(t)
}

// compared shows what several answers say of the same cases: those that differ most, with the
// geometric mean below.
func compared(v *compare.Comparison) *document.Table {
	n := v.Answers()
	t := &document.Table{Frame: document.Frame{Rank: 7, Gap: 2, Good: 6, Least: 1, On: document.Terminal},
		Title: document.As(document.Strong, v.Study+": compared").And(document.As(document.Faint, " · "+
			strings.TrimSuffix(v.Table.Title, "."))),
		Columns: []document.Column{{Head: v.Table.By, Kind: document.Name}}}
	for i, head := range v.Table.Columns {
		column := document.Column{Head: head}
		switch last := len(v.Table.Columns); { // times of further answers go first, then ratios of the last ones
		case i > 0 && i < n:
			column.Drop = last + i
		case i > n:
			column.Drop = i
		}
		t.Columns = append(t.Columns, column)
	}
	add := func(r figures.Row) *document.Row {
		cells := []document.Text{given(r.Label)}
		for i, f := range r.Cells {
			text := document.Say(f.String())
			if i >= n && len(v.Busy) == 0 {
				text[0].Verdict = ratioVerdict(f)
			}
			cells = append(cells, text)
		}
		return t.Add(cells...)
	}
	rows := v.MostDifferent(Lines)
	for _, r := range rows {
		add(r)
	}
	add(v.Geomean()).Last = true
	t.LeftOut = max(len(v.Table.Rows)-len(rows), 0)
	for _, note := range v.Table.Notes {
		t.Notes = append(t.Notes, document.As(document.Warning, "note:").Said(" ").And(given(note)))
	}
	const most = 3
	for i := range v.Runs[:min(len(v.Runs), most)] {
		t.Notes = append(t.Notes, given(v.Count(n+i)))
	}
	if left := len(v.Runs) - most; left > 0 {
		t.Notes = append(t.Notes, document.Say(fmt.Sprintf("and %d more runs: --long", left)))
	}
	return t
}

func ratioVerdict(f figures.Figure) document.Verdict {
	switch {
	case !f.Known() || !f.Bounded():
		return document.NoVerdict
	case f.Lo > 1:
		return document.Worse
	case f.Hi < 1:
		return document.Better
	}
	return document.NotTested
}

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

// machines adds every claim by machine, and by how much machines and boards differ.
func machines(d *document.Document, m *across.Report) {
	if m == nil {
		return
	}
	table, lines := claimsByMachine(m)
	if len(table.Rows) == 0 {
		return
	}
	head := document.Say("Claims by machine: " + m.Says)
	legend := &document.Sentence{Frame: document.Frame{Rank: 3, Most: 4}, Flow: true, Hang: 2, Text: kindNames(m)}
	fold := &document.Fold{Frame: document.Frame{Rank: 3, On: document.Markdown}, Head: head}
	fold.Add(table, lines, legend)
	spreads := &document.Group{Frame: document.Frame{Rank: 4, Gap: 4, Good: 2},
		Head: document.Say("Time of one case by machine")}
	for i := range m.Studies {
		s := &m.Studies[i]
		if s.Cost == nil {
			continue
		}
		spreads.Add(&document.Sentence{Item: true, Text: given(s.Cost.Figure).Said(": ", spreadOf(s, s.Cost.Figure),
			". By the speed of a plain copy: ", s.Cost.Says, ".")})
		fold.Add(costs(s.Cost))
	}
	fold.Add(spreads)
	terminal := *spreads
	terminal.On = document.Terminal
	d.Add(&document.Group{Frame: document.Frame{Gap: 3, On: document.Terminal}, Head: head,
		Blocks: []document.Block{table, lines, legend}}, &terminal, fold)
}

// claimsByMachine is a row for each claim with its mark on each machine of each kind, and a
// sentence for each that is about machines.
func claimsByMachine(m *across.Report) (*document.Table, *document.Group) {
	kinds := kindsOf(m)
	t := &document.Table{Frame: document.Frame{Rank: 3, Good: 8, Least: 2},
		Columns: []document.Column{{Head: "claim", Kind: document.Name, Most: 25}}}
	for i := range kinds {
		t.Columns = append(t.Columns, document.Column{Head: units.Letter(i), Kind: document.Words, Drop: 1 + i})
	}
	t.Columns = append(t.Columns, document.Column{Head: "together", Kind: document.Prose})
	lines := &document.Group{Frame: document.Frame{Rank: 3, Good: 2, Least: 1, Inset: 2}}
	for _, r := range machineRows(m) {
		cells := []document.Text{given(r.name)}
		for _, of := range kinds {
			var marks document.Text
			for _, i := range of {
				mark := document.Span{Text: " "}
				if v := r.claim.Cells[i].Status.Verdict(); v != document.NoVerdict {
					mark = document.Span{Verdict: v, Text: v.Mark()}
				}
				marks = append(marks, mark)
			}
			cells = append(cells, marks)
		}
		t.Add(append(cells, document.Say(r.claim.Says))...)
		if l := r.claim.Line; l != nil {
			lines.Add(&document.Sentence{Item: true, Text: given(r.name).Said(": ", l.Says)})
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

// costs is the time of a case on each machine, which a comment has room for.
func costs(c *across.Line) *document.Table {
	t := &document.Table{Frame: document.Frame{Rank: 5}, Columns: []document.Column{{Head: "machine", Kind: document.Name},
		{Head: "kind", Kind: document.Words}, {Head: "plain copy"}, {Head: "time of " + c.Figure}}}
	for _, p := range c.Points {
		t.Add(given(p.Name), given(p.Kind), document.Say(units.Bytes(float64(p.Strength))+"/s"), document.Say(p.Figure.String()))
	}
	return t
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
