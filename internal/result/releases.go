package result

import (
	"cmp"
	"go/version"
	"math"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/claim"
)

// A Span is what is the same on neighbouring toolchains.
type Span struct {
	First string `json:"first"` // toolchain
	Last  string `json:"last"`
	Text  string `json:"text"`
}

// spans join the neighbours of a sequence that say the same. A toolchain without a
// word on it ("") is passed over.
func spans(toolchains, texts []string) []Span {
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

// ByRelease returns the indices of the arms that are toolchains as they are, oldest
// first; nil unless there are so many that a column for each is no help.
func (a *Answer) ByRelease() []int {
	const least = 4
	var out []int
	for i, arm := range a.Arms {
		if arm.Name == arm.Toolchain && version.IsValid(arm.Name) {
			out = append(out, i)
		}
	}
	if len(out) < least || len(out) < len(a.Arms) {
		return nil
	}
	slices.SortStableFunc(out, func(x, y int) int { return version.Compare(a.Arms[x].Name, a.Arms[y].Name) })
	return out
}

// Releases says a claim's verdicts on the toolchains of an answer, oldest first:
// where it began or ceased to hold. It is nil for a few toolchains, which have a
// column each.
func (a *Answer) Releases(c *Claim) []Span {
	order := a.ByRelease()
	if order == nil {
		return nil
	}
	var names, texts []string
	figures := map[string]string{}
	for _, i := range order {
		for _, v := range c.Verdicts {
			if v.Published || v.Data != a.Arms[i].Name {
				continue
			}
			names, texts = append(names, v.Data), append(texts, v.unmarked())
			if d := v.Deciding; d != nil && d.Figure.exact() {
				figures[v.Data] = d.Figure.Exactly()
			}
		}
	}
	out := spans(names, texts)
	for i := range out {
		// A figure that is exact is the same from run to run: it may stand for all
		// toolchains that have it.
		first, last := slices.Index(names, out[i].First), slices.Index(names, out[i].Last)
		figure := figures[names[first]]
		same := !slices.ContainsFunc(names[first:last+1], func(n string) bool { return figures[n] != figure })
		if figure != "" && same {
			out[i].Text += " (" + figure + ")"
		}
	}
	return out
}

// acrossArms fills a table by toolchain: a row for each arm, from the one case that
// each column selects.
func acrossArms(t catalog.Table, judged []*claim.Judged) Table {
	out := Table{Title: t.Title, By: t.By, Columns: []string{}}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, c.Header)
	}
	for _, j := range judged {
		one := tableOf(t, j.Data)
		out.Rows = append(out.Rows, one.Rows...)
		for _, n := range one.Notes {
			out.Notes = append(out.Notes, j.Name+": "+n)
		}
	}
	slices.SortStableFunc(out.Rows, func(x, y Row) int {
		if version.IsValid(x.Label) && version.IsValid(y.Label) {
			return cmp.Or(version.Compare(x.Label, y.Label), strings.Compare(x.Label, y.Label))
		}
		return 0
	})
	return out
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
	return History(spans(names, texts))
}

// IsExact reports whether a table by toolchain holds exact figures alone.
func (t *Table) IsExact() bool {
	for _, r := range t.Rows {
		if slices.ContainsFunc(r.Cells, func(f Figure) bool { return !math.IsNaN(float64(f.Value)) && !f.exact() }) {
			return false
		}
	}
	return t.By == catalog.ByToolchain
}
