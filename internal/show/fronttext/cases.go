package fronttext

import (
	"fmt"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/method/claim"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Lines is the most that the front takes on a terminal.
const Lines = 45

// listed reports whether the cases of a study are listed: where nothing else shows its figures.
func listed(s *result.Suite) bool { return len(s.Claims) == 0 || len(s.Tables) == 0 }

// casesSection lists the cases of a package with their costs: of many the first ones.
func casesSection(a *result.Answer, s *result.Suite, titled bool, width int) *section {
	if len(s.Cases) == 0 || !listed(s) {
		return changesSection(a, s, titled, width)
	}
	g := caseGrid(a, s)
	header, rows := g.lines(width, gap)
	out := &section{rows: rowsOf(rows), rank: 7, gap: 2, good: min(len(rows), 6), least: min(len(rows), 1)}
	if titled {
		out.head = append(out.head, painted(pretty.Bold, s.Name).cut(width))
	}
	out.head = append(out.head, header)
	for range len(s.Cases) - len(rows) { // counted, never shown
		out.rows = append(out.rows, row{})
	}
	out.more = func(n int) line { return said(fmt.Sprintf("  and %d more: --long", n)).cut(width) }
	if _, count, rest := a.Changed(s); count != "" {
		out.tail = few(append(painted(pretty.Bold, count+" "), paint(0, rest)).wrapped(width, gap), 3, width)
	}
	return out
}

// caseGrid is the table of the first cases: more than those do not fit.
func caseGrid(a *result.Answer, s *result.Suite) grid {
	g := grid{head: []string{"case"}, left: map[int]bool{}, name: true}
	many := len(a.Arms) > 1
	against := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.VsFirst != nil })
	others := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.Others() != "" })
	column := func(name string, left bool) int {
		g.head = append(g.head, name)
		g.left[len(g.head)-1] = left
		return len(g.head) - 1
	}
	if many {
		column("config", true)
	}
	column("time/op", false)
	bytes, allocs := column("B/op", false), column("allocs/op", false)
	if others {
		g.drop = append(g.drop, column("other metrics", true))
	}
	g.drop = append(g.drop, bytes, allocs)
	if against {
		column("vs "+a.Arms[0].Name, false)
	}
	for _, c := range s.Cases[:min(len(s.Cases), Lines)] {
		r := []line{said(c.Name)}
		if many {
			r = append(r, said(c.Arm))
		}
		r = append(r, timeOf(c), said(c.Metric("B/op")), said(c.Metric("allocs/op")))
		if others {
			r = append(r, said(c.Others()))
		}
		if against {
			r = append(r, versus(c.VsFirst))
		}
		g.rows = append(g.rows, r)
	}
	return g
}

// timeOf returns the time of a case, or why it has none.
func timeOf(c result.Case) line {
	switch {
	case c.Failed != "":
		return painted(pretty.FgRed, result.Failed)
	case len(c.Invalid) > 0:
		return painted(pretty.FgRed, claim.InvalidNote)
	}
	return said(c.Time.String())
}

// versus returns a comparison with the first configuration.
func versus(c *result.Comparison) line {
	if c == nil {
		return nil
	}
	color := pretty.Faint
	if claim.Difference(c.Difference) == claim.Changed {
		if color = pretty.FgRed; c.Value < 1 {
			color = pretty.FgGreen
		}
	}
	return painted(color, c.String())
}

// changesSection lists the cases of a study that cost more or less than with the first
// configuration; nil where there is only one.
func changesSection(a *result.Answer, s *result.Suite, titled bool, width int) *section {
	changed, count, rest := a.Changed(s)
	if count == "" {
		return nil
	}
	out := &section{rank: 7, gap: 2}
	if titled {
		count = s.Name + ": " + count
	}
	lines := few(append(painted(pretty.Bold, count+" "), paint(0, rest)).wrapped(width, gap), 3, width)
	if len(changed) == 0 {
		out.rows, out.flow = rowsOf(lines), true
		return out
	}
	out.head = lines
	g := grid{head: []string{"changed", "config", "time/op", "vs " + a.Arms[0].Name}, left: map[int]bool{1: true},
		name: true}
	for _, c := range changed[:min(len(changed), Lines)] {
		g.rows = append(g.rows, []line{said(c.Name), said(c.Arm), said(c.Time.String()), versus(c.VsFirst)})
	}
	header, rows := g.lines(width, gap)
	out.head, out.rows = append(out.head, header), rowsOf(rows)
	for range len(changed) - len(rows) {
		out.rows = append(out.rows, row{})
	}
	out.good, out.least = min(len(rows), 4), min(len(rows), 1)
	out.more = func(n int) line { return said(fmt.Sprintf("  and %d more: --long", n)).cut(width) }
	return out
}

// comparisonSection shows what several answers say of the same cases: those that differ most,
// with the geometric mean below.
func comparisonSection(v *compare.Comparison, width int) *section {
	n := v.Answers()
	g := grid{head: append([]string{v.Table.By}, v.Table.Columns...), name: true}
	for col := n; col > 1; col-- { // times of further answers, then ratios of the last ones
		g.drop = append(g.drop, col)
	}
	for col := len(v.Table.Columns); col > n+1; col-- {
		g.drop = append(g.drop, col)
	}
	add := func(r figures.Row) {
		cells := []line{said(r.Label)}
		for i, f := range r.Cells {
			if i < n || len(v.Busy) > 0 {
				cells = append(cells, said(f.String()))
				continue
			}
			cells = append(cells, painted(ratioColor(f), f.String()))
		}
		g.rows = append(g.rows, cells)
	}
	for _, r := range v.MostDifferent(Lines) {
		add(r)
	}
	add(v.Geomean())
	header, rows := g.lines(width, gap)
	last := len(rows) - 1
	title := append(painted(pretty.Bold, v.Suite+": compared"), paint(0, " · "+strings.TrimSuffix(v.Table.Title, ".")))
	s := &section{head: []line{title.cut(width), header}, rows: rowsOf(rows[:last]), tail: rows[last:], rank: 7, gap: 2,
		good: min(last, 6), least: min(last, 1)}
	for range len(v.Table.Rows) - last {
		s.rows = append(s.rows, row{})
	}
	s.more = func(n int) line { return said(fmt.Sprintf("  and %d more that differ less: --long", n)).cut(width) }
	for _, note := range v.Table.Notes {
		s.tail = append(s.tail, append(painted(pretty.FgYellow, "note: "), paint(0, note)).indented(gap).cut(width))
	}
	const most = 3
	for i := range v.Runs[:min(len(v.Runs), most)] {
		s.tail = append(s.tail, said(v.Count(n+i)).indented(gap).cut(width))
	}
	if left := len(v.Runs) - most; left > 0 {
		s.tail = append(s.tail, said(fmt.Sprintf("and %d more runs: --long", left)).indented(gap).cut(width))
	}
	return s
}

func ratioColor(f figures.Figure) pretty.Color {
	switch {
	case !f.Known() || !f.Bounded():
		return 0
	case f.Lo > 1:
		return pretty.FgRed
	case f.Hi < 1:
		return pretty.FgGreen
	}
	return pretty.Faint
}
