package result

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
	changed, count, rest := a.changed(s)
	if count == "" {
		return
	}
	if len(changed) > 0 && !listed {
		first := a.Arms[0].Name
		g := grid{title: "changed against " + first, header: []string{"case", "arm", "time/op", "against " + first}, left: map[int]bool{1: true}}
		for _, c := range changed {
			g.rows = append(g.rows, []entry{{text: c.Name}, {text: c.Arm}, {text: cell(c.Time)}, comparison(*c.VsFirst)})
		}
		p.grid(g)
	}
	p.f("\n")
	p.line(gap, text.Bold, count, rest)
}

// changed returns the cases that are known to have changed against the first
// arm, and says how many they are and what is known of the others; count is ""
// where nothing was compared.
func (a *Answer) changed(s *Suite) (changed []Case, count, rest string) {
	equal, open := 0, 0
	for _, c := range s.Cases {
		if c.VsFirst == nil {
			continue
		}
		switch claim.Difference(c.VsFirst.Difference) {
		case claim.Changed:
			changed = append(changed, c)
		case claim.Equivalent:
			equal++
		default:
			open++
		}
	}
	all := len(changed) + equal + open
	if all == 0 {
		return nil, "", ""
	}
	var others []string
	if equal > 0 {
		others = append(others, fmt.Sprintf("%d equal within 1%%", equal))
	}
	if open > 0 {
		others = append(others, fmt.Sprintf("%d open", open))
	}
	count = fmt.Sprintf("%d of %s changed", len(changed), plural(all, "comparison"))
	rest = fmt.Sprintf("(false discovery rate at most %g%%), %s", 100*a.Options.Alpha, strings.Join(others, ", "))
	return changed, count, strings.TrimSuffix(rest, ", ")
}
