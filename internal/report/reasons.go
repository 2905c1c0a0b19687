package report

import (
	"slices"

	"memcost/internal/plan"
)

// reasons prints, for the cases that their study explains, what they allocate beside
// the compiler's reason for it; of several arms the first, unless Long.
func (p *printer) reasons(a *Answer, s *Suite) {
	g := grid{title: "why it is on the heap, by the compiler that built it", header: []string{"case", "time/op", "allocs/op", "reason", "the compiler says"},
		left: map[int]bool{3: true, 4: true}, prose: 4}
	if len(a.Arms) > 1 && !p.Long {
		g.title += " · " + a.Arms[0].Name
	}
	for _, c := range s.Cases {
		if c.Reasons == nil || !p.Long && c.Arm != a.Arms[0].Name && slices.ContainsFunc(a.Arms, func(x plan.Arm) bool { return x.Name == c.Arm }) {
			continue
		}
		name := c.Name
		if len(a.Arms) > 1 && p.Long {
			name += " · " + c.Arm
		}
		row := []entry{{text: name}, caseTime(c), {text: metric(c, "allocs/op")}}
		for _, r := range reasonRows(c) {
			g.rows = append(g.rows, append(row, entry{text: r[0]}, entry{text: r[1]}))
			row = []entry{{}, {}, {}}
			for _, step := range r[2:] {
				if p.Long {
					g.rows = append(g.rows, append(slices.Clone(row), entry{}, entry{text: step}))
				}
			}
		}
	}
	if len(g.rows) > 0 {
		p.grid(g)
	}
}

// reasonRows are a case's reasons in words: the cause, what the compiler says, and the
// flow that explains it.
func reasonRows(c Case) [][]string {
	if len(c.Reasons) == 0 {
		if c.Metrics["allocs/op"] >= 1 {
			return [][]string{{"made by the runtime: the compiler has no word for it", ""}}
		}
		return [][]string{{"nothing is", ""}}
	}
	var out [][]string
	for _, r := range c.Reasons {
		cause := r.Cause
		if cause == "" {
			cause = "no usual cause"
		}
		if !r.Heap {
			cause += " (it depends on the run)"
		}
		out = append(out, append([]string{cause, r.Where + ": " + r.Says}, r.Flow...))
	}
	return out
}

// ReasonTexts are a case's reasons, a line each, for the page.
func (c *Case) ReasonTexts() []string {
	var out []string
	if c.Reasons == nil {
		return nil
	}
	for _, r := range reasonRows(*c) {
		line := r[0]
		if r[1] != "" {
			line += ": " + r[1]
		}
		out = append(out, line)
	}
	return out
}
