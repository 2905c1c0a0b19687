package text

import (
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/result"
)

// changes lists, for a run with several arms, the cases that are known to cost
// more or less than on the first arm, and counts the others.
// The list is left out where all cases are listed anyway.
func (p *printer) changes(a *result.Answer, s *result.Suite, listed bool) {
	changed, count, rest := a.Changed(s)
	if count == "" {
		return
	}
	if len(changed) > 0 && !listed {
		first := a.Arms[0].Name
		g := grid{title: "changed against " + first, header: []string{"case", "arm", "time/op", "against " + first}, left: map[int]bool{1: true}}
		for _, c := range changed {
			g.rows = append(g.rows, []entry{{text: c.Name}, {text: c.Arm}, {text: c.Time.String()}, comparison(*c.VsFirst)})
		}
		p.grid(g)
	}
	p.f("\n")
	p.line(gap, pretty.Bold, count, rest)
}
