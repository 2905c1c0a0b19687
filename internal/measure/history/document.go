package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// Document returns what a search through commits or releases found: the changes in sentences, what
// is undecided, and the cost through history in a row for each benchmark.
func (r *Report) Document() *document.Document {
	d := &document.Document{Title: "memcost: " + units.Plural(len(r.Points), strings.TrimSuffix(r.Kind, "s"))}
	head := fmt.Sprintf("%d %s, %d of them built, in %s", len(r.Points), r.Kind, r.Built, units.Plural(r.Steps, "step"))
	if r.Label != "" {
		head = r.Label + ": " + head
	}
	d.Add(&document.Sentence{Text: document.As(document.Strong, head), Hang: 2})
	changes := r.Changes()
	switch {
	case len(r.Series) == 0:
		d.Add(document.Sentencef("Nothing could be compared."))
	case len(changes) == 0:
		d.Add(document.Sentencef("%s", r.Nothing()))
	}
	found := &document.Group{}
	for _, c := range changes {
		v := document.Better
		if float64(c.Change.Ratio.Value) > 1 {
			v = document.Worse
		}
		found.Add(item(document.Text{v.Says(r.Where(c.Change.Stretch, c.Change.Why) + ":")}.Said(" ",
			r.Does(c.Series, c.Change))))
	}
	d.Add(found, r.undecided())
	d.Add(r.pictures()...)
	d.Add(r.costs()...)
	rests := &document.Group{Frame: document.Frame{Gap: 1}}
	for _, x := range r.Points {
		if x.Failed != "" {
			first, _, _ := strings.Cut(x.Failed, "\n")
			rests.Add(item(document.As(document.Warning, "left out: ").And(document.As(document.Given, x.Name+": "+first))))
		}
	}
	if r.Left > 0 {
		rests.Add(item(document.As(document.Warning, "note: ").Said("the search is not finished: about ",
			units.Plural(r.Left, "step"), " left")))
	}
	rests.Add(item(document.Say("note: ", r.Missed())))
	d.Add(rests)
	return d
}

func item(t document.Text) *document.Sentence {
	return &document.Sentence{Item: true, Text: t}
}

// mostPictures is how many metrics are drawn on the page.
const mostPictures = 60

// pictures are of the metrics, those with most changes first.
func (r *Report) pictures() (out []document.Block) {
	series := slices.Clone(r.Series)
	slices.SortStableFunc(series, func(a, b Series) int { return cmp.Compare(len(b.Changes), len(a.Changes)) })
	for i := range series {
		if p := r.Picture(&series[i]); p != nil && len(out) < mostPictures {
			p.On = document.Page
			out = append(out, p)
		}
	}
	if n := len(series) - len(out); n > 0 {
		out = append(out, &document.Sentence{Frame: document.Frame{On: document.Page}, Text: document.Say(
			units.Plural(n, "figure"), " of benchmarks are not drawn: they stand in the tables")})
	}
	return out
}

// mostUndecided is how many stretches are named that are undecided.
const mostUndecided = 10

func (r *Report) undecided() document.Block {
	g := &document.Group{Frame: document.Frame{Most: mostUndecided}}
	for i := range r.Series {
		x := &r.Series[i]
		for _, s := range x.Undecided {
			g.Add(item(document.Text{document.Undecided.Says("undecided: ")}.Said(x.Name, " ", x.Effect(s), " ", r.Between(s))))
		}
	}
	return g
}

// costs are a table with a row for each benchmark that changed, and one of the others.
func (r *Report) costs() []document.Block {
	if len(r.Points) == 0 {
		return nil
	}
	changed, same := r.table(), r.table()
	changed.Title = document.Say("cost from ", r.Points[0].Name, " to ", r.Points[len(r.Points)-1].Name,
		", each row by its own scale")
	changed.Gap = 1
	for i := range r.Series {
		x, t := &r.Series[i], changed
		if len(x.Changes) == 0 {
			t = same
		}
		end := units.None
		if n := len(x.Levels); n > 0 {
			end = x.Levels[n-1].Cost.String()
		}
		t.Add(document.As(document.Given, x.Name), document.Say(x.Unit), document.Say(spark(x, len(r.Points))),
			document.Say(end))
	}
	out := []document.Block{changed}
	if n := len(same.Rows); n > 0 {
		out = append(out, &document.Fold{Frame: document.Frame{Gap: 1}, Hint: "--long", Blocks: []document.Block{same},
			Head: document.Say(units.Plural(n, "figure"), " of benchmarks in which no change was found")})
	}
	return out
}

func (r *Report) table() *document.Table {
	return &document.Table{Columns: []document.Column{{Head: "benchmark", Kind: document.Name}, {Kind: document.Key},
		{Head: "history", Kind: document.Words}, {Head: "last/first"}}}
}

// sparks are the levels of a row.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkColumns is how wide a row is at most.
const sparkColumns = 40

// spark draws the costs of a series, by the lowest and the highest of them. Between two points
// that were measured stands the cost of the earlier one.
func spark(x *Series, points int) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range x.Levels {
		v := float64(l.Cost.Value)
		lo, hi = min(lo, v), max(hi, v)
	}
	columns := min(points, sparkColumns)
	var b strings.Builder
	for i := range columns {
		// the last point of the column
		at := (i+1)*points/columns - 1
		n := slices.IndexFunc(x.Levels, func(l Level) bool { return l.At > at })
		if n < 0 {
			n = len(x.Levels)
		}
		if n == 0 {
			b.WriteByte(' ')
			continue
		}
		step := 0
		if v := float64(x.Levels[n-1].Cost.Value); hi > lo*(1+leastRise) {
			step = int(math.Round((v - lo) / (hi - lo) * float64(len(sparks)-1)))
		}
		b.WriteRune(sparks[step])
	}
	return b.String()
}

// leastRise is the least difference between the lowest and the highest cost that a row shows.
const leastRise = 0.001
