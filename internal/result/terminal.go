package result

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/claim"
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

// Text writes the answer for a terminal.
func (a *Answer) Text(w io.Writer, s Style) error {
	p := &printer{w: w, Style: s}
	for i := range a.Suites {
		p.suite(a, &a.Suites[i])
	}
	p.realTime(a.RealTime)
	p.run(a)
	for _, w := range a.Warnings {
		p.line(0, text.FgYellow, "warning:", w)
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

func (p *printer) paint(c text.Color, s string) string {
	if !p.Color {
		return s
	}
	return c.EscapeSeq() + s + text.Reset.EscapeSeq()
}

func (p *printer) suite(a *Answer, s *Suite) {
	if s.Question == "" {
		p.line(0, text.Bold, s.Name, "")
	} else {
		p.line(0, text.Bold, s.Name+":", s.Question)
	}
	for _, h := range s.Answer {
		p.headline(a, h)
	}
	for _, t := range s.Tables {
		p.table(a, t)
	}
	listed := len(s.Tables) == 0 || p.Long
	switch {
	case listed && a.Kind == Records:
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

var statusColor = map[string]text.Color{
	string(claim.Holds): text.FgGreen, string(claim.Fails): text.FgRed, string(claim.Undecided): text.FgYellow, string(claim.Untested): text.Faint,
}

// headline prints the study's answer in a line.
func (p *printer) headline(a *Answer, h Headline) {
	p.line(0, 0, a.here(h.Arm)+":", h.Sentence())
}

// here names an arm among what others published.
func (a *Answer) here(arm string) string {
	if a.Kind == File {
		return arm
	}
	return "here, " + arm
}

func (p *printer) table(a *Answer, t Table) {
	t = t.withoutEmptyColumns()
	if t.isExact() {
		p.released(t)
		return
	}
	g := grid{title: t.Title, header: append([]string{t.By}, t.Columns...)}
	if len(a.Arms) > 1 && t.Arm != "" {
		g.title += " · " + t.Arm
	}
	for _, r := range t.Rows {
		if t.pointless(r) {
			continue
		}
		cells := []entry{{text: rowLabel(t.By, r.Label)}}
		for _, f := range r.Cells {
			e := entry{text: inColumn(f)}
			if f.Note == claim.InvalidNote {
				e.color, e.all = text.FgRed, true
			}
			cells = append(cells, e)
		}
		g.rows = append(g.rows, cells)
	}
	p.grid(g)
	for _, n := range t.Notes {
		p.line(gap, text.FgYellow, "note:", n)
	}
}

// inColumn prints a figure under a header that says what it counts.
func inColumn(f Figure) string {
	s := cell(f)
	if before, after, ok := strings.Cut(s, " "+f.Unit); ok && f.Unit != "" {
		return before + after
	}
	return s
}

// withoutEmptyColumns drops the columns of which nothing was measured: -b left
// their benchmarks out.
func (t Table) withoutEmptyColumns() Table {
	empty := func(col int) bool {
		for _, r := range t.Rows {
			if f := r.Cells[col]; !math.IsNaN(float64(f.Value)) || f.Note != "" {
				return false
			}
		}
		return true
	}
	out := t
	out.Columns, out.Rows = nil, make([]Row, len(t.Rows))
	for i, r := range t.Rows {
		out.Rows[i].Label = r.Label
	}
	for col, header := range t.Columns {
		if empty(col) {
			continue
		}
		out.Columns = append(out.Columns, header)
		for i, r := range t.Rows {
			out.Rows[i].Cells = append(out.Rows[i].Cells, r.Cells[col])
		}
	}
	return out
}

// pointless reports whether a row of a table that compares has nothing to
// compare: one figure, and none of the table's ratios.
func (t *Table) pointless(r Row) bool {
	figures, ratios := 0, false
	for i, f := range r.Cells {
		if f.Note != "" {
			return false
		}
		ratio := t.isRatio(i)
		ratios = ratios || ratio
		if !math.IsNaN(float64(f.Value)) {
			if ratio {
				return false
			}
			figures++
		}
	}
	return ratios && figures <= 1
}

// cases lists every case with its cost; with several arms, one row per case and
// arm, and the ratio to the first arm.
func (p *printer) cases(a *Answer, s *Suite) {
	if len(s.Cases) == 0 {
		return
	}
	g := grid{title: "cases", header: []string{"case"}, left: map[int]bool{}}
	many := len(a.Arms) > 1
	against := slices.ContainsFunc(s.Cases, func(c Case) bool { return c.VsFirst != nil })
	if many {
		g.header = append(g.header, "arm")
		g.left[1] = true
	}
	g.header = append(g.header, "time/op", "B/op", "allocs/op")
	if against {
		g.header = append(g.header, "vs "+a.Arms[0].Name)
	}
	others := slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Others() != "" })
	if others {
		g.header = append(g.header, "other")
		g.left[len(g.header)-1] = true
	}
	for _, c := range s.Cases {
		r := []entry{{text: c.Name}}
		if many {
			r = append(r, entry{text: c.Arm})
		}
		r = append(r, caseTime(c), entry{text: metric(c, "B/op")}, entry{text: metric(c, "allocs/op")})
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

func caseTime(c Case) entry {
	switch {
	case c.Failed != "":
		return entry{"failed", text.FgRed, true}
	case len(c.Invalid) > 0:
		return entry{claim.InvalidNote, text.FgRed, true}
	}
	return entry{text: cell(c.Time)}
}

func comparison(c Comparison) entry {
	s := cell(c.Figure)
	switch {
	case claim.Difference(c.Difference) == claim.Changed && c.Value < 1:
		return entry{s + " changed", text.FgGreen, true}
	case claim.Difference(c.Difference) == claim.Changed:
		return entry{s + " changed", text.FgRed, true}
	case claim.Difference(c.Difference) == claim.Equivalent:
		return entry{text: s + " equal"}
	case c.Discovery:
		return entry{text: s + " differs"} // but perhaps by less than 1%
	}
	return entry{s + " open", text.Faint, true}
}

func metric(c Case, unit string) string {
	v, ok := c.Metrics[unit]
	if !ok {
		return ""
	}
	return quantity(float64(v), unit)
}

// problems lists what does not count and why.
func (p *printer) problems(s *Suite) {
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
		color := text.FgRed
		if x.Kind == Flagged {
			color = text.FgYellow
		}
		p.line(gap, color, x.Kind, x.String())
	}
}

func (p *printer) run(a *Answer) {
	p.line(0, text.Bold, a.Kind, "")
	about := func(what, format string, args ...any) {
		p.line(gap, 0, fmt.Sprintf("%-12s", what), fmt.Sprintf(format, args...))
	}
	if a.Kind == File {
		if m := a.machineName(); m != "" {
			about("machine", "%s", m)
		}
		about("samples", "%d", a.Samples)
		about("file", "%s", a.Dir)
		return
	}
	m := a.Machine
	about("machine", "%s, %s, %s, %s/%s", orUnknown(m.CPUModel), plural(m.CPUs, "CPU"), Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
	if a.Kind == Records {
		about("records", "%d, on %s", a.Samples, plural(len(a.Arms), "toolchain"))
		about("run folder", "%s", a.Dir)
		return
	}
	about("samples", "%d in %s, %s, %s of the processes' time inside benchmark loops",
		a.Samples, plural(a.Rounds, "round"), disturbance(a), percent(float64(a.LoopShare)))
	for i, n := range a.NoiseFloor {
		what := ""
		if i == 0 {
			what = "noise floor"
		}
		alarm := ""
		if n.Alarm {
			alarm = "; a false alarm: this is identical code, called different"
		}
		about(what, "%s against its own copy: %s, %s apart in a typical round%s", n.Case, cell(n.Ratio), percent(math.Expm1(float64(n.Spread))), alarm)
	}
	about("seed", "%d, α = %g, %s profile", a.Options.Seed, a.Options.Alpha, a.Options.Profile)
	about("run folder", "%s", a.Dir)
}

// machineName is what a file says of its machine.
func (a *Answer) machineName() string {
	m := a.Machine
	parts := []string{m.Hostname, m.CPUModel, strings.Trim(m.OS+"/"+m.Arch, "/")}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown CPU"
	}
	return s
}

func disturbance(a *Answer) string {
	if a.Unfit {
		return percent(float64(a.Disturbed)) + " disturbed"
	}
	return percent(float64(a.Disturbed)) + " void"
}
