package fronttext

import (
	"fmt"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
)

// claimOrder is how claims stand below each other: what readers look for first.
var claimOrder = []string{invalid, string(claim.Fails), string(claim.Undecided), string(claim.Holds),
	string(claim.Untested)}

// here returns the verdicts of the run here; nil where there are none.
func here(s *answer.Study) []answer.Cell {
	for _, l := range s.Lines {
		if !l.Published {
			return l.Cells
		}
	}
	return nil
}

// claimsSection lists the claims of a study with their verdicts here: those that fail first.
func claimsSection(s *answer.Study, width int) *section {
	verdicts := here(s)
	if len(s.Claims) == 0 || len(verdicts) < len(s.Claims) {
		return nil
	}
	g := grid{head: make([]string, 3), left: map[int]bool{1: true, 2: true}, flex: 1, drop: []int{1},
		most: map[int]int{0: max(width/4, 8), 2: max(width/4, 12)}}
	for _, status := range claimOrder {
		for i, c := range s.Claims {
			if v := verdicts[i]; v.Status == status || status == claimOrder[4] && !slices.Contains(claimOrder,
				v.Status) {
				g.rows = append(g.rows, []line{painted(statusColor[v.Status], sign[v.Status]+" "+c.ID), said(c.Prose),
					painted(statusColor[v.Status], v.Says)})
			}
		}
	}
	// the verdicts have what the sentences leave
	g.most[2] = max(g.most[2], width-4*gap-g.width(0)-g.width(1))
	_, lines := g.lines(width, gap)
	rows := rowsOf(lines)
	for i, r := range g.rows {
		if lines[i].lacks(r) {
			whole := append(line{paint(0, r[1].text(false)+": ")}, r[2]...)
			rows[i].full = indentedAll(labelled(r[0], g.width(0)+gap, width-gap, whole), gap)
		}
	}
	title := append(painted(pretty.Bold, "claims  "), tallyLine(s.Tally)...)
	out := &section{head: few(title.broken(width, gap), 3, width), rows: rows, rank: 3, good: min(len(rows), 12),
		least: min(len(rows), 3), gap: 2}
	out.more = func(n int) line { return said(fmt.Sprintf("  and %d more claims: --long", n)).cut(width) }
	return out
}

// failingSection lists published conclusions that fail here.
func failingSection(f *answer.Front, width int) *section {
	if len(f.Failing) == 0 {
		return nil
	}
	var rows []row
	for _, x := range f.Failing {
		prose, _, _ := strings.Cut(x.Prose, " (published: ")
		l := append(said(strings.TrimSuffix(prose, ".")+": "), paint(pretty.Bold, x.Here),
			paint(statusColor[string(claim.Fails)], " ("+x.Study+" "+x.Claim+")"))
		// the condition of a conclusion stands at its end: cut, it says more than it says
		rows = append(rows, row{whole: indentedAll(l.wrapped(width-gap, gap), gap)})
	}
	return &section{head: []line{painted(pretty.Bold,
		"Published conclusions that fail here, with the figure here").cut(width)},
		rows: rows, rank: 4, gap: 4, good: min(len(rows), 1), least: 1, aside: more}
}

// crossingsSection says from which size one means is cheaper than another.
func crossingsSection(a *answer.Axis, width int) *section {
	if a == nil || len(a.Crossings) == 0 {
		return nil
	}
	var rows []row
	for _, decided := range []bool{true, false} {
		for _, c := range a.Crossings {
			if c.Decided != decided || len(c.Says) == 0 {
				continue
			}
			mark := painted(statusColor[string(claim.Holds)], "✓ ")
			if !decided {
				mark = painted(statusColor[string(claim.Undecided)], "? ")
			}
			l := append(mark, spansOf(c.Says)...)
			rows = append(rows, row{whole: indentedAll(l.wrapped(width-gap, gap), gap)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &section{rows: rows, rank: 4, good: min(len(rows), 2), least: 1}
}
