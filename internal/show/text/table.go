package text

import (
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// A Table is figures and words in rows and columns. Its cells are plain text:
// colour is put on them last, so that nobody else's text can bring its own.
type Table struct {
	Title  string
	Header []string // nil: none
	Rows   [][]Cell
	More   int64        // rows that are left out
	Keys   int          // the first so many columns tell the rows apart; 0 is 1
	Left   map[int]bool // the columns of words, beside the first: they are set to the left
	Prose  int          // the column of sentences, which may be broken into lines; 0 is none
}

// A Cell is one cell of a Table: its first word may be coloured, or all of it.
type Cell struct {
	Text  string
	below string       // a second line
	color pretty.Color // 0 is none
	all   bool
}

const (
	gap        = 2  // columns between columns, and the indentation
	leastProse = 16 // a narrower column of sentences cannot be read
	leastName  = 8
)

// Bold returns a cell that stands out.
func Bold(s string) Cell { return Cell{Text: s, color: pretty.Bold, all: true} }

// cells returns a row of plain texts.
func cells(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, s := range texts {
		row[i].Text = s
	}
	return row
}

// add appends a row of plain texts.
func (t *Table) add(texts ...string) { t.Rows = append(t.Rows, cells(texts...)) }

// keys returns how many columns tell the rows apart.
func (t *Table) keys() int { return max(t.Keys, 1) }

// columns returns how many columns the table has.
func (t *Table) columns() int {
	if t.Header != nil || len(t.Rows) == 0 {
		return len(t.Header)
	}
	return len(t.Rows[0])
}

// clean makes all texts of the table printable.
func (t *Table) clean() {
	t.Title = Clean(t.Title)
	for i, h := range t.Header {
		t.Header[i] = Clean(h)
	}
	for _, r := range t.Rows {
		for i := range r {
			if r[i].Text = Clean(r[i].Text); r[i].below != "" {
				r[i].Text, r[i].below = r[i].Text+"\n"+Clean(r[i].below), ""
			}
		}
	}
}

// copy returns a table whose header and cells can be changed without changing t.
func (t Table) copy() Table {
	t.Header = append([]string(nil), t.Header...)
	rows := make([][]Cell, len(t.Rows))
	for i, r := range t.Rows {
		rows[i] = append([]Cell(nil), r...)
	}
	t.Rows = rows
	return t
}

// untitled returns t without its title: the header says enough.
func (t Table) untitled() Table {
	t.Title = ""
	return t
}

// first returns t with its first n columns alone.
func (t Table) first(n int) Table {
	t = t.copy()
	t.Header = t.Header[:n]
	for i, r := range t.Rows {
		t.Rows[i] = r[:n]
	}
	return t
}

// width returns the width of a column: of its longest line.
func (t *Table) width(column int) int {
	w := 0
	if t.Header != nil {
		w = lineWidth(t.Header[column])
	}
	for _, r := range t.Rows {
		w = max(w, lineWidth(r[column].Text))
	}
	return w
}

// lineWidth returns the width of the longest line of a text.
func lineWidth(s string) int {
	w := 0
	for line := range strings.SplitSeq(s, "\n") {
		w = max(w, pretty.StringWidth(line))
	}
	return w
}

// edit changes the header and all cells of a column.
func (t *Table) edit(column int, fn func(string) string) {
	if t.Header != nil {
		t.Header[column] = fn(t.Header[column])
	}
	for _, r := range t.Rows {
		r[column].Text = fn(r[column].Text)
	}
}
