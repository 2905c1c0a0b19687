package difftext

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/show/text"
	"memcost/internal/sites/diff"
)

const (
	// mostMarkdown is less than the 65,536 characters that GitHub takes as a comment.
	mostMarkdown = 60_000
	// mostMarkdownRows is how many rows a table in Markdown has.
	mostMarkdownRows = 50
)

// Markdown writes comparisons as a comment on a pull request, in less than what GitHub takes.
// Nothing in names can be markup.
func Markdown(w io.Writer, diffs []diff.Diff) error {
	var b strings.Builder
	for i, d := range diffs {
		m := &markdown{end: mostMarkdown / len(diffs) * (i + 1), b: &b}
		m.diff(d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A markdown writes lines until an end; rows for which there is no room are counted.
type markdown struct {
	b   *strings.Builder
	end int
}

// line writes a line if there is room for it.
func (m *markdown) line(s string) bool {
	if m.b.Len()+len(s)+1 > m.end {
		return false
	}
	m.b.WriteString(s + "\n")
	return true
}

func (m *markdown) diff(d diff.Diff) {
	m.line("### Allocation sites: " + text.MarkdownText(Heading(d)) + "\n")
	for _, s := range d.Says {
		m.line("**" + text.MarkdownText(s) + "**\n")
	}
	for _, p := range parts(d, false) {
		m.part(p)
	}
	for _, s := range Asides(d) {
		m.line("- " + text.MarkdownText(s))
	}
	m.line("")
}

func (m *markdown) part(p part) {
	rule := make([]string, len(p.header))
	for i := range rule {
		if rule[i] = "--:"; i == 0 || slices.Contains(p.left, i) {
			rule[i] = ":--"
		}
	}
	const tail = 200 // for the line about rows that are left out
	end := m.end
	m.end -= tail
	m.line("#### " + text.MarkdownText(p.title) + "\n")
	m.line(row(p.header))
	m.line(row(rule))
	left := 0
	for i, r := range p.rows {
		cells := make([]string, len(r))
		for j, c := range r {
			if cells[j] = text.MarkdownText(c); j == 0 {
				cells[j] = text.MarkdownName(c)
			}
		}
		if i >= mostMarkdownRows || left > 0 || !m.line(row(cells)) {
			left++
		}
	}
	m.end = end
	if left > 0 {
		m.line(fmt.Sprintf("\n%s left out; `--json` has all.", units.Plural(left, "row")))
	}
	m.line("")
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
