package text

import (
	"fmt"
	"io"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// SidesMarkdown writes a comparison, below front, as a comment on a pull request: what changed first, all
// benchmarks and how they were measured folded in below. It is less than the 65,536 characters
// that GitHub takes, and nothing in it can be more than text.
func SidesMarkdown(w io.Writer, front string, r *compare.Report) error {
	m := &mdSides{r: r}
	m.begin(front)
	m.part(0.25, "sentence", m.says)
	m.part(0.45, "change", m.changed)
	m.part(0.55, "line", m.problems)
	fmt.Fprintf(&m.b, "\n<details><summary>%s, and how %s measured</summary>\n\n",
		md(mdAll(len(r.Benchmarks))), verbs(len(r.Benchmarks)))
	m.part(0.65, "line", m.measured)
	m.part(1, "benchmark", m.all)
	m.b.WriteString("\n</details>\n")
	_, err := io.WriteString(w, m.text())
	return err
}

func mdAll(n int) string {
	if n == 1 {
		return "The benchmark"
	}
	return "All " + units.Plural(n, "benchmark")
}

func verbs(n int) string {
	if n == 1 {
		return "it was"
	}
	return "they were"
}

// mdSides is a comparison while it is written as Markdown.
type mdSides struct {
	mdWriter
	r *compare.Report
}

// says writes the answer.
func (m *mdSides) says() {
	m.line("### " + m.versus())
	m.line("")
	for i, s := range m.r.Says {
		s = mdSentence(s)
		if i == 0 {
			s = "**" + s + "**"
		}
		m.item(s)
		m.line("")
	}
}

// versus names the sides: "main → feature".
func (m *mdSides) versus() string {
	var names []string
	for _, s := range m.r.Sides[1:] {
		names = append(names, mdName(s.Name))
	}
	return mdName(m.r.Sides[0].Name) + " → " + strings.Join(names, ", ")
}

// mdSentence is md for a sentence, which may be longer than a name.
func mdSentence(s string) string {
	var out []string
	for word := range strings.SplitSeq(s, " ") {
		if word != "" { // it begins no line
			word = strings.TrimPrefix(md("x"+word), "x")
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// changed writes the table of what changed, for each side.
func (m *mdSides) changed() {
	r := m.r
	for side := 1; side < len(r.Sides); side++ {
		var rows [][]string
		repeats := map[string]bool{}
		for _, unit := range r.Units() {
			repeats[unit] = r.Repeats(side, unit)
		}
		for i := range r.Benchmarks {
			b := &r.Benchmarks[i]
			for j := range b.Metrics {
				if x := &b.Metrics[j]; x.Changes[side-1].Verdict == compare.Changed && !repeats[x.Unit] {
					rows = append(rows, mdChange(mdName(b.Name), x.Unit, x.Values, x.Changes, side))
				}
			}
		}
		if len(rows) > 0 {
			for i := range r.Geomeans {
				if g := &r.Geomeans[i]; g.Unit == compare.Time {
					rows = append(rows, mdChange("**"+r.GeomeanSays(g)+"**", g.Unit, g.Values, g.Changes, side))
				}
			}
			m.table(m.header(side), 2, rows)
		}
		m.item("- " + mdSentence(fmt.Sprintf("%s: time/op: %s", r.Sides[side].Name,
			r.CountSays(side, compare.Time))))
	}
}

func (m *mdSides) header(side int) []string {
	return []string{"benchmark", "metric", mdName(m.r.Sides[0].Name), mdName(m.r.Sides[side].Name), "ratio", "verdict"}
}

// mdChange returns a row of a table.
func mdChange(name, unit string, values []figures.Figure, changes []compare.Change, side int) []string {
	c := changes[side-1]
	mark := ""
	switch {
	case c.Regression:
		mark = "🔺 "
	case c.Verdict == compare.Changed:
		mark = "✅ "
	}
	return []string{name, md(compare.MetricName(unit)), md(values[0].Quantity()), md(values[side].Quantity()),
		compare.RatioSays(c), mark + compare.VerdictSays(c)}
}

// problems writes what keeps the comparison from saying more.
func (m *mdSides) problems() {
	for _, b := range m.r.Benchmarks {
		for _, why := range b.Invalid {
			m.item("- ❌ invalid: " + mdName(b.Name) + " on " + md(why))
		}
		for _, why := range b.Failed {
			m.item("- ❌ failed: " + mdName(b.Name) + " on " + md(why))
		}
	}
	for _, x := range m.r.OneSided {
		name := x.Name
		if name == "" {
			name = x.Suite
		}
		m.item("- " + mdName(name) + " stands in " + md(strings.Join(x.On, " and in ")) + " alone, and is not compared")
	}
	for _, w := range m.r.Warnings {
		m.item("- ⚠️ " + mdSentence(w))
	}
}

// measured says what the sides are and how far identical code was apart.
func (m *mdSides) measured() {
	for _, s := range m.r.Sides {
		say := "- " + mdName(s.Name)
		if about := s.Says(); about != "" {
			say += ": " + md(about)
		}
		m.item(say)
	}
	if say := m.r.AloneSays(); say != "" {
		m.item("- " + result.Mark + " " + say)
	}
	if m.r.Interleaved {
		m.item(fmt.Sprintf("- Measured in turns, in random order. Ratios have %g%% confidence intervals that may be "+
			"looked at at any time; changed and equivalent are by a margin of %s.", 100*(1-m.r.Alpha),
			units.Share(m.r.Margin)))
	}
	for _, n := range m.r.NoiseFloor {
		m.item("- noise floor, " + result.NoiseSays + ": " + mdSentence(n.Sentence()))
	}
	for _, b := range m.r.Benchmarks {
		for _, why := range b.Flags {
			m.item("- flagged: " + mdName(b.Name) + " on " + md(why))
		}
	}
}

// all writes the table of all benchmarks and metrics.
func (m *mdSides) all() {
	for side := 1; side < len(m.r.Sides); side++ {
		for _, suite := range m.r.Suites() {
			var rows [][]string
			for i := range m.r.Benchmarks {
				b := &m.r.Benchmarks[i]
				for j := range b.Metrics {
					if x := &b.Metrics[j]; b.Suite == suite {
						rows = append(rows, mdChange(mdName(b.Name), x.Unit, x.Values, x.Changes, side))
					}
				}
			}
			m.line("")
			m.line("**" + md(suite) + "**")
			m.table(m.header(side), 2, rows)
		}
	}
}
