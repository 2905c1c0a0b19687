package result

import (
	"cmp"
	"go/version"
	"slices"
	"strings"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// ByRelease returns the indices of the sides that are toolchains as they are, oldest
// first; nil unless there are so many that a column for each is no help.
func (a *Answer) ByRelease() []int {
	const least = 4
	var out []int
	for i, side := range a.Sides {
		if side.Name == side.Toolchain && version.IsValid(side.Name) {
			out = append(out, i)
		}
	}
	if len(out) < least || len(out) < len(a.Sides) {
		return nil
	}
	slices.SortStableFunc(out, func(x, y int) int { return version.Compare(a.Sides[x].Name, a.Sides[y].Name) })
	return out
}

// Releases says a claim's verdicts on the toolchains of an answer, oldest first:
// where it began or ceased to hold. It is nil for a few toolchains, which have a
// column each.
func (a *Answer) Releases(c *Claim) []figures.Span {
	order := a.ByRelease()
	if order == nil {
		return nil
	}
	var names, texts []string
	known := map[string]string{}
	for _, i := range order {
		for _, v := range c.Verdicts {
			if v.Published || v.Data != a.Sides[i].Name {
				continue
			}
			names, texts = append(names, v.Data), append(texts, v.unmarked())
			if d := v.Deciding; d != nil && d.Figure.Exact() {
				known[v.Data] = d.Figure.Exactly()
			}
		}
	}
	out := figures.Spans(names, texts)
	for i := range out {
		// A figure that is exact is the same from run to run: it may stand for all
		// toolchains that have it.
		first, last := slices.Index(names, out[i].First), slices.Index(names, out[i].Last)
		figure := known[names[first]]
		same := !slices.ContainsFunc(names[first:last+1], func(n string) bool { return known[n] != figure })
		if figure != "" && same {
			out[i].Text += " (" + figure + ")"
		}
	}
	return out
}

// acrossSides fills a table by toolchain: a row for each side, from the one case that
// each column selects.
func acrossSides(t language.Table, judged []*claim.Judged) figures.Table {
	out := figures.Table{Title: t.Title, By: t.By, Columns: []string{}}
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
	slices.SortStableFunc(out.Rows, func(x, y figures.Row) int {
		if version.IsValid(x.Label) && version.IsValid(y.Label) {
			return cmp.Or(version.Compare(x.Label, y.Label), strings.Compare(x.Label, y.Label))
		}
		return 0
	})
	return out
}
