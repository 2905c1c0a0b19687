package whytext

import (
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
)

const below = 3 // columns by which what belongs to a site is set in

// lines returns what fn prints in the view's style, line by line.
func (v *view) lines(fn func(p *text.Printer)) []string {
	var b strings.Builder
	fn(text.NewPrinter(&b, v.o.Style))
	if b.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// says returns a text in lines.
func (v *view) says(indent int, s string) []string {
	if s == "" {
		return nil
	}
	return v.lines(func(p *text.Printer) { p.Line(indent, 0, "", s) })
}

// saysIn returns a text of at most so many lines: what is more is cut off, and an ellipsis
// says so. 0 is no limit.
func (v *view) saysIn(indent, most int, s string) []string {
	lines := v.says(indent, s)
	if most <= 0 || len(lines) <= most {
		return lines
	}
	rest := strings.Join(append([]string{lines[most-1]}, trimmed(lines[most:])...), " ")
	return append(lines[:most-1:most-1], pretty.Snip(rest, v.o.Width, "…"))
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSpace(line)
	}
	return out
}

// table returns a table in lines.
func (v *view) table(t text.Table) []string {
	if len(t.Rows) == 0 {
		return nil
	}
	return v.lines(func(p *text.Printer) { p.Table(t) })
}

// heading returns a line above a section.
func (v *view) heading(s string) []string {
	return v.lines(func(p *text.Printer) { p.Line(0, pretty.Bold, s, "") })
}

// sections puts an empty line between the sections that have lines.
func sections(of ...[]string) []string {
	var out []string
	for _, s := range of {
		if len(s) == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, s...)
	}
	return out
}

// named returns a name with a position, in two lines where one does not hold them. short cuts
// their middles out where even that does not do.
func (v *view) named(name, position string, short bool) []string {
	name, position = text.Clean(name), text.Clean(position)
	if pretty.StringWidth(name)+1+pretty.StringWidth(position) <= v.o.Width {
		return v.lines(func(p *text.Printer) { p.Line(0, pretty.Bold, name, position) })
	}
	if short {
		name, position = text.Shorten(name, v.o.Width), text.Shorten(position, v.o.Width-below)
	}
	return v.lines(func(p *text.Printer) {
		p.Line(0, 0, "", name)
		p.Line(below, 0, "", position)
	})
}
