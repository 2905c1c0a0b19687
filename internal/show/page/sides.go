package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/show/text"
	"memcost/internal/study/language"
)

// isComparison reports whether an answer is that of memcost compare.
func isComparison(a *result.Answer) bool { return a.Question != nil && a.Question.Comparison != nil }

// sidesOf returns the view of a comparison, with what its pictures show; nil where the
// answers are something else.
func (v *view) sidesOf(answers []*result.Answer, index, first int) (*sidesView, []pictureData) {
	if len(answers) != 1 || !isComparison(answers[0]) {
		return nil, nil
	}
	r, err := compare.OfRun(answers[0])
	if err != nil {
		return nil, nil // it has one side yet: its cases stand below
	}
	out := &sidesView{Index: index, Says: r.Says}
	var names []string
	for _, s := range r.Sides {
		names = append(names, s.Name)
		out.Sides = append(out.Sides, fact{s.Name, cmp.Or(text.SideSays(s), "configuration")})
	}
	out.Versus = names[0] + " → " + strings.Join(names[1:], ", ")
	out.notes(r)
	var drawn []drawing
	for side := 1; side < len(r.Sides); side++ {
		for _, unit := range r.Units() {
			out.Tables = append(out.Tables, sidesTableOf(r, side, unit))
		}
	}
	for _, unit := range r.Units() {
		if d, ok := v.forest(r, unit, index, first+len(drawn)); ok {
			drawn = append(drawn, d)
		}
	}
	if d, ok := roundsOf(answers[0], r, index, first+len(drawn)); ok {
		drawn = append(drawn, d)
	}
	out.Pictures = columns(drawn)
	var data []pictureData
	for _, d := range drawn {
		data = append(data, d.data)
	}
	return out, data
}

func (x *sidesView) notes(r *compare.Report) {
	for _, b := range r.Benchmarks {
		for _, why := range b.Invalid {
			x.Notes = append(x.Notes, "invalid: "+b.Name+" on "+why)
		}
		for _, why := range b.Failed {
			x.Notes = append(x.Notes, "failed: "+b.Name+" on "+why)
		}
	}
	if say := r.AloneSays(); say != "" {
		x.Notes = append(x.Notes, result.Mark+" "+say)
	}
	for _, o := range r.OneSided {
		x.Notes = append(x.Notes, cmp.Or(o.Name, "all of "+o.Suite)+" stands in "+strings.Join(o.On, " and in ")+
			" alone, and is not compared")
	}
}

func sidesTableOf(r *compare.Report, side int, unit string) sidesTable {
	old, new := r.Sides[0].Name, r.Sides[side].Name
	t := sidesTable{Caption: compare.MetricName(unit) + ": " + new + " against " + old,
		Header: []string{"benchmark", old, new, new + "/" + old, "verdict"}, Count: r.CountSays(side, unit),
		Folded: unit != compare.Time && r.Count(side, unit).Changed == 0}
	several := len(r.Suites()) > 1
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		m := b.Metric(unit)
		if m == nil {
			continue
		}
		name := b.Name
		if several {
			name = b.Suite + ": " + name
		}
		t.Rows = append(t.Rows, sidesRowOf(name, m.Values, m.Changes, side))
	}
	if g := r.Geomean(unit); g != nil {
		t.Rows = append(t.Rows, sidesRowOf(r.GeomeanSays(g), g.Values, g.Changes, side))
	}
	return t
}

func sidesRowOf(name string, values []figures.Figure, changes []compare.Change, side int) sidesRow {
	c := changes[side-1]
	row := sidesRow{Name: name, Cells: []string{values[0].String(), values[side].String(), compare.RatioSays(c)},
		Verdict: compare.VerdictSays(c), Class: "verdict"}
	switch {
	case c.Regression, c.Verdict == compare.Invalid:
		row.Class = "verdict fails"
	case c.Verdict == compare.Changed:
		row.Class = "verdict holds"
	case c.Verdict == compare.Undecided:
		row.Class = "verdict undecided"
	}
	return row
}

// forest draws the ratios of a metric of all benchmarks, with the margin; false where no benchmark
// has one, and of a metric other than time where nothing changed.
func (v *view) forest(r *compare.Report, unit string, study, n int) (drawing, bool) {
	base := r.Sides[0].Name
	title := compare.MetricName(unit) + " over " + base
	m := merged{Picture: figures.Picture{Kind: language.Forest, Title: title, By: "case", Roofline: -1,
		Columns: []string{title},
		Bounds: []figures.Bound{{Claim: "within " + units.Share(r.Margin), Lo: 1 / (1 + r.Margin),
			Hi: 1 + r.Margin}}}}
	changed := 0
	for side := 1; side < len(r.Sides); side++ {
		key := v.at(0, r.Sides[side].Name, false)
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
		return drawing{}, false
	}
	d := v.draw(m, study, n)
	d.data.Sorted = true
	d.data.Sentence = forestSays(r, unit)
	d.caption = compare.MetricName(unit) + " over that of " + base + ", with its interval; the band is the margin"
	return d, true
}

// forestSays says what a forest shows: of each side how many changed.
func forestSays(r *compare.Report, unit string) string {
	var say []string
	for side := 1; side < len(r.Sides); side++ {
		of := ""
		if len(r.Sides) > 2 {
			of = r.Sides[side].Name + ": "
		}
		say = append(say, of+r.CountSays(side, unit))
	}
	return strings.ToUpper(compare.MetricName(unit)[:1]) + compare.MetricName(unit)[1:] + ": " + strings.Join(say, "; ")
}

// byRatio returns the benchmarks that have a ratio that can be drawn, the largest first.
func byRatio(r *compare.Report, side int, unit string) []*compare.Benchmark {
	var out []*compare.Benchmark
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

// A roundsData is the rounds of one benchmark, for the script.
type roundsData struct {
	Label  string      `json:"label"`
	Ratios []number    `json:"ratios"`
	Looks  [][3]number `json:"looks"` // rounds, lo, hi
}

// roundsOf draws the ratios of single rounds, and how their intervals narrowed.
func roundsOf(a *result.Answer, r *compare.Report, study, n int) (drawing, bool) {
	traces, left := compare.Traces(a, r)
	if len(traces) == 0 {
		return drawing{}, false
	}
	var data []roundsData
	frame := pictureView{Header: []string{"benchmark", "side", "rounds", "least ratio", "median", "greatest",
		"last interval"}}
	for _, t := range traces {
		d := roundsData{Label: t.Benchmark, Looks: [][3]number{}}
		if len(r.Sides) > 2 {
			d.Label += " · " + t.Side
		}
		const most = 400 // dots of a picture
		for i := range min(len(t.Ratios), most) {
			d.Ratios = append(d.Ratios, number(t.Ratios[i*len(t.Ratios)/min(len(t.Ratios), most)]))
		}
		last := ""
		for _, l := range t.Looks {
			d.Looks = append(d.Looks, [3]number{number(l.Rounds), number(l.Lo), number(l.Hi)})
			last = times(l.Lo) + " to " + times(l.Hi)
		}
		data = append(data, d)
		sorted := slices.Sorted(slices.Values(t.Ratios))
		frame.Rows = append(frame.Rows, texts(t.Benchmark, t.Side, fmt.Sprint(len(t.Ratios)), times(sorted[0]),
			times(sorted[len(sorted)/2]), times(sorted[len(sorted)-1]), last))
	}
	if left > 0 {
		frame.Notes = append(frame.Notes, units.Plural(left, "benchmark")+" differ less and are not drawn")
	}
	title := "The rounds of each comparison: a dot is one round, the band the interval after so many of them"
	return drawing{data: pictureData{ID: fmt.Sprintf("picture-%d", n), Study: study, Kind: "rounds", Title: title,
		Sentence: "Time over that of " + r.Sides[0].Name + ", round by round", Roofline: -1, Evidence: data},
		frame: frame, caption: title}, true
}
