package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// sides returns a comparison of the sides of a run, or of a program under several allocators, with
// what the page is called, and what it asks; no section where the answers are something else.
func (p *page) sides() (section document.Block, title, heading string) {
	const all = "What does memory cost here?"
	if len(p.answers) != 1 {
		return nil, "", all
	}
	a := p.answers[0]
	if r, err := compare.Of(a); err == nil {
		return p.allocators(r), "memcost alloc: " + cmp.Or(r.Label, r.Command), "Which allocator for this program?"
	}
	if a.Question == nil || a.Question.Comparison == nil {
		return nil, "", all
	}
	r, err := compare.OfRun(a)
	if err != nil {
		return nil, "", all // it has one side yet: its cases stand below
	}
	var names []string
	for _, s := range r.Sides {
		names = append(names, s.Name)
	}
	versus := names[0] + " → " + strings.Join(names[1:], ", ")
	return p.comparison(r, versus), "memcost compare: " + versus, "Did this change matter?"
}

// comparing returns the section of a comparison, as far as all have it.
func comparing(title string, says []string) *document.Group {
	g := &document.Group{Frame: document.Frame{ID: "comparison", Class: "study comparison"}, Level: 2, Head: given(title)}
	for i, s := range says {
		text := document.Say(s)
		if i == 0 {
			text = document.As(document.Strong, s)
		}
		g.Add(&document.Sentence{Frame: document.Frame{Class: "answer"}, Text: text})
	}
	return g
}

func (p *page) comparison(r *compare.Report, versus string) document.Block {
	f := &document.Facts{}
	for _, s := range r.Sides {
		f.Add(s.Name, given(cmp.Or(s.Says(), "configuration"))...)
	}
	g := comparing(versus, r.Says)
	g.Add(f)
	g.Add(notes(r)...)
	pictures := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, unit := range r.Units() {
		if d := p.forest(r, unit); d != nil {
			pictures.Add(d)
		}
	}
	if d := rounds(p.answers[0], r); d != nil {
		pictures.Add(d)
	}
	g.Add(pictures)
	for side := 1; side < len(r.Sides); side++ {
		for _, unit := range r.Units() {
			g.Add(sideTable(r, side, unit))
		}
	}
	return g
}

func notes(r *compare.Report) (out []document.Block) {
	add := func(v document.Verdict, words ...string) {
		text := document.Say(words...)
		if v != document.NoVerdict {
			text = document.Text{v.Says(v.Word())}.And(text)
		}
		out = append(out, &document.Sentence{Text: text, Item: true})
	}
	for _, b := range r.Benchmarks {
		for _, why := range b.Invalid {
			add(document.Invalid, ": ", b.Name, " on ", why)
		}
		for _, why := range b.Failed {
			add(document.Failed, ": ", b.Name, " on ", why)
		}
	}
	if say := r.AloneSays(); say != "" {
		add(document.NoVerdict, result.Mark, " ", say)
	}
	for _, o := range r.OneSided {
		add(document.NoVerdict, cmp.Or(o.Name, "all of "+o.Study), " stands in ", strings.Join(o.On, " and in "),
			" alone, and is not compared")
	}
	return out
}

// sideTable is one metric of one side against the first. Where nothing changed, it is folded.
func sideTable(r *compare.Report, side int, unit string) document.Block {
	old, now := r.Sides[0].Name, r.Sides[side].Name
	t := texts("benchmark", old, now, now+"/"+old, "verdict")
	t.Columns[4].Kind = document.Words
	t.Sortable = true
	several := len(r.Studies()) > 1
	add := func(name string, values []figures.Figure, changes []compare.Change) *document.Row {
		c := changes[side-1]
		return t.Add(given(name), figure(values[0]), figure(values[side]), document.Say(compare.RatioSays(c)),
			document.Text{c.Span()})
	}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		if m := b.Metric(unit); m != nil {
			name := b.Name
			if several {
				name = b.Study + ": " + name
			}
			add(name, m.Values, m.Changes)
		}
	}
	if g := r.Geomean(unit); g != nil {
		add(r.GeomeanSays(g), g.Values, g.Changes).Last = true
	}
	head := document.Say(compare.MetricName(unit), ": ", now, " against ", old, ": ", r.CountSays(side, unit))
	if unit != compare.Time && r.Count(side, unit).Changed == 0 {
		return &document.Fold{Frame: document.Frame{Class: "cases"}, Head: head, Blocks: []document.Block{t}}
	}
	t.Title = head
	return t
}

// forest draws the ratios of a metric of all benchmarks, with the margin; nil where no benchmark has
// one, and of a metric other than time where nothing changed.
func (p *page) forest(r *compare.Report, unit string) *document.Picture {
	base := r.Sides[0].Name
	m := forestOf(compare.MetricName(unit)+" over "+base, "case", r.Margin)
	changed := 0
	for side := 1; side < len(r.Sides); side++ {
		key := p.at(0, r.Sides[side].Name, false)
		if key < 0 {
			continue
		}
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
		if len(set.Rows) > 0 {
			m.Sets, m.keys = append(m.Sets, set), append(m.keys, key)
		}
	}
	if len(m.Sets) == 0 || unit != compare.Time && changed == 0 {
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
	return p.drawForest(m, strings.ToUpper(name[:1])+name[1:]+": "+strings.Join(say, "; "),
		name+" over that of "+base+", with its interval; the band is the margin")
}

// forestOf returns a picture of ratios, with the margin.
func forestOf(title, by string, margin float64) *merged {
	return &merged{Picture: figures.Picture{Kind: language.Forest, Title: title, By: by, Roofline: -1,
		Columns: []string{title}, Bounds: []figures.Bound{{Claim: "within " + units.Share(margin), Lo: 1 / (1 + margin),
			Hi: 1 + margin}}}}
}

func (p *page) drawForest(m *merged, says, title string) *document.Picture {
	d := p.draw(m)
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
func rounds(a *result.Answer, r *compare.Report) *document.Picture {
	type compared struct {
		Label  string      `json:"label"`
		Ratios []digits    `json:"ratios"`
		Looks  [][3]digits `json:"looks"` // rounds, lo, hi
	}
	traces, left := compare.Traces(a, r)
	if len(traces) == 0 {
		return nil
	}
	var data []compared
	table := texts("benchmark", "side", "rounds", "least ratio", "median", "greatest", "last interval")
	for _, t := range traces {
		d := compared{Label: t.Benchmark, Looks: [][3]digits{}}
		if len(r.Sides) > 2 {
			d.Label += " · " + t.Side
		}
		const most = 400 // dots of a picture
		n := min(len(t.Ratios), most)
		for i := range n {
			d.Ratios = append(d.Ratios, digits(t.Ratios[i*len(t.Ratios)/n]))
		}
		last := ""
		for _, l := range t.Looks {
			d.Looks = append(d.Looks, [3]digits{digits(l.Rounds), digits(l.Lo), digits(l.Hi)})
			last = times(l.Lo) + " to " + times(l.Hi)
		}
		data = append(data, d)
		sorted := slices.Sorted(slices.Values(t.Ratios))
		addTexts(table, t.Benchmark, t.Side, fmt.Sprint(len(t.Ratios)), times(sorted[0]), times(sorted[len(sorted)/2]),
			times(sorted[len(sorted)-1]), last)
	}
	d := &document.Picture{Kind: "rounds", Data: &drawn{Roofline: -1, Evidence: data}, Table: table,
		Title: document.Say("The rounds of each comparison: a dot is one round, the band the interval after so many of them"),
		Says:  document.Say("Time over that of ", r.Sides[0].Name, ", round by round")}
	if left > 0 {
		d.Notes = append(d.Notes, document.Say(units.Plural(left, "benchmark"), " differ less and are not drawn"))
	}
	return d
}

// allocators returns a program under several allocators.
func (p *page) allocators(r *compare.AllocReport) document.Block {
	says := []string{r.Says}
	for i, x := range r.Allocators {
		if i > 0 && x.Invalid == "" {
			says = append(says, x.Name+": "+x.Says+".")
		}
	}
	g := comparing(cmp.Or(r.Label, r.Command), says)
	f := &document.Facts{}
	f.Add("its own allocator", given(r.Own)...)
	f.Add("load", given(r.Until)...)
	g.Add(f)
	g.Add(notes(r.Sides)...)
	for _, s := range append(plan.NotMeasuredSays(r.NotMeasured), r.Notes...) {
		g.Add(&document.Sentence{Text: document.Say(s), Item: true})
	}
	pictures := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, x := range allocFigures(r) {
		if d := p.allocForest(r, x); d != nil {
			pictures.Add(d)
		}
	}
	if d := rounds(p.answers[0], r.Sides); d != nil {
		pictures.Add(d)
	}
	g.Add(pictures, allocTable(r), eventsTable(r))
	return g
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

// allocTable is the table with a verdict on each allocator.
func allocTable(r *compare.AllocReport) *document.Table {
	t := texts("allocator")
	t.Title = document.Say("Each allocator, as a ratio to ", r.Own, ": 95% confidence intervals, and a margin of ",
		units.Share(r.Margin))
	all := allocFigures(r)
	for _, f := range all {
		t.Columns = append(t.Columns, document.Column{Head: f.name})
	}
	t.Columns = append(t.Columns, document.Column{Head: "verdict", Kind: document.Prose})
	for i, x := range r.Allocators {
		row := []document.Text{given(x.Name)}
		for _, f := range all {
			shown := f.of(x).Ratio
			if i == 0 {
				shown = f.of(x).Value
			}
			row = append(row, figure(shown))
		}
		v := document.NoVerdict
		switch {
		case x.Invalid != "", x.CPU.More():
			v = document.Worse
		case x.CPU.Less():
			v = document.Better
		case i > 0 && !x.CPU.Decided():
			v = document.Undecided
		}
		t.Add(append(row, document.Text{v.Says(x.Says)})...)
	}
	return t
}

// eventsTable is the table of page faults and context switches.
func eventsTable(r *compare.AllocReport) document.Block {
	t := texts("allocator", "minor faults", "major faults", "voluntary switches", "involuntary switches",
		"minor faults over "+r.Own)
	for _, x := range r.Allocators {
		cells := []string{x.Name}
		for _, f := range []compare.Figure{x.Minor, x.Major, x.Own, x.Forced} {
			cells = append(cells, f.Value.Quantity())
		}
		addTexts(t, append(cells, x.Minor.Ratio.String())...)
	}
	return &document.Fold{Frame: document.Frame{Class: "cases"}, Blocks: []document.Block{t},
		Head: document.Say("Page faults and context switches of one process")}
}

// allocForest draws one figure of all allocators as ratios, with the margin; nil where none has one.
func (p *page) allocForest(r *compare.AllocReport, f allocFigure) *document.Picture {
	title := f.name + " over that of " + r.Own
	set := figures.PictureSet{Data: r.Own}
	for i, x := range r.Allocators {
		if ratio := f.of(x).Ratio; i > 0 && x.Invalid == "" && ratio.Known() {
			set.Rows = append(set.Rows, figures.Row{Label: x.Name, Cells: []figures.Figure{ratio}})
		}
	}
	key := p.at(0, r.Own, false)
	if len(set.Rows) == 0 || key < 0 {
		return nil
	}
	m := forestOf(title, "allocator", r.Margin)
	m.Sets, m.keys = []figures.PictureSet{set}, []int{key}
	return p.drawForest(m, r.Of(f.name, f.of), title+", with its interval; the band is the margin")
}
