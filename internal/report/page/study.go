package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// A studySection is one study, of all runs that measured it, while its section is made.
type studySection struct {
	name, anchor string
	parts        []part
	card         *answer.Study // of the front; nil where there is none
	section      *document.Group
	claims       map[string]claimRow // by ID
	troubled     bool                // a case of it is INVALID or failed
}

// A claimRow is where a claim stands, and its words.
type claimRow struct{ anchor, says string }

// A part is a study in one of the answers.
type part struct {
	run    int
	answer *result.Answer
	study  *result.Study
}

// study returns a study. What is behind its card is folded, where it has one.
func (p *page) study(name string, index int) *studySection {
	s := &studySection{name: name, anchor: fmt.Sprintf("study-%d", index), card: p.cardOf(name), claims: map[string]claimRow{}}
	question := ""
	for i, a := range p.answers {
		for j := range a.Studies {
			if x := &a.Studies[j]; p.studyName(i, x.Name) == name {
				s.parts = append(s.parts, part{i, a, x})
				question = cmp.Or(question, x.Question)
			}
		}
	}
	g := &document.Group{Frame: document.Frame{ID: s.anchor, Class: "study"}, Level: 2, Head: given(name)}
	asked := &document.Group{Frame: document.Frame{Class: "asked"}}
	if s.card != nil {
		g.Class, g.Level = "study card-of-study", 3
		question = cmp.Or(s.card.Ask, question)
	}
	if question != "" {
		asked.Add(sentence("question", question))
	}
	if s.card != nil {
		asked.Add(&document.Sentence{Frame: document.Frame{Class: "said"}, Text: said(s.card.Answer)},
			&document.Sentence{Frame: document.Frame{Class: "tally"}, Text: tally(s.card.Tally)})
		if s.card.FullOnly != "" {
			asked.Add(sentence("full-only", s.card.FullOnly))
		}
	}
	g.Add(asked)
	pictures := append(p.compared(name), p.pictures(s.parts)...)
	if at := s.key(p.answers, pictures); at >= 0 {
		key := pictures[at].picture
		key.Class = "key-picture"
		key.Data.(*drawn).Compact = true
		pictures = slices.Delete(pictures, at, at+1)
		g.Add(key)
	}
	evidence := &document.Fold{Frame: document.Frame{ID: s.anchor + "-evidence", Class: "evidence"}, Open: p.front == nil}
	p.behind(s, evidence, pictures)
	g.Add(evidence)
	s.section = g
	return s
}

// cardOf returns what the front says of a study, if it says anything.
func (p *page) cardOf(name string) *answer.Study {
	if p.front == nil {
		return nil
	}
	for i, s := range p.front.Studies {
		if s.Run < 0 || s.Run >= len(p.answers) || s.Study < 0 || s.Study >= len(p.answers[s.Run].Studies) {
			continue
		}
		if p.studyName(s.Run, p.answers[s.Run].Studies[s.Study].Name) == name {
			return &p.front.Studies[i]
		}
	}
	return nil
}

// key returns which of the pictures is the card's, −1 if none is.
func (s *studySection) key(answers []*result.Answer, pictures []drawing) int {
	if s.card == nil {
		return -1
	}
	all := answers[s.card.Run].Studies[s.card.Study].Pictures
	if s.card.Key < 0 || s.card.Key >= len(all) {
		return -1
	}
	k := all[s.card.Key]
	return slices.IndexFunc(pictures, func(d drawing) bool { return d.kind == k.Kind && d.title == k.Title && d.by == k.By })
}

// behind adds what stands behind a study's card.
func (p *page) behind(s *studySection, f *document.Fold, pictures []drawing) {
	var cases []*document.Table
	answers := &document.Group{Frame: document.Frame{Class: "answers"}}
	for _, x := range s.parts {
		for _, h := range x.study.Answer {
			answers.Add(&document.Sentence{Frame: document.Frame{Class: "answer"},
				Text: document.As(document.Strong, p.label(x.run, h.Arm)+":").Said(" ", h.Sentence())})
		}
	}
	if len(answers.Blocks) > 0 {
		f.Add(answers)
	}
	if s.card != nil {
		for _, a := range s.card.Article {
			f.Add(article(a))
		}
	}
	drawnHere := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, d := range pictures {
		drawnHere.Add(d.picture)
	}
	f.Add(drawnHere, p.tables(s, len(pictures) == 0))
	recordings := p.recordings(s)
	f.Add(recordings...)
	claims := p.claims(s)
	f.Add(claims...)
	f.Add(p.reasons(s))
	f.Add(p.validity(s)...)
	evidence := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, d := range p.evidence(s) {
		evidence.Add(d)
	}
	f.Add(evidence)
	cases = append(cases, p.cases(s))
	f.Add(&document.Fold{Frame: document.Frame{Class: "cases"},
		Head: document.Say(fmt.Sprintf("All %d cases", len(cases[0].Rows))), Blocks: []document.Block{cases[0]}})
	f.Add(p.reproduce(s))
	var say []string
	for _, x := range []struct {
		n   int
		one string
	}{{len(s.claims), "claim"}, {len(pictures) + len(evidence.Blocks) + len(recordings), "picture"},
		{len(cases[0].Rows), "case"}} {
		if x.n > 0 {
			say = append(say, units.Plural(x.n, x.one))
		}
	}
	f.Head = document.Say("Evidence: ", strings.Join(append(say, "validity", "how to reproduce it"), ", "))
}

func tally(t answer.Tally) (out document.Text) {
	add := func(n int, v document.Verdict, words string) {
		if n > 0 {
			if out != nil {
				out = append(out, document.Span{Text: " "})
			}
			out = append(out, v.Says(fmt.Sprintf(words, n)))
		}
	}
	add(t.Hold, document.Holds, "✓ %d hold")
	add(t.Fail, document.Fails, "✗ %d fail")
	add(t.Undecided, document.Undecided, "? %d undecided")
	add(t.NotTested, document.NotTested, "%d not tested")
	add(t.Invalid, document.Invalid, "%d INVALID")
	return out
}

func article(a language.Article) document.Block {
	g := &document.Group{Frame: document.Frame{Class: "article"}}
	words := document.Say("The claims restate, in our words, conclusions of ", a.Author, ": “", a.Title, "”")
	if a.Year != 0 {
		words = words.Said(fmt.Sprintf(" (%d)", a.Year))
	}
	if a.Link != "" {
		words = append(words.Said(", "), document.Span{Kind: document.Link, Text: a.Link, To: a.Link})
	}
	g.Add(&document.Sentence{Text: words.Said(".")})
	if len(a.Conditions) > 0 {
		g.Add(sentence("", "Conditions that differ: ", strings.Join(a.Conditions, "; "), "."))
	}
	if n := len(a.NotTested); n > 0 {
		f := &document.Fold{Head: document.Say(fmt.Sprintf("What it says and no claim here tests: %d", n))}
		for _, s := range a.NotTested {
			f.Add(&document.Sentence{Text: document.Say(s), Item: true})
		}
		g.Add(f)
	}
	return g
}

// tables returns the tables that the study's author asks for.
func (p *page) tables(s *studySection, open bool) document.Block {
	f := &document.Fold{Frame: document.Frame{Class: "cases tables"}, Open: open}
	for _, x := range s.parts {
		for _, t := range x.study.Tables {
			shown := t.Shown()
			if len(shown.Rows) == 0 {
				continue
			}
			table := figuresTable(shown, figures.Figure.InColumn)
			if l := p.label(x.run, t.Arm); l != "" {
				table.Title = table.Title.Said(" · ", l)
			}
			f.Add(table)
		}
	}
	if len(f.Blocks) == 0 {
		return nil
	}
	f.Head = document.Say(fmt.Sprintf("All %d tables", len(f.Blocks)))
	return f
}

// recordings returns the recordings of a study, drawn: flame graphs and timelines.
func (p *page) recordings(s *studySection) (out []document.Block) {
	for _, x := range s.parts {
		for _, r := range x.study.Recordings {
			d, tables := recording(r)
			d.Title = given(fmt.Sprintf("%s of %s · %s (%s, for %s)", r.What, r.Case, p.label(x.run, r.Arm), r.File, r.Tool))
			d.Table = tables[0]
			g := &document.Group{Frame: document.Frame{Class: "recording"}, Blocks: []document.Block{d}}
			for _, t := range tables[1:] {
				g.Add(&document.Fold{Frame: document.Frame{Class: "figures"}, Head: t.Title, Blocks: []document.Block{t}})
			}
			out = append(out, g)
		}
	}
	return out
}

// claims returns the table of claims: a row for each claim of any run, a column for each data set
// that any of them was judged on.
func (p *page) claims(s *studySection) []document.Block {
	var sets []int
	for _, x := range s.parts {
		for _, c := range x.study.Claims {
			for _, v := range c.Verdicts {
				if i := p.at(x.run, v.Data, v.Published); i >= 0 && !slices.Contains(sets, i) {
					sets = append(sets, i)
				}
			}
		}
	}
	slices.Sort(sets)
	t := &document.Table{Frame: document.Frame{Class: "claims"}, Columns: []document.Column{
		{Head: "claim", Kind: document.Key}, {Head: "statement, and as it is tested", Kind: document.Prose}}}
	for _, i := range sets {
		t.Columns = append(t.Columns, document.Column{Head: p.sets[i].Label, Kind: document.Prose})
	}
	rows := map[string]int{}
	var details []string
	for _, x := range s.parts {
		several := len(s.parts) > 1 || len(x.answer.Arms) > 1
		for _, c := range x.study.Claims {
			i, known := rows[c.ID]
			if !known {
				i = len(t.Rows)
				rows[c.ID] = i
				r := t.Add(make([]document.Text, len(t.Columns))...)
				r.ID = fmt.Sprintf("%s-c%d", s.anchor, i+1)
				s.claims[c.ID] = claimRow{r.ID, c.Says()}
				r.Cells[0], r.Cells[1] = given(c.ID), claimWords(x.answer, c, len(s.parts) == 1)
			}
			for _, v := range c.Verdicts {
				at := slices.Index(sets, p.at(x.run, v.Data, v.Published))
				if at < 0 {
					continue
				}
				f := strings.TrimPrefix(v.Short(), string(v.Status))
				p.marked = p.marked || strings.Contains(f, result.Mark)
				t.Rows[i].Cells[2+at] = document.Text{v.Status.Verdict().Span(), {Text: f}}
				for _, d := range c.Details(v, several, true) {
					if len(s.parts) > 1 && !v.Published {
						d = p.sets[sets[at]].Label + ": " + d
					}
					if !slices.Contains(details, d) {
						details = append(details, d)
					}
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	g := &document.Group{Frame: document.Frame{ID: s.anchor + "-claims"}, Level: 4,
		Head: document.Say("Claims, and the figures that decide them"), Blocks: []document.Block{t}}
	for _, d := range details {
		g.Add(&document.Sentence{Text: document.Say(d), Item: true})
	}
	return []document.Block{g}
}

// claimWords returns a claim in words, as it is tested, and where it stands; of many toolchains also
// where its verdict changes.
func claimWords(a *result.Answer, c result.Claim, alone bool) document.Text {
	words := document.Say(c.Says())
	if all := a.Releases(&c); alone && len(all) > 1 {
		for _, r := range all {
			at := r.First
			if r.Last != r.First {
				at += " to " + r.Last
			}
			words = append(words, document.Span{Kind: document.Break},
				document.Span{Kind: document.Faint, Text: "• " + r.Text + ": " + at})
		}
	}
	return append(words, document.Span{Kind: document.Break}, document.Span{Kind: document.Code, Text: c.Text},
		document.Span{Kind: document.Faint, Text: " " + c.Pos})
}

// reasons returns why cases are on the heap: a row for each reason, and for the data sets of which
// the same is said.
func (p *page) reasons(s *studySection) document.Block {
	t := &document.Table{Frame: document.Frame{Class: "reasons"}, Columns: []document.Column{
		{Head: "case", Kind: document.Key}, {Head: "config", Kind: document.Words}, {Head: "allocs/op"},
		{Head: "reason", Kind: document.Prose}, {Head: "usual fix", Kind: document.Prose},
		{Head: "compiler message", Kind: document.Prose}}}
	labels := map[string]bool{}
	for _, x := range s.parts {
		for _, g := range x.study.ReasonGroups() {
			var arms []string
			for _, arm := range g.Arms {
				arms = append(arms, p.label(x.run, arm))
			}
			at := strings.Join(arms, ", ")
			labels[at] = true
			for i, r := range g.Rows {
				row := make([]document.Text, 3, 6)
				if i == 0 {
					row = []document.Text{given(g.Case), given(at), document.Say(g.Allocated)}
				}
				x := t.Add(append(row, document.Say(r.Cause), document.Say(r.Fix), document.As(document.Code, r.Says))...)
				if len(r.Flow) > 0 {
					f := &document.Fold{Head: document.Say("flow of the value")}
					for _, step := range r.Flow {
						f.Add(&document.Sentence{Text: document.As(document.Code, step), Item: true})
					}
					x.Detail = []document.Block{f}
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if len(labels) < 2 {
		dropColumn(t, 1)
	}
	return &document.Group{Level: 4, Head: document.Say("Heap allocations, and the reason that the compiler gives"),
		Blocks: []document.Block{t}}
}

// dropColumn leaves a column out of a table.
func dropColumn(t *document.Table, at int) {
	t.Columns = slices.Delete(t.Columns, at, at+1)
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, at, at+1)
	}
}

// validity returns what is wrong with the cases.
func (p *page) validity(s *studySection) []document.Block {
	g := &document.Group{Frame: document.Frame{ID: s.anchor + "-validity", Class: "problems"}, Level: 4,
		Head: document.Say("Validity and rounds")}
	leftOut := false
	for _, x := range s.parts {
		leftOut = leftOut || x.answer.Question != nil && len(x.answer.Question.LeftOut) > 0
		for _, c := range x.study.Causes(true) {
			s.troubled = s.troubled || c.Kind != result.Flagged
			g.Add(&document.Sentence{Item: true, Text: document.Text{c.Verdict().Says(c.Kind)}.Said(" ", c.Of(), c.Case, " on ",
				p.label(x.run, c.Arm), ": ", c.Why)})
		}
	}
	switch {
	case len(g.Blocks) > 0:
	case leftOut:
		g.Add(sentence("", "No case that was measured is invalid, and none failed; the warnings name what was left out."))
	default:
		g.Add(sentence("", "No case is invalid, and no case failed."))
	}
	return []document.Block{g}
}

// cases returns the table of all cases.
func (p *page) cases(s *studySection) *document.Table {
	t := &document.Table{Columns: []document.Column{{Head: "case", Kind: document.Key},
		{Head: "config", Kind: document.Words}, {Head: "time/op"}, {Head: "B/op"}, {Head: "allocs/op"},
		{Head: "samples"}, {Head: "other metrics", Kind: document.Prose}, {Head: "vs the first config"}}}
	labels, others, compared := map[string]bool{}, false, false
	for _, x := range s.parts {
		for _, c := range x.study.Cases {
			label := p.label(x.run, c.Arm)
			labels[label] = true
			row := []document.Text{given(c.Name), given(label), figure(c.Time), nil, nil, nil, document.Say(c.Others()), nil}
			for at, unit := range map[int]string{3: "B/op", 4: "allocs/op"} {
				if n, ok := c.Metrics[unit]; ok {
					row[at] = document.Text{document.Quantity(float64(n), unit)}
				}
			}
			if c.Time.N > 0 {
				row[5] = document.Say(fmt.Sprint(c.Time.N))
			}
			if len(c.Notes) > 0 {
				row[6] = row[6].And(document.As(document.Faint, " "+strings.Join(c.Notes, "; ")))
			}
			others = others || !row[6].Empty()
			if c.VsFirst != nil {
				row[7], compared = document.Say(c.VsFirst.String()), true
			}
			switch {
			case c.Failed != "":
				row[2] = document.Text{document.Failed.Span()}
			case len(c.Invalid) > 0:
				row[2] = document.Text{document.Invalid.Span()}
			}
			t.Add(row...)
		}
	}
	for _, x := range []struct {
		at   int
		keep bool
	}{{7, compared}, {6, others}, {1, len(labels) > 1}} {
		if !x.keep {
			dropColumn(t, x.at)
		}
	}
	return t
}

// reproduce says how a study was measured.
func (p *page) reproduce(s *studySection) document.Block {
	g := &document.Group{Frame: document.Frame{Class: "reproduce"}, Level: 4, Head: document.Say("How to reproduce")}
	for _, x := range s.parts {
		a, f := x.answer, &document.Facts{Title: given(p.machineName(x.run))}
		add := func(n, format string, args ...any) { f.Add(n, given(fmt.Sprintf(format, args...))...) }
		if a.Kind == result.File {
			add("file", "%s", a.Dir)
			g.Add(f)
			continue
		}
		add("tool", "%s", a.Tool)
		if a.Options.Seed != 0 {
			add("seed", "%d", a.Options.Seed)
			add("profile", "%s, α = %g, at least %s a sample, budget %s", a.Options.Profile, a.Options.Alpha,
				cmp.Or(x.study.Sample, a.Options.Sample), a.Options.Budget)
		}
		for _, arm := range a.Arms {
			say := arm.Toolchain
			if len(arm.Flags)+len(arm.Env) > 0 {
				say += " with " + strings.Join(slices.Concat(arm.Env, arm.Flags), " ")
			}
			if say != arm.Name {
				say = arm.Name + ": " + say
			}
			add("configuration", "%s", say)
		}
		add("run folder", "%s", a.Dir)
		if line := a.CommandLine(); line != "" {
			g.Add(code("sh", line))
		}
		g.Add(f)
	}
	return g
}
