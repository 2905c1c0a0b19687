package fronttext

import (
	"fmt"
	"slices"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/figures"
)

// pictureSection shows the key picture of a study as figures: places across where they are
// numbers, one below the other where they are names.
func pictureSection(p *figures.Picture, width int) *section {
	if p == nil {
		return nil
	}
	at := slices.IndexFunc(p.Sets, func(s figures.PictureSet) bool { return !s.Published })
	if at < 0 {
		return nil
	}
	set := &p.Sets[at]
	var g grid
	if p.Numeric() && len(set.Rows) > 1 {
		g = fronttextAcross(p, set, width)
	} else {
		g = down(p, set)
	}
	if len(g.rows) == 0 {
		return nil
	}
	header, rows := g.lines(width, gap)
	s := &section{head: []line{painted(pretty.Bold, p.Title).cut(width), header}, rows: rowsOf(rows), rank: 2, gap: 3}
	s.good, s.least = min(len(rows), 14), min(len(rows), 4)
	s.more = func(n int) line { return said(fmt.Sprintf("  and %d more: --long", n)).cut(width) }
	return s
}

// across has a column for each place that there is room for, and a row for each series.
func fronttextAcross(p *figures.Picture, set *figures.PictureSet, width int) grid {
	g := grid{head: []string{p.By}, name: true}
	label := 8
	for _, c := range p.Columns {
		label = max(label, min(columns(c), 34, width/3))
	}
	g.most = map[int]int{0: label}
	room := width - gap - label
	const enough = 5
	keep, say := spread(set.Rows, p.By, room, withInterval), withInterval
	if len(keep) < min(enough, len(set.Rows)) {
		keep, say = spread(set.Rows, p.By, room, withoutInterval), withoutInterval
	}
	for _, i := range keep {
		g.head = append(g.head, figures.Label(p.By, set.Rows[i].Label))
	}
	for col, name := range p.Columns {
		r := []line{said(shortened(name, label))}
		for _, i := range keep {
			r = append(r, figureAt(set.Rows[i], col, say))
		}
		g.rows = append(g.rows, r)
	}
	return g
}

// down has a row for each place, and a column for each series.
func down(p *figures.Picture, set *figures.PictureSet) grid {
	g := grid{head: append([]string{p.By}, p.Columns...), name: true}
	for col := len(p.Columns); col > 1; col-- {
		g.drop = append(g.drop, col)
	}
	for _, r := range set.Rows {
		cells := []line{said(figures.Label(p.By, r.Label))}
		for col := range p.Columns {
			cells = append(cells, figureAt(r, col, withInterval))
		}
		g.rows = append(g.rows, cells)
	}
	return g
}

// withInterval and withoutInterval say a figure where there is room for its interval, or not.
func withInterval(f figures.Figure) string { return f.String() }

func withoutInterval(f figures.Figure) string {
	if f.Note != "" || !f.Known() {
		return f.String()
	}
	return f.Quantity()
}

func figureAt(r figures.Row, col int, say func(figures.Figure) string) line {
	if col >= len(r.Cells) || !r.Cells[col].Known() && r.Cells[col].Note == "" {
		return painted(pretty.Faint, notMeasured)
	}
	return said(say(r.Cells[col]))
}

// spread chooses as many rows as a width has columns for, evenly: the ends first.
func spread(rows []figures.Row, by string, room int, say func(figures.Figure) string) []int {
	for k := min(len(rows), room/gap); k > 1; k-- {
		var chosen []int
		need := 0
		for i := range k {
			at := i * (len(rows) - 1) / (k - 1)
			w := columns(figures.Label(by, rows[at].Label))
			for _, f := range rows[at].Cells {
				w = max(w, columns(say(f)))
			}
			chosen, need = append(chosen, at), need+w+gap
		}
		if need <= room {
			return chosen
		}
	}
	return []int{0}
}
