package fronttext

import (
	"strings"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
)

// A span is a piece of a line in one colour. Its text is printable: span is made by paint,
// which cleans what others wrote.
type span struct {
	text  string
	color pretty.Color // 0 is none
}

// A line is what stands on one line of the terminal.
type line []span

// gap is the distance of columns, and the indentation.
const gap = 2

// longest is how much of a text of others is shown, in bytes: no reader takes more.
const longest = 1500

// paint returns a text in a colour, safe to print.
func paint(c pretty.Color, s string) span {
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return span{text.Clean(s), c}
}

// columns returns how many columns a printable text takes.
func columns(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return pretty.StringWidth(s)
		}
	}
	return len(s)
}

// said returns a text without colour as a line.
func said(s string) line { return line{paint(0, s)} }

// painted returns a text in a colour as a line.
func painted(c pretty.Color, s string) line { return line{paint(c, s)} }

// width returns how many columns the line takes.
func (l line) width() (w int) {
	for _, s := range l {
		w += columns(s.text)
	}
	return w
}

// cut returns the line within a width; where something is missing it ends with "…".
func (l line) cut(width int) line {
	if l.width() <= width {
		return l
	}
	var out line
	room := width - 1
	for _, s := range l {
		w := columns(s.text)
		if w > room {
			out = append(out, span{head(s.text, room), s.color})
			break
		}
		out, room = append(out, s), room-w
	}
	return append(out, span{text: "…"})
}

// head returns as much of the beginning of a text as a width holds.
func head(s string, width int) string {
	at, w := 0, 0
	for i, r := range s {
		if w += columns(string(r)); w > width {
			break
		}
		at = i + len(string(r))
	}
	return strings.TrimRight(s[:at], " ")
}

// after returns the line with spaces before it up to a width: set to the right.
func (l line) after(width int) line {
	return append(line{span{text: spaces(width - l.width())}}, l...)
}

// filled returns the line with spaces behind it up to a width.
func (l line) filled(width int) line {
	return append(l[:len(l):len(l)], span{text: spaces(width - l.width())})
}

// indented returns the line set in by n columns.
func (l line) indented(n int) line { return append(line{span{text: spaces(n)}}, l...) }

// indentedAll returns lines set in by n columns.
func indentedAll(lines []line, n int) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		out[i] = l.indented(n)
	}
	return out
}

// text returns the line as it is printed, without spaces at its end.
func (l line) text(color bool) string {
	var b strings.Builder
	for i := 0; i < len(l); {
		t, c := "", l[i].color
		for ; i < len(l) && l[i].color == c; i++ {
			t += l[i].text
		}
		if l[i:].blank() {
			t, i = strings.TrimRight(t, " "), len(l)
		}
		if !color || c == 0 || t == "" {
			b.WriteString(t)
			continue
		}
		b.WriteString(c.EscapeSeq() + t + pretty.Reset.EscapeSeq())
	}
	return b.String()
}

// blank reports whether nothing of the line is seen.
func (l line) blank() bool {
	for _, s := range l {
		if strings.TrimSpace(s.text) != "" {
			return false
		}
	}
	return true
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
