package text

import (
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/result"
)

// writeChanges lists, for a run with several arms, the cases that are known to cost
// more or less than on the first arm, and counts the others.
// The list is left out where all cases are listed anyway.
func writeChanges(p *printer, a *result.Answer, s *result.Suite, listed bool) {
	changed, count, rest := a.Changed(s)
	if count == "" {
		return
	}
	if len(changed) > 0 && !listed {
		first := a.Arms[0].Name
		g := Table{Title: "changed against " + first, Header: []string{"case", "config", "time/op", "vs " + first},
			Keys: 2, Left: map[int]bool{1: true}}
		for _, c := range changed {
			g.Rows = append(g.Rows, []Cell{{Text: c.Name}, {Text: c.Arm}, {Text: c.Time.String()},
				comparison(*c.VsFirst)})
		}
		p.table(g)
	}
	p.f("\n")
	p.line(gap, pretty.Bold, count, rest)
}
