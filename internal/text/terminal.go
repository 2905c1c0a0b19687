package text

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/claim"
	"memcost/internal/result"
	"memcost/internal/units"
)

// Style says how text is written.
type Style struct {
	Color bool
	Width int  // columns of the terminal; 0 is no limit
	Long  bool // every case of a study, beside its tables
}

type printer struct {
	w io.Writer
	Style
	err error
}

// Write writes the answers for a terminal, and what they say of the same cases.
func Write(w io.Writer, answers []*result.Answer, s Style) error {
	for i, a := range answers {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := writeAnswer(w, a, s); err != nil {
			return err
		}
	}
	return Compare(w, answers, s)
}

func writeAnswer(w io.Writer, a *result.Answer, s Style) error {
	p := &printer{w: w, Style: s}
	for i := range a.Suites {
		p.suite(a, &a.Suites[i])
	}
	p.realTime(a.RealTime)
	p.run(a)
	for _, w := range a.Warnings {
		p.line(0, pretty.FgYellow, "warning:", w)
	}
	return p.err
}

// f writes what is known to be printable; text of others goes through line or
// grid, which clean it.
func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) paint(c pretty.Color, s string) string {
	if !p.Color {
		return s
	}
	return c.EscapeSeq() + s + pretty.Reset.EscapeSeq()
}

func (p *printer) suite(a *result.Answer, s *result.Suite) {
	if s.Question == "" {
		p.line(0, pretty.Bold, s.Name, "")
	} else {
		p.line(0, pretty.Bold, s.Name+":", s.Question)
	}
	for _, h := range s.Answer {
		p.headline(a, h)
	}
	for _, t := range s.Tables {
		p.table(a, t)
	}
	listed := len(s.Tables) == 0 || p.Long
	switch {
	case listed && a.Kind == result.Records:
		p.notes(s)
	case listed:
		p.cases(a, s)
	}
	p.reasons(a, s)
	p.changes(a, s, listed)
	p.claims(a, s)
	p.problems(s)
	p.f("\n")
}

var statusColor = map[string]pretty.Color{
	string(claim.Holds): pretty.FgGreen, string(claim.Fails): pretty.FgRed, string(claim.Undecided): pretty.FgYellow, string(claim.Untested): pretty.Faint,
}

// headline prints the study's answer in a line.
func (p *printer) headline(a *result.Answer, h result.Headline) {
	p.line(0, 0, a.Here(h.Arm)+":", h.Sentence())
}

func (p *printer) table(a *result.Answer, t result.Table) {
	t = t.WithoutEmptyColumns()
	if t.IsExact() {
		p.released(t)
		return
	}
	g := grid{title: t.Title, header: append([]string{t.By}, t.Columns...)}
	if len(a.Arms) > 1 && t.Arm != "" {
		g.title += " · " + t.Arm
	}
	for _, r := range t.Rows {
		if t.Pointless(r) {
			continue
		}
		cells := []entry{{text: result.Label(t.By, r.Label)}}
		for _, f := range r.Cells {
			e := entry{text: inColumn(f)}
			if f.Note == claim.InvalidNote {
				e.color, e.all = pretty.FgRed, true
			}
			cells = append(cells, e)
		}
		g.rows = append(g.rows, cells)
	}
	p.grid(g)
	for _, n := range t.Notes {
		p.line(gap, pretty.FgYellow, "note:", n)
	}
}

// inColumn prints a figure under a header that says what it counts.
func inColumn(f result.Figure) string {
	s := f.String()
	if before, after, ok := strings.Cut(s, " "+f.Unit); ok && f.Unit != "" {
		return before + after
	}
	return s
}

// cases lists every case with its cost; with several arms, one row per case and
// arm, and the ratio to the first arm.
func (p *printer) cases(a *result.Answer, s *result.Suite) {
	if len(s.Cases) == 0 {
		return
	}
	g := grid{title: "cases", header: []string{"case"}, left: map[int]bool{}}
	many := len(a.Arms) > 1
	against := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.VsFirst != nil })
	if many {
		g.header = append(g.header, "arm")
		g.left[1] = true
	}
	g.header = append(g.header, "time/op", "B/op", "allocs/op")
	if against {
		g.header = append(g.header, "vs "+a.Arms[0].Name)
	}
	others := slices.ContainsFunc(s.Cases, func(c result.Case) bool { return c.Others() != "" })
	if others {
		g.header = append(g.header, "other")
		g.left[len(g.header)-1] = true
	}
	for _, c := range s.Cases {
		r := []entry{{text: c.Name}}
		if many {
			r = append(r, entry{text: c.Arm})
		}
		r = append(r, caseTime(c), entry{text: c.Metric("B/op")}, entry{text: c.Metric("allocs/op")})
		if against {
			vs := entry{}
			if c.VsFirst != nil {
				vs = comparison(*c.VsFirst)
			}
			r = append(r, vs)
		}
		if others {
			r = append(r, entry{text: c.Others()})
		}
		g.rows = append(g.rows, r)
	}
	p.grid(g)
}

func caseTime(c result.Case) entry {
	switch {
	case c.Failed != "":
		return entry{"failed", pretty.FgRed, true}
	case len(c.Invalid) > 0:
		return entry{claim.InvalidNote, pretty.FgRed, true}
	}
	return entry{text: c.Time.String()}
}

func comparison(c result.Comparison) entry {
	e := entry{text: c.String()}
	switch {
	case claim.Difference(c.Difference) == claim.Changed && c.Value < 1:
		e.color, e.all = pretty.FgGreen, true
	case claim.Difference(c.Difference) == claim.Changed:
		e.color, e.all = pretty.FgRed, true
	case claim.Difference(c.Difference) == claim.Equivalent, c.Discovery:
	default:
		e.color, e.all = pretty.Faint, true
	}
	return e
}

// problems lists what does not count and why.
func (p *printer) problems(s *result.Suite) {
	all := s.Problems()
	if len(all) > 0 {
		p.f("\n")
	}
	const most = 12
	for i, x := range all {
		if i == most && !p.Long {
			p.f("  … and %d more (--json has all)\n", len(all)-most)
			break
		}
		color := pretty.FgRed
		if x.Kind == result.Flagged {
			color = pretty.FgYellow
		}
		p.line(gap, color, x.Kind, x.String())
	}
}

func (p *printer) run(a *result.Answer) {
	p.line(0, pretty.Bold, a.Kind, "")
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
	about("machine", "%s, %s, %s, %s/%s", orUnknown(m.CPUModel), units.Plural(m.CPUs, "CPU"), units.Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
	if a.Kind == result.Records {
		about("records", "%d, on %s", a.Samples, units.Plural(len(a.Arms), "toolchain"))
		about("run folder", "%s", a.Dir)
		return
	}
	about("samples", "%d in %s, %s, %s of the processes' time inside benchmark loops",
		a.Samples, units.Plural(a.Rounds, "round"), disturbance(a), units.Percent(float64(a.LoopShare)))
	for i, n := range a.NoiseFloor {
		what := ""
		if i == 0 {
			what = "noise floor"
		}
		alarm := ""
		if n.Alarm {
			alarm = "; a false alarm: this is identical code, called different"
		}
		about(what, "%s against its own copy: %s, %s apart in a typical round%s", n.Case, n.Ratio.String(), units.Percent(math.Expm1(float64(n.Spread))), alarm)
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

func disturbance(a *result.Answer) string {
	if a.Unfit {
		return units.Percent(float64(a.Disturbed)) + " disturbed"
	}
	return units.Percent(float64(a.Disturbed)) + " void"
}
