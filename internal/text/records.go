package text

import (
	"fmt"
	"strconv"

	"memcost/internal/latency"
	"memcost/internal/result"
)

// writeNotes prints what each record rests on.
func writeNotes(p *printer, s *result.Suite) {
	for _, c := range s.Cases {
		for _, n := range c.Notes {
			p.line(gap, 0, fmt.Sprintf("%s %s:", c.Arm, c.Name), n)
		}
	}
}

// writeRealTime prints the verdicts on settings.
func writeRealTime(p *printer, r *latency.RealTime) {
	if r == nil {
		return
	}
	g := Table{Title: "Real-time verdict: " + r.Rule(), Keys: 2, Left: map[int]bool{1: true, 2: true, 5: true},
		Header: []string{
			"allocator", "setting", "verdict", "violations", "operations", "first violation", "delayed by the machine",
			"late, cause not found"}}
	for _, s := range r.Settings {
		g.Rows = append(g.Rows, []Cell{{Text: s.Allocator}, {Text: s.Setting}, {Text: s.Verdict()},
			{Text: strconv.FormatInt(s.Violations, 10)}, {Text: strconv.FormatInt(s.Operations, 10)}, {Text: s.First},
			{Text: strconv.FormatInt(s.Machine, 10)}, {Text: strconv.FormatInt(s.Unexplained, 10)}})
	}
	p.table(g)
	for _, s := range r.Limits() {
		p.line(gap, 0, "", s)
	}
	p.f("\n")
}
