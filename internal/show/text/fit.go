package text

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// fit returns t in parts that are no wider than width, which is unlimited at 0.
// The column of sentences is broken into lines first. Columns that still do not
// fit, from the last on, stand below the others: each part has the columns that
// tell the rows apart in front. What is too wide even alone is broken.
func (t Table) fit(width int) []Table {
	if width <= 0 || t.total() <= width {
		return []Table{t}
	}
	original := t
	t = t.copy()
	t.narrowKeys(max(width/2, leastName))
	if t.total() <= width {
		return []Table{t}
	}
	keys, n := t.keys(), t.columns()
	ws := t.widths()
	keysWidth := total(ws[:keys]) - t.unindented()
	if keysWidth+gap+leastName > width {
		return []Table{original.listed(width)}
	}
	least := slices.Clone(ws)
	if t.Prose > 0 {
		least[t.Prose] = min(least[t.Prose], leastProse)
	}
	var parts []Table
	for from := keys; from < n; {
		to := from + 1
		for to < n && keysWidth+total(least[from:to+1]) <= width {
			to++
		}
		part := t.part(from, to)
		room := width - keysWidth - total(least[from:to])
		for i := from; i < to; i++ {
			switch at := keys + i - from; {
			case i == t.Prose:
				part.edit(at, breaker(max(least[i]+room, leastName)))
			case to == from+1 && room < 0:
				part.edit(at, breaker(max(ws[i]+room, leastName)))
			}
		}
		if len(parts) > 0 && part.Title != "" {
			part.Title += " (continued)"
		}
		parts = append(parts, part)
		from = to
	}
	return parts
}

// listed returns t for a terminal that is too narrow for columns: each row in
// lines, each cell after the name of its column.
func (t *Table) listed(width int) Table {
	out := Table{Title: t.Title, More: t.More}
	for _, r := range t.Rows {
		var words []string
		for i, c := range r {
			if c.Text != "" && t.Header != nil {
				words = append(words, t.Header[i])
			}
			words = append(words, c.Text)
		}
		line := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
		out.add(breaker(width - gap + t.unindented())(line))
	}
	return out
}

// widths returns the widths of the columns.
func (t *Table) widths() []int {
	ws := make([]int, t.columns())
	for i := range ws {
		ws[i] = t.width(i)
	}
	return ws
}

func (t *Table) total() int { return total(t.widths()) - t.unindented() }

// unindented returns what a table without a title is narrower, for it is not set in.
func (t *Table) unindented() int {
	if t.Title == "" {
		return gap
	}
	return 0
}

// total returns the width of columns beside each other, each with a gap before it.
func total(widths []int) int {
	sum := 0
	for _, w := range widths {
		sum += gap + w
	}
	return sum
}

// part returns the keys and the columns in [from, to).
func (t *Table) part(from, to int) Table {
	keys := t.keys()
	out := *t
	out.Left, out.Rows, out.Prose = map[int]bool{}, nil, 0
	if t.Header != nil {
		out.Header = slices.Concat(t.Header[:keys], t.Header[from:to])
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, slices.Concat(r[:keys], r[from:to]))
	}
	for i := range keys {
		out.Left[i] = t.Left[i]
	}
	for i := range to - from {
		out.Left[keys+i] = t.Left[from+i]
	}
	return out
}

// narrowKeys makes the keys together no wider than width: their middles are cut
// out, for names differ at their ends. Where that would make two different keys
// the same, they are broken into lines instead.
func (t *Table) narrowKeys(width int) {
	keys := t.keys()
	if keys >= t.columns() {
		keys = t.columns()
	}
	ws := t.widths()[:keys]
	room := slices.Clone(ws)
	for over := total(room) - width; over > 0; over = total(room) - width {
		widest := 0
		for i, w := range room {
			if w > room[widest] {
				widest = i
			}
		}
		if room[widest] <= leastName {
			break
		}
		room[widest] = max(room[widest]-over, leastName)
	}
	before, cut := t.different(keys), t.copy()
	for i, w := range room {
		if w < ws[i] {
			cut.edit(i, func(s string) string { return middleOut(s, w) })
		}
	}
	if cut.different(keys) == before {
		*t = cut
		return
	}
	for i, w := range room {
		if w < ws[i] {
			t.edit(i, breaker(w))
		}
	}
}

// different returns how many different keys the rows have.
func (t *Table) different(keys int) int {
	seen := map[string]bool{}
	for _, r := range t.Rows {
		var b strings.Builder
		for _, c := range r[:keys] {
			b.WriteString(c.Text + "\x00")
		}
		seen[b.String()] = true
	}
	return len(seen)
}

// middleOut shortens s to width: its middle goes.
func middleOut(s string, width int) string {
	if pretty.StringWidth(s) <= width {
		return s
	}
	r := []rune(s)
	front := (width - 1) / 3
	for back := width - 1 - front; back > 0; back-- { // characters may be two columns wide
		short := string(r[:min(front, len(r))]) + "…" + string(r[max(len(r)-back, front):])
		if pretty.StringWidth(short) <= width {
			return short
		}
	}
	return pretty.Snip(s, width, "…")
}
