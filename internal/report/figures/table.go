package figures

import (
	"math"
	"slices"
	"strings"

	"memcost/internal/study/language"
)

// A Table is a view of a study's cases on one side.
type Table struct {
	Title   string   `json:"title"`
	By      string   `json:"by"`
	Side    string   `json:"arm,omitempty"` // "" if its rows are the sides
	Columns []string `json:"columns"`
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes,omitempty"` // on columns that lack figures
}

// A Row is one value of the table's key.
type Row struct {
	Label string   `json:"label"`
	Cells []Figure `json:"cells"`
}

// Put sets a figure of the row with a label, and adds what is missing: the row, and cells before it.
func Put(rows []Row, label string, column int, f Figure) []Row {
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Label == label })
	if at < 0 {
		rows, at = append(rows, Row{Label: label}), len(rows)
	}
	rows[at].fill(column + 1)
	rows[at].Cells[column] = f
	return rows
}

// Fill gives rows so many cells, at least.
func Fill(rows []Row, columns int) {
	for i := range rows {
		rows[i].fill(columns)
	}
}

func (r *Row) fill(columns int) {
	for len(r.Cells) < columns {
		r.Cells = append(r.Cells, NoFigure())
	}
}

// WithoutEmptyColumns drops the columns of which nothing was measured: -b left
// their benchmarks out.
func (t Table) WithoutEmptyColumns() Table {
	empty := func(col int) bool {
		for _, r := range t.Rows {
			if f := r.Cells[col]; !math.IsNaN(float64(f.Value)) || f.Note != "" {
				return false
			}
		}
		return true
	}
	out := t
	out.Columns, out.Rows = nil, make([]Row, len(t.Rows))
	for i, r := range t.Rows {
		out.Rows[i].Label = r.Label
	}
	for col, header := range t.Columns {
		if empty(col) {
			continue
		}
		out.Columns = append(out.Columns, header)
		for i, r := range t.Rows {
			out.Rows[i].Cells = append(out.Rows[i].Cells, r.Cells[col])
		}
	}
	return out
}

// Pointless reports whether a row of a table that compares has nothing to
// compare: one figure, and none of the table's ratios.
func (t *Table) Pointless(r Row) bool {
	figures, ratios := 0, false
	for i, f := range r.Cells {
		if f.Note != "" {
			return false
		}
		ratio := t.IsRatio(i)
		ratios = ratios || ratio
		if !math.IsNaN(float64(f.Value)) {
			if ratio {
				return false
			}
			figures++
		}
	}
	return ratios && figures <= 1
}

// IsRatio reports whether a column shows ratios, as far as it shows anything.
func (t *Table) IsRatio(column int) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		f := r.Cells[column]
		return f.Unit == "" && !math.IsNaN(float64(f.Value))
	})
}

// Shown returns a table as a reader sees it: without columns and rows that say nothing, and with
// rows named in the unit of their key.
func (t Table) Shown() Table {
	t = t.WithoutEmptyColumns()
	var rows []Row
	for _, r := range t.Rows {
		if !t.Pointless(r) {
			rows = append(rows, Row{Label(t.By, r.Label), r.Cells})
		}
	}
	t.Rows = rows
	return t
}

// A Span is what is the same on neighbouring toolchains.
type Span struct {
	First string `json:"first"` // toolchain
	Last  string `json:"last"`
	Text  string `json:"text"`
}

// Spans join the neighbours of a sequence that say the same. A toolchain without a
// word on it ("") is passed over.
func Spans(toolchains, texts []string) []Span {
	var out []Span
	for i, t := range texts {
		switch n := len(out); {
		case t == "":
		case n > 0 && out[n-1].Text == t:
			out[n-1].Last = toolchains[i]
		default:
			out = append(out, Span{toolchains[i], toolchains[i], t})
		}
	}
	return out
}

// History returns spans in a line: "10 MiB to go1.23.12; 128 KiB from go1.24.13".
func History(all []Span) string {
	var parts []string
	for i, s := range all {
		switch {
		case len(all) == 1:
			parts = append(parts, s.Text)
		case i == 0:
			parts = append(parts, s.Text+" to "+s.Last)
		case i == len(all)-1:
			parts = append(parts, s.Text+" from "+s.First)
		case s.First == s.Last:
			parts = append(parts, s.Text+" with "+s.First)
		default:
			parts = append(parts, s.Text+" "+s.First+" to "+s.Last)
		}
	}
	return strings.Join(parts, "; ")
}

// History says in a line where a column of a table by toolchain changed: "10 MiB to
// go1.23.12; 128 KiB from go1.24.13". Its figures are exact.
func (t *Table) History(column int) string {
	var names, texts []string
	for _, r := range t.Rows {
		text := ""
		if f := r.Cells[column]; f.Known() {
			text = f.Exactly()
		}
		names, texts = append(names, r.Label), append(texts, text)
	}
	return History(Spans(names, texts))
}

// IsExact reports whether a table by toolchain holds exact figures alone.
func (t *Table) IsExact() bool {
	for _, r := range t.Rows {
		if slices.ContainsFunc(r.Cells, func(f Figure) bool { return !math.IsNaN(float64(f.Value)) && !f.Exact() }) {
			return false
		}
	}
	return t.By == language.ByToolchain
}
