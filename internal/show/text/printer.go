package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/terminal"
)

// Style says how text is written.
type Style = terminal.Style

// A printer writes text in a style, and keeps the first error.
type printer struct {
	w io.Writer
	Style
	err error
}

// f writes what is known to be printable; text of others goes through line or
// table, which clean it.
func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) paint(c pretty.Color, s string) string {
	if !p.Color || c == 0 {
		return s
	}
	return c.EscapeSeq() + s + pretty.Reset.EscapeSeq()
}

// line prints a label in colour and a text after it, broken between words where
// it is too long; the further lines are set in by two columns more.
func (p *printer) line(indent int, c pretty.Color, label, rest string) {
	label, rest = Clean(label), Clean(rest)
	margin := strings.Repeat(" ", indent)
	at := indent + pretty.StringWidth(label)
	label = p.paint(c, label)
	if label != "" && rest != "" {
		label, at = label+" ", at+1
	}
	p.f("%s%s%s\n", margin, label, wrap(rest, p.Width, at, "\n"+margin+strings.Repeat(" ", gap)))
}

// say prints a sentence, broken between words where it is too long.
func (p *printer) say(format string, args ...any) { p.line(0, 0, "", fmt.Sprintf(format, args...)) }

// table prints t within Width, after an empty line; see Table.fit. A table with a
// title is set in below it. It prints nothing for a table without rows.
func (p *printer) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	p.f("\n")
	p.tableHere(t)
}

// tableHere prints t without an empty line before it.
func (p *printer) tableHere(t Table) {
	t = t.copy()
	t.clean()
	for i, part := range t.fit(p.Width) {
		if i > 0 {
			p.f("\n")
		}
		p.part(part)
	}
	if t.More > 0 {
		p.f("%s… and %d more\n", strings.Repeat(" ", gap-t.unindented()), t.More)
	}
}

// part prints a table that fits.
func (p *printer) part(t Table) {
	margin := strings.Repeat(" ", gap-t.unindented())
	if t.Title != "" {
		room := 1 << 20
		if p.Width > 0 {
			room = max(p.Width-gap, 1)
		}
		p.line(gap, pretty.Bold, pretty.Snip(t.Title, room, "…"), "")
	}
	headerLines := 0
	for _, h := range t.Header {
		headerLines = max(headerLines, 1+strings.Count(h, "\n"))
	}
	for i, line := range strings.Split(p.aligned(t), "\n") {
		line = strings.TrimRight(line, " ")
		if i < headerLines && line != "" {
			line = p.paint(pretty.Faint, line)
		}
		p.f("%s\n", strings.TrimRight(margin+line, " "))
	}
}

// aligned lays out the header and the rows.
func (p *printer) aligned(t Table) string {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: strings.Repeat(" ", gap), PageSeparator: "\n"}
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = pretty.FormatDefault
	w.SetStyle(style)
	var cfg []table.ColumnConfig
	for i := range t.columns() {
		align := pretty.AlignRight
		if i == 0 || t.Left[i] {
			align = pretty.AlignLeft
		}
		cfg = append(cfg, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	w.SetColumnConfigs(cfg)
	if t.Header != nil {
		header := make(table.Row, len(t.Header))
		for i, h := range t.Header {
			header[i] = h
		}
		w.AppendHeader(header)
	}
	for _, r := range t.Rows {
		row := make(table.Row, len(r))
		for i, c := range r {
			row[i] = p.cell(c)
		}
		w.AppendRow(row)
	}
	return w.Render()
}

// cell returns a cell with its colour, which ends with each of its lines.
func (p *printer) cell(c Cell) string {
	if c.color == 0 {
		return c.Text
	}
	if c.all {
		lines := strings.Split(c.Text, "\n")
		for i, line := range lines {
			lines[i] = p.paint(c.color, line)
		}
		return strings.Join(lines, "\n")
	}
	end := strings.IndexAny(c.Text+" ", " \n")
	return p.paint(c.color, c.Text[:end]) + c.Text[end:]
}
