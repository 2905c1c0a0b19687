package text

import (
	"fmt"
	"strconv"

	"memcost/internal/plan"
	"memcost/internal/result"
)

// notes prints what each record rests on.
func (p *printer) notes(s *result.Suite) {
	for _, c := range s.Cases {
		for _, n := range c.Notes {
			p.line(gap, 0, fmt.Sprintf("%s %s:", c.Arm, c.Name), n)
		}
	}
}

// realTime prints the verdicts on settings.
func (p *printer) realTime(r *plan.RealTime) {
	if r == nil {
		return
	}
	g := grid{title: "Fit for real time: " + result.RealTimeRule(r), header: []string{"allocator", "setting", "is", "violations", "of operations", "the first", "late by the machine's doing", "unexplained"}, left: map[int]bool{0: true, 1: true, 2: true, 5: true}}
	for _, s := range r.Settings {
		g.rows = append(g.rows, []entry{{text: s.Allocator}, {text: s.Setting}, {text: result.Is(s)}, {text: strconv.FormatInt(s.Violations, 10)}, {text: strconv.FormatInt(s.Operations, 10)}, {text: s.First}, {text: strconv.FormatInt(s.Machine, 10)}, {text: strconv.FormatInt(s.Nobody, 10)}})
	}
	p.grid(g)
	p.f("  A longest call is what was observed, and no bound on what may come.\n\n")
}
