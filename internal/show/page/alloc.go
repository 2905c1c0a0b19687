package page

import (
	"cmp"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// comparisonOf returns the view of a comparison, with what its pictures show; nil where the answers
// are something else.
func comparisonOf(v *view, answers []*result.Answer) (*sidesView, []pictureData) {
	if len(answers) == 1 {
		if x, data := allocatorsOf(v, answers[0], 0, 0); x != nil {
			return x, data
		}
	}
	return v.sidesOf(answers, 0, 0)
}

// allocatorsOf returns the view of a program under several allocators, with what its pictures
// show; nil where the answer is that of another command.
func allocatorsOf(v *view, a *result.Answer, index, first int) (*sidesView, []pictureData) {
	r, err := compare.Of(a)
	if err != nil {
		return nil, nil
	}
	x := &sidesView{Index: index, Says: []string{r.Says}, Versus: cmp.Or(r.Label, r.Command),
		Heading: "Which allocator for this program?", Sides: []fact{{"its own allocator", r.Own}}}
	if r.Until != "" {
		x.Sides = append(x.Sides, fact{"load", r.Until})
	}
	for i, y := range r.Allocators {
		if i > 0 && y.Invalid == "" {
			x.Says = append(x.Says, y.Name+": "+y.Says+".")
		}
	}
	x.notes(r.Sides)
	for _, s := range plan.NotMeasuredSays(r.NotMeasured) {
		x.Notes = append(x.Notes, "not measured: "+s)
	}
	x.Notes = append(x.Notes, r.Notes...)
	x.Tables = append(x.Tables, allocatorsTable(r), eventsTable(r))
	var drawn []drawing
	for _, f := range allocFigures(r) {
		if d, ok := allocForest(v, r, f, index, first+len(drawn)); ok {
			drawn = append(drawn, d)
		}
	}
	if d, ok := roundsOf(a, r.Sides, index, first+len(drawn)); ok {
		drawn = append(drawn, d)
	}
	x.Pictures = columns(drawn)
	var data []pictureData
	for _, d := range drawn {
		data = append(data, d.data)
	}
	return x, data
}

// An allocFigure is a figure that each allocator has a verdict on.
type allocFigure struct {
	name string
	of   func(compare.Allocator) compare.Figure
}

func allocFigures(r *compare.AllocReport) []allocFigure {
	wall := "wall time"
	if r.Until != "" {
		wall = "time of the load"
	}
	return []allocFigure{
		{"CPU time", func(x compare.Allocator) compare.Figure { return x.CPU }},
		{wall, func(x compare.Allocator) compare.Figure { return x.Wall }},
		{"peak RSS", func(x compare.Allocator) compare.Figure { return x.Memory }},
	}
}

// allocatorsTable is the table with a verdict on each allocator.
func allocatorsTable(r *compare.AllocReport) sidesTable {
	t := sidesTable{Caption: "Each allocator, as a ratio to " + r.Own, Header: []string{"allocator"},
		Count: "95% confidence intervals, and a margin of " + units.Share(r.Margin)}
	all := allocFigures(r)
	for _, f := range all {
		t.Header = append(t.Header, f.name)
	}
	t.Header = append(t.Header, "verdict")
	for i, y := range r.Allocators {
		row := sidesRow{Name: y.Name, Verdict: y.Says, Class: "verdict"}
		for _, f := range all {
			shown := f.of(y).Ratio
			if i == 0 {
				shown = f.of(y).Value
			}
			row.Cells = append(row.Cells, shown.String())
		}
		switch {
		case y.Invalid != "", y.CPU.More():
			row.Class = "verdict fails"
		case y.CPU.Less():
			row.Class = "verdict holds"
		case i > 0 && !y.CPU.Decided():
			row.Class = "verdict undecided"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// eventsTable is the table of page faults and context switches.
func eventsTable(r *compare.AllocReport) sidesTable {
	t := sidesTable{Caption: "Page faults and context switches", Folded: true, Count: "of one process",
		Header: []string{"allocator", "minor faults", "major faults", "voluntary switches", "involuntary switches",
			"minor faults over " + r.Own}}
	for _, y := range r.Allocators {
		row := sidesRow{Name: y.Name, Class: "verdict", Verdict: y.Minor.Ratio.String()}
		for _, f := range []compare.Figure{y.Minor, y.Major, y.Own, y.Forced} {
			row.Cells = append(row.Cells, f.Value.Quantity())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// allocForest draws one figure of all allocators as ratios, with the margin; false where none has
// one.
func allocForest(v *view, r *compare.AllocReport, f allocFigure, study, n int) (drawing, bool) {
	title := f.name + " over that of " + r.Own
	set := figures.PictureSet{Data: r.Own}
	for i, y := range r.Allocators {
		if ratio := f.of(y).Ratio; i > 0 && y.Invalid == "" && ratio.Known() {
			set.Rows = append(set.Rows, figures.Row{Label: y.Name, Cells: []figures.Figure{ratio}})
		}
	}
	key := v.at(0, r.Own, false)
	if len(set.Rows) == 0 || key < 0 {
		return drawing{}, false
	}
	m := merged{Picture: figures.Picture{Kind: language.Forest, Title: title, By: "allocator", Roofline: -1,
		Columns: []string{title}, Sets: []figures.PictureSet{set},
		Bounds: []figures.Bound{{Claim: "within " + units.Share(r.Margin), Lo: 1 / (1 + r.Margin), Hi: 1 + r.Margin}}},
		keys: []int{key}}
	d := v.draw(m, study, n)
	d.data.Sorted, d.data.Sentence = true, r.Of(f.name, f.of)
	d.caption = title + ", with its interval; the band is the margin"
	return d, true
}
