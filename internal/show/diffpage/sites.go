package diffpage

import (
	"fmt"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/show/difftext"
	"memcost/internal/sites/diff"
)

// sites fills in the tables of sites, and returns what the script reads of the first.
func (m *maker) sites(p *part) []dataSite {
	data := []dataSite{}
	moved, same, idle := &closed{Title: difftext.Titles[diff.Moved]},
		&closed{Title: difftext.Titles[diff.Same]},
		&closed{Title: "on one side only, and allocated nothing in the benchmarks of both"}
	if p.Static {
		idle.Title = "on one side only, and need not allocate"
	}
	left := 0
	for i, c := range m.d.Sites {
		into := map[diff.Kind]*closed{diff.Moved: moved, diff.Same: same}[c.Kind]
		if c.Idle {
			into = idle
		}
		switch {
		case into != nil:
			into.Rows = append(into.Rows, m.row(i))
		case len(p.Rows) == rowsMost:
			left++
		default:
			r := m.row(i)
			p.Rows, data = append(p.Rows, r), append(data, dataOf(c, r))
			p.Kinds = counted(p.Kinds, r.Kind, r.Words)
			p.Causes = counted(p.Causes, c.Place().Cause.Key, r.Cause)
		}
	}
	if left > 0 {
		p.RowsMore = units.Thousands(left) + " more sites"
	}
	for _, x := range []*closed{moved, same, idle} {
		if n := len(x.Rows); n > 0 {
			x.Title += ": " + units.Thousands(n)
			if n > rowsMost {
				x.Rows, x.More = x.Rows[:rowsMost], units.Thousands(n-rowsMost)+" more sites"
			}
			p.Closed = append(p.Closed, *x)
		}
	}
	return data
}

// counted counts a choice.
func counted(all []choice, key, words string) []choice {
	for i := range all {
		if all[i].Key == key {
			all[i].Sites++
			return all
		}
	}
	return append(all, choice{key, words, 1})
}

func dataOf(c diff.Change, r row) dataSite {
	out := dataSite{Anchor: r.Anchor, Kind: r.Kind, Cause: c.Place().Cause.Key, Name: r.Name}
	if len(c.Costs) > 0 {
		x := c.Costs[0]
		out.Sort = [3]float64{x.Objects.Delta(), x.Bytes.Delta(), x.Share.New.Value - x.Share.Old.Value}
	}
	return out
}

// row returns a site as the tables have it.
func (m *maker) row(i int) row {
	c := m.d.Sites[i]
	p := c.Place()
	name, at, _ := difftext.Naming(c)
	r := row{Anchor: m.prefix + "site-" + strconv.Itoa(i), Kind: kindOf(c), Words: kindWords[kindOf(c)], Name: name,
		Place: at, Text: p.Text, Cause: causeWords(p.Cause), Class: string(p.Class), Probably: c.Probably}
	if c.Kind == diff.New || r.Kind == "more" || r.Kind == "mixed" {
		r.Fix = p.Cause.Fix
	}
	if len(c.Costs) > 0 {
		x := c.Costs[0]
		r.Objects, r.Bytes = difftext.Figure(c.Kind, x.Objects, "allocs/op"), difftext.Figure(c.Kind, x.Bytes, "B/op")
		r.CPU = share(c, x.Share)
		if len(m.d.Benchmarks) > 1 {
			r.In = "in " + m.bench(x.Benchmark)
			if more := len(c.Costs) - 1; more > 0 {
				r.In += fmt.Sprintf(" and %d more", more)
			}
		}
	}
	m.detail(&r, c)
	return r
}

// detail fills in what a row opens to.
func (m *maker) detail(r *row, c diff.Change) {
	add := func(name string, p *diff.Place) {
		if p != nil {
			r.Sides = append(r.Sides, side{name, p.Function, place(p), p.Text, string(p.Class), causeWords(p.Cause),
				p.ID})
		}
	}
	add(m.d.Old.Name, c.Old)
	add(m.d.New.Name, c.New)
	if len(r.Sides) == 1 || r.Sides[0].Text == r.Sides[1].Text {
		for i := range r.Sides {
			r.Sides[i].Text = "" // the row has it
		}
	}
	for i, x := range c.Costs {
		if i == costsMost {
			r.CostsMore = len(c.Costs) - i
			break
		}
		y := cost{Name: m.bench(x.Benchmark), ObjectsOld: units.Quantity(x.Objects.Old, "allocs/op"),
			ObjectsNew: units.Quantity(x.Objects.New, "allocs/op"), BytesOld: units.Quantity(x.Bytes.Old, "B/op"),
			BytesNew: units.Quantity(x.Bytes.New, "B/op")}
		if x.Share.Old.Runs+x.Share.New.Runs > 0 {
			y.CPUOld, y.CPUNew = interval(x.Share.Old, "cpu-share"), interval(x.Share.New, "cpu-share")
			r.Shares = true
		}
		r.Costs = append(r.Costs, y)
	}
}

// share formats the share of CPU time of a site: both where they changed.
func share(c diff.Change, p diff.PairShare) string {
	switch {
	case p.Changed:
		return interval(p.Old, "cpu-share") + " → " + interval(p.New, "cpu-share")
	case c.New == nil || p.New.Runs == 0:
		return ""
	}
	return interval(p.New, "cpu-share")
}
