package fronttext

import (
	"fmt"
	"slices"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/figures"
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
		g = across(p, set, width)
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
func across(p *figures.Picture, set *figures.PictureSet, width int) grid {
	g := grid{head: []string{p.By}, name: true}
	label := 8
	for _, c := range p.Columns {
		label = max(label, min(columns(c), 34, width/3))
	}
	g.most = map[int]int{0: label}
	room := width - gap - label
	keep := spread(len(set.Rows), func(chosen []int) bool {
		need := 0
		for _, i := range chosen {
			w := columns(figures.Label(p.By, set.Rows[i].Label))
			for _, f := range set.Rows[i].Cells {
				w = max(w, columns(f.String()))
			}
			need += w + gap
		}
		return need <= room
	})
	for _, i := range keep {
		g.head = append(g.head, figures.Label(p.By, set.Rows[i].Label))
	}
	for col, name := range p.Columns {
		r := []line{said(shortened(name, label))}
		for _, i := range keep {
			r = append(r, figureAt(set.Rows[i], col))
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
			cells = append(cells, figureAt(r, col))
		}
		g.rows = append(g.rows, cells)
	}
	return g
}

func figureAt(r figures.Row, col int) line {
	if col >= len(r.Cells) || !r.Cells[col].Known() && r.Cells[col].Note == "" {
		return painted(pretty.Faint, notMeasured)
	}
	return said(r.Cells[col].String())
}

// spread chooses as many of n things as fit, evenly: the ends first.
func spread(n int, fits func([]int) bool) []int {
	for k := n; k > 1; k-- {
		var chosen []int
		for i := range k {
			chosen = append(chosen, i*(n-1)/(k-1))
		}
		if fits(chosen) {
			return chosen
		}
	}
	return []int{0}
}
