package text

import (
	"fmt"

	"memcost/internal/report/figures"
)

// writeReleases prints a table by toolchain whose figures are exact: a line for each
// column, which says where it changed.
func writeReleases(p *printer, t figures.Table) {
	g := Table{Title: t.Title, Header: []string{"", t.Rows[0].Label}, Left: map[int]bool{1: true}, Prose: 1}
	if n := len(t.Rows); n > 1 {
		g.Header[1] = fmt.Sprintf("%s to %s (%d versions)", t.Rows[0].Label, t.Rows[n-1].Label, n)
	}
	for i, header := range t.Columns {
		g.Rows = append(g.Rows, []Cell{{Text: header}, {Text: t.History(i)}})
	}
	p.table(g)
}
