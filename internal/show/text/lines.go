package text

import (
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// breaker returns a function that breaks a text into lines of the width: between
// words where it can, else after a slash, else anywhere. Lines that it has already stay apart.
func breaker(width int) func(string) string {
	return func(s string) string {
		var lines []string
		for line := range strings.SplitSeq(s, "\n") {
			lines = append(lines, breakLines(line, width)...)
		}
		return strings.Join(lines, "\n")
	}
}

func breakLines(s string, width int) []string {
	if pretty.StringWidth(s) <= width {
		return []string{s}
	}
	indent := s[:len(s)-len(strings.TrimLeft(s, " "))]
	var lines []string
	line := indent
	flush := func() { lines, line = append(lines, line), indent }
	for word := range strings.SplitSeq(strings.TrimLeft(s, " "), " ") {
		joint := ""
		if line != indent {
			joint = " "
		}
		if joint != "" && pretty.StringWidth(line+joint+word) > width {
			flush()
			joint = ""
		}
		for pretty.StringWidth(line+joint+word) > width { // a word that no line holds
			head := headOf(word, max(width-pretty.StringWidth(line), 1))
			line += head
			word = word[len(head):]
			flush()
		}
		line += joint + word
	}
	if line != indent || len(lines) == 0 {
		flush()
	}
	return lines
}

// headOf returns the beginning of a word that fills a line: to its last slash
// there, if it has one.
func headOf(word string, width int) string {
	end, slash := 0, 0
	for i, r := range word {
		if end > 0 && pretty.StringWidth(word[:i]+string(r)) > width {
			break
		}
		end = i + len(string(r))
		if r == '/' {
			slash = end
		}
	}
	if slash > 0 && end < len(word) {
		return word[:slash]
	}
	return word[:end]
}

// wrap puts a line break for the space before each word of s that would pass the
// width; s starts at column at. A word that is longer than a line is not broken:
// it may be a path to copy. A width of 0 is without limit.
func wrap(s string, width, at int, lineBreak string) string {
	if width <= 0 || at+pretty.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	for i, word := range strings.Split(s, " ") {
		w := pretty.StringWidth(word)
		switch {
		case i == 0:
		case at+1+w > width:
			b.WriteString(lineBreak)
			at = len(lineBreak) - 1
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += w
	}
	return b.String()
}
