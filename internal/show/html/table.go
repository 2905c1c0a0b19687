package html

import (
	"cmp"
	"slices"
	"strconv"

	"memcost/internal/document"
)

// table writes all of a table. One whose rows unfold, or that may be sorted, has a <tbody> for
// each of its rows.
func (p *page) table(t *document.Table) {
	if t = t.For(document.Page, true); len(t.Rows) == 0 {
		return
	}
	unfolds := slices.ContainsFunc(t.Rows, func(r document.Row) bool { return len(r.Detail) > 0 })
	p.sortable = p.sortable || t.Sortable
	classes := []string{t.Class}
	if t.Sortable {
		classes = append(classes, "sortable")
	}
	prose := 0
	for _, c := range t.Columns {
		if c.Kind == document.Prose {
			prose++
		}
	}
	if prose > 1 {
		classes = append(classes, "wordy")
	}
	labelled := unfolds || t.Sortable || prose > 1 // their cells say of which column they are
	if unfolds {
		classes = append(classes, "unfolds")
	} else {
		p.printf("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n",
			escaped(cmp.Or(t.Title.String(), "Figures")))
	}
	folded := t.Most > 0 && len(t.Rows) > 2*t.Most
	if folded {
		p.printf("<details><summary>%s: %d rows</summary>\n", p.text(t.Title), len(t.Rows))
	}
	p.printf("<table%s>\n", attributes(t.ID, classes...))
	if !t.Title.Empty() && !folded {
		p.printf("<caption>%s</caption>\n", p.text(t.Title))
	}
	if !t.Headless {
		p.head(t)
	}
	if !unfolds {
		p.printf("<tbody>\n")
	}
	for i := range t.Rows {
		p.row(t, &t.Rows[i], unfolds, labelled)
	}
	if !unfolds {
		p.printf("</tbody>\n")
	}
	p.printf("</table>\n")
	if folded {
		p.printf("</details>\n")
	}
	if !unfolds {
		p.printf("</div>\n")
	}
	if t.LeftOut > 0 {
		p.printf("<p class=\"legend\">… and %s more", strconv.Itoa(t.LeftOut))
		if t.More != "" {
			p.printf(": %s", escaped(t.More))
		}
		p.printf("</p>\n")
	}
	for _, n := range t.Notes {
		p.printf("<p class=\"legend\">%s</p>\n", p.text(n))
	}
}

// named returns the column whose cells say what a row is of.
func named(t *document.Table) int {
	for i := range t.Columns {
		if kind := t.KindOf(i); kind == document.Key || kind == document.Name {
			return i
		}
	}
	return 0
}

func (p *page) head(t *document.Table) {
	p.printf("<thead><tr>")
	for i, c := range t.Columns {
		title := ""
		if c.Title != "" {
			title = ` title="` + escaped(c.Title) + `"`
		}
		if t.Sortable && c.Choose {
			title += ` data-choose=""`
		}
		p.printf("<th scope=\"col\"%s%s>%s</th>", attributes("", columnClass(t.KindOf(i))), title, escaped(c.Head))
	}
	p.printf("</tr></thead>\n")
}

func columnClass(kind document.ColumnKind) string {
	switch kind {
	case document.Figure:
		return ""
	case document.Prose:
		return "left prose"
	}
	return "left"
}

func (p *page) row(t *document.Table, r *document.Row, unfolds, labelled bool) {
	id := r.ID
	if unfolds {
		p.printf("<tbody%s>\n", attributes(id))
		id = ""
	}
	if r.Head {
		p.printf("<tr%s><th scope=\"rowgroup\" colspan=\"%d\">", attributes(id, "heading", r.Class), len(t.Columns))
		for _, c := range r.Cells {
			p.printf("%s", p.text(c))
		}
		p.printf("</th></tr>\n")
	} else {
		last := ""
		if r.Last {
			last = "last" // sorting leaves it there
		}
		p.printf("<tr%s>", attributes(id, r.Class, last))
		for i, c := range r.Cells {
			p.cell(t, i, c, labelled)
		}
		p.printf("</tr>\n")
	}
	if len(r.Detail) > 0 {
		p.printf("<tr class=\"more\"><td colspan=\"%d\">", len(t.Columns))
		if f, is := r.Detail[0].(*document.Fold); is && len(r.Detail) == 1 {
			p.fold(f, 4)
		} else {
			p.printf("<details><summary>More</summary>\n")
			p.blocks(r.Detail, 4)
			p.printf("</details>")
		}
		p.printf("</td></tr>\n")
	}
	if unfolds {
		p.printf("</tbody>\n")
	}
}

func (p *page) cell(t *document.Table, i int, c document.Text, labelled bool) {
	var column document.Column
	class := ""
	if i < len(t.Columns) {
		column, class = t.Columns[i], columnClass(t.KindOf(i))
	}
	extra := ""
	if labelled && column.Head != "" {
		extra = ` data-label="` + escaped(column.Head) + `"`
	}
	if t.Sortable {
		for _, s := range c {
			if s.Value != 0 {
				extra += ` data-value="` + strconv.FormatFloat(s.Value, 'g', -1, 64) + `"`
				break
			}
		}
	}
	words := p.figures(c)
	if i == named(t) {
		p.printf("<th scope=\"row\"%s>%s</th>", attributes("", class), words)
		return
	}
	p.printf("<td%s%s>%s</td>", attributes("", class), extra, words)
}
