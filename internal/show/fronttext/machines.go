package fronttext

import (
	"fmt"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
	"memcost/internal/show/text"
)

// kindsOf returns the machines of each kind, by the indices of their columns.
func kindsOf(m *across.Report) [][]int {
	var out [][]int
	for i, x := range m.Machines {
		if i == 0 || x.Kind != m.Machines[i-1].Kind {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}

// A machineRow is a claim of a study.
type machineRow struct {
	name  string
	claim *across.Claim
}

// machineRows are the claims of all studies: those about machines, then those on which machines differ.
func machineRows(m *across.Report) []machineRow {
	var out []machineRow
	for i := range m.Studies {
		s := &m.Studies[i]
		for k := range s.Claims {
			name := s.Claims[k].ID
			if len(m.Studies) > 1 {
				name = s.Name + " " + name
			}
			out = append(out, machineRow{name, &s.Claims[k]})
		}
	}
	rank := func(c *across.Claim) int {
		has := func(s claim.Status) bool {
			return slices.ContainsFunc(c.Cells, func(x across.Cell) bool { return x.Status == string(s) })
		}
		switch {
		case c.Line != nil:
			return 0
		case has(claim.Holds) && has(claim.Fails):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b machineRow) int { return rank(a.claim) - rank(b.claim) })
	return out
}

// marks returns a claim's mark on each machine of each kind.
func marks(c *across.Claim, kinds [][]int) []line {
	var out []line
	for _, of := range kinds {
		var l line
		for _, i := range of {
			mark, color := " ", pretty.Faint
			if s := c.Cells[i].Status; s != "" {
				mark, color = sign[s], statusColor[s]
			}
			l = append(l, paint(color, mark))
		}
		out = append(out, l)
	}
	return out
}

// machinesSection is every claim by machine.
func machinesSection(m *across.Report, width int) *section {
	if m == nil {
		return nil
	}
	kinds := kindsOf(m)
	g := grid{head: []string{""}, left: map[int]bool{}, most: map[int]int{0: max(width/4, 12)}}
	room := 0
	for i, of := range kinds {
		g.head = append(g.head, units.Letter(i))
		room += max(len(of), 1) + gap
	}
	if room > width/2 { // more machines than there are columns: they are counted
		g.head, kinds = g.head[:1], nil
	}
	g.flex = len(g.head)
	g.head, g.left[g.flex] = append(g.head, ""), true
	for i := range kinds {
		g.left[i+1] = true
	}
	all := machineRows(m)
	for _, r := range all {
		cells := append([]line{said(r.name)}, marks(r.claim, kinds)...)
		g.rows = append(g.rows, append(cells, said(r.claim.Says)))
	}
	if len(g.rows) == 0 {
		return nil
	}
	header, lines := g.lines(width, 0)
	rows := rowsOf(lines)
	for i, r := range all {
		if l := r.claim.Line; l != nil {
			rows[i].whole = append([]line{lines[i]}, indentedAll(said(l.Says).wrapped(width-gap, gap), gap)...)
		}
	}
	out := &section{head: []line{painted(pretty.Bold, "Claims by machine: "+m.Says).cut(width), header}, rows: rows,
		tail: kindLines(m, width), rank: 3, gap: 3, good: min(len(lines), 8), least: min(len(lines), 2)}
	if len(kinds) == 0 {
		out.head, out.tail = out.head[:1], nil
	}
	out.more = func(n int) line { return said(fmt.Sprintf("and %d more claims: --long", n)).cut(width) }
	return out
}

// kindLines says which machines are of which kind.
func kindLines(m *across.Report, width int) []line {
	var l line
	for i, of := range kindsOf(m) {
		var names []string
		for _, k := range of {
			names = append(names, text.Clean(m.Machines[k].Name))
		}
		if i > 0 {
			l = append(l, span{text: " · "})
		}
		l = append(l, paint(pretty.Bold, units.Letter(i)), paint(0, " "+text.Clean(m.Machines[of[0]].Kind)+": "+
			strings.Join(names, ", ")))
	}
	return few(l.wrapped(width, gap), 4, width)
}

// differencesSection says by how much machines and boards differ, and how a cost goes with their strength.
func differencesSection(m *across.Report, width int) *section {
	if m == nil {
		return nil
	}
	var rows []row
	for i := range m.Studies {
		c := m.Studies[i].Cost
		if c == nil {
			continue
		}
		say := c.Figure + ": " + spreadOf(&m.Studies[i], c.Figure) + ". By the speed of a plain copy: " + c.Says + "."
		rows = append(rows, row{whole: indentedAll(said(say).wrapped(width-gap, gap), gap)})
	}
	if len(rows) == 0 {
		return nil
	}
	return &section{head: []line{painted(pretty.Bold, "Time of one case by machine").cut(width)}, rows: rows,
		rank: 4, gap: 4, good: min(len(rows), 2), least: 0, aside: more}
}

// spreadOf says by how much the times of a case differ.
func spreadOf(s *across.Study, name string) string {
	for _, x := range s.Spreads {
		if x.Case == name {
			return "kinds differ by " + shareText(x.Kinds) + ", boards of one kind by " + shareText(x.Boards) +
				", samples of one board by " + shareText(x.Samples)
		}
	}
	return ""
}

// shareText returns a share, or that it is not known.
func shareText(v figures.Number) string {
	if v >= 0 {
		return units.Percent(float64(v))
	}
	return "an unknown share"
}
