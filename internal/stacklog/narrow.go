package stacklog

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks the lines of a text that are wider than width columns, between
// words where it can; what is broken off is indented. Width 0 is without end.
func Wrap(text string, width int) string {
	if width <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if utf8.RuneCountInString(line) <= width {
			b.WriteString(line)
		} else {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			b.WriteString(indent)
			fill(&b, strings.Fields(line), width, len(indent), indent+"  ", " ")
		}
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// fill writes words into lines of width columns, of which at are taken, with the
// indent in front of all but the first, and between two words what separates them.
func fill(b *strings.Builder, words []string, width, at int, indent, between string) {
	width = max(width, len(indent)+8)
	first := true
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if !first && at+len(between)+n > width {
			b.WriteString("\n" + indent)
			at, first = len(indent), true
		}
		if !first {
			b.WriteString(between)
			at += len(between)
		}
		for at+n > width { // a word that no line holds
			runes := []rune(word)
			room := max(width-at, 1)
			b.WriteString(string(runes[:room]) + "\n" + indent)
			word, n, at = string(runes[room:]), n-room, len(indent)
		}
		b.WriteString(word)
		at, first = at+n, false
	}
}

// narrow writes rows that do not fit side by side: each cell with its column's
// name, as many on a line as there is room for.
func (t table) narrow(b *strings.Builder, rows []string, width int) {
	heads := strings.Split(t.header, "\t")
	for _, row := range rows {
		var cells []string
		for i, cell := range strings.Split(row, "\t") {
			if cell != "" && i < len(heads) {
				cells = append(cells, heads[i]+" "+cell)
			}
		}
		fill(b, cells, width, 0, "    ", "  ")
		b.WriteByte('\n')
	}
}

// wide is the width of the widest line of a text.
func wide(text string) (n int) {
	for line := range strings.Lines(text) {
		n = max(n, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return n
}
