package text

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
)

// maxMarkdown is the most that GitHub takes as a comment, in characters; here in
// bytes, to be safe.
const maxMarkdown = 65_536

// A mdWriter writes Markdown by parts, each of which has an end that it must not
// pass: what does not fit is counted and left out, so that a part cannot take the
// room of those after it.
type mdWriter struct {
	b    strings.Builder
	from int // where the parts begin
	end  int
	lost int
	cut  bool
}

// part runs fn, which may write up to the given share of the whole; what names
// the items of which some may be left out.
func (m *mdWriter) part(share float64, what string, fn func()) {
	const tail = 12_000 // the closing lines, and each part's word on what is left out
	m.end, m.lost, m.cut = m.from+int(share*float64(maxMarkdown-tail-m.from)), 0, false
	fn()
	if m.lost > 0 {
		fmt.Fprintf(&m.b, "\n%s left out for want of room; `--json` has all.\n", units.Plural(m.lost, what))
	}
}

// begin writes what stands before all parts.
func (m *mdWriter) begin(front string) {
	m.b.WriteString(front)
	m.from = m.b.Len()
}

// text returns what was written, with single blank lines.
func (m *mdWriter) text() string {
	s := strings.TrimLeft(m.b.String(), "\n")
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return s
}

// line writes a line of the frame, unless the part is full.
func (m *mdWriter) line(s string) bool {
	if m.cut = m.cut || m.b.Len()+len(s)+1 > m.end; !m.cut {
		m.b.WriteString(s + "\n")
	}
	return !m.cut
}

// item writes a line that counts as one of the part's items.
func (m *mdWriter) item(s string) {
	if !m.line(s) {
		m.lost++
	}
}

// table writes a table; its cells are Markdown already. left are the columns set
// to the left; its rows are items of the part.
func (m *mdWriter) table(header []string, left int, rows [][]string) {
	rule := make([]string, len(header))
	for i := range rule {
		if rule[i] = "--:"; i < left {
			rule[i] = ":--"
		}
	}
	m.line("")
	m.line(mdRow(header))
	m.line(mdRow(rule))
	for _, r := range rows {
		m.item(mdRow(r))
	}
	m.line("")
}

func mdRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
