package stacklog

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"
)

// Run is a Log with what it is of.
type Run struct {
	Name  string      // program and toolchain
	Facts [][2]string // command, how it ended …: name and text
	Notes []string    // what went wrong beside the warnings of the Log
	Log   *Log
}

// pageRows bounds the tables of a page, and openRows those that one sees at
// once; JSON has all.
const (
	pageRows = 200
	openRows = 20
)

//go:embed page.css
var pageStyle string

// WritePage writes a page of HTML, complete in itself, light and dark.
func WritePage(w io.Writer, title string, runs []Run) error {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n", html.EscapeString(title), pageStyle, html.EscapeString(title))
	if len(runs) > 1 {
		overview(runs).html(&b)
	}
	for _, r := range runs {
		r.html(&b)
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Run) html(b *strings.Builder) {
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n<dl>\n", html.EscapeString(r.Name))
	for _, f := range r.Facts {
		fmt.Fprintf(b, "<dt>%s</dt><dd>%s</dd>\n", html.EscapeString(f[0]), html.EscapeString(f[1]))
	}
	b.WriteString("</dl>\n")
	for _, n := range r.Notes {
		fmt.Fprintf(b, "<p class=\"warning\">%s</p>\n", html.EscapeString(n))
	}
	if l := r.Log; l != nil {
		l.html(b)
	}
	b.WriteString("</section>\n")
}

func (l *Log) html(b *strings.Builder) {
	for _, w := range l.Warnings {
		fmt.Fprintf(b, "<p class=\"warning\">warning: %s</p>\n", html.EscapeString(w.Error()))
	}
	var totals strings.Builder
	l.totals(&totals)
	fmt.Fprintf(b, "<p>%s</p>\n", strings.ReplaceAll(html.EscapeString(strings.TrimSpace(totals.String())), "\n", "<br>\n"))
	for _, a := range l.Advice() {
		fmt.Fprintf(b, "<p class=\"advice\">%s</p>\n", html.EscapeString(a))
	}
	if p := l.Picture(); p != "" {
		fmt.Fprintf(b, "<figure>\n%s<figcaption>The changes of size in the life of a goroutine, from left to right. "+
			"A line is as wide as the number of goroutines that went that way; a circle counts those that kept the size.</figcaption>\n</figure>\n", p)
	}
	for _, t := range l.tables() {
		t.html(b)
	}
}

func (t table) html(b *strings.Builder) {
	if len(t.rows) == 0 {
		return
	}
	open := ""
	if len(t.rows) <= openRows {
		open = ` open=""`
	}
	fmt.Fprintf(b, "<details%s>\n<summary>%s</summary>\n<div class=\"wide\"><table>\n<thead><tr>", open, t.about)
	for head := range strings.SplitSeq(t.header, "\t") {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(head))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	more := t.more + int64(max(0, len(t.rows)-pageRows))
	for _, row := range t.rows[:min(len(t.rows), pageRows)] {
		b.WriteString("<tr>")
		for cell := range strings.SplitSeq(row, "\t") {
			class := ""
			if cell != "" && strings.Trim(cell, "0123456789") == "" {
				class = " class=\"number\""
			}
			fmt.Fprintf(b, "<td%s>%s</td>", class, html.EscapeString(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table></div>\n")
	if more > 0 {
		fmt.Fprintf(b, "<p>… and %d more</p>\n", more)
	}
	b.WriteString("</details>\n")
}
