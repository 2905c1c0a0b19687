package text

import (
	"fmt"
	"io"

	"memcost/internal/base/units"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Markdown writes the answers as a comment on a pull request: front, which is Markdown of
// what a reader meets first, then what each study says and how it was measured, folded in. It
// is less than the 65,536 characters that GitHub takes, whatever the answers hold, and nothing
// in them can be more than text.
func Markdown(w io.Writer, front string, answers []*result.Answer) error {
	if len(answers) == 1 && answers[0].Question != nil && answers[0].Question.Comparison != nil {
		if r, err := compare.OfRun(answers[0]); err == nil {
			return SidesMarkdown(w, front, r)
		}
	}
	m := &mdAnswers{answers: answers, names: result.Labels(answers), groups: compare.Suites(answers),
		compared: compare.Answers(answers)}
	m.part(0.1, "line", m.busy)
	m.begin(front)
	m.realTime()
	m.studies(0, 0.85)
	m.b.WriteString("\n<details><summary>How it was measured</summary>\n\n")
	m.part(1, "line", m.measured)
	m.b.WriteString("\n</details>\n")
	_, err := io.WriteString(w, m.text())
	return err
}

// studies writes each study in a fold of its own, from one share of the whole to another.
func (m *mdAnswers) studies(from, to float64) {
	const most = 20 // a smaller share holds nothing
	all, compared := m.groups, m.compared
	share := (to - from) / float64(max(min(len(all), most), 1))
	for i, g := range all[:min(len(all), most)] {
		m.groups, m.compared = all[i:i+1], nil
		for _, v := range compared {
			if v.Suite == g.Name {
				m.compared = append(m.compared, v)
			}
		}
		at := from + share*float64(i)
		open := ""
		if len(all) == 1 {
			open = " open"
		}
		name := md(middleOut(Clean(g.Name), 40))
		fmt.Fprintf(&m.b, "\n<details%s><summary>%s: claims, tables and cases</summary>\n\n", open, name)
		m.part(at+0.15*share, "line", m.headlines)
		m.part(at+0.40*share, "line", m.claims)
		m.part(at+0.60*share, "case", m.comparisons)
		m.part(at+0.75*share, "row", m.tables)
		m.part(at+0.80*share, "problem", m.problems)
		m.part(at+share, "case", m.cases)
		m.b.WriteString("\n</details>\n")
	}
	m.groups, m.compared = all, compared
	if n := len(all) - most; n > 0 {
		fmt.Fprintf(&m.b, "\n%d more studies left out for want of room; `--json` has all.\n", n)
	}
}

// busy says first of which answers the machine was.
func (m *mdAnswers) busy() {
	for i, a := range m.answers {
		if a.Busy == "" {
			continue
		}
		say := md(a.Busy)
		if len(m.answers) > 1 {
			say = mdName(m.names[i]) + ": " + say
		}
		m.line("⚠️ **" + say + "**")
		m.line("")
	}
}

// headlines say what each suite answers.
func (m *mdAnswers) headlines() {
	for _, g := range m.groups {
		m.line("### " + md(g.Name))
		for _, x := range g.Sides {
			if q := x.Suite.Question; q != "" {
				m.line("")
				m.line(md(q))
				break
			}
		}
		m.line("")
		for _, x := range g.Sides {
			for _, h := range x.Suite.Answer {
				m.item(fmt.Sprintf("- %s%s: %s", icon(h.Status), m.data(x.Answer, h.Arm), md(h.Sentence())))
			}
			if _, count, rest := m.answers[x.Answer].Changed(x.Suite); count != "" {
				m.item(fmt.Sprintf("- %s: **%s against %s** %s", mdName(m.names[x.Answer]), count,
					mdName(m.answers[x.Answer].Arms[0].Name), rest))
			} else if len(x.Suite.Answer) == 0 {
				m.item("- " + mdName(m.names[x.Answer]) + ": " + units.Plural(len(x.Suite.Cases), "case"))
			}
		}
		for _, v := range m.compared {
			for i := range v.Runs {
				if v.Suite == g.Name {
					m.item("- **" + md(v.Count(v.Answers()+i)) + "**")
				}
			}
		}
		m.line("")
	}
}

// maxCompared is how many cases of a comparison are shown.
const maxCompared = 50

func (m *mdAnswers) comparisons() {
	for _, g := range m.groups {
		for _, x := range g.Sides {
			m.changes(x)
		}
	}
	for _, v := range m.compared {
		m.line("")
		m.line("**" + md(v.Suite) + ": " + md(v.Table.Title) + "**")
		header := []string{md(v.Table.By)}
		for _, c := range v.Table.Columns {
			header = append(header, mdName(c))
		}
		shown := v.MostDifferent(maxCompared)
		var rows [][]string
		for _, r := range shown {
			rows = append(rows, mdCells(mdName(r.Label), r.Cells))
		}
		rows = append(rows, mdCells("**geomean**", v.Geomean().Cells))
		m.table(header, 1, rows)
		if n := len(v.Table.Rows); len(shown) < n {
			m.line(fmt.Sprintf("Shown are the %d cases that differ most, of %d.", len(shown), n))
		}
		for _, n := range v.Table.Notes {
			m.line("- " + md(n))
		}
		m.line("- " + compare.NotSideBySide)
	}
}

// changes writes the cases of a run that changed against its first arm.
func (m *mdAnswers) changes(x *compare.SuiteSide) {
	a := m.answers[x.Answer]
	changed, _, _ := a.Changed(x.Suite)
	if len(changed) == 0 {
		return
	}
	var rows [][]string
	for _, c := range changed {
		rows = append(rows, []string{mdName(c.Name), m.data(x.Answer, c.Arm), mdFigure(c.Time), c.VsFirst.String()})
	}
	m.table([]string{"changed", "config", "time/op", "vs " + mdName(a.Arms[0].Name)}, 2, rows)
}

func mdCells(label string, cells []figures.Figure) []string {
	out := []string{label}
	for _, f := range cells {
		out = append(out, mdFigure(f))
	}
	return out
}

func (m *mdAnswers) tables() {
	for _, g := range m.groups {
		for _, x := range g.Sides {
			for _, t := range x.Suite.Tables {
				m.suiteTable(x, t.Shown())
			}
		}
	}
}

func (m *mdAnswers) suiteTable(x *compare.SuiteSide, t figures.Table) {
	m.line("")
	m.line("**" + md(t.Title) + "** · " + m.data(x.Answer, t.Arm))
	header := []string{md(t.By)}
	for _, c := range t.Columns {
		header = append(header, md(c))
	}
	var rows [][]string
	for _, r := range t.Rows {
		rows = append(rows, mdCells(md(r.Label), r.Cells))
	}
	m.table(header, 1, rows)
	for _, n := range t.Notes {
		m.item("- " + md(n))
	}
}

func (m *mdAnswers) problems() {
	for _, g := range m.groups {
		for _, x := range g.Sides {
			for _, p := range x.Suite.Causes(true) {
				m.item(fmt.Sprintf("- **%s** %s%s on %s: %s", p.Kind, p.Of(), mdName(p.Case), m.data(x.Answer, p.Arm),
					md(p.Why)))
			}
		}
	}
}
