package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// sidePicture draws each further side of a run against the first; false when there
// is none, or nothing to compare.
func sidePicture(cases []Case, first string) (figures.Picture, bool) {
	p := figures.Picture{Kind: language.Forest, Title: "Each configuration against " + first, By: "case",
		Columns: []string{"time over " + first}, Roofline: -1}
	for _, name := range drawnCases(cases) {
		for _, c := range cases {
			if c.Name != name || c.VsFirst == nil || math.IsNaN(float64(c.VsFirst.Value)) {
				continue
			}
			at := slices.IndexFunc(p.Sets, func(s figures.PictureSet) bool { return s.Data == c.Side })
			if at < 0 {
				at = len(p.Sets)
				p.Sets = append(p.Sets, figures.PictureSet{Data: c.Side})
			}
			p.Sets[at].Rows = append(p.Sets[at].Rows, figures.Row{Label: c.Name,
				Cells: []figures.Figure{c.VsFirst.Figure}})
		}
	}
	if len(p.Sets) == 1 {
		p.Title = p.Sets[0].Data + " against " + first
		p.Columns[0] = p.Sets[0].Data + "/" + first
	}
	if all := comparedCases(cases); len(p.Sets) > 0 && len(all) > figures.MaxForest {
		p.Sets[0].Notes = []string{fmt.Sprintf("%d more cases differ less and are not drawn",
			len(all)-figures.MaxForest)}
	}
	return p, len(p.Sets) > 0
}

// comparedCases returns the names of the cases that some side has compared with the
// first, and by how much they differ at most.
func comparedCases(cases []Case) map[string]float64 {
	out := map[string]float64{}
	for _, c := range cases {
		if c.VsFirst != nil && c.VsFirst.Value > 0 {
			out[c.Name] = max(out[c.Name], math.Abs(math.Log(float64(c.VsFirst.Value))))
		}
	}
	return out
}

// drawnCases returns the names of the cases that fit a picture, in their order: of
// many, those that differ most.
func drawnCases(cases []Case) []string {
	differ := comparedCases(cases)
	var names []string
	for _, c := range cases {
		if _, ok := differ[c.Name]; ok && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(names) <= figures.MaxForest {
		return names
	}
	most := slices.Clone(names)
	slices.SortStableFunc(most, func(a, b string) int { return cmp.Compare(differ[b], differ[a]) })
	most = most[:figures.MaxForest]
	return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(most, n) })
}
