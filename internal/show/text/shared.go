package text

import (
	"io"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// A Printer writes the sentences and tables of another package as this one writes its own.
type Printer struct{ p printer }

// NewPrinter returns a printer that writes to w.
func NewPrinter(w io.Writer, s Style) *Printer { return &Printer{printer{w: w, Style: s}} }

// Line prints a label in colour and a text after it, broken between words where it is too
// long; both may be text of others.
func (p *Printer) Line(indent int, c pretty.Color, label, rest string) {
	p.p.line(indent, c, label, rest)
}

// Table prints t within the width of the style.
func (p *Printer) Table(t Table) { p.p.tableHere(t) }

// Paint returns s, which is printable, in a colour.
func (p *Printer) Paint(c pretty.Color, s string) string { return p.p.paint(c, s) }

// Raw prints what is printable already.
func (p *Printer) Raw(s string) { p.p.f("%s", s) }

// Err returns the first error of writing.
func (p *Printer) Err() error { return p.p.err }

// Add appends a row of plain texts.
func (t *Table) Add(texts ...string) { t.add(texts...) }

// Shorten cuts the middle out of a name that is wider than width: names differ at their ends.
func Shorten(s string, width int) string { return middleOut(s, width) }

// MarkdownText returns text of others so that no character of it is markup.
func MarkdownText(s string) string { return md(s) }

// MarkdownName returns a name as code, as far as it holds nothing that would end the code.
func MarkdownName(s string) string { return mdName(s) }
