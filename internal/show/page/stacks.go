package page

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"memcost/internal/gotool/stacklog"
	"memcost/internal/show/text"
)

// pageRows bounds the tables of a page, and openRows those that one sees at
// once; JSON has all.
const (
	pageRows = 200
	openRows = 20
)

// WriteStacks writes what was found of stacks as a page of HTML, complete in itself, light and dark.
func WriteStacks(w io.Writer, title string, runs []text.StackRun) error {
	style, err := assets.ReadFile("assets/stacks.css")
	if err != nil {
		return fmt.Errorf("reading the page's parts: %w", err)
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" " +
		"content=\"light dark\">\n")
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n",
		html.EscapeString(title), style, html.EscapeString(title))
	if len(runs) > 1 {
		stackTable(&b, text.StackOverviewTable(runs))
	}
	for _, r := range runs {
		stackRun(&b, r)
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err = io.WriteString(w, b.String())
	return err
}

func stackRun(b *strings.Builder, r text.StackRun) {
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n<dl>\n", html.EscapeString(r.Name))
	for _, f := range r.Facts {
		fmt.Fprintf(b, "<dt>%s</dt><dd>%s</dd>\n", html.EscapeString(f[0]), html.EscapeString(f[1]))
	}
	b.WriteString("</dl>\n")
	for _, n := range slices.Concat(r.Notes, r.Failed) {
		fmt.Fprintf(b, "<p class=\"warning\">%s</p>\n", html.EscapeString(n))
	}
	if l := r.Log; l != nil {
		stackLog(b, l)
	}
	b.WriteString("</section>\n")
}

func stackLog(b *strings.Builder, l *stacklog.Log) {
	for _, w := range l.Warnings {
		fmt.Fprintf(b, "<p class=\"warning\">warning: %s</p>\n", html.EscapeString(w.Error()))
	}
	fmt.Fprintf(b, "<p>%s</p>\n", strings.ReplaceAll(html.EscapeString(strings.Join(text.StackTotals(l), "\n")), "\n",
		"<br>\n"))
	for _, a := range text.StackAdvice(l) {
		fmt.Fprintf(b, "<p class=\"advice\">%s</p>\n", html.EscapeString(a))
	}
	if p := stackPicture(l); p != "" {
		fmt.Fprintf(b, "<figure>\n%s<figcaption>Stack size over the life of a goroutine, from left to right. "+
			"The width of a line is the number of goroutines whose stack changed so; a circle counts those that kept "+
			"their size.</figcaption>\n</figure>\n", p)
	}
	for _, t := range text.StackTables(l) {
		stackTable(b, t)
	}
}

func stackTable(b *strings.Builder, t text.Table) {
	if len(t.Rows) == 0 {
		return
	}
	open := ""
	if len(t.Rows) <= openRows {
		open = ` open=""`
	}
	fmt.Fprintf(b, "<details%s>\n<summary>%s</summary>\n<div class=\"wide\"><table>\n<thead><tr>", open, t.Title)
	for _, head := range t.Header {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(head))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	more := t.More + int64(max(0, len(t.Rows)-pageRows))
	for _, row := range t.Rows[:min(len(t.Rows), pageRows)] {
		b.WriteString("<tr>")
		for _, cell := range row {
			class := ""
			if cell.Text != "" && strings.Trim(cell.Text, "0123456789") == "" {
				class = " class=\"number\""
			}
			fmt.Fprintf(b, "<td%s>%s</td>", class, html.EscapeString(cell.Text))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table></div>\n")
	if more > 0 {
		fmt.Fprintf(b, "<p>… and %d more</p>\n", more)
	}
	b.WriteString("</details>\n")
}
