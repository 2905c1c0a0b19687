package terminal

import (
	"cmp"
	"strings"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/document"
)

// A piece is printable text in one colour.
type piece struct {
	text  string
	color pretty.Color // 0 is none
}

// A line is what stands on one line of the terminal.
type line []piece

// gap is the distance of columns, and the indentation.
const gap = 2

// longest is how much of a span is shown where the lines are counted, in bytes: no reader takes more.
const longest = 1500

// verdictColor is the colour of each verdict.
var verdictColor = [...]pretty.Color{
	document.Holds: pretty.FgGreen, document.Fails: pretty.FgRed, document.Undecided: pretty.FgYellow,
	document.NotTested: pretty.Faint, document.Invalid: pretty.FgRed, document.Failed: pretty.FgRed,
	document.Excluded: pretty.Faint, document.Changed: pretty.Bold, document.Better: pretty.FgGreen,
	document.Worse: pretty.FgRed, document.Equivalent: 0, document.Consistent: 0, document.AtBound: pretty.FgCyan,
	document.Inconsistent: 0,
}

// spanColor is the colour of each kind of words.
var spanColor = [...]pretty.Color{
	document.Strong: pretty.Bold, document.Faint: pretty.Faint, document.Number: pretty.Bold,
	document.Interval: pretty.Faint, document.Warning: pretty.FgYellow, document.Break: 0,
}

// classColor is the colour of each family of means, as on the page; green, red and yellow belong
// to verdicts.
var classColor = map[string]pretty.Color{
	"stack": pretty.FgHiBlue, "heap": pretty.Fg256Color(208), "pool": pretty.FgMagenta,
	"arena": pretty.FgHiMagenta, "slab": pretty.FgCyan, "floor": pretty.Faint,
}

// bars has a step for each level of a bar.
var bars = []rune("▁▂▃▄▅▆▇█")

// lineOf returns a text without its breaks.
func (p *printer) lineOf(t document.Text) line {
	var out line
	for _, s := range t {
		color := spanColor[s.Kind]
		if s.Verdict != document.NoVerdict {
			color = verdictColor[s.Verdict]
		}
		words := s.Text
		switch {
		case s.Kind == document.Bar:
			words = string(bars[min(max(s.Level, 1), len(bars))-1])
		case s.Kind == document.Break:
			words = cmp.Or(s.Text, " ")
		case p.Lines > 0 && len(words) > longest:
			words = strings.ToValidUTF8(words[:longest], "") + "…"
		}
		if words != "" {
			out = append(out, piece{document.Clean(words), color})
		}
	}
	return out
}

// linesOf returns a text in the parts between its breaks.
func (p *printer) linesOf(t document.Text) []line {
	out := []line{nil}
	from := 0
	for i, s := range t {
		if s.Kind == document.Break {
			out[len(out)-1] = p.lineOf(t[from:i])
			out, from = append(out, nil), i+1
		}
	}
	out[len(out)-1] = p.lineOf(t[from:])
	return out
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

// painted returns printable words in a colour.
func painted(c pretty.Color, s string) line { return line{{s, c}} }

// width returns how many columns the line takes.
func (l line) width() (w int) {
	for _, s := range l {
		w += columns(s.text)
	}
	return w
}

// with returns the line with others behind it.
func (l line) with(others ...line) line {
	out := l[:len(l):len(l)]
	for _, o := range others {
		out = append(out, o...)
	}
	return out
}

// in returns the line in another colour; those that it has stay.
func (l line) in(c pretty.Color) line {
	out := make(line, len(l))
	for i, s := range l {
		if out[i] = s; s.color == 0 {
			out[i].color = c
		}
	}
	return out
}

// cut returns the line within a width; where something is missing it ends with "…".
func (l line) cut(width int) line {
	if l.width() <= width {
		return l
	}
	var out line
	room := max(width, 1) - 1
	for _, s := range l {
		w := columns(s.text)
		if w > room {
			out = append(out, piece{head(s.text, room), s.color})
			break
		}
		out, room = append(out, s), room-w
	}
	return append(out, piece{text: "…"})
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

// middleOut cuts the middle out of a name that is wider than width: names differ at their ends.
func middleOut(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	r := []rune(s)
	front := (width - 1) / 3
	for back := width - 1 - front; back > 0; back-- { // characters may be two columns wide
		short := string(r[:min(front, len(r))]) + "…" + string(r[max(len(r)-back, front):])
		if columns(short) <= width {
			return short
		}
	}
	return pretty.Snip(s, width, "…")
}

func (l line) words() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// after returns the line with spaces before it up to a width: set to the right.
func (l line) after(width int) line { return line{{text: spaces(width - l.width())}}.with(l) }

// filled returns the line with spaces behind it up to a width.
func (l line) filled(width int) line { return l.with(line{{text: spaces(width - l.width())}}) }

// inset returns lines set in by n columns.
func inset(lines []line, n int) []line {
	if n <= 0 {
		return lines
	}
	out := make([]line, len(lines))
	for i, l := range lines {
		if len(l) > 0 {
			out[i] = line{{text: spaces(n)}}.with(l)
		}
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

// wordsOf splits a line at its spaces: a word may have several colours.
func (l line) wordsOf() []line {
	var out []line
	var word line
	for _, s := range l {
		for i, part := range strings.Split(s.text, " ") {
			if i > 0 && len(word) > 0 {
				out, word = append(out, word), nil
			}
			if part != "" {
				word = append(word, piece{part, s.color})
			}
		}
	}
	if len(word) > 0 {
		out = append(out, word)
	}
	return out
}

// What happens to a word that no line holds.
type long uint8

const (
	whole  long = iota // it stands alone: it may be a path to copy
	shorn              // it is cut
	broken             // it goes on in the next line: after a slash, or anywhere
)

// wrapped breaks a line between its words; all but the first are set in by hang columns. A width
// of 0 is without limit.
func (l line) wrapped(width, hang int, words long) []line {
	if width <= 0 || l.width() <= width {
		return []line{l}
	}
	var out []line
	var now line
	indent, at := 0, 0 // at is the width of now
	end := func() {
		out = append(out, inset([]line{now}, indent)...)
		now, at, indent = nil, 0, min(hang, width/2)
	}
	for _, w := range l.wordsOf() {
		wide := w.width()
		if len(now) > 0 && indent+at+1+wide > width {
			end()
		}
		if len(now) > 0 {
			color := pretty.Color(0)
			if now[len(now)-1].color == w[0].color {
				color = w[0].color
			}
			now, at = append(now, piece{" ", color}), at+1
		}
		room := max(width-indent, 1)
		for words == broken && wide > room {
			now, w = w.broken(room)
			end()
			wide, room = w.width(), max(width-indent, 1)
		}
		if words == shorn && wide > room {
			w, wide = w.cut(room), room
		}
		now, at = append(now, w...), at+wide
	}
	if len(now) > 0 {
		end()
	}
	return out
}

// broken returns the beginning of a word that fills a line, to its last slash there if it has
// one, and the rest.
func (l line) broken(width int) (first, rest line) {
	at, w, slash := 0, 0, 0
	s := l.words()
	for i, r := range s {
		if w += columns(string(r)); w > width && i > 0 {
			break
		}
		if at = i + len(string(r)); r == '/' {
			slash = at
		}
	}
	if slash > 0 && at < len(s) {
		at = slash
	}
	for _, p := range l {
		n := min(max(at, 0), len(p.text))
		if n > 0 {
			first = append(first, piece{p.text[:n], p.color})
		}
		if n < len(p.text) {
			rest = append(rest, piece{p.text[n:], p.color})
		}
		at -= n
	}
	return first, rest
}

// few returns the first n lines of a text, with "…" where it has more.
func few(lines []line, n, width int) []line {
	if n <= 0 || len(lines) <= n {
		return lines
	}
	return append(lines[:n-1:n-1], lines[n-1].ended(width))
}

// ended returns the last line that is shown of a text that has more.
func (l line) ended(width int) line {
	l = l.with(painted(0, " …"))
	if width > 0 {
		l = l.cut(width)
	}
	return l
}
