package fronttext

import (
	"strings"

	"memcost/internal/report/answer"
	"memcost/internal/show/text"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// spansOf returns a sentence with its numbers set off; the colours repeat what the words say.
func spansOf(s answer.Sentence) line {
	var out line
	for _, p := range s {
		switch p.Kind {
		case answer.Number:
			out = append(out, paint(pretty.Bold, p.Text))
		case answer.Interval:
			out = append(out, paint(pretty.Faint, p.Text))
		default:
			out = append(out, paint(0, p.Text))
		}
	}
	return out
}

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
				word = append(word, span{part, s.color})
			}
		}
	}
	if len(word) > 0 {
		out = append(out, word)
	}
	return out
}

// few returns the first n lines of a text, with "…" where it has more.
func few(lines []line, n, width int) []line {
	if len(lines) <= n {
		return lines
	}
	last := append(line{}, lines[n-1].cut(max(width-gap, 1))...)
	return append(lines[:n-1:n-1], append(last, span{text: " …"}))
}

// broken returns the line as it is where it fits, else broken between its words.
func (l line) broken(width, hang int) []line {
	if l.width() <= width {
		return []line{l}
	}
	return l.wrapped(width, hang)
}

// wrapped breaks a line between its words; all but the first are set in by hang columns. A
// word that no line holds is cut.
func (l line) wrapped(width, hang int) []line {
	var out []line
	var now line
	indent := 0
	for _, w := range l.wordsOf() {
		if len(now) > 0 && indent+now.width()+1+w.width() > width {
			out, now = append(out, now.indented(indent)), nil
			indent = min(hang, width/2)
		}
		if len(now) > 0 {
			now = append(now, span{text: " "})
			if before := now[len(now)-2].color; before == w[0].color {
				now[len(now)-1].color = before
			}
		}
		now = append(now, w.cut(max(width-indent, 1))...)
	}
	if len(now) > 0 {
		out = append(out, now.indented(indent))
	}
	return out
}

// labelled returns a text behind a label, broken so that it stands beside the label.
func labelled(label line, column, width int, rest line) []line {
	if width < 3*column { // too narrow for two columns
		return append(line{}, append(append(label[:len(label):len(label)], span{text: " "}), rest...)...).wrapped(
			width, 2)
	}
	var out []line
	for i, l := range rest.wrapped(width-column, 0) {
		if i == 0 {
			out = append(out, append(label.filled(column), l...))
			continue
		}
		out = append(out, l.indented(column))
	}
	return out
}

// shortened cuts the middle out of a name that is wider than width.
func shortened(name string, width int) string { return text.Shorten(text.Clean(name), max(width, 1)) }
