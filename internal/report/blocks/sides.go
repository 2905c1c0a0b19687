package blocks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// sides returns a comparison of the sides of a run, or of a program under several allocators, with
// what the page is called, and what it asks; no section where the answers are something else.
func (v *view) sides() (section document.Block, title, heading string) {
	const all = "What does memory cost here?"
	if len(v.answers) != 1 {
		return nil, "", all
	}
	a := v.answers[0]
	if r, err := compare.Of(a); err == nil {
		return v.allocators(r), "memcost alloc: " + cmp.Or(r.Label, r.Command), "Which allocator for this program?"
	}
	if a.Question == nil || a.Question.Comparison == nil {
		return nil, "", all
	}
	r, err := compare.OfRun(a)
	if err != nil {
		return nil, "", all // it has one side yet: its cases stand below
	}
	pictures := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, unit := range r.Units() {
		pictures.Add(v.forest(r, unit))
	}
	versus := r.Versus().String()
	return v.comparing(versus, r.Says, r, pictures, r.Blocks()), "memcost compare: " + versus, "Did this change matter?"
}

// comparing returns the section of a comparison: the answer, its pictures, and all that it says.
func (v *view) comparing(title string, says []string, r *compare.Report, pictures *document.Group,
	blocks []document.Block) document.Block {
	g := &document.Group{Frame: document.Frame{ID: "comparison", Class: "study comparison"}, Level: 2, Head: given(title)}
	for i, s := range says {
		text := document.Say(s)
		if i == 0 {
			text = document.As(document.Strong, s)
		}
		g.Add(&document.Sentence{Frame: document.Frame{Class: "answer"}, Text: text})
	}
	pictures.Add(rounds(v.answers[0], r))
	g.Add(pictures)
	g.Add(blocks...)
	return g
}

// forest draws the ratios of a metric of all benchmarks, with the margin; nil where no benchmark has
// one, and of a metric other than time where nothing changed.
func (v *view) forest(r *compare.Report, unit string) document.Block {
	base := r.Sides[0].Name
	m := forestOf(compare.MetricName(unit)+" over "+base, "case", r.Margin)
	changed := 0
	for side := 1; side < len(r.Sides); side++ {
		if !r.Repeats(side, unit) {
			changed += r.Count(side, unit).Changed
		}
		set := figures.PictureSet{Data: r.Sides[side].Name}
		for _, b := range byRatio(r, side, unit) {
			set.Rows = append(set.Rows, figures.Row{Label: b.Name,
				Cells: []figures.Figure{b.Metric(unit).Changes[side-1].Ratio}})
		}
		if more := len(set.Rows) - figures.MaxForest; more > 0 {
			set.Rows = slices.Concat(set.Rows[:figures.MaxForest/2], set.Rows[len(set.Rows)-figures.MaxForest/2:])
			set.Notes = append(set.Notes, units.Plural(more, "benchmark")+" in the middle are not drawn")
		}
		m.with(v, set)
	}
	if unit != compare.Time && changed == 0 {
		return nil
	}
	var say []string // of each side how many changed
	for side := 1; side < len(r.Sides); side++ {
		of := ""
		if len(r.Sides) > 2 {
			of = r.Sides[side].Name + ": "
		}
		say = append(say, of+r.CountSays(side, unit))
	}
	name := compare.MetricName(unit)
	return v.drawForest(m, strings.ToUpper(name[:1])+name[1:]+": "+strings.Join(say, "; "),
		name+" over that of "+base+", with its interval; the band is the margin")
}

// forestOf returns a picture of ratios, with the margin.
func forestOf(title, by string, margin float64) *merged {
	return &merged{Picture: figures.Picture{Kind: language.Forest, Title: title, By: by, Roofline: -1,
		Columns: []string{title}, Bounds: []figures.Bound{{Claim: "within " + units.Share(margin), Lo: 1 / (1 + margin),
			Hi: 1 + margin}}}}
}

// with adds a set that has rows.
func (m *merged) with(v *view, set figures.PictureSet) *merged {
	if key := v.at(0, set.Data, false); key >= 0 && len(set.Rows) > 0 {
		m.Sets, m.keys = append(m.Sets, set), append(m.keys, key)
	}
	return m
}

// drawForest draws a picture of ratios; nil where there are none.
func (v *view) drawForest(m *merged, says, title string) document.Block {
	if len(m.Sets) == 0 {
		return nil
	}
	d := v.draw(m)
	d.Data.(*drawn).Sorted = true
	d.Says, d.Title = document.Say(says), given(title)
	return d
}

// byRatio returns the benchmarks that have a ratio that can be drawn, the largest first.
func byRatio(r *compare.Report, side int, unit string) (out []*compare.Benchmark) {
	value := func(b *compare.Benchmark) float64 {
		if m := b.Metric(unit); m != nil {
			return float64(m.Changes[side-1].Ratio.Value)
		}
		return math.NaN()
	}
	for i := range r.Benchmarks {
		if x := value(&r.Benchmarks[i]); x > 0 && !math.IsInf(x, 0) {
			out = append(out, &r.Benchmarks[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *compare.Benchmark) int { return cmp.Compare(value(b), value(a)) })
	return out
}

// rounds draws the ratios of single rounds, and how their intervals narrowed.
func rounds(a *result.Answer, r *compare.Report) document.Block {
	type compared struct {
		Label  string             `json:"label"`
		Ratios []figures.Drawn    `json:"ratios"`
		Looks  [][3]figures.Drawn `json:"looks"` // rounds, lo, hi
	}
	traces, left := compare.Traces(a, r)
	if len(traces) == 0 {
		return nil
	}
	var data []compared
	t := table(nil, "benchmark", "side", "rounds", "least ratio", "median", "greatest", "last interval")
	for _, x := range traces {
		d := compared{Label: x.Benchmark, Looks: [][3]figures.Drawn{}}
		if len(r.Sides) > 2 {
			d.Label += " · " + x.Side
		}
		const most = 400 // dots of a picture
		n := min(len(x.Ratios), most)
		for i := range n {
			d.Ratios = append(d.Ratios, figures.Drawn(x.Ratios[i*len(x.Ratios)/n]))
		}
		last := ""
		for _, l := range x.Looks {
			d.Looks = append(d.Looks, [3]figures.Drawn{figures.Drawn(l.Rounds), figures.Drawn(l.Lo), figures.Drawn(l.Hi)})
			last = times(l.Lo) + " to " + times(l.Hi)
		}
		data = append(data, d)
		sorted := slices.Sorted(slices.Values(x.Ratios))
		addGiven(t, x.Benchmark, x.Side, fmt.Sprint(len(x.Ratios)), times(sorted[0]), times(sorted[len(sorted)/2]),
			times(sorted[len(sorted)-1]), last)
	}
	d := &document.Picture{Kind: "rounds", Data: &drawn{Roofline: -1, Evidence: data}, Table: t,
		Title: document.Say("The rounds of each comparison: a dot is one round, the band the interval after so many of them"),
		Says:  document.Say("Time over that of ", r.Sides[0].Name, ", round by round")}
	if left > 0 {
		d.Notes = append(d.Notes, document.Say(units.Plural(left, "benchmark"), " differ less and are not drawn"))
	}
	return d
}

// allocators returns a program under several allocators.
func (v *view) allocators(r *compare.AllocReport) document.Block {
	says := []string{r.Says}
	for i, x := range r.Allocators {
		if i > 0 && x.Invalid == "" {
			says = append(says, x.Name+": "+x.Says+".")
		}
	}
	pictures := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, x := range allocFigures(r) {
		pictures.Add(v.allocForest(r, x))
	}
	return v.comparing(cmp.Or(r.Label, r.Command), says, r.Sides, pictures, r.Document().Blocks)
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

// allocForest draws one figure of all allocators as ratios, with the margin; nil where none has one.
func (v *view) allocForest(r *compare.AllocReport, f allocFigure) document.Block {
	title := f.name + " over that of " + r.Own
	m := forestOf(title, "allocator", r.Margin)
	var rows []figures.Row
	for i, x := range r.Allocators {
		if ratio := f.of(x).Ratio; i > 0 && x.Invalid == "" && ratio.Known() {
			rows = append(rows, figures.Row{Label: x.Name, Cells: []figures.Figure{ratio}})
		}
	}
	return v.drawForest(m.with(v, figures.PictureSet{Data: r.Own, Rows: rows}), r.Of(f.name, f.of),
		title+", with its interval; the band is the margin")
}

// mostCompared is how many cases of a comparison are shown in Markdown before others give way.
const mostCompared = 50

// compared is a table of what several answers say of the same cases, with the geometric mean below. Those
// that differ least give way first.
func compared(c *compare.Comparison, f document.Frame) *document.Table {
	n, last := c.Answers(), len(c.Table.Columns)
	t := table(given(c.Table.Title), append([]string{c.Table.By}, c.Table.Columns...)...)
	t.Frame = f
	for i := range last { // times of further answers go first, then ratios of the last ones
		switch {
		case i > 0 && i < n:
			t.Columns[1+i].Drop = last + i
		case i > n:
			t.Columns[1+i].Drop = i
		}
	}
	add := func(r figures.Row) *document.Row {
		cells := []document.Text{given(r.Label)}
		for i, x := range r.Cells {
			if i < n || len(c.Busy) > 0 {
				cells = append(cells, x.Text())
			} else {
				cells = append(cells, document.Text{difference(x).Says(x.String())})
			}
		}
		return t.Add(cells...)
	}
	ranks := map[string]int{}
	for i, r := range c.MostDifferent() {
		ranks[r.Label] = i
	}
	for _, r := range c.Table.Rows {
		add(r).Rank = ranks[r.Label]
	}
	add(c.Geomean()).Last = true
	t.Notes = notes(c.Table.Notes)
	for i := range c.Runs {
		t.Notes = append(t.Notes, given(c.Count(n+i)))
	}
	return t
}

// difference says what an interval says of a ratio by itself.
func difference(f figures.Figure) document.Verdict {
	switch {
	case !f.Known() || !f.Bounded():
		return document.NoVerdict
	case f.Lo > 1:
		return document.Worse
	case f.Hi < 1:
		return document.Better
	}
	return document.Undecided
}

// notSideBySide says what is to be known of a comparison of answers that were measured one after the other.
func notSideBySide() *document.Sentence {
	return &document.Sentence{Frame: document.Frame{Rank: 5, Good: 2, Least: 1}, Flow: true, Hang: 2,
		Text: document.As(document.Warning, "note:").Said(" the runs were not measured side by side, so a difference may come " +
			"from the machine; memcost run --go or --vary measures both in the same rounds")}
}
