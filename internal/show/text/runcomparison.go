package text

import (
	"io"
	"math"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Compare writes what several answers say of the same cases, for a terminal:
// nothing, where they have none in common.
func Compare(w io.Writer, answers []*result.Answer, s Style) error {
	p := &printer{w: w, Style: s}
	all := compare.Answers(answers)
	for i := range all {
		writeComparison(p, &all[i])
	}
	return p.err
}

func writeComparison(p *printer, v *compare.Comparison) {
	p.line(0, pretty.Bold, v.Suite+":", "compared")
	n := v.Answers()
	g := Table{Title: v.Table.Title, Header: append([]string{v.Table.By}, v.Table.Columns...)}
	for _, r := range append(v.Table.Rows[:len(v.Table.Rows):len(v.Table.Rows)], v.Geomean()) {
		cells := []Cell{{Text: r.Label}}
		for i, f := range r.Cells {
			e := Cell{Text: f.String()}
			if i >= n && len(v.Busy) == 0 {
				e.color, e.all = differenceColor(f), true
			}
			cells = append(cells, e)
		}
		g.Rows = append(g.Rows, cells)
	}
	p.table(g)
	for _, note := range v.Table.Notes {
		p.line(gap, pretty.FgYellow, "note:", note)
	}
	p.f("\n")
	for i := range v.Runs {
		p.line(gap, 0, "", v.Count(n+i))
	}
	p.line(gap, pretty.FgYellow, "note:", compare.NotSideBySide)
	p.f("\n")
}

func differenceColor(f figures.Figure) pretty.Color {
	switch lo, hi := float64(f.Lo), float64(f.Hi); {
	case math.IsNaN(float64(f.Value)), math.IsNaN(lo):
		return 0
	case lo > 1:
		return pretty.FgRed
	case hi < 1:
		return pretty.FgGreen
	}
	return pretty.Faint
}
