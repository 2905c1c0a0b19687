package result

import (
	"strconv"

	"memcost/internal/plan"
)

// RealTimeRule is what a setting has to keep to be called fit.
func RealTimeRule(r *plan.RealTime) string {
	return "no page fault, and no call longer than " + r.Limit.String() + " by the allocator's doing"
}

// realTime prints the verdicts on settings.
func (p *printer) realTime(r *plan.RealTime) {
	if r == nil {
		return
	}
	g := grid{title: "Fit for real time: " + RealTimeRule(r), header: []string{"allocator", "setting", "is", "violations", "of operations", "the first", "late by the machine's doing", "unexplained"}, left: map[int]bool{0: true, 1: true, 2: true, 5: true}}
	for _, s := range r.Settings {
		g.rows = append(g.rows, []entry{{text: s.Allocator}, {text: s.Setting}, {text: Is(s)}, {text: strconv.FormatInt(s.Violations, 10)}, {text: strconv.FormatInt(s.Operations, 10)}, {text: s.First}, {text: strconv.FormatInt(s.Machine, 10)}, {text: strconv.FormatInt(s.Nobody, 10)}})
	}
	p.grid(g)
	p.f("  A longest call is what was observed, and no bound on what may come.\n\n")
}

// Is says whether a setting is fit.
func Is(s plan.Fitness) string {
	switch {
	case s.Fit:
		return "fit"
	case s.Violations == 0:
		return "undecided"
	}
	return "not fit"
}
