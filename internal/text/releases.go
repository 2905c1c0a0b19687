package text

import (
	"fmt"

	"memcost/internal/result"
)

// released prints a table by toolchain whose figures are exact: a line for each
// column, which says where it changed.
func (p *printer) released(t result.Table) {
	g := grid{title: t.Title, header: []string{"", t.Rows[0].Label}, left: map[int]bool{1: true}, prose: 1}
	if n := len(t.Rows); n > 1 {
		g.header[1] = fmt.Sprintf("%s to %s, %d of them", t.Rows[0].Label, t.Rows[n-1].Label, n)
	}
	for i, header := range t.Columns {
		g.rows = append(g.rows, []entry{{text: header}, {text: t.History(i)}})
	}
	p.grid(g)
}
