package whytext

import (
	"fmt"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
	"memcost/internal/sites"
)

const contextLines = 4 // of the source, before and after a site

// code returns a line of source as it is, but for what a terminal would take for more than
// text; a diff must stay whole, so that it is never broken.
func (v *view) code(c pretty.Color, line string) string {
	lines := v.lines(func(p *text.Printer) { p.Raw(p.Paint(c, cleanCode(line)) + "\n") })
	return lines[0]
}

// cleanCode makes a line of source printable, with its indentation.
func cleanCode(line string) string {
	return text.Clean(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
}

// sourceLines returns the lines of a site's file, nil where it cannot be read.
func (v *view) sourceLines(s *sites.Site) []string {
	if v.o.Read == nil || s.Path == "" {
		return nil
	}
	data, err := v.o.Read(s.Path)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// context returns the source around a site, its own line marked.
func (v *detail) context(s *sites.Site) []string {
	lines := v.sourceLines(s)
	if s.Line < 1 || s.Line > len(lines) {
		if s.Text == "" {
			return nil
		}
		return []string{v.numbered(s.Line, true, s.Text)}
	}
	var out []string
	for n := max(s.Line-contextLines, 1); n <= min(s.Line+contextLines, len(lines)); n++ {
		out = append(out, v.numbered(n, n == s.Line, lines[n-1]))
	}
	return out
}

// numbered returns a line of source with its number; what is wider than the terminal is cut.
func (v *detail) numbered(n int, marked bool, line string) string {
	mark, color := " ", pretty.Color(0)
	if marked {
		mark, color = ">", pretty.Bold
	}
	s := fmt.Sprintf("%s %5d  %s", mark, n, cleanCode(line))
	return v.code(color, strings.TrimRight(pretty.Snip(s, v.o.Width, "…"), " "))
}
