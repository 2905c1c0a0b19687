package difftext

import (
	"encoding/json"
	"fmt"
	"io"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
	"memcost/internal/sites/diff"
)

// mostRows is how many rows of a table are shown where not everything is asked for.
const mostRows = 10

// Text writes comparisons for a terminal: the answer, tables of what is gone, new, changed and
// moved, and of the benchmarks that changed.
func Text(w io.Writer, diffs []diff.Diff, s text.Style) error {
	p := text.NewPrinter(w, s)
	for i, d := range diffs {
		if i > 0 {
			p.Raw("\n")
		}
		for j, says := range d.Says {
			label, color := "", pretty.Color(0)
			if j == 0 {
				label, color = shortHeading(d, s.Width)+":", pretty.Bold
			}
			p.Line(0, color, label, says)
		}
		for _, part := range parts(d, s.Long) {
			p.Raw("\n")
			p.Table(table(part, s.Long))
		}
		if notes := Asides(d); len(notes) > 0 {
			p.Raw("\n")
			for _, note := range notes {
				p.Line(0, 0, "", note)
			}
		}
	}
	return p.Err()
}

// shortHeading names the sides in less than half of a line.
func shortHeading(d diff.Diff, width int) string {
	const longest = 40
	room := longest
	if width > 0 {
		room = min(room, max(width/5, 6))
	}
	d.Old.Name, d.New.Name = text.Shorten(text.Clean(d.Old.Name), room), text.Shorten(text.Clean(d.New.Name), room)
	return Heading(d)
}

func table(p part, long bool) text.Table {
	t := text.Table{Title: p.title, Header: p.header, Left: map[int]bool{}}
	for _, column := range p.left {
		t.Left[column] = true
	}
	if last := len(p.header) - 1; t.Left[last] && last > 1 {
		t.Prose = last
	}
	rows := p.rows
	if !long && len(rows) > mostRows {
		t.More = int64(len(rows) - mostRows)
		rows = rows[:mostRows]
	}
	for _, r := range rows {
		t.Add(r...)
	}
	return t
}

// jsonSchema changes when a field changes its meaning.
const jsonSchema = 1

// JSON writes comparisons as a JSON object.
func JSON(w io.Writer, diffs []diff.Diff) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if diffs == nil {
		diffs = []diff.Diff{}
	}
	err := e.Encode(struct {
		Schema      int         `json:"schema"`
		Comparisons []diff.Diff `json:"comparisons"`
	}{jsonSchema, diffs})
	if err != nil {
		return fmt.Errorf("writing the comparison of sites as JSON: %w", err)
	}
	return nil
}
