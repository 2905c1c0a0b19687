package claim

import (
	"cmp"
	"time"

	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// Studies parses the directives that a question carries.
func Studies(q *plan.Question) ([]Study, error) {
	var out []Study
	for i, s := range q.Plan.Studies {
		st, err := language.Parse(s.Name, s.Directives, s.Show)
		if err != nil {
			return nil, err
		}
		out = append(out, Study{Name: s.Name, Written: st, Margin: q.Plan.Options.Margin, Looks: q.Plan.JudgedAt(),
			Machine: q.Machine.CPUModel, Selected: q.Plan.Options.Bench != "", Code: codeOf(&q.Plan, i),
			Setup: setupOf(&q.Plan, i), FixedLinks: !q.Plan.Options.DrawsLinks(),
			Absent: func(arm string) []Absence { return absent(&q.Plan, i, arm) },
			Heap: func(arm string) HeapUse {
				for a, x := range q.Plan.Sides {
					if b := q.Build(i, a); x.Name == arm && b != nil && b.Heap != nil {
						return func(fn string) []string { return b.Heap[fn] }
					}
				}
				return nil
			}})
	}
	return out, nil
}

// setupOf returns what the guards know of a study.
func setupOf(p *plan.Plan, study int) Setup {
	loops := map[string]time.Duration{}
	for _, c := range p.Cases {
		// In C++ the time may be a part of what an iteration does, and all cases run on the
		// compiler on which N was found.
		if c.Study == study && c.N > 1 && p.Kind(c) != plan.GoogleBenchmark {
			loops[c.Name] = time.Duration(c.Estimate * float64(c.N) * float64(time.Second))
		}
	}
	return Setup{Loop: func(name string) time.Duration { return loops[name] }, Users: !p.Studies[study].Shipped}
}

// codeOf returns what a case of a study runs, without its configuration.
func codeOf(p *plan.Plan, study int) func(name string) string {
	codes := map[string]string{}
	for _, c := range p.Cases {
		if c.Study == study {
			codes[c.Name] = p.Code(c)
		}
	}
	return func(name string) string { return cmp.Or(codes[name], name) }
}

// absent lists the cases of a study that the run knows and has not measured on an arm.
func absent(p *plan.Plan, study int, arm string) []Absence {
	var out []Absence
	for _, l := range p.ToFull {
		if l.Study == study {
			out = append(out, Absence{Case: l.Name, Why: Full})
		}
	}
	for _, l := range p.NotReached {
		if l.Study == study {
			out = append(out, Absence{Case: l.Name, Why: Later})
		}
	}
	for _, c := range p.Cases {
		if c.Study == study && !p.Mine(c.Group) {
			out = append(out, Absence{Case: c.Name, Why: Apart})
		}
	}
	for _, f := range p.Failures {
		if f.Study != study || f.Side != arm {
			continue
		}
		for _, name := range plan.NamesOf(p, study, f.Name) {
			out = append(out, Absence{Case: name, Why: Failed})
		}
	}
	return out
}
