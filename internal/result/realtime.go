package result

import (
	"strconv"

	"memcost/internal/latency"
)

// RealTimeRule is what a setting has to keep to be called fit.
func RealTimeRule(r *latency.RealTime) string {
	return "no page fault, and no call longer than " + r.Limit.String() + " by the allocator's doing"
}

// realTime prints the verdicts on settings.
func (p *printer) realTime(r *latency.RealTime) {
	if r == nil {
		return
	}
	g := grid{title: "Fit for real time: " + RealTimeRule(r), header: []string{"allocator", "setting", "is", "violations", "of operations", "the first", "late by the machine's doing", "unexplained"}, left: map[int]bool{0: true, 1: true, 2: true, 5: true}}
	for _, s := range r.Settings {
		g.rows = append(g.rows, []entry{{text: s.Allocator}, {text: s.Setting}, {text: s.Verdict()}, {text: strconv.FormatInt(s.Violations, 10)}, {text: strconv.FormatInt(s.Operations, 10)}, {text: s.First}, {text: strconv.FormatInt(s.Machine, 10)}, {text: strconv.FormatInt(s.Unexplained, 10)}})
	}
	p.grid(g)
	p.f("  A longest call is what was observed, and no bound on what may come.\n\n")
}
