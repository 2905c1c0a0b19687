// Package usetext shows how a program uses malloc on a terminal, in at most 45 lines of at most
// 100 columns.
package usetext

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/mallocuse"
	"memcost/internal/text"
	"memcost/internal/units"
)

const (
	mostLines = 45
	widest    = 100
	leastWide = 60
)

// Write writes how a program uses malloc.
func Write(w io.Writer, u *mallocuse.Use, style text.Style) error {
	width := widest
	if style.Width > 0 {
		width = max(min(style.Width, widest), leastWide)
	}
	p := page{style: style, width: width}
	head, foot, found := p.head(u), p.facts(u), p.findings(u)
	rest := mostLines - len(head) - len(foot) - len(found)
	all := append(head, p.pictures(u, rest)...)
	all = append(append(all, foot...), found...)
	out := bufio.NewWriter(w)
	for _, line := range all {
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	return out.Flush()
}

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

func (p page) head(u *mallocuse.Use) []string {
	var out []string
	for _, l := range p.wrapped(0, u.Headline) {
		out = append(out, p.paint(pretty.Bold, l))
	}
	ran := fmt.Sprintf("%s: %s, %s CPU", strings.Join(u.Command, " "), units.Duration(u.Wall), units.Duration(u.CPU))
	if u.Ended != "" {
		ran += "; it ended with " + u.Ended + ": what it counted until then"
	}
	lines := p.wrapped(0, ran)
	if len(lines) > 2 { // a long command
		lines = []string{lines[0], lines[len(lines)-1]}
	}
	return append(out, lines...)
}

// facts are the lines below the pictures.
func (p page) facts(u *mallocuse.Use) []string {
	var out []string
	for _, s := range facts(u) {
		out = append(out, p.wrapped(0, s)...)
	}
	return out
}

// findings are the parts of the study: those that apply with their command, the others short.
func (p page) findings(u *mallocuse.Use) []string {
	out := []string{"", p.paint(pretty.Bold, "What the study malloc says of this program")}
	colors := map[mallocuse.Applies]pretty.Color{mallocuse.Yes: pretty.FgGreen, mallocuse.Little: pretty.FgYellow,
		mallocuse.No: pretty.Faint}
	for _, f := range u.Findings {
		lines := p.wrapped(findingIndent, f.Says)
		label := fmt.Sprintf("  %-6s %-*s", f.Applies, findingIndent-9, f.Part)
		lines[0] = p.paint(colors[f.Applies], label) + lines[0][findingIndent:]
		out = append(out, lines...)
		if f.Command != "" && f.Applies == mallocuse.Yes {
			out = append(out, p.paint(pretty.Faint, strings.Repeat(" ", findingIndent)+cut(f.Command, p.width-findingIndent)))
		}
	}
	return out
}

const findingIndent = 24

// cut shortens a text that is too long for a line.
func cut(s string, width int) string {
	s = text.Clean(s)
	if pretty.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	return pretty.Trim(s, width-1) + "…"
}
