package text

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table to be printed. Its cells are plain text: colour is put on
// them last, so that nobody else's text can bring its own.
type grid struct {
	title  string
	header []string
	rows   [][]entry
	left   map[int]bool // columns set to the left, beside the first
	prose  int          // the column that may be shortened; 0 is none
}

// An entry is a cell: its first word may be coloured, or all of it.
type entry struct {
	text  string
	color pretty.Color // 0 is none
	all   bool
}

const (
	gap        = 2  // columns between columns, and the indentation
	leastProse = 16 // a shorter column of prose says nothing
	leastName  = 8
)

// grid prints g within Width: the column of prose is shortened first; columns
// that still do not fit, from the last on (the published ones), stand below the
// others, each part with the row names in front; what is too wide even alone is
// cut.
func (p *printer) grid(g grid) {
	g.clean()
	for _, part := range g.fit(p.Width) {
		p.part(part)
	}
}

func (g *grid) clean() {
	g.title = Clean(g.title)
	for i, h := range g.header {
		g.header[i] = Clean(h)
	}
	for _, r := range g.rows {
		for i := range r {
			r[i].text = Clean(r[i].text)
		}
	}
}

// widths are the columns' widths.
func (g *grid) widths() []int {
	ws := make([]int, len(g.header))
	for i, h := range g.header {
		ws[i] = pretty.StringWidth(h)
		for _, r := range g.rows {
			ws[i] = max(ws[i], pretty.StringWidth(r[i].text))
		}
	}
	return ws
}

func total(widths []int) int {
	sum := 0
	for _, w := range widths {
		sum += gap + w
	}
	return sum
}

// fit returns g in parts that are no wider than width, which is unlimited at 0.
func (g grid) fit(width int) []grid {
	ws := g.widths()
	over := total(ws) - width
	if width <= 0 || over <= 0 {
		return []grid{g}
	}
	if total(ws) > width {
		g.cut(0, max(width/2-gap, leastName))
		ws = g.widths()
	}
	if g.prose > 0 {
		rest := ws[g.prose] - (total(ws) - width)
		if rest < leastProse && g.prose+1 < len(ws) {
			// It takes what is left beside the first column of verdicts.
			rest = width - total(ws[:1]) - total(ws[g.prose+1:g.prose+2]) - gap
		}
		g.cut(g.prose, max(rest, leastProse))
		ws = g.widths()
	}
	var parts []grid
	for from := 1; from < len(ws); {
		to := from + 1
		for to < len(ws) && total(ws[:1])+total(ws[from:to+1]) <= width {
			to++
		}
		part := g.columns(from, to)
		if len(parts) > 0 {
			part.title += " (continued)"
		}
		if room := width - total(ws[:1]) - gap; to == from+1 && ws[from] > room {
			part.cut(1, max(room, leastName))
		}
		parts = append(parts, part)
		from = to
	}
	return parts
}

// cut shortens a column to width. Names differ at their ends: the middle goes.
func (g *grid) cut(column, width int) {
	short := func(s string) string {
		r := []rune(s)
		switch {
		case pretty.StringWidth(s) <= width:
			return s
		case column == 0:
			front := (width - 1) / 3
			return string(r[:front]) + "…" + string(r[max(len(r)-(width-1-front), front):])
		}
		return pretty.Snip(s, width, "…")
	}
	g.header[column] = short(g.header[column])
	for _, r := range g.rows {
		r[column].text = short(r[column].text)
	}
}

// columns returns the first column and those in [from, to).
func (g grid) columns(from, to int) grid {
	out := grid{title: g.title, left: map[int]bool{}}
	out.header = append([]string{g.header[0]}, g.header[from:to]...)
	for _, r := range g.rows {
		out.rows = append(out.rows, append([]entry{r[0]}, r[from:to]...))
	}
	for i := range to - from {
		out.left[i+1] = g.left[from+i]
	}
	return out
}

// part prints a grid that fits.
func (p *printer) part(g grid) {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: strings.Repeat(" ", gap), PageSeparator: "\n"}
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = pretty.FormatDefault
	t.SetStyle(style)
	var cfg []table.ColumnConfig
	header := make(table.Row, len(g.header))
	for i, h := range g.header {
		align := pretty.AlignRight
		if i == 0 || g.left[i] {
			align = pretty.AlignLeft
		}
		cfg = append(cfg, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
		header[i] = h
	}
	t.SetColumnConfigs(cfg)
	t.AppendHeader(header)
	for _, r := range g.rows {
		cells := make(table.Row, len(r))
		for i, e := range r {
			cells[i] = p.entry(e)
		}
		t.AppendRow(cells)
	}
	p.f("\n")
	p.line(gap, pretty.Bold, pretty.Snip(g.title, p.room(), "…"), "")
	for i, line := range strings.Split(t.Render(), "\n") {
		line = strings.TrimRight(line, " ")
		if i == 0 {
			line = p.paint(pretty.Faint, line)
		}
		p.f("%s%s\n", strings.Repeat(" ", gap), line)
	}
}

func (p *printer) room() int {
	if p.Width <= 0 {
		return 1 << 20
	}
	return max(p.Width-gap, 1)
}

func (p *printer) entry(e entry) string {
	if e.color == 0 {
		return e.text
	}
	if e.all {
		return p.paint(e.color, e.text)
	}
	word, rest, _ := strings.Cut(e.text, " ")
	if rest != "" {
		rest = " " + rest
	}
	return p.paint(e.color, word) + rest
}

// line prints a label in colour and a text after it, broken between words where
// it is too long; the further lines are set in by two columns more.
func (p *printer) line(indent int, c pretty.Color, label, rest string) {
	label, rest = Clean(label), Clean(rest)
	margin := strings.Repeat(" ", indent)
	at := indent + pretty.StringWidth(label)
	if c != 0 {
		label = p.paint(c, label)
	}
	if label != "" && rest != "" {
		label, at = label+" ", at+1
	}
	p.f("%s%s%s\n", margin, label, p.wrap(rest, at, "\n"+margin+strings.Repeat(" ", gap)))
}

// wrap puts a line break for the space before each word of s that would pass the
// width; s starts at column at. A word that is longer than a line is not broken:
// it may be a path to copy.
func (p *printer) wrap(s string, at int, lineBreak string) string {
	if p.Width <= 0 || at+pretty.StringWidth(s) <= p.Width {
		return s
	}
	var b strings.Builder
	for i, word := range strings.Split(s, " ") {
		w := pretty.StringWidth(word)
		switch {
		case i == 0:
		case at+1+w > p.Width:
			b.WriteString(lineBreak)
			at = len(lineBreak) - 1
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += w
	}
	return b.String()
}
