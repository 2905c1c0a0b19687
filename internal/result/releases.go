package result

import (
	"cmp"
	"fmt"
	"go/version"
	"math"
	"slices"
	"strconv"
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

// history says spans in a line: "10 MiB to go1.23.12; 128 KiB from go1.24.13".
func history(all []Span) string {
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

// byRelease are the indices of the arms that are toolchains as they are, oldest
// first; nil unless there are so many that a column for each is no help.
func (a *Answer) byRelease() []int {
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
	order := a.byRelease()
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
			names, texts = append(names, v.Data), append(texts, v.Status)
			if d := v.Deciding; d != nil && exact(d.Figure) {
				figures[v.Data] = exactly(d.Figure)
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

// exact reports whether a figure is one that nothing blurs.
func exact(f Figure) bool {
	return !math.IsNaN(float64(f.Value)) && f.Unit != "" && f.Unit != "sec/op" && f.Unit != "B/sec" && !bounded(f)
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

// released prints a table by toolchain whose figures are exact: a line for each
// column, which says where it changed.
func (p *printer) released(t Table) {
	g := grid{title: t.Title, header: []string{"", t.Rows[0].Label}, left: map[int]bool{1: true}, prose: 1}
	if n := len(t.Rows); n > 1 {
		g.header[1] = fmt.Sprintf("%s to %s, %d of them", t.Rows[0].Label, t.Rows[n-1].Label, n)
	}
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Label)
	}
	for i, header := range t.Columns {
		var texts []string
		for _, r := range t.Rows {
			text := ""
			if f := r.Cells[i]; !math.IsNaN(float64(f.Value)) {
				text = exactly(f)
			}
			texts = append(texts, text)
		}
		g.rows = append(g.rows, []entry{{text: header}, {text: history(spans(names, texts))}})
	}
	p.grid(g)
}

// exactly prints a figure of which every digit counts; the title says of what.
func exactly(f Figure) string {
	switch v := float64(f.Value); {
	case f.Unit == "ratio":
		return ratio(v)
	case !inBytes(f.Unit):
		return strconv.FormatFloat(v, 'f', -1, 64)
	case v >= 1024 && math.Mod(v, 1024) != 0:
		return fmt.Sprintf("%s, %.0f B", Bytes(v), v)
	default:
		return Bytes(v)
	}
}

func inBytes(unit string) bool { return unit == "bytes" || strings.HasSuffix(unit, "-B") }

// isExact reports whether a table by toolchain holds exact figures alone.
func (t *Table) isExact() bool {
	for _, r := range t.Rows {
		if slices.ContainsFunc(r.Cells, func(f Figure) bool { return !math.IsNaN(float64(f.Value)) && !exact(f) }) {
			return false
		}
	}
	return t.By == catalog.ByToolchain
}
