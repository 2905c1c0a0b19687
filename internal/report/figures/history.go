package figures

import (
	"math"
	"slices"
	"strings"

	"memcost/internal/study/language"
)

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
