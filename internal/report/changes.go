package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/claim"
)

// changes lists, for a run with several arms, the cases that are known to cost
// more or less than on the first arm, and counts the others.
// The list is left out where all cases are listed anyway.
func (p *printer) changes(a *Answer, s *Suite, listed bool) {
	if len(a.Arms) < 2 {
		return
	}
	g := grid{title: "changed against " + a.Arms[0].Name, header: []string{"case", "arm", "time/op", "against " + a.Arms[0].Name}, left: map[int]bool{1: true}}
	changed, equal, open := 0, 0, 0
	for _, c := range s.Cases {
		if c.VsFirst == nil {
			continue
		}
		switch claim.Difference(c.VsFirst.Difference) {
		case claim.Changed:
			changed++
			g.rows = append(g.rows, []entry{{text: c.Name}, {text: c.Arm}, {text: cell(c.Time)}, comparison(*c.VsFirst)})
		case claim.Equivalent:
			equal++
		default:
			open++
		}
	}
	if changed+equal+open == 0 {
		return
	}
	if changed > 0 && !listed {
		p.grid(g)
	}
	var rest []string
	if equal > 0 {
		rest = append(rest, fmt.Sprintf("%d equal within 1%%", equal))
	}
	if open > 0 {
		rest = append(rest, fmt.Sprintf("%d open", open))
	}
	p.f("\n")
	p.line(gap, text.Bold, fmt.Sprintf("%d of %s changed", changed, plural(changed+equal+open, "comparison")),
		strings.TrimSuffix(fmt.Sprintf("(false discovery rate at most %g%%), %s", 100*a.Options.Alpha, strings.Join(rest, ", ")), ", "))
}
