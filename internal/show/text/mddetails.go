package text

import (
	"fmt"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// cases lists every case of every answer.
func (m *mdAnswers) cases() {
	for _, g := range m.groups {
		for _, x := range g.Sides {
			if len(x.Suite.Cases) == 0 {
				continue
			}
			against := slices.ContainsFunc(x.Suite.Cases, func(c result.Case) bool { return c.VsFirst != nil })
			header := []string{md(x.Suite.Name), "config", "time/op", "B/op", "allocs/op"}
			others := slices.ContainsFunc(x.Suite.Cases, func(c result.Case) bool { return c.Others() != "" })
			if against {
				header = append(header, "vs "+mdName(m.answers[x.Answer].Arms[0].Name))
			}
			if others {
				header = append(header, "other metrics")
			}
			var rows [][]string
			for _, c := range x.Suite.Cases {
				r := m.caseRow(x, c, against)
				if others {
					r = append(r, md(c.Others()))
				}
				rows = append(rows, r)
			}
			m.table(header, 2, rows)
		}
	}
}

func (m *mdAnswers) caseRow(x *compare.SuiteSide, c result.Case, against bool) []string {
	time := mdFigure(c.Time)
	switch {
	case c.Failed != "":
		time = result.Failed
	case len(c.Invalid) > 0:
		time = claim.InvalidNote
	}
	r := []string{mdName(c.Name), m.data(x.Answer, c.Arm), time, c.Metric("B/op"), c.Metric("allocs/op")}
	if against {
		vs := ""
		if c.VsFirst != nil {
			vs = c.VsFirst.String()
		}
		r = append(r, vs)
	}
	return r
}

// measured says how each answer came about, and what is to be known of it.
func (m *mdAnswers) measured() {
	for i, a := range m.answers {
		about := func(what, format string, args ...any) {
			m.item("- " + what + ": " + md(fmt.Sprintf(format, args...)))
		}
		m.line("**" + md(m.names[i]) + "**")
		m.line("")
		if a.Kind == result.File {
			if name := a.MachineName(); name != "" {
				about("machine", "%s", name)
			}
			about("file", "%s, %s", a.Dir, units.Plural(a.Samples, "sample"))
		} else {
			howMeasured(a, about)
		}
		for _, w := range a.Warnings {
			about("warning", "%s", w)
		}
		m.line("")
	}
}

func howMeasured(a *result.Answer, about func(what, format string, args ...any)) {
	x := a.Machine
	about("command", "%s", a.CommandLine())
	about("machine", "%s, %s, %s, %s/%s", orUnknown(x.CPUModel), units.Plural(x.CPUs, "CPU"),
		units.Bytes(float64(x.MemoryBytes)), x.OS, x.Arch)
	about("certificate", "%s", a.CertificateSays)
	about("samples", "%d in %s, each in a fresh process; %s; share of run time in benchmark loops %s",
		a.Samples, a.RoundsSay(), a.Excluded(), a.LoopTime())
	if s := a.Together.String(); s != "" {
		about("verdicts", "%s", s)
	}
	if s := a.Resting(); s != "" {
		about("evidence", "%s", s)
	}
	if len(a.NoiseFloor) > 0 {
		about("noise floor", "%s", result.NoiseSays)
	}
	for _, n := range a.NoiseFloor {
		about("noise floor", "%s", n.Sentence())
	}
	about("seed", "%d, α = %g, %s profile", a.Options.Seed, a.Options.Alpha, a.Options.Profile)
	about("tool", "%s", a.Tool)
}
