package fronttext

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table that never takes more columns than there are: columns are left out in the
// order of drop, then the flexible one is cut.
type grid struct {
	head []string
	rows [][]line
	left map[int]bool // set to the left, beside the first
	drop []int        // columns that may be left out, the first of them first
	flex int          // the column that is cut
	name bool         // the flexible column holds names, which differ at their ends
	most map[int]int  // the widest that a column may be; none: as wide as it needs
	room int          // what the flexible column has before others are left out; 0 is leastFlex
}

// leastFlex is the narrowest that the flexible column may become before columns are left out.
const leastFlex = 16

func (g *grid) width(col int) int {
	w := columns(g.head[col])
	for _, r := range g.rows {
		w = max(w, r[col].width())
	}
	if most := g.most[col]; most > 0 {
		w = min(w, most)
	}
	return w
}

// columns returns the columns that are shown with their widths: of the flexible one, what is
// left for it.
func (g *grid) columns(room int) (shown []int, widths map[int]int) {
	widths = map[int]int{}
	out := map[int]bool{}
	for i := 0; ; i++ {
		need, least := 0, 0
		shown = shown[:0]
		for col := range g.head {
			if out[col] {
				continue
			}
			widths[col] = g.width(col)
			shown = append(shown, col)
			need += widths[col] + gap
			least += gap
			if col == g.flex {
				least += min(widths[col], max(g.room, leastFlex))
			} else {
				least += widths[col]
			}
		}
		need, least = need-gap, least-gap
		if least <= room || i >= len(g.drop) {
			widths[g.flex] = max(widths[g.flex]-max(need-room, 0), min(widths[g.flex], leastFlex))
			return shown, widths
		}
		out[g.drop[i]] = true
	}
}

// lacks reports whether a line does not hold the whole text of a cell.
func (l line) lacks(cells []line) bool {
	whole := l.text(false)
	return slices.ContainsFunc(cells, func(c line) bool { return !strings.Contains(whole, c.text(false)) })
}

// lines lays the table out: its header, if it has words, and its rows.
func (g *grid) lines(width, indent int) (header line, rows []line) {
	shown, widths := g.columns(width - indent)
	lay := func(cells func(col int) line) line {
		out := line{span{text: spaces(indent)}}
		for i, col := range shown {
			c, w := cells(col), widths[col]
			if c.width() > w && g.name && col == g.flex && len(c) > 0 {
				c = line{{shortened(c.text(false), w), c[0].color}}
			}
			c = c.cut(max(w, 1))
			if i > 0 {
				out = append(out, span{text: spaces(gap)})
			}
			if col == 0 || g.left[col] {
				out = append(out, c.filled(w)...)
				continue
			}
			out = append(out, c.after(w)...)
		}
		return out.cut(width)
	}
	header = lay(func(col int) line { return painted(pretty.Faint, g.head[col]) })
	for _, r := range g.rows {
		rows = append(rows, lay(func(col int) line { return r[col] }))
	}
	return header, rows
}
