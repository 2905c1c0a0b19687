package fronttext

import "strings"

// What the front takes of a comment: in bytes, and in rows of a table.
const (
	mostMarkdown = 20_000
	mostRows     = 40
)

// A markdown is the front while it is written as Markdown: lines that pass its end are left out.
type markdown struct{ strings.Builder }

func (m *markdown) line(s string) {
	if m.Len()+len(s) < mostMarkdown {
		m.WriteString(s + "\n")
	}
}

func (m *markdown) row(cells ...string) { m.line("| " + strings.Join(cells, " | ") + " |") }
