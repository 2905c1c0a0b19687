package usetext

import (
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
)

// A page is where lines are laid out.
type page struct {
	style text.Style
	width int
}

// paint colours a text, where colours are wanted.
func (p page) paint(c pretty.Color, s string) string {
	if !p.style.Color || s == "" {
		return s
	}
	return c.EscapeSeq() + s + pretty.Reset.EscapeSeq()
}

// wrapped breaks a text between words, and sets all lines in by so many columns.
func (p page) wrapped(indent int, s string) []string {
	margin := strings.Repeat(" ", indent)
	lines := strings.Split(pretty.WrapSoft(text.Clean(s), p.width-indent), "\n")
	for i, l := range lines {
		lines[i] = margin + strings.TrimRight(l, " ")
	}
	return lines
}

// cut shortens a text that is too long for a line.
func cut(s string, width int) string {
	s = text.Clean(s)
	if pretty.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	return pretty.Trim(s, width-1) + "…"
}
