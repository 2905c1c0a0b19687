package text

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/malloc/latency"
	"memcost/internal/report/result"
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
	p.table(realTimeTable(r))
	for _, s := range r.Notes() {
		p.line(gap, 0, "", s)
	}
	for _, s := range r.Settings {
		if say := s.Says(); say != "" {
			p.f("\n")
			p.line(gap, 0, "", say)
			for _, l := range s.Paste {
				p.f("%*s%s\n", 2*gap, "", l)
			}
		}
	}
	p.f("\n")
}

// realTime writes the verdicts on settings.
func (m *mdAnswers) realTime() {
	for _, a := range m.answers {
		if a.RealTime == nil {
			continue
		}
		t := realTimeTable(a.RealTime)
		m.line("### " + md(t.Title))
		var rows [][]string
		for _, r := range t.Rows {
			cells := make([]string, len(r))
			for i, c := range r {
				cells[i] = md(c.Text)
			}
			rows = append(rows, cells)
		}
		m.table(t.Header, t.Keys+1, rows)
		for _, s := range a.RealTime.Notes() {
			m.line(md(s))
		}
		for _, s := range a.RealTime.Settings {
			if say := s.Says(); say != "" {
				m.line("\n" + md(say) + "\n\n```c\n" + strings.Join(s.Paste, "\n") + "\n```")
			}
		}
	}
}

// realTimeTable is the table of the settings by situations.
func realTimeTable(r *latency.RealTime) Table {
	g := Table{Title: "Real-time verdict: " + r.Rule(), Keys: 2, Left: map[int]bool{1: true, 2: true},
		Header: []string{"allocator", "setting", "verdict"}}
	for _, s := range r.Situations {
		g.Header = append(g.Header, s.Name)
	}
	g.Left[len(g.Header)+1] = true
	g.Header = append(g.Header, "longest call", "first violation", "delayed by the machine", "late, cause not found")
	for _, s := range r.Settings {
		row := []Cell{{Text: s.Allocator}, {Text: s.Setting}, {Text: s.Verdict()}}
		for _, in := range r.Situations {
			row = append(row, Cell{Text: s.At(in.Key)})
		}
		g.Rows = append(g.Rows, append(row, Cell{Text: s.LongestCall()}, Cell{Text: s.First},
			Cell{Text: units.Thousands(s.Machine)}, Cell{Text: units.Thousands(s.Unexplained)}))
	}
	return g
}
