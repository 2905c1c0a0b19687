package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
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
	p.run(a)
	p.warnings(a)
	return p.err
}

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
	head := s.Name
	if s.Question != "" {
		head += ": " + s.Question
	}
	p.f("%s\n", p.paint(text.Bold, head))
	for _, t := range s.Tables {
		p.table(a, t)
	}
	if len(s.Tables) == 0 || p.Long {
		p.cases(a, s)
	}
	p.claims(s)
	p.problems(s)
	p.f("\n")
}

// render prints rows under a header, the first column to the left and the
// others to the right.
func (p *printer) render(title string, header []string, rows [][]string, left ...int) {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingLeft: "", PaddingRight: "  ", PageSeparator: "\n"}
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	var cfg []table.ColumnConfig
	isLeft := map[int]bool{0: true}
	for _, l := range left {
		isLeft[l] = true
	}
	for i := range header {
		align := text.AlignRight
		if isLeft[i] {
			align = text.AlignLeft
		}
		cfg = append(cfg, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	t.SetColumnConfigs(cfg)
	t.AppendHeader(row(header))
	for _, r := range rows {
		t.AppendRow(row(r))
	}
	p.f("\n  %s\n", p.paint(text.Bold, title))
	lines := strings.Split(t.Render(), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if i == 0 {
			line = p.paint(text.Faint, line)
		}
		p.f("  %s\n", line)
	}
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}

func (p *printer) table(a *Answer, t Table) {
	title := t.Title
	if len(a.Arms) > 1 {
		title += " · " + t.Arm
	}
	var rows [][]string
	for _, r := range t.Rows {
		cells := []string{rowLabel(t.By, r.Label)}
		for _, f := range r.Cells {
			cells = append(cells, cell(f))
		}
		rows = append(rows, cells)
	}
	p.render(title, append([]string{t.By}, t.Columns...), rows)
}

// cases lists every case with its cost; with several arms, one row per case and
// arm, and the ratio to the first arm.
func (p *printer) cases(a *Answer, s *Suite) {
	if len(s.Cases) == 0 {
		return
	}
	header := []string{"case"}
	many := len(a.Arms) > 1
	if many {
		header = append(header, "arm")
	}
	header = append(header, "time/op", "B/op", "allocs/op")
	if many {
		header = append(header, "vs "+a.Arms[0].Name)
	}
	var rows [][]string
	for _, c := range s.Cases {
		r := []string{c.Name}
		if many {
			r = append(r, c.Arm)
		}
		switch {
		case c.Failed != "":
			r = append(r, p.paint(text.FgRed, "failed"), "", "")
		case len(c.Invalid) > 0:
			r = append(r, p.paint(text.FgRed, "INVALID"), metric(c, "B/op"), metric(c, "allocs/op"))
		default:
			r = append(r, cell(c.Time), metric(c, "B/op"), metric(c, "allocs/op"))
		}
		if many {
			vs := ""
			if c.VsFirst != nil {
				vs = p.comparison(*c.VsFirst)
			}
			r = append(r, vs)
		}
		rows = append(rows, r)
	}
	if many {
		p.render("cases", header, rows, 1)
	} else {
		p.render("cases", header, rows)
	}
}

func (p *printer) comparison(c Comparison) string {
	s := cell(c.Figure)
	switch claim.Difference(c.Difference) {
	case claim.Changed:
		color := text.FgRed
		if c.Value < 1 {
			color = text.FgGreen
		}
		return p.paint(color, s+" changed")
	case claim.Equivalent:
		return s + " equal"
	}
	return p.paint(text.Faint, s+" open")
}

func metric(c Case, unit string) string {
	v, ok := c.Metrics[unit]
	if !ok {
		return ""
	}
	return quantity(float64(v), unit)
}

// claims prints one line per claim, with a column for each arm and each
// published data set.
func (p *printer) claims(s *Suite) {
	if len(s.Claims) == 0 {
		return
	}
	header := []string{"claim", ""}
	var left []int
	for i, v := range s.Claims[0].Verdicts {
		name := shortName(v.Data)
		if !v.Published {
			name = "here, " + v.Data
		}
		header = append(header, name)
		left = append(left, i+2)
	}
	var rows [][]string
	var details []string
	for _, c := range s.Claims {
		say := c.Prose
		if say == "" {
			say = c.Text
		}
		r := []string{c.ID, clip(say, 46)}
		for _, v := range c.Verdicts {
			r = append(r, p.verdict(v))
			if !v.Published {
				details = append(details, p.detail(c, v)...)
			}
		}
		rows = append(rows, r)
	}
	p.render("claims (published figures are single ones, judged as they stand)", header, rows, append(left, 1)...)
	if len(details) > 0 {
		p.f("\n")
	}
	for _, d := range details {
		p.f("  %s\n", d)
	}
}

// shortName is a machine's name without what stands in brackets.
func shortName(s string) string {
	s, _, _ = strings.Cut(s, " (")
	return s
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func (p *printer) verdict(v Verdict) string {
	color := map[string]text.Color{"holds": text.FgGreen, "fails": text.FgRed, "undecided": text.FgYellow, "untested": text.Faint}[v.Status]
	if v.Status == "untested" {
		return p.paint(color, "no figures")
	}
	s := p.paint(color, v.Status)
	if d := v.Deciding; d != nil {
		s += " " + quantity(float64(d.Figure.Value), claimUnit(d))
		if at := place(d.Label); at != "" {
			s += " at " + at
		} else if other, ok := strings.CutPrefix(d.Label, "against "); ok {
			s += " against " + shortName(other)
		}
	}
	return s
}

// claimUnit is the unit to print a claim's figure in: an exponent is a bare
// number, not a ratio.
func claimUnit(e *Element) string {
	if e.Label == "exponent" {
		return "allocs/op" // printed as a plain number
	}
	return e.Figure.Unit
}

// place prints an element's label: "64 KiB" for "size=65536".
func place(label string) string {
	key, value, ok := strings.Cut(label, "=")
	if !ok || strings.ContainsAny(key, "/ ") || strings.ContainsAny(value, "/ ") {
		return ""
	}
	if key == "size" {
		return rowLabel(key, value)
	}
	return label
}

// detail says, for a claim that does not simply hold here, where and by what
// figure.
func (p *printer) detail(c Claim, v Verdict) []string {
	var out []string
	if v.Status == "fails" || v.Status == "undecided" {
		var at []string
		for _, e := range v.Elements {
			if e.Status == v.Status {
				at = append(at, strings.TrimSpace(place(e.Label)+" "+figureWithBounds(&e)))
			}
		}
		const most = 4
		more := ""
		if len(at) > most {
			more = fmt.Sprintf(" and %d more", len(at)-most)
			at = at[:most]
		}
		out = append(out, fmt.Sprintf("%s %s: %s%s", c.ID, v.Status, strings.Join(at, ", "), more))
	}
	for _, n := range v.Notes {
		if v.Status != "untested" {
			out = append(out, fmt.Sprintf("%s: %s", c.ID, n))
		}
	}
	return out
}

func figureWithBounds(e *Element) string {
	s := quantity(float64(e.Figure.Value), claimUnit(e))
	if e.Label == "exponent" {
		if !math.IsInf(float64(e.Figure.Hi), 0) && !math.IsNaN(float64(e.Figure.Hi)) {
			s += fmt.Sprintf(" [%s, %s]", digits(float64(e.Figure.Lo)), digits(float64(e.Figure.Hi)))
		}
		return s
	}
	if iv := interval(e.Figure); iv != "" {
		s += " " + iv
	}
	return s
}

// problems lists what does not count and why.
func (p *printer) problems(s *Suite) {
	var lines []string
	for _, c := range s.Cases {
		for _, why := range c.Invalid {
			lines = append(lines, fmt.Sprintf("%s %s on %s: %s", p.paint(text.FgRed, "INVALID"), c.Name, c.Arm, why))
		}
		if c.Failed != "" {
			lines = append(lines, fmt.Sprintf("%s %s on %s: %s", p.paint(text.FgRed, "failed"), c.Name, c.Arm, c.Failed))
		}
		for _, why := range c.Flags {
			lines = append(lines, fmt.Sprintf("%s %s on %s: %s", p.paint(text.FgYellow, "flagged"), c.Name, c.Arm, why))
		}
	}
	for _, f := range s.Failures {
		line := fmt.Sprintf("%s %s on %s: %s", p.paint(text.FgRed, "failed"), f.Name, f.Arm, f.Reason)
		if f.Log != "" {
			line += " (" + f.Log + ")"
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		p.f("\n")
	}
	const most = 12
	for i, l := range lines {
		if i == most && !p.Long {
			p.f("  … and %d more (--json has all)\n", len(lines)-most)
			break
		}
		p.f("  %s\n", l)
	}
}

func (p *printer) run(a *Answer) {
	m := a.Machine
	p.f("%s\n", p.paint(text.Bold, "run"))
	p.f("  machine      %s, %s, %s, %s/%s\n", orUnknown(m.CPUModel), plural(m.CPUs, "CPU"), Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
	p.f("  samples      %d in %s, %s void, %s of the processes' time inside benchmark loops\n",
		a.Samples, plural(a.Rounds, "round"), percent(float64(a.VoidShare)), percent(float64(a.LoopShare)))
	for i, n := range a.NoiseFloor {
		label := "            "
		if i == 0 {
			label = "noise floor "
		}
		mark := ""
		if n.Alarm {
			mark = p.paint(text.FgYellow, "  a false alarm: identical code was called different")
		}
		p.f("  %s A′/A of %s: %s, %s in a single round%s\n", label, n.Case, cell(n.Ratio), percent(float64(n.Spread)), mark)
	}
	p.f("  seed         %d, α = %g, %s profile\n", a.Options.Seed, a.Options.Alpha, a.Options.Profile)
	p.f("  run folder   %s\n", a.Dir)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown CPU"
	}
	return s
}

func (p *printer) warnings(a *Answer) {
	for _, w := range a.Warnings {
		p.f("%s %s\n", p.paint(text.FgYellow, "warning:"), w)
	}
}
