package text

import (
	"fmt"
	"slices"

	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// claims writes one table for each suite: a row for each claim, a column for each
// data set.
func (m *mdAnswers) claims() {
	for _, g := range m.groups {
		t := claimTable{rows: map[string][]string{}}
		for _, published := range []bool{false, true} {
			for _, x := range g.Sides {
				for _, c := range x.Suite.Claims {
					t.add(m, x, c, published)
				}
			}
		}
		if len(t.ids) == 0 {
			continue
		}
		var rows [][]string
		for _, id := range t.ids {
			r := t.rows[id]
			for len(r) < len(t.header)+2 {
				r = append(r, "")
			}
			rows = append(rows, r)
		}
		m.table(append([]string{"claim", ""}, t.header...), len(t.header)+2, rows)
		for _, d := range t.details {
			m.item("- " + d)
		}
		m.line("")
	}
}

type claimTable struct {
	ids     []string
	rows    map[string][]string
	header  []string
	columns []string // what the columns are, for finding them again
	details []string // Markdown
}

// add puts the verdicts of a claim into the table: those of the answer's own
// data, or the published ones, each of which several answers may bring.
func (t *claimTable) add(m *mdAnswers, x *compare.SuiteSide, c result.Claim, published bool) {
	row := t.rows[c.ID]
	if row == nil {
		t.ids = append(t.ids, c.ID)
		row = []string{mdName(c.ID), md(c.Says())}
	}
	for _, v := range c.Verdicts {
		if v.Published != published {
			continue
		}
		key, name := "published "+v.Data, md(figures.ShortName(v.Data))+", published"
		if !published {
			key, name = fmt.Sprint(x.Answer, " ", v.Data), m.data(x.Answer, v.Data)
		}
		col := slices.Index(t.columns, key)
		if col < 0 {
			col = len(t.columns)
			t.columns, t.header = append(t.columns, key), append(t.header, name)
		}
		for len(row) <= col+2 {
			row = append(row, "")
		}
		if row[col+2] == "" {
			row[col+2] = icon(v.Status) + md(v.Short())
		}
		for _, d := range c.Details(v, len(m.answers[x.Answer].Arms) > 1, true) {
			if d = md(d); len(m.answers) > 1 && !published {
				d = mdName(m.names[x.Answer]) + ": " + d
			}
			if !slices.Contains(t.details, d) {
				t.details = append(t.details, d)
			}
		}
	}
	t.rows[c.ID] = row
}
