package text

import (
	"cmp"
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// longestSide is the most columns that the name of a side takes in the head of a column: a
// longer one is called by a letter.
const longestSide = 18

// widest is the widest that a comparison is on a terminal: longer lines are hard to read.
const widest = 100

// Sides writes a comparison for a terminal: the answer in a sentence, a table of times for
// each side against the first, and of the other metrics what changed.
func Sides(w io.Writer, r *compare.Report, s Style) error {
	if s.Width > widest {
		s.Width = widest
	}
	p := &printer{w: w, Style: s}
	for i, say := range r.Says {
		color := pretty.Color(0)
		if i == 0 {
			color = pretty.Bold
		}
		p.bold(color, say)
	}
	heads := sideHeads(r)
	p.sideList(r, heads)
	for side := 1; side < len(r.Sides); side++ {
		p.sideTables(r, heads, side)
	}
	p.f("\n")
	p.asides(r)
	return p.err
}

// bold prints a sentence, all of it in a colour.
func (p *printer) bold(c pretty.Color, s string) {
	for line := range strings.SplitSeq(wrap(Clean(s), p.Width, 0, "\n"), "\n") {
		p.f("%s\n", p.paint(c, line))
	}
}

// sideHeads returns what the sides are called in the heads of columns.
func sideHeads(r *compare.Report) []string {
	out := make([]string, len(r.Sides))
	short := true
	for i, s := range r.Sides {
		out[i] = Clean(s.Name)
		short = short && pretty.StringWidth(out[i]) <= longestSide
	}
	if !short {
		for i := range out {
			out[i] = string(rune('A' + i%26))
		}
	}
	return out
}

// sideList says what each side is, where its name alone does not.
func (p *printer) sideList(r *compare.Report, heads []string) {
	t := Table{Left: map[int]bool{1: true}, Prose: 1}
	told := false
	for i, s := range r.Sides {
		about := s.Says()
		if heads[i] != Clean(s.Name) {
			about = strings.TrimSuffix(s.Name+"  "+about, "  ")
		}
		told = told || about != ""
		t.add(heads[i], about)
	}
	if told {
		p.table(t)
	}
}

// sideTables prints what one side has against the first.
func (p *printer) sideTables(r *compare.Report, heads []string, side int) {
	for i, unit := range r.Units() {
		all := i == 0 || p.Long
		c := r.Count(side, unit)
		if !all && (c.Changed == 0 || r.Repeats(side, unit)) {
			continue
		}
		for _, suite := range r.Suites() {
			t := sideTable(r, heads, side, unit, suite, all)
			t.Title = suite + ": " + compare.MetricName(unit)
			if len(heads) > 2 {
				t.Title += ", " + heads[side] + " against " + heads[0]
			}
			p.table(t)
		}
		if g := r.Geomean(unit); g != nil && len(r.Suites()) > 1 {
			t := Table{Title: "all packages: " + compare.MetricName(unit), Header: sideHeader(heads, side)}
			t.Rows = append(t.Rows, geomeanRow(r, g, side))
			p.table(t)
		}
		p.f("\n")
		p.line(gap, pretty.Bold, compare.MetricName(unit)+":", r.CountSays(side, unit))
	}
	if !p.Long {
		p.unchanged(r, side)
	}
}

// unchanged counts the metrics that are not shown.
func (p *printer) unchanged(r *compare.Report, side int) {
	var quiet []string
	undecided := 0
	for _, unit := range r.Units()[1:] {
		c := r.Count(side, unit)
		if c.Changed > 0 || c.All() == 0 {
			continue
		}
		quiet, undecided = append(quiet, compare.MetricName(unit)), undecided+c.Undecided
	}
	if len(quiet) == 0 {
		return
	}
	say := strings.Join(quiet, ", ") + ": no change is known"
	if undecided > 0 {
		say += " (" + units.Plural(undecided, "comparison") + " undecided)"
	}
	p.line(gap, 0, "", say+"; --long shows them")
}

func sideHeader(heads []string, side int) []string {
	return []string{"benchmark", heads[0], heads[side], heads[side] + "/" + heads[0], "verdict"}
}

// sideTable returns the table of one metric of a package: of all its benchmarks, or of those
// that changed.
func sideTable(r *compare.Report, heads []string, side int, unit, suite string, all bool) Table {
	t := Table{Header: sideHeader(heads, side), Left: map[int]bool{4: true}}
	rows := 0
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		m := b.Metric(unit)
		if b.Suite != suite || m == nil {
			continue
		}
		c := m.Changes[side-1]
		if !all && c.Verdict != compare.Changed {
			continue
		}
		rows++
		t.Rows = append(t.Rows, []Cell{{Text: b.Name}, {Text: compare.ValueSays(m.Values[0])},
			{Text: compare.ValueSays(m.Values[side])}, {Text: compare.RatioSays(c)}, verdictCell(c)})
	}
	if g := r.Geomean(unit); g != nil && rows > 0 && len(r.Suites()) == 1 {
		t.Rows = append(t.Rows, geomeanRow(r, g, side))
	}
	return t
}

func geomeanRow(r *compare.Report, g *compare.Geomean, side int) []Cell {
	c := g.Changes[side-1]
	return []Cell{{Text: r.GeomeanSays(g)}, {Text: g.Values[0].Quantity()}, {Text: g.Values[side].Quantity()},
		{Text: compare.RatioSays(c)}, verdictCell(c)}
}

// verdictCell returns a verdict in its colour: red for the worse, green for the better.
func verdictCell(c compare.Change) Cell {
	e := Cell{Text: compare.VerdictSays(c), all: true}
	switch {
	case c.Verdict == compare.Invalid || c.Regression:
		e.color = pretty.FgRed
	case c.Verdict == compare.Changed:
		e.color = pretty.FgGreen
	case c.Verdict == compare.Undecided:
		e.color = pretty.FgYellow
	}
	return e
}

// asides prints what is to be known beside the figures.
func (p *printer) asides(r *compare.Report) {
	if say := r.AloneSays(); say != "" {
		p.line(0, 0, result.Mark, say)
	}
	for _, b := range r.Benchmarks {
		for _, why := range b.Invalid {
			p.line(0, pretty.FgRed, "invalid:", b.Name+" on "+why)
		}
		for _, why := range b.Failed {
			p.line(0, pretty.FgRed, "failed:", b.Name+" on "+why)
		}
		for _, why := range b.Flags {
			p.line(0, pretty.FgYellow, "flagged:", b.Name+" on "+why)
		}
	}
	for _, x := range r.OneSided {
		name := cmp.Or(x.Name, "all of "+x.Suite)
		p.line(0, pretty.FgYellow, "one side:", name+" stands in "+strings.Join(x.On, " and in ")+
			" alone, and is not compared")
	}
	if len(r.NoiseFloor) > 0 {
		p.line(0, 0, "noise floor:", result.NoiseSays)
		for _, n := range r.NoiseFloor {
			p.line(gap, 0, "", n.Sentence())
		}
	}
	for _, w := range r.Warnings {
		p.line(0, pretty.FgYellow, "warning:", w)
	}
	if r.Dir != "" {
		p.line(0, 0, "run folder:", r.Dir)
	}
}
