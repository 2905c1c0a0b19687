package compare

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Document returns a comparison: the answer in a sentence, what changed, and a table of each metric
// for each side against the first. In Markdown all benchmarks are folded in below what changed.
func (r *Report) Document() *document.Document { return &document.Document{Blocks: r.Blocks()} }

// Blocks returns what Document holds.
func (r *Report) Blocks() []document.Block {
	const opened = document.Terminal | document.Page
	g := &document.Group{Frame: document.Frame{Gap: 1}}
	answer := &document.Group{Frame: document.Frame{On: document.Terminal}}
	for i, say := range r.Says {
		kind := document.Given
		if i == 0 {
			kind = document.Strong
		}
		answer.Add(&document.Sentence{Text: document.As(kind, say)})
	}
	g.Add(answer, &document.Group{Frame: document.Frame{On: document.Markdown}, Level: 1, Head: r.Versus(), Blocks: answer.Blocks})
	heads := r.heads()
	g.Add(r.legend(heads))
	var tables, all []document.Block
	for side := 1; side < len(r.Sides); side++ {
		changed := r.changed(side)
		changed.On = document.Markdown
		if r.nothing() {
			continue
		}
		g.Add(changed, &document.Sentence{Frame: document.Frame{On: document.Markdown}, Item: true, Text: document.As(document.Given,
			r.Sides[side].Name).Said(": time/op: ", r.CountSays(side, Time))})
		shown, quiet, says := r.tables(heads, side)
		tables, all = append(tables, shown...), append(append(all, shown...), quiet...)
		if says != "" {
			tables = append(tables, &document.Fold{Frame: document.Frame{Gap: 1, Inset: 2}, Head: document.Say(says),
				Hint: "--long shows them", Blocks: quiet})
		}
	}
	g.Add(&document.Group{Frame: document.Frame{On: opened, Gap: 1}, Blocks: tables}, r.problems())
	measured := r.measured()
	measured.On = opened
	g.Add(measured)
	how := *measured
	how.On = 0
	head := "All " + units.Plural(len(r.Benchmarks), "benchmark") + ", and how they were measured"
	if len(r.Benchmarks) == 1 {
		head = "The benchmark, and how it was measured"
	}
	fold := &document.Fold{Frame: document.Frame{On: document.Markdown, Rank: 5}, Head: document.Say(head), Blocks: []document.Block{&how}}
	fold.Add(all...)
	if !r.nothing() {
		g.Add(fold)
	}
	if r.Dir != "" {
		g.Add(&document.Sentence{Frame: document.Frame{On: document.Terminal},
			Text: document.Say("run folder: ").And(document.As(document.Given, r.Dir)), Hang: 2})
	}
	return []document.Block{g}
}

// Versus names the sides: "main → feature".
func (r *Report) Versus() document.Text {
	var names []document.Text
	for _, s := range r.Sides[1:] {
		names = append(names, document.As(document.Given, s.Name))
	}
	return document.As(document.Given, r.Sides[0].Name).Said(" → ").And(document.Join(names, ", "))
}

// Widest is the widest that a comparison is on a terminal: longer lines are hard to read.
const Widest = 100

// longestSide is the most columns that the name of a side takes in the head of a column: a longer
// one is called by a letter.
const longestSide = 18

// heads returns what the sides are called in the heads of columns.
func (r *Report) heads() []string {
	out := make([]string, len(r.Sides))
	short := true
	for i, s := range r.Sides {
		out[i] = s.Name
		short = short && utf8.RuneCountInString(s.Name) <= longestSide
	}
	if !short {
		for i := range out {
			out[i] = string(rune('A' + i%26))
		}
	}
	return out
}

// legend says what each side is, where its name alone does not.
func (r *Report) legend(heads []string) document.Block {
	t := &document.Table{Frame: document.Frame{Gap: 1}, Headless: true,
		Columns: []document.Column{{Kind: document.Key}, {Kind: document.Prose}}}
	told := false
	for i, s := range r.Sides {
		about := s.Says()
		if heads[i] != s.Name {
			about = strings.TrimSuffix(s.Name+"  "+about, "  ")
		}
		told = told || about != ""
		t.Add(document.As(document.Given, heads[i]), document.As(document.Given, about))
	}
	if !told {
		return nil
	}
	return t
}

// Span returns the verdict of a change: whether it costs more, or less.
func (c Change) Span() document.Span {
	return c.Verdict.Verdict(c.Regression).Says(VerdictSays(c))
}

// sideRow adds a row about a metric of two sides, behind what tells it apart.
func sideRow(t *document.Table, before, after string, c Change, names ...document.Text) *document.Row {
	ratio := document.Say(RatioSays(c))
	if c.Ratio.Known() {
		ratio = c.Ratio.AsText(RatioSays(c))
	}
	return t.Add(append(names, document.Say(before), document.Say(after), ratio, document.Text{c.Span()})...)
}

// changed is the table of what changed on one side.
func (r *Report) changed(side int) *document.Table {
	t := newTable(document.Column{Head: "metric", Kind: document.Key}, r.Sides[0].Name, r.Sides[side].Name, "ratio")
	add := func(name document.Text, unit string, values []figures.Figure, changes []Change) *document.Row {
		return sideRow(t, values[0].Quantity(), values[side].Quantity(), changes[side-1], name, document.Say(MetricName(unit)))
	}
	for _, b := range r.Benchmarks {
		for _, m := range b.Metrics {
			if m.Changes[side-1].Verdict == Changed && !r.Repeats(side, m.Unit) {
				add(document.As(document.Given, b.Name), m.Unit, m.Values, m.Changes)
			}
		}
	}
	if g := r.Geomean(Time); g != nil && len(t.Rows) > 0 {
		add(document.Say(r.GeomeanSays(g)), Time, g.Values, g.Changes).Last = true
	}
	return t
}

// newTable returns a table of two sides; metric is the column of what is compared, if there is one.
func newTable(metric document.Column, heads ...string) *document.Table {
	t := &document.Table{Frame: document.Frame{Gap: 1}, Sortable: true, Columns: []document.Column{{Head: "benchmark",
		Kind: document.Name}}}
	if metric.Head != "" {
		t.Columns = append(t.Columns, metric)
	}
	t.Columns = append(t.Columns, document.Heads(document.Figure, heads...)...)
	t.Columns = append(t.Columns, document.Column{Head: "verdict", Kind: document.Words})
	return t
}

// tables are those of one side against the first: of the time all benchmarks, of the other metrics
// those that changed, unless all is asked for; quiet are those in which no change is known.
func (r *Report) tables(heads []string, side int) (shown, quiet []document.Block, says string) {
	var names []string
	undecided := 0
	of := ""
	if r.nothing() {
		return nil, nil, ""
	}
	if len(heads) > 2 {
		of = ", " + heads[side] + " against " + heads[0]
	}
	for i, unit := range r.Units() {
		c := r.Count(side, unit)
		long := i > 0 && (c.Changed == 0 || r.Repeats(side, unit))
		out := &shown
		if i > 0 && c.Changed == 0 {
			out = &quiet
			if long = false; c.All() > 0 {
				names, undecided = append(names, MetricName(unit)), undecided+c.Undecided
			}
		}
		var tables []*document.Table
		for _, study := range r.Studies() {
			t := r.table(heads, side, unit, study, i == 0)
			t.Title = document.As(document.Given, study).Said(": ", MetricName(unit), of)
			tables = append(tables, t)
		}
		if g := r.Geomean(unit); g != nil {
			t := tables[len(tables)-1]
			if len(tables) > 1 {
				t = sideTable(heads, side)
				t.Title = document.Say("all packages: ", MetricName(unit), of)
				tables = append(tables, t)
			}
			if len(tables) > 1 || len(t.Rows) > 0 {
				sideRow(t, g.Values[0].Quantity(), g.Values[side].Quantity(), g.Changes[side-1],
					document.Say(r.GeomeanSays(g))).Last = len(tables) == 1
			}
		}
		for _, t := range tables {
			t.Long, t.Rank = long, 3
			*out = append(*out, t)
		}
		*out = append(*out, &document.Sentence{Frame: document.Frame{Gap: 1, Long: long, Inset: 2}, Hang: 2,
			Text: document.As(document.Strong, MetricName(unit)+": ").Said(r.CountSays(side, unit))})
	}
	if len(names) > 0 {
		says = strings.Join(names, ", ") + ": equivalent within " + units.Share(r.Margin)
		if undecided > 0 {
			says = strings.Join(names, ", ") + ": no change is known (" + units.Plural(undecided, "comparison") + " undecided)"
		}
	}
	return shown, quiet, says
}

// sideTable returns a table of one metric of two sides.
func sideTable(heads []string, side int) *document.Table {
	return newTable(document.Column{}, heads[0], heads[side], heads[side]+"/"+heads[0])
}

// table returns the table of one metric of a package; rows of what did not change are shown where
// all is asked for.
func (r *Report) table(heads []string, side int, unit, study string, all bool) *document.Table {
	t := sideTable(heads, side)
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		if m := b.Metric(unit); b.Study == study && m != nil {
			c := m.Changes[side-1]
			row := sideRow(t, ValueSays(m.Values[0]), ValueSays(m.Values[side]), c, document.As(document.Given, b.Name))
			row.Long = !all && c.Verdict != Changed
			if c.Verdict != Changed {
				row.Rank = 1
			}
		}
	}
	return t
}

// problems are what keeps the comparison from saying more.
func (r *Report) problems() document.Block {
	g := &document.Group{Frame: document.Frame{Gap: 1, Rank: 4}}
	for _, b := range r.Benchmarks {
		for _, x := range []struct {
			of  document.Span
			why []string
		}{{document.Invalid.Says("invalid: "), b.Invalid}, {document.Failed.Says("failed: "), b.Failed},
			{document.Span{Kind: document.Warning, Text: "flagged: "}, b.Flags}} {
			for _, why := range x.why {
				g.Add(aside(document.Text{x.of}, b.Name+" on "+why))
			}
		}
	}
	for _, says := range r.DoubtsSay() {
		g.Add(aside(document.Text{document.Undecided.Says("undecided: ")}, says))
	}
	for _, says := range r.OneSidedSays() {
		g.Add(aside(document.As(document.Warning, "one side: "), says))
	}
	if len(r.Same) > 0 {
		g.Add(aside(document.Say("the same program on all sides, and not measured: "), strings.Join(r.Same, ", ")))
	}
	for _, w := range r.Warnings {
		g.Add(aside(document.As(document.Warning, "warning: "), w))
	}
	return g
}

// measured says how the sides were measured, and how far identical code was apart.
func (r *Report) measured() *document.Group {
	g := &document.Group{Frame: document.Frame{Gap: 1}}
	if say := r.AloneSays(); say != "" {
		g.Add(aside(document.Say(result.Mark, " ", say), ""))
	}
	if r.Interleaved {
		s := aside(document.Say(fmt.Sprintf("Measured in turns, in random order. Ratios have %g%% confidence intervals that "+
			"may be looked at at any time; changed and equivalent are by a margin of %s.", 100*(1-r.Alpha),
			units.Share(r.Margin))), "")
		s.Long = true
		g.Add(s)
	}
	if len(r.NoiseFloor) > 0 {
		g.Add(aside(document.Say("noise floor: ", result.NoiseSays), ""))
	}
	for _, n := range r.NoiseFloor {
		g.Add(aside(nil, n.Sentence()))
	}
	return g
}
