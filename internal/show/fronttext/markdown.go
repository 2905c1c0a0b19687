package fronttext

import (
	"fmt"
	"io"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/show/text"
)

// Markdown writes the front as a comment on a pull request: the answer, the advice and the
// tally, and below them what each study says, folded in.
func (r *Report) Markdown(w io.Writer) error { return text.Markdown(w, r.markdown(), r.Answers) }

// markdown returns the front itself.
func (r *Report) markdown() string {
	f, m := r.Front, &markdown{}
	m.line("### " + text.MarkdownText(f.Question) + "\n")
	said := ""
	if f.Disturbed != "" {
		said = "⚠️ " + text.MarkdownText(f.Disturbed) + " "
	}
	var sentences []string
	for _, s := range f.Answer {
		sentences = append(sentences, markdownSentence(s))
	}
	m.line(said + strings.Join(sentences, " ") + "\n")
	m.line(strings.Join(aboutMarkdown(f), " · ") + "\n")
	m.advice(f)
	m.tally(r)
	m.failing(f)
	m.machines(f.Machines)
	m.axis(f.Axis)
	m.trust(f)
	return m.String()
}

func aboutMarkdown(f *answer.Front) []string {
	var out []string
	for _, s := range append(append([]string{f.Machine}, f.Tools...), f.Created) {
		if s != "" {
			out = append(out, text.MarkdownText(s))
		}
	}
	return out
}

// markdownSentence returns a sentence with its numbers set off.
func markdownSentence(s answer.Sentence) string {
	var b strings.Builder
	for _, p := range s {
		t := strings.TrimSpace(p.Text)
		before, after, _ := strings.Cut(p.Text, t)
		if t == "" {
			before, after = p.Text, ""
		}
		t = text.MarkdownText(t)
		if p.Kind == answer.Number && t != "" {
			t = "**" + t + "**"
		}
		b.WriteString(blank(before) + t + blank(after))
	}
	return strings.TrimSpace(b.String())
}

// blank returns a space for any space.
func blank(s string) string {
	if s == "" {
		return ""
	}
	return " "
}

func (m *markdown) advice(f *answer.Front) {
	if len(f.Advice) == 0 {
		return
	}
	m.line("**What to do on this machine**\n")
	m.row("do", "when", "otherwise", "claim")
	m.row(":--", ":--", "--:", ":--")
	for _, a := range f.Advice {
		m.row(text.MarkdownText(a.Do), text.MarkdownText(a.When), text.MarkdownText(a.Times),
			text.MarkdownText(strings.TrimSpace(a.Study+" "+a.Claim+" "+a.Status)))
	}
	m.line("")
}

// tally is the table of studies.
func (m *markdown) tally(r *Report) {
	f := r.Front
	if len(f.Studies) == 0 {
		return
	}
	m.row("study", "✅ hold", "❌ fail", "❓ undecided", "not tested", "INVALID", "answer")
	m.row(":--", "--:", "--:", "--:", "--:", "--:", ":--")
	add := func(name string, t answer.Tally, say string) {
		m.row(name, fmt.Sprint(t.Hold), fmt.Sprint(t.Fail), fmt.Sprint(t.Undecided), fmt.Sprint(t.NotTested),
			fmt.Sprint(t.Invalid), say)
	}
	for i := range f.Studies[:min(len(f.Studies), mostRows)] {
		s := &f.Studies[i]
		say := markdownSentence(s.Answer)
		if say == "" {
			say = units.Plural(r.cases(s), "case")
		}
		add(text.MarkdownName(s.Name), s.Tally, say)
	}
	if len(f.Studies) > 1 {
		add("**together**", f.Tally, units.Plural(f.Tally.All(), "claim"))
	}
	m.line("")
	if n := len(f.Studies) - mostRows; n > 0 {
		m.line(fmt.Sprintf("%d more are left out for want of room; `--json` has all.\n", n))
	}
	if f.Releases != "" {
		m.line(text.MarkdownText(f.Releases) + "\n")
	}
}

// failing lists published conclusions that fail here.
func (m *markdown) failing(f *answer.Front) {
	if len(f.Failing) == 0 {
		return
	}
	m.row("published conclusion that fails here", "published", "here", "claim")
	m.row(":--", ":--", ":--", ":--")
	for _, x := range f.Failing[:min(len(f.Failing), mostRows)] {
		m.row(text.MarkdownText(x.Prose), text.MarkdownText(x.Published), text.MarkdownText(x.Here),
			text.MarkdownText(x.Study+" "+x.Claim))
	}
	m.line("")
}

// axis is the cost of a block by every means, folded in.
func (m *markdown) axis(a *answer.Axis) {
	if a == nil || len(a.Means) == 0 || len(a.Sizes) == 0 {
		return
	}
	m.line("<details><summary>Time per block, by every means</summary>\n")
	if a.What != "" {
		m.line(text.MarkdownText(sentenceOf(a.What)) + "\n")
	}
	sizes := a.Sizes[:min(len(a.Sizes), mostRows)]
	header, rule := []string{"time per block"}, []string{":--"}
	for _, size := range sizes {
		header, rule = append(header, units.Bytes(size)), append(rule, "--:")
	}
	m.row(header...)
	m.row(rule...)
	t := axisTable{Axis: a, means: a.Means}
	for _, x := range a.Means[:min(len(a.Means), mostRows)] {
		cells := []string{text.MarkdownText(t.labelOf(x, false))}
		for _, size := range sizes {
			cells = append(cells, pointText(x.Points, size, duration))
		}
		m.row(cells...)
	}
	if a.Ratio != nil {
		cells := []string{text.MarkdownText(a.Ratio.Label)}
		for _, size := range sizes {
			cells = append(cells, pointText(a.Ratio.Points, size, func(v float64) string { return digits(v) + "×" }))
		}
		m.row(cells...)
	}
	m.line("")
	for _, c := range a.Crossings[:min(len(a.Crossings), mostRows)] {
		m.line("- " + markdownSentence(c.Says))
	}
	if a.Note != "" {
		m.line("- " + text.MarkdownText(a.Note))
	}
	m.WriteString("\n</details>\n\n")
}

// trust says how far the run can be relied on, and what says more.
func (m *markdown) trust(f *answer.Front) {
	items := trustItems(&f.Trust)
	for i := range items {
		items[i].text = text.MarkdownText(items[i].text)
	}
	if len(items) > 0 {
		m.line("Trust: " + joined(items).text(false) + "\n")
	}
	for _, n := range f.Next {
		m.line("Next: " + text.MarkdownName(n.Command) + " " + text.MarkdownText(n.Does) + "\n")
	}
}
