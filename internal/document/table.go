package document

import "slices"

// For returns the table as a renderer shows it: its columns, its rows, and what those unfold to; all
// is whether everything is asked for.
func (t *Table) For(on Targets, all bool) *Table {
	out := *t
	out.Columns, out.Rows = nil, nil
	var shown []int
	for i, c := range t.Columns {
		if c.On.Has(on) {
			c.Kind = t.KindOf(i)
			out.Columns, shown = append(out.Columns, c), append(shown, i)
		}
	}
	for _, r := range t.Rows {
		if r.Long && !all {
			out.LeftOut++
			continue
		}
		if len(shown) < len(t.Columns) && !r.Head {
			cells := r.Cells
			r.Cells = nil
			for _, i := range shown {
				if i < len(cells) {
					r.Cells = append(r.Cells, cells[i])
				}
			}
		}
		r.Detail = slices.DeleteFunc(slices.Clone(r.Detail), func(b Block) bool { return !b.Framed().Shown(on, all) })
		out.Rows = append(out.Rows, r)
	}
	return &out
}

// WithoutEmpty returns the table without the columns in which nothing stands.
func (t *Table) WithoutEmpty() *Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		if !slices.ContainsFunc(t.Rows, func(r Row) bool { return i < len(r.Cells) && !r.Cells[i].Empty() }) {
			out.Columns[i].On = nowhere
		}
	}
	return &out
}
