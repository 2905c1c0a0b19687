package text

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/measure/history"
)

// History writes what a search through commits or releases found, for a terminal: the changes in
// sentences, what is undecided, and the cost through history in a row for each benchmark.
func History(w io.Writer, r *history.Report, s Style) error {
	p := &printer{w: w, Style: s}
	head := fmt.Sprintf("%d %s, %d of them built, in %s", len(r.Points), r.Kind, r.Built, units.Plural(r.Steps, "step"))
	if r.Label != "" {
		head = r.Label + ": " + head
	}
	p.line(0, pretty.Bold, head, "")
	changes := r.Changes()
	switch {
	case len(r.Series) == 0:
		p.say("Nothing could be compared.")
	case len(changes) == 0:
		p.say("%s", r.Nothing())
	}
	for _, c := range changes {
		color := pretty.FgGreen
		if float64(c.Change.Ratio.Value) > 1 {
			color = pretty.FgRed
		}
		p.line(gap, color, r.Where(c.Change.Stretch, c.Change.Why)+":", r.Does(c.Series, c.Change))
	}
	p.undecided(r)
	p.costs(r)
	p.f("\n")
	for _, x := range r.Points {
		if x.Failed != "" {
			first, _, _ := strings.Cut(x.Failed, "\n")
			p.line(0, pretty.FgYellow, "left out:", x.Name+": "+first)
		}
	}
	if r.Left > 0 {
		p.line(0, pretty.FgYellow, "note:", fmt.Sprintf("the search is not finished: about %s left",
			units.Plural(r.Left, "step")))
	}
	p.line(0, 0, "note:", r.Missed())
	return p.err
}

// mostUndecided is how many stretches are named that are undecided.
const mostUndecided = 10

func (p *printer) undecided(r *history.Report) {
	n := 0
	for i := range r.Series {
		x := &r.Series[i]
		for _, s := range x.Undecided {
			if n++; n <= mostUndecided || p.Long {
				p.line(gap, pretty.FgYellow, "undecided:", x.Name+" "+x.Effect(s)+" "+r.Between(s))
			}
		}
	}
	if n > mostUndecided && !p.Long {
		p.line(gap, pretty.FgYellow, "undecided:", fmt.Sprintf("%d more; --long names them", n-mostUndecided))
	}
}

// costs prints a row for each benchmark that changed; with Long for all.
func (p *printer) costs(r *history.Report) {
	first, last := r.Points[0].Name, r.Points[len(r.Points)-1].Name
	t := Table{Title: "cost from " + first + " to " + last + ", each row by its own scale",
		Header: []string{"benchmark", "", "history", "last/first"}, Left: map[int]bool{1: true, 2: true}, Keys: 2}
	same := 0
	for i := range r.Series {
		x := &r.Series[i]
		if len(x.Changes) == 0 && !p.Long {
			same++
			continue
		}
		end := units.None
		if n := len(x.Levels); n > 0 {
			end = x.Levels[n-1].Cost.String()
		}
		t.add(x.Name, x.Unit, spark(x, len(r.Points)), end)
	}
	p.table(t)
	if same > 0 {
		p.line(gap, 0, "", units.Plural(same, "figure")+
			" of benchmarks in which no change was found; --long shows them")
	}
}

// sparks are the levels of a row.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkColumns is how wide a row is at most.
const sparkColumns = 40

// spark draws the costs of a series, by the lowest and the highest of them. Between two points
// that were measured stands the cost of the earlier one.
func spark(x *history.Series, points int) string {
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
		n := slices.IndexFunc(x.Levels, func(l history.Level) bool { return l.At > at })
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

// HistoryMarkdown writes what a search through commits or releases found, as Markdown.
func HistoryMarkdown(w io.Writer, r *history.Report) error {
	m := &mdWriter{}
	m.part(1, "change", func() {
		changes := r.Changes()
		if len(changes) == 0 {
			m.line(r.Nothing())
		}
		for _, c := range changes {
			m.item("- " + md(r.Sentence(c.Series, c.Change)))
		}
	})
	fmt.Fprintf(&m.b, "\n%s\n", md(fmt.Sprintf("%d %s, %d of them built; %s.", len(r.Points), r.Kind, r.Built,
		r.Missed())))
	_, err := io.WriteString(w, m.text())
	return err
}
