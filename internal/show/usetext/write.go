// Package usetext shows how a program uses malloc on a terminal, in at most 45 lines of at most
// 100 columns.
package usetext

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/malloc/mallocprofile"
	"memcost/internal/show/text"
)

const (
	mostLines = 45
	widest    = 100
	leastWide = 60
)

// Write writes how a program uses malloc.
func Write(w io.Writer, u *mallocprofile.Use, style text.Style) error {
	width := widest
	if style.Width > 0 {
		width = max(min(style.Width, widest), leastWide)
	}
	p := page{style: style, width: width}
	head, foot, found := p.head(u), p.facts(u), p.findings(u, false)
	rest := mostLines - len(head) - len(foot) - len(found)
	if least := fewestRows + 3; rest < least {
		found = p.findings(u, true)
		rest = mostLines - len(head) - len(foot) - len(found)
	}
	all := append(head, p.pictures(u, rest)...)
	all = append(append(all, foot...), found...)
	out := bufio.NewWriter(w)
	for _, line := range all {
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	return out.Flush()
}

func (p page) head(u *mallocprofile.Use) []string {
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
func (p page) facts(u *mallocprofile.Use) []string {
	var out []string
	for _, s := range facts(u) {
		out = append(out, p.wrapped(0, s)...)
	}
	return out
}

// findings are the parts of the study: those that apply with their command. With short, the others
// have a line each.
func (p page) findings(u *mallocprofile.Use, short bool) []string {
	out := []string{"", p.paint(pretty.Bold, "What the study malloc says of this program")}
	colors := map[mallocprofile.Applies]pretty.Color{mallocprofile.Yes: pretty.FgGreen, mallocprofile.Little: pretty.FgYellow,
		mallocprofile.No: pretty.Faint}
	for _, f := range u.Findings {
		lines := p.wrapped(findingIndent, f.Says)
		if short && f.Applies != mallocprofile.Yes {
			lines = []string{strings.Repeat(" ", findingIndent) + cut(f.Says, p.width-findingIndent)}
		}
		label := fmt.Sprintf("  %-6s %-*s", f.Applies, findingIndent-9, f.Part)
		lines[0] = p.paint(colors[f.Applies], label) + lines[0][findingIndent:]
		out = append(out, lines...)
		if f.Command != "" && f.Applies == mallocprofile.Yes {
			margin := strings.Repeat(" ", commandIndent)
			out = append(out, p.paint(pretty.Faint, margin+cut(f.Command, p.width-commandIndent)))
		}
	}
	return out
}

// A command begins further left than the sentences, so that it stands on one line.
const (
	findingIndent = 24
	commandIndent = 9
)
