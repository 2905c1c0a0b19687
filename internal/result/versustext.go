package result

import (
	"fmt"
	"io"
	"math"

	"github.com/jedib0t/go-pretty/v6/text"
)

// CompareText writes what several answers say of the same cases, for a terminal:
// nothing, where they have none in common.
func CompareText(w io.Writer, answers []*Answer, s Style) error {
	p := &printer{w: w, Style: s}
	all := Compare(answers)
	for i := range all {
		p.versus(&all[i])
	}
	return p.err
}

func (p *printer) versus(v *Versus) {
	p.line(0, text.Bold, v.Suite+":", "compared")
	n := v.answers()
	g := grid{title: v.Table.Title, header: append([]string{v.Table.By}, v.Table.Columns...)}
	for _, r := range append(v.Table.Rows[:len(v.Table.Rows):len(v.Table.Rows)], v.Geomean()) {
		cells := []entry{{text: r.Label}}
		for i, f := range r.Cells {
			e := entry{text: cell(f)}
			if i >= n {
				e.color, e.all = differenceColor(f), true
			}
			cells = append(cells, e)
		}
		g.rows = append(g.rows, cells)
	}
	p.grid(g)
	for _, note := range v.Table.Notes {
		p.line(gap, text.FgYellow, "note:", note)
	}
	p.f("\n")
	for i := range v.Runs {
		p.line(gap, 0, "", v.count(n+i))
	}
	p.line(gap, text.FgYellow, "note:", notSideBySide)
	p.f("\n")
}

const notSideBySide = "they were not measured side by side, so that a difference may be the machine's; memcost run --go or --vary measures both in the same rounds"

func differenceColor(f Figure) text.Color {
	switch lo, hi := float64(f.Lo), float64(f.Hi); {
	case math.IsNaN(float64(f.Value)), math.IsNaN(lo):
		return 0
	case lo > 1:
		return text.FgRed
	case hi < 1:
		return text.FgGreen
	}
	return text.Faint
}

// count says how many ratios of a column have an interval without 1.
func (v *Versus) count(col int) string {
	slower, faster, all := 0, 0, 0
	for _, r := range v.Table.Rows {
		f := r.Cells[col]
		if math.IsNaN(float64(f.Value)) {
			continue
		}
		all++
		switch {
		case f.Lo > 1:
			slower++
		case f.Hi < 1:
			faster++
		}
	}
	say := fmt.Sprintf("%s: %d slower, %d faster, %d open, of %s", v.Table.Columns[col], slower, faster, all-slower-faster, plural(all, "case"))
	if by := 0.05 * float64(all); by >= 0.5 {
		say += fmt.Sprintf("; each is judged by itself at 5%%: if nothing had changed, about %.0f would differ by chance", math.Round(by))
	}
	return say
}
