package fronttext

import (
	"fmt"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
)

// addVerdict counts a verdict.
func addVerdict(t *answer.Tally, status string) {
	switch status {
	case string(claim.Holds):
		t.Hold++
	case string(claim.Fails):
		t.Fail++
	case string(claim.Undecided):
		t.Undecided++
	case invalid:
		t.Invalid++
	default:
		t.NotTested++
	}
}

// runsSection counts the verdicts of each run and configuration, where there are several.
func runsSection(f *answer.Front, width int) *section {
	var names []string
	tallies := map[string]*answer.Tally{}
	for _, s := range f.Studies {
		for _, l := range s.Lines {
			if l.Published {
				continue
			}
			if tallies[l.Name] == nil {
				names = append(names, l.Name)
				tallies[l.Name] = &answer.Tally{}
			}
			for _, c := range l.Cells {
				addVerdict(tallies[l.Name], c.Status)
			}
		}
	}
	if len(names) < 2 {
		return nil
	}
	g := grid{head: []string{"claims of", "hold", "fail", "undecided", "not tested", invalid}, name: true,
		drop: []int{5, 4}}
	for _, n := range names {
		g.rows = append(g.rows, append([]line{said(n)}, tallyCells(*tallies[n], true)...))
	}
	header, rows := g.lines(width, 0)
	s := &section{head: []line{header}, rows: rowsOf(rows), rank: 4, gap: 4, good: min(len(rows), 6), least: min(len(
		rows), 2)}
	s.more = func(n int) line { return said(fmt.Sprintf("and %d more: --long", n)).cut(width) }
	return s
}

// releasesSection says how many cases changed between Go versions.
func releasesSection(f *answer.Front, width int) *section {
	if f.Releases == "" {
		return nil
	}
	return &section{rows: rowsOf(painted(pretty.Bold, f.Releases).wrapped(width, gap)), gap: 4, flow: true, rank: 4,
		good: 2, least: 1}
}
