package compare

import (
	"memcost/internal/document"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Details returns what each answer says in full, and what they say of the same cases. A comparison
// of sides is that alone, unless it tests claims.
func Details(answers []*result.Answer) []document.Block {
	var out []document.Block
	names := result.Labels(answers)
	for i, a := range answers {
		blocks := []document.Block{}
		claimed := false
		for _, s := range a.Studies {
			claimed = claimed || len(s.Claims) > 0
		}
		var sides *Report
		if a.Question != nil && a.Question.Comparison != nil {
			sides, _ = OfRun(a) // of a run with one side there is none yet
		}
		if sides != nil {
			blocks = append(blocks, sides.Blocks()...)
		}
		rest := &document.Group{Blocks: a.Blocks()}
		if sides != nil && !claimed {
			rest.On, rest.Long = document.Terminal, true
		}
		blocks = append(blocks, rest)
		if len(answers) > 1 {
			blocks = []document.Block{&document.Group{Frame: document.Frame{Gap: 1}, Level: 1,
				Head: document.As(document.Given, names[i]), Blocks: blocks}}
		}
		out = append(out, blocks...)
	}
	all := Answers(answers)
	for i := range all {
		out = append(out, all[i].block())
	}
	return out
}

// mostCompared is how many cases of a comparison are shown in Markdown before others give way.
const mostCompared = 50

// block is what several answers say of the same cases.
func (v *Comparison) block() document.Block {
	g := &document.Group{Frame: document.Frame{Gap: 1}, Level: 1, Head: document.As(document.Given, v.Study).Said(": compared")}
	n := v.Answers()
	t := &document.Table{Frame: document.Frame{Gap: 1, Rank: 2, Good: mostCompared}, Title: document.As(document.Given,
		v.Table.Title), Columns: document.Heads(document.Figure, append([]string{v.Table.By}, v.Table.Columns...)...)}
	t.Columns[0].Kind = document.Name
	row := func(r figures.Row) *document.Row {
		cells := []document.Text{document.As(document.Given, r.Label)}
		for i, f := range r.Cells {
			if i < n || len(v.Busy) > 0 {
				cells = append(cells, f.Text())
				continue
			}
			cells = append(cells, document.Text{difference(f).Says(f.String())})
		}
		return t.Add(cells...)
	}
	ranks := map[string]int{} // those that differ least give way first
	for i, r := range v.MostDifferent(len(v.Table.Rows)) {
		ranks[r.Label] = i
	}
	for _, r := range v.Table.Rows {
		row(r).Rank = ranks[r.Label]
	}
	row(v.Geomean()).Last = true
	for _, note := range v.Table.Notes {
		t.Notes = append(t.Notes, document.As(document.Warning, "note: ").And(document.As(document.Given, note)))
	}
	below := &document.Group{Frame: document.Frame{Gap: 1, Inset: 2}}
	for i := range v.Runs {
		below.Add(aside(nil, v.Count(n+i)))
	}
	below.Add(aside(document.As(document.Warning, "note: "), notSideBySide))
	g.Add(t, below)
	return g
}

// notSideBySide is what is to be known of a comparison of runs that were measured one after the other.
const notSideBySide = "the runs were not measured side by side, so a difference may come from the machine; " +
	"memcost run --go or --vary measures both in the same rounds"

// difference says what an interval says of a ratio by itself.
func difference(f figures.Figure) document.Verdict {
	switch lo, hi := float64(f.Lo), float64(f.Hi); {
	case !f.Known() || lo != lo:
		return document.NoVerdict
	case lo > 1:
		return document.Worse
	case hi < 1:
		return document.Better
	}
	return document.Undecided
}
