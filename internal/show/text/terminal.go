package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Write writes the answers for a terminal, and what they say of the same cases.
func Write(w io.Writer, answers []*result.Answer, s Style) error {
	names := result.Labels(answers)
	for i, a := range answers {
		of := ""
		if i > 0 {
			fmt.Fprintln(w)
		}
		if len(answers) > 1 {
			of = names[i] + ": "
		}
		if err := writeAnswer(w, a, of, s); err != nil {
			return err
		}
	}
	return Compare(w, answers, s)
}

// writeAnswer writes one answer; of begins what is true of this one among several.
func writeAnswer(w io.Writer, a *result.Answer, of string, s Style) error {
	if a.Question != nil && a.Question.Comparison != nil {
		if r, err := compare.OfRun(a); err == nil {
			if err := Sides(w, r, s); err != nil || !s.Long && !claimed(a) {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	p := &printer{w: w, Style: s}
	if a.Busy != "" {
		what, how, _ := strings.Cut(a.Busy, ": ")
		p.line(0, pretty.FgYellow, of+what+":", how)
		p.f("\n")
	}
	writeRealTime(p, a.RealTime) // it is what was asked
	for i := range a.Suites {
		writeSuite(p, a, &a.Suites[i])
	}
	writeRun(p, a)
	for _, w := range a.Warnings {
		p.line(0, pretty.FgYellow, "warning:", w)
	}
	return p.err
}

// claimed reports whether a run tests claims.
func claimed(a *result.Answer) bool {
	return slices.ContainsFunc(a.Suites, func(s result.Suite) bool { return len(s.Claims) > 0 })
}

func writeSuite(p *printer, a *result.Answer, s *result.Suite) {
	if s.Question == "" {
		p.line(0, pretty.Bold, s.Name, "")
	} else {
		p.line(0, pretty.Bold, s.Name+":", s.Question)
	}
	for _, h := range s.Answer {
		writeHeadline(p, a, h)
	}
	for _, t := range s.Tables {
		writeTable(p, a, t)
	}
	listed := len(s.Tables) == 0 || p.Long
	switch {
	case listed && a.Kind == result.Records:
		writeNotes(p, s)
	case listed:
		writeCases(p, a, s)
	}
	writeReasons(p, a, s)
	writeChanges(p, a, s, listed)
	writeClaims(p, a, s)
	writeProblems(p, s)
	p.f("\n")
}

// writeHeadline prints the study's answer in a line.
func writeHeadline(p *printer, a *result.Answer, h result.Headline) {
	p.line(0, 0, a.Here(h.Arm)+":", h.Sentence())
}

// writeTable prints a table of a study.
func writeTable(p *printer, a *result.Answer, t figures.Table) {
	t = t.Shown()
	if t.IsExact() {
		writeReleases(p, t)
		return
	}
	g := Table{Title: t.Title, Header: append([]string{t.By}, t.Columns...)}
	if len(a.Arms) > 1 && t.Arm != "" {
		g.Title += " · " + t.Arm
	}
	for _, r := range t.Rows {
		cells := []Cell{{Text: r.Label}}
		for _, f := range r.Cells {
			e := Cell{Text: f.InColumn()}
			if f.Note == claim.InvalidNote {
				e.color, e.all = pretty.FgRed, true
			}
			cells = append(cells, e)
		}
		g.Rows = append(g.Rows, cells)
	}
	p.table(g)
	for _, n := range t.Notes {
		p.line(gap, pretty.FgYellow, "note:", n)
	}
}

// writeCases lists every case with its cost; with several arms, one row per case and
// arm, and the ratio to the first arm.
func writeCases(p *printer, a *result.Answer, s *result.Suite) {
	if len(s.Cases) == 0 {
		return
	}
	g := Table{Title: "cases", Header: []string{"case"}, Left: map[int]bool{}}
	many := len(a.Arms) > 1
	against := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.VsFirst != nil })
	if many {
		g.Header = append(g.Header, "config")
		g.Keys, g.Left[1] = 2, true
	}
	g.Header = append(g.Header, "time/op", "B/op", "allocs/op")
	if against {
		g.Header = append(g.Header, "vs "+a.Arms[0].Name)
	}
	others := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.Others() != "" })
	if others {
		g.Header = append(g.Header, "other metrics")
		g.Left[len(g.Header)-1] = true
	}
	for _, c := range s.Cases {
		r := []Cell{{Text: c.Name}}
		if many {
			r = append(r, Cell{Text: c.Arm})
		}
		r = append(r, caseTime(c), Cell{Text: c.Metric("B/op")}, Cell{Text: c.Metric("allocs/op")})
		if against {
			vs := Cell{}
			if c.VsFirst != nil {
				vs = comparison(*c.VsFirst)
			}
			r = append(r, vs)
		}
		if others {
			r = append(r, Cell{Text: c.Others()})
		}
		g.Rows = append(g.Rows, r)
	}
	p.table(g)
}

// writeProblems lists what does not count and why.
func writeProblems(p *printer, s *result.Suite) {
	all := s.Causes(p.Long)
	if len(all) > 0 {
		p.f("\n")
	}
	const most = 12
	for i, x := range all {
		if i == most && !p.Long {
			p.f("  … and %d more (--long shows all)\n", len(all)-most)
			break
		}
		color := pretty.FgRed
		if x.Kind == result.Flagged {
			color = pretty.FgYellow
		}
		p.line(gap, color, x.Kind, x.String())
	}
}

func writeRun(p *printer, a *result.Answer) {
	title := a.Kind
	if a.Kind == result.Records {
		title = result.Run
	}
	p.line(0, pretty.Bold, title, "")
	about := func(what, format string, args ...any) {
		p.line(gap, 0, fmt.Sprintf("%-12s", what), fmt.Sprintf(format, args...))
	}
	if a.Kind == result.File {
		if m := a.MachineName(); m != "" {
			about("machine", "%s", m)
		}
		about("samples", "%d", a.Samples)
		about("file", "%s", a.Dir)
		return
	}
	m := a.Machine
	about("machine", "%s, %s, %s, %s/%s", orUnknown(m.CPUModel), units.Plural(m.CPUs, "CPU"),
		units.Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
	about("certificate", "%s", a.CertificateSays)
	if a.Kind == result.Records {
		about("measured", "%s with %s", units.Plural(a.Samples, "figure"), units.Plural(len(a.Arms), "configuration"))
		about("run folder", "%s", a.Dir)
		return
	}
	about("samples", "%d in %s; %s", a.Samples, a.RoundsSay(), a.Excluded())
	if s := a.Together.String(); s != "" {
		about("verdicts", "%s", s)
	}
	if s := a.Resting(); s != "" {
		about("evidence", "%s", s)
	}
	about("loops", "share of run time in benchmark loops %s", a.LoopTime())
	if len(a.NoiseFloor) > 0 {
		about("noise floor", "%s", result.NoiseSays)
	}
	for _, n := range a.NoiseFloor {
		about("", "%s", n.Sentence())
	}
	about("seed", "%d, α = %g, %s profile", a.Options.Seed, a.Options.Alpha, a.Options.Profile)
	about("run folder", "%s", a.Dir)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown CPU"
	}
	return s
}
