package page

import (
	"slices"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// compared draws a study's runs against each other. The table behind is that of
// the comparison: all cases, with their times.
func (v *view) compared(name string, study, first int) []drawing {
	var out []drawing
	for _, x := range v.comparisons {
		if x.Suite != name {
			continue
		}
		m := merged{Picture: x.Picture}
		m.Sets = nil
		for i, s := range x.Picture.Sets {
			if key := v.at(x.Runs[i], s.Data, false); key >= 0 {
				m.Sets, m.keys = append(m.Sets, s), append(m.keys, key)
			}
		}
		d := v.draw(m, study, first+len(out))
		notes := d.frame.Notes
		d.frame = tableView(x.Table)
		for _, n := range notes {
			if !slices.Contains(d.frame.Notes, n) {
				d.frame.Notes = append(d.frame.Notes, n)
			}
		}
		d.caption = x.Table.Title
		out = append(out, d)
	}
	return out
}

func tableView(t figures.Table) pictureView {
	out := pictureView{Header: append([]string{t.By}, t.Columns...), Notes: slices.Clone(t.Notes)}
	for _, r := range t.Rows {
		row := texts(figures.Label(t.By, r.Label))
		for _, f := range r.Cells {
			row = append(row, cellView{f.String(), f.Note == result.Invalid})
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
