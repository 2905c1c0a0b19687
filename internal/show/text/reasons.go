package text

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/result"
)

// reasonsTitle stands above the reasons.
const reasonsTitle = "heap allocations, and the reason that the compiler gives"

// writeReasons prints, for the cases that their study explains, what they allocate beside
// the compiler's reason for it: of the first arm all, of the others what differs from
// that; with Long all of all arms, with the flow and the usual fix.
func writeReasons(p *printer, a *result.Answer, s *result.Suite) {
	byArm, arms := map[string][]*result.Case{}, []string{}
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Reasons != nil {
			if byArm[c.Arm] == nil {
				arms = append(arms, c.Arm)
			}
			byArm[c.Arm] = append(byArm[c.Arm], c)
		}
	}
	var same []string
	for i, arm := range arms {
		cases, title := byArm[arm], reasonsTitle
		if len(a.Arms) > 1 {
			title += " · " + arm
		}
		if i > 0 && !p.Long {
			first := byArm[arms[0]]
			cases = slices.DeleteFunc(slices.Clone(cases), func(c *result.Case) bool {
				return slices.ContainsFunc(first, c.SameReasons)
			})
			title = arm + ", where it differs from " + arms[0]
		}
		if len(cases) == 0 {
			same = append(same, arm)
			continue
		}
		p.table(reasonGrid(p, title, cases))
	}
	if len(same) > 0 {
		p.f("\n")
		p.line(gap, pretty.Bold, strings.Join(same, ", ")+":", "the same reasons as with "+arms[0])
	}
}

func reasonGrid(p *printer, title string, cases []*result.Case) Table {
	g := Table{Title: title, Header: []string{"case", "time/op", "allocs/op", "reason", "compiler message"},
		Left: map[int]bool{3: true, 4: true}, Prose: 4}
	for _, c := range cases {
		row := []Cell{{Text: c.Name}, caseTime(*c), {Text: c.Metric("allocs/op")}}
		for _, r := range c.ReasonRows() {
			g.Rows = append(g.Rows, append(row, Cell{Text: r.Cause}, Cell{Text: r.Says}))
			row = []Cell{{}, {}, {}}
			if !p.Long {
				continue
			}
			for _, step := range r.Flow {
				g.Rows = append(g.Rows, append(slices.Clone(row), Cell{}, Cell{Text: step}))
			}
			if r.Fix != "" {
				g.Rows = append(g.Rows, append(slices.Clone(row), Cell{}, Cell{Text: "usual fix: " + r.Fix}))
			}
		}
	}
	return g
}
