package terminal

import (
	"cmp"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/document"
)

const (
	leastProse = 16 // a narrower column of sentences cannot be read
	leastName  = 8
	below      = 3 // columns by which what stands below a row is set in
)

// table lays a table out. Where its width does not suffice, names are cut in their middle, prose
// is broken into lines, and columns are left out that may be. What still does not fit is cut where
// lines are counted, and else stands below: each part has the columns that tell the rows apart.
func (p *printer) table(t *document.Table, in int, within []*document.Heading) {
	if t = t.For(document.Terminal, p.Long); len(t.Rows) == 0 {
		return
	}
	x := &part{head: p.title(t.Title, in), left: t.LeftOut, more: cmp.Or(t.More, "--long")}
	if x.aside = len(x.head); x.aside > 0 {
		in += gap
	}
	if x.left < 0 {
		x.left, x.more = 0, ""
	}
	x.inset = in
	rows := t.Rows
	if most := t.Most; most > 0 && !p.Long {
		rows = t.First(most)
		x.left += len(t.Rows) - len(rows)
	}
	g := p.grid(t, rows, false)
	short := g
	width := p.room(in)
	if p.Lines > 0 && !g.headed {
		short = p.grid(t, rows, true)
		short.fit(width)
	}
	if !g.fit(width) && p.Lines == 0 {
		x.rows = []row{{full: inset(g.split(width), in)}}
	} else {
		x.head = append(x.head, inset(g.header(), in)...)
		for i, r := range g.rows {
			lines := row{full: inset(g.row(r, false, width), in)}
			if p.Lines > 0 {
				lines.short = inset(short.row(short.rows[i], true, width), in)
			}
			if r.Last {
				x.tail = append(x.tail, lines.last()...)
				continue
			}
			x.rows, x.Ranks = append(x.rows, lines), append(x.Ranks, r.Rank)
		}
	}
	x.tail = append(x.tail, p.notes(t.Notes, in)...)
	p.add(&t.Frame, within, x)
}

// A grid is a table while it is fitted to a width.
type grid struct {
	*printer
	columns []column
	shown   []int // the columns that are left
	headed  bool
	first   bool // cells have one line
	bare    int
	rows    []*gridRow
}

type column struct {
	document.Column
	natural int // how wide it would be
	width   int
	cut     bool // names that are too wide are cut, else broken: cut, two would be the same
}

// named reports whether the column tells rows apart.
func (c *column) named() bool { return c.Kind == document.Key || c.Kind == document.Name }

type gridRow struct {
	*document.Row
	cells []cell
}

// A cell is lines, which breaks in its text part.
type cell struct {
	lines []line
	short line // what stands for it where there is no room; nil: it is cut
	bar   bool // it begins with a bar, which stands at its left edge
}

// grid reads a table: the rows that are shown, of each cell the first line alone or all of it.
func (p *printer) grid(t *document.Table, rows []document.Row, first bool) *grid {
	g := &grid{printer: p, first: first, headed: !t.Headless, bare: t.Bare}
	heads := ""
	for i, c := range t.Columns {
		c.Kind, c.Head = t.KindOf(i), document.Clean(c.Head)
		heads += c.Head
		g.columns, g.shown = append(g.columns, column{Column: c}), append(g.shown, i)
	}
	g.headed = g.headed && heads != ""
	for i := range rows {
		g.rows = append(g.rows, g.read(&rows[i], true))
	}
	g.measure()
	return g
}

// read returns a row with its cells, with intervals or without.
func (g *grid) read(r *document.Row, intervals bool) *gridRow {
	out := &gridRow{Row: r, cells: make([]cell, len(g.columns))}
	for i := range g.columns {
		if i < len(r.Cells) {
			out.cells[i] = g.cell(r.Cells[i], g.columns[i].Kind == document.Prose, intervals)
		}
	}
	if color, ok := classColor[r.Class]; ok {
		for i := range out.cells {
			for _, l := range out.cells[i].lines {
				if len(l) > 0 && (i == 0 || out.cells[i].bar) {
					l[0].color = color
				}
			}
			if c := &out.cells[i]; i == 0 && len(c.short) > 0 {
				c.short[0].color = color
			}
		}
	}
	return out
}

// cell returns a text as a cell. Only in prose do figures stand out.
func (g *grid) cell(t document.Text, prose, intervals bool) cell {
	var spans, short document.Text
	shorter := false
	for _, s := range t {
		switch {
		case s.Kind == document.Interval && !intervals:
			continue
		case (s.Kind == document.Number || s.Kind == document.Interval) && !prose:
			s.Kind = document.Plain
		}
		spans = append(spans, s)
		if s.Short != "" {
			s.Text, shorter = s.Short, true
		}
		short = append(short, s)
	}
	lines := g.linesOf(spans)
	if g.first {
		lines = lines[:1]
	}
	out := cell{lines: lines, bar: len(spans) > 0 && spans[0].Kind == document.Bar}
	if shorter {
		out.short = g.lineOf(short)
	}
	return out
}

func (c *cell) width() (w int) {
	for _, l := range c.lines {
		w = max(w, l.width())
	}
	if c.bar {
		w++
	}
	return w
}

// measure finds how wide the columns would be.
func (g *grid) measure() {
	for i := range g.columns {
		c := &g.columns[i]
		c.natural = 0
		if g.headed {
			c.natural = columns(c.Head)
		}
		for _, r := range g.rows {
			if !r.Head {
				c.natural = max(c.natural, r.cells[i].width())
			}
		}
		if c.Most > 0 {
			c.natural = min(c.natural, c.Most)
		}
		c.width = c.natural
	}
}

// least returns how narrow a column may become.
func (g *grid) least(c *column) int {
	switch {
	case c.Kind == document.Prose:
		return min(c.natural, cmp.Or(c.Least, leastProse))
	case c.named() && g.Lines > 0:
		return min(c.natural, cmp.Or(c.Least, leastProse))
	case c.named():
		return min(c.natural, cmp.Or(c.Least, leastName))
	}
	return c.natural
}

// total returns what the columns that are shown take.
func (g *grid) total(width func(c *column) int) int {
	n := -gap
	for _, i := range g.shown {
		n += gap + width(&g.columns[i])
	}
	return n
}

func (g *grid) widths() int { return g.total(func(c *column) int { return c.width }) }

// fit makes the table no wider than width, and reports whether it is.
func (g *grid) fit(width int) bool {
	if width <= 0 || g.widths() <= width {
		return true
	}
	all := slices.Clone(g.shown)
	g.drop(width)
	if g.figures() < min(g.bare, g.figuresOf(all)) || g.bare > 0 && g.Lines > 0 && g.total(g.least) > width {
		g.shown = all
		for i, r := range g.rows {
			g.rows[i] = g.read(r.Row, false)
		}
		g.measure()
		g.drop(width)
	}
	named, prose := (*column).named, func(c *column) bool { return c.Kind == document.Prose }
	g.narrow(width, named, func(*column) int { return g.halves(width) })
	g.narrow(width, prose, g.least)
	g.narrow(width, prose, func(c *column) int { return min(c.natural, leastProse) })
	before := slices.Clone(g.columns)
	g.narrow(width, named, g.least)
	if g.widths() > width && g.Lines == 0 {
		g.columns = before // the table is split in any case
	}
	g.cuts()
	return g.widths() <= width
}

// halves returns how wide each of the columns of names is that together take half of a width.
func (g *grid) halves(width int) int {
	n := 0
	for _, i := range g.shown {
		if g.columns[i].named() {
			n++
		}
	}
	return max(width/2/max(n, 1), leastName)
}

// drop leaves columns out until the others fit, as far as columns may be left out.
func (g *grid) drop(width int) {
	if g.Long && g.Lines == 0 {
		return
	}
	for g.total(g.least) > width {
		at := -1
		for i, col := range g.shown {
			if d := g.columns[col].Drop; d > 0 && (at < 0 || d >= g.columns[g.shown[at]].Drop) {
				at = i
			}
		}
		if at < 0 {
			return
		}
		g.shown = slices.Delete(g.shown, at, at+1)
	}
}

func (g *grid) figures() int { return g.figuresOf(g.shown) }

func (g *grid) figuresOf(shown []int) (n int) {
	for _, i := range shown {
		if g.columns[i].Kind == document.Figure {
			n++
		}
	}
	return n
}

// narrow makes columns of a kind narrower until all fits: the widest first, until it is as wide as
// the next, so that none is cut to a word while another has room.
func (g *grid) narrow(width int, of func(*column) bool, least func(*column) int) {
	for over := g.widths() - width; over > 0; over = g.widths() - width {
		var widest *column
		next := 0
		for _, i := range g.shown {
			c := &g.columns[i]
			switch {
			case !of(c) || c.width <= least(c):
			case widest == nil || c.width > widest.width:
				if widest != nil {
					next = widest.width
				}
				widest = c
			default:
				next = max(next, c.width)
			}
		}
		if widest == nil {
			return
		}
		widest.width = max(widest.width-over, least(widest), min(next, widest.width-1))
	}
}

// cuts decides which names are cut: none that would be the same as another then, except where
// lines are counted.
func (g *grid) cuts() {
	whole := g.different()
	for _, i := range g.shown {
		c := &g.columns[i]
		if c.cut = c.named(); c.cut && g.Lines == 0 && g.different() < whole {
			c.cut = false
		}
	}
}

// different returns how many rows differ in their names, as far as those are cut.
func (g *grid) different() int {
	seen := map[string]bool{}
	for _, r := range g.rows {
		var b strings.Builder
		for _, i := range g.shown {
			if c := &g.columns[i]; c.named() {
				name := joined(r.cells[i].lines)
				if c.cut {
					name = r.cells[i].named(max(c.width, 1))
				}
				b.WriteString(name.words() + "\x00")
			}
		}
		seen[b.String()] = true
	}
	return len(seen)
}

// joined returns lines as one.
func joined(lines []line) line {
	var out line
	for i, l := range lines {
		if i > 0 {
			out = append(out, piece{text: " "})
		}
		out = append(out, l...)
	}
	return out
}

// header returns the heads of the columns.
func (g *grid) header() []line {
	if !g.headed {
		return nil
	}
	cells := make([][]line, len(g.shown))
	for i, at := range g.shown {
		c := &g.columns[at]
		head := painted(pretty.Faint, c.Head)
		if g.Lines > 0 {
			cells[i] = []line{head.cut(max(c.width, 1))}
		} else {
			cells[i] = head.wrapped(max(c.width, 1), 0, broken)
		}
	}
	return g.beside(cells, nil)
}

// row returns the lines of a row, or one line for it.
func (g *grid) row(r *gridRow, short bool, width int) []line {
	if r.Head {
		return joined(r.cells[0].lines).wrapped(width, gap, broken)
	}
	cells := make([][]line, len(g.shown))
	for i, at := range g.shown {
		cells[i] = g.fitted(&r.cells[at], &g.columns[at], short)
	}
	out := g.beside(cells, r)
	return append(out, g.detail(r, short, width)...)
}

// detailLines is how many lines stand below a row at most where lines are counted.
const detailLines = 2

// detail returns what stands below a row.
func (g *grid) detail(r *gridRow, short bool, width int) []line {
	if len(r.Detail) == 0 {
		return nil
	}
	s := g.Style
	if s.Width > 0 {
		s.Width = max(width-below, 1)
	}
	s.Lines = 0
	lines := draw(r.Detail, s)
	switch {
	case short:
		lines = few(lines, 1, s.Width)
	case g.Lines > 0:
		lines = few(lines, detailLines, s.Width)
	}
	return inset(lines, below)
}

// named returns a name within a width: in its short form, if it has one, or without its middle.
func (c *cell) named(width int) line {
	one := joined(c.lines)
	if one.width() > width && c.short != nil {
		one = c.short
	}
	if one.width() <= width || len(one) == 0 {
		return one
	}
	return line{{middleOut(one.words(), width), one[0].color}}
}

// fitted returns a cell within the width of its column.
func (g *grid) fitted(c *cell, of *column, short bool) []line {
	width := max(of.width, 1)
	if c.width() <= width && (!short || len(c.lines) <= 1) {
		return c.lines
	}
	lines := c.lines
	if short {
		lines = lines[:min(len(lines), 1)]
	}
	one := joined(lines)
	if c.short != nil {
		one = c.short
	}
	switch {
	case of.named() && (of.cut || one.width() <= width):
		return []line{c.named(width)}
	case short && !of.Whole || c.bar || len(lines) <= 1 && one.width() <= width:
		return []line{one.cut(width)}
	}
	var out []line
	for _, l := range lines {
		out = append(out, l.wrapped(width, 0, broken)...)
	}
	return out
}

// beside sets cells beside each other; r is the row that they are of, nil for the header.
func (g *grid) beside(cells [][]line, r *gridRow) []line {
	height := 1
	for _, c := range cells {
		height = max(height, len(c))
	}
	out := make([]line, height)
	for i, at := range g.shown {
		c := &g.columns[at]
		for n := range out {
			var l line
			if n < len(cells[i]) {
				l = cells[i][n]
			}
			switch {
			case c.Kind != document.Figure:
				l = l.filled(c.width)
			case r != nil && r.cells[at].bar && n == 0 && len(l) > 1:
				l = l[:1:1].with(l[1:].after(c.width - l[:1].width()))
			default:
				l = l.after(c.width)
			}
			if i > 0 {
				out[n] = append(out[n], piece{text: spaces(gap)})
			}
			out[n] = append(out[n], l...)
		}
	}
	return out
}

// split returns the table in parts below each other: each has the columns that tell the rows
// apart in front.
func (g *grid) split(width int) []line {
	if slices.ContainsFunc(g.rows, func(r *gridRow) bool { return len(r.Detail) > 0 }) {
		return g.listed(width)
	}
	var keys, rest []int
	taken := 0
	for _, i := range g.shown {
		if c := &g.columns[i]; c.named() {
			keys, taken = append(keys, i), taken+c.width+gap
		} else {
			rest = append(rest, i)
		}
	}
	if taken+leastName > width || len(rest) == 0 {
		return g.listed(width)
	}
	var out []line
	for len(rest) > 0 {
		g.shown = append(slices.Clone(keys), rest[0])
		first, n := &g.columns[rest[0]], 1
		first.width = min(first.natural, width-taken)
		for ; n < len(rest); n++ {
			c := &g.columns[rest[n]]
			if c.width = c.natural; g.widths()+gap+min(c.width, g.least(c)) > width {
				break
			}
			g.shown = append(g.shown, rest[n])
			g.narrow(width, func(c *column) bool { return c.Kind == document.Prose }, g.least)
		}
		if len(out) > 0 {
			out = append(out, nil)
		}
		out = append(out, g.header()...)
		for _, r := range g.rows {
			out = append(out, g.row(r, false, width)...)
		}
		rest = rest[n:]
	}
	return out
}

// listed returns the table for a terminal that is too narrow for columns: each row in lines, each
// cell after the head of its column.
func (g *grid) listed(width int) []line {
	var out []line
	for _, r := range g.rows {
		var l line
		for i, c := range r.cells {
			words := joined(c.lines)
			if words.blank() {
				continue
			}
			if head := g.columns[i].Head; head != "" && g.headed && !g.columns[i].named() {
				words = painted(pretty.Faint, head+" ").with(words)
			}
			if len(l) > 0 {
				l = append(l, piece{text: " "})
			}
			l = append(l, words...)
		}
		out = append(append(out, l.wrapped(width, gap, broken)...), g.detail(r, false, width)...)
	}
	return out
}
