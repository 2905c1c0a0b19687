package compare

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/perf/benchmath"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// sides are those of a shared study that have cases.
type sides []*StudySide

// compare compares the first of the sides with the others; false when they have
// nothing in common.
func (g sides) compare(name string, names []string) (Comparison, bool) {
	base, title := g[0], ""
	v := Comparison{Study: name}
	v.Table = figures.Table{By: "case", Side: base.cases[0].Side}
	for i, x := range g {
		v.Parts = append(v.Parts, Part{x.Answer, x.Study.Name})
		v.Table.Columns = append(v.Table.Columns, names[x.Answer])
		switch {
		case i == 0:
		case i == 1:
			title = names[x.Answer]
		case i == len(g)-1:
			title += " and " + names[x.Answer]
		default:
			title += ", " + names[x.Answer]
		}
	}
	for _, x := range g[1:] {
		v.Table.Columns = append(v.Table.Columns, names[x.Answer]+"/"+names[base.Answer])
	}
	v.Table.Title = title + " against " + names[base.Answer]
	matched := make([]int, len(g))
	for _, c := range base.cases {
		row, ok := g.row(c, matched)
		if ok {
			matched[0]++
			v.Table.Rows = append(v.Table.Rows, row)
		}
	}
	g.ratios(&v.Table)
	for i, x := range g {
		if left := len(x.cases) - matched[i]; left > 0 {
			v.Table.Notes = append(v.Table.Notes, fmt.Sprintf("%s of %s are left out: no other run has them",
				units.Plural(left, "case"), names[x.Answer]))
		}
	}
	v.draw(g, names)
	return v, len(v.Table.Rows) > 0
}

// row holds the times of a case; the ratios are to come.
func (g sides) row(c *result.Case, matched []int) (figures.Row, bool) {
	r := figures.Row{Label: c.Name, Cells: []figures.Figure{figureOf(c)}}
	found := false
	for i, x := range g[1:] {
		other := x.find(c, g[0])
		if other != nil {
			found = true
			matched[i+1]++
		}
		r.Cells = append(r.Cells, figureOf(other))
	}
	for range g[1:] {
		r.Cells = append(r.Cells, figures.NoFigure())
	}
	return r, found
}

// ratios fills the columns of ratios, on all CPUs: with ties the exact p of two
// samples of 25 takes 5 ms.
func (g sides) ratios(t *figures.Table) {
	var work sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, r := range t.Rows {
		limit <- struct{}{}
		work.Go(func() {
			c := g[0].byName[r.Label]
			for i, x := range g[1:] {
				if other := x.find(c, g[0]); other != nil {
					r.Cells[len(g)+i] = against(c, other)
				}
			}
			<-limit
		})
	}
	work.Wait()
}

// against returns the ratio of b's time to a's, with the interval of the Mann–Whitney
// test and its p as benchstat shows it.
func against(a, b *result.Case) figures.Figure {
	if len(a.Times) == 0 || len(b.Times) == 0 || len(a.Invalid)+len(b.Invalid) > 0 {
		return figures.NoFigure()
	}
	ratio, iv := stat.Shift(a.Times, b.Times, plan.Alpha)
	f := figures.Single(ratio, min(len(a.Times), len(b.Times)), "").Between(iv)
	f.Medians = figures.Number(stat.Median(b.Times) / stat.Median(a.Times))
	p := benchmath.AssumeNothing.Compare(result.Sample(a.Times), result.Sample(b.Times)).P
	f.Note = fmt.Sprintf("p=%.3f n=%d+%d", p, len(a.Times), len(b.Times))
	return f
}

// draw makes the picture: of the cases that differ most, where there are many.
func (v *Comparison) draw(g sides, names []string) {
	p := &v.Picture
	*p = figures.Picture{Kind: language.Forest, Title: v.Table.Title, By: "case", Roofline: -1,
		Columns: []string{"time over " + names[g[0].Answer]}}
	if len(g) == 2 {
		p.Columns = []string{v.Table.Columns[2]}
	}
	rows := v.Table.Rows
	if len(rows) > figures.MaxForest { // in the order of the table
		most := v.MostDifferent()[:figures.MaxForest]
		rows = slices.DeleteFunc(slices.Clone(rows), func(r figures.Row) bool {
			return !slices.ContainsFunc(most, func(m figures.Row) bool { return m.Label == r.Label })
		})
	}
	for i, x := range g[1:] {
		s := figures.PictureSet{Data: x.cases[0].Side}
		for _, r := range rows {
			if f := r.Cells[len(g)+i]; !math.IsNaN(float64(f.Value)) {
				s.Rows = append(s.Rows, figures.Row{Label: r.Label, Cells: []figures.Figure{f}})
			}
		}
		if len(rows) < len(v.Table.Rows) {
			s.Notes = append(s.Notes, fmt.Sprintf("drawn are the %d cases of %d that differ most", len(rows),
				len(v.Table.Rows)))
		}
		p.Sets = append(p.Sets, s)
		v.Runs = append(v.Runs, x.Answer)
	}
}

// MostDifferent returns the rows of the table, those with ratios farthest from 1 first.
func (v *Comparison) MostDifferent() []figures.Row {
	far := map[string]float64{}
	for _, r := range v.Table.Rows {
		for _, f := range r.Cells[v.Answers():] {
			if x := math.Abs(math.Log(float64(f.Value))); x > far[r.Label] {
				far[r.Label] = x
			}
		}
	}
	rows := slices.Clone(v.Table.Rows)
	slices.SortStableFunc(rows, func(a, b figures.Row) int { return cmp.Compare(far[b.Label], far[a.Label]) })
	return rows
}

// Answers returns how many columns of the table are times.
func (v *Comparison) Answers() int { return (len(v.Table.Columns) + 1) / 2 }

// Geomean returns the last row of the table, which benchstat has too: the geometric
// means of the medians of each answer and of their ratios. It has no interval. To
// be comparable, they are all over the same cases: those that every answer has.
func (v *Comparison) Geomean() figures.Row {
	out := figures.Row{Label: "geomean"}
	n := v.Answers()
	complete := slices.DeleteFunc(slices.Clone(v.Table.Rows), func(r figures.Row) bool {
		return slices.ContainsFunc(r.Cells, func(f figures.Figure) bool {
			return !(f.Medians > 0) || math.IsInf(float64(f.Medians), 0)
		})
	})
	for col := range v.Table.Columns {
		f := figures.NoFigure()
		sum := 0.0
		for _, r := range complete {
			sum += math.Log(float64(r.Cells[col].Medians))
			f.N++
		}
		if f.N > 0 {
			f.Value = figures.Number(math.Exp(sum / float64(f.N)))
			f.Medians = f.Value
		}
		if col < n {
			f.Unit = "sec/op"
		}
		out.Cells = append(out.Cells, f)
	}
	return out
}

// Count says how many ratios of a column have an interval without 1.
func (v *Comparison) Count(col int) string {
	if len(v.Busy) > 0 {
		return v.Table.Columns[col] + ": no verdict, the machine was busy in " + strings.Join(v.Busy, " and in ")
	}
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
	say := fmt.Sprintf("%s: %d above 1, %d below 1, %d undecided, of %s", v.Table.Columns[col], slower, faster,
		all-slower-faster, units.Plural(all, "case"))
	if by := 0.05 * float64(all); by >= 0.5 {
		say += fmt.Sprintf("; each is tested by itself at 5%%: if nothing had changed, about %.0f be off 1 by "+
			"chance", math.Round(by))
	}
	return say
}

// figureOf returns a case's time, as it stands in a comparison.
func figureOf(c *result.Case) figures.Figure {
	switch {
	case c == nil:
		return figures.NoFigure()
	case len(c.Invalid) > 0:
		f := figures.NoFigure()
		f.Note = claim.InvalidNote
		return f
	}
	return c.Time
}
