package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/malloc/latency"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

// folded is where details are folded in below the answer; on a terminal they stand above it.
const folded = document.Markdown | document.Page

// Blocks returns what an answer says: whether the machine was busy, the verdicts on settings, each
// study, how it was measured, and warnings.
func (a *Answer) Blocks() []document.Block {
	var out []document.Block
	if a.Busy != "" {
		what, how, _ := strings.Cut(a.Busy, ": ")
		out = append(out, &document.Sentence{Frame: document.Frame{Gap: 1, Class: "warning"}, Hang: 2,
			Text: document.As(document.Warning, what+":").Said(" ").And(document.As(document.Given, how))})
	}
	out = append(out, realTime(a.RealTime)...) // it is what was asked
	for i := range a.Studies {
		out = append(out, a.study(&a.Studies[i]))
	}
	return append(out, a.Measured()...)
}

// study returns what a study says: its answer, its tables and cases, and its claims.
func (a *Answer) study(s *Study) document.Block {
	head := document.As(document.Given, s.Name)
	if s.Question != "" {
		head = head.Said(": ").And(document.As(document.Given, s.Question))
	}
	g := &document.Group{Frame: document.Frame{Gap: 1, Class: "study"}, Level: 1, Head: head}
	answers := &document.Group{}
	for _, h := range s.Answer {
		words := document.As(document.Given, a.Here(h.Arm)).Said(": ")
		if h.Status != "" {
			words = document.Text{h.Status.Verdict().Glyph()}.Said(" ").And(words)
		}
		answers.Add(&document.Sentence{Item: true, Text: words.And(document.As(document.Given, h.Sentence()))})
	}
	details := a.details(s)
	g.Add(answers, &document.Group{Frame: document.Frame{On: document.Terminal, Gap: 1}, Blocks: details})
	g.Add(a.changes(s)...)
	g.Add(a.claims(s)...)
	g.Add(a.causes(s)...)
	if len(details) > 0 {
		g.Add(&document.Fold{Frame: document.Frame{On: folded, Rank: 6}, Blocks: details,
			Head: document.As(document.Given, s.Name).Said(": tables and cases")})
	}
	return g
}

// details are the tables, the cases and the reasons of a study.
func (a *Answer) details(s *Study) []document.Block {
	var out []document.Block
	for _, t := range s.Tables {
		out = append(out, a.table(t.Shown()))
	}
	listed := len(s.Tables) == 0
	if a.Kind == Records {
		g := &document.Group{Frame: document.Frame{Long: !listed, Rank: 7}}
		for _, c := range s.Cases {
			for _, n := range c.Notes {
				g.Add(&document.Sentence{Item: true, Text: document.As(document.Given, c.Arm+" "+c.Name+": "+n)})
			}
		}
		return append(out, g, a.reasons(s))
	}
	cases := a.cases(s)
	cases.Long = !listed
	return append(out, cases, a.reasons(s))
}

func newTable(title document.Text, heads ...string) *document.Table {
	t := &document.Table{Frame: document.Frame{Gap: 1}, Title: title, Columns: document.Heads(document.Figure, heads...)}
	t.Columns[0].Kind = document.Name
	return t
}

// text is a figure in a table: one that does not count is coloured so.
func text(f figures.Figure) document.Text {
	if f.Note == claim.InvalidNote {
		return document.Text{document.Invalid.Says(f.InColumn())}
	}
	return f.ColumnText()
}

// table is a table of a study. One by toolchain whose figures are exact has a line for each column,
// which says where it changed.
func (a *Answer) table(t figures.Table) document.Block {
	title := document.As(document.Given, t.Title)
	if t.IsExact() {
		head := t.Rows[0].Label
		if n := len(t.Rows); n > 1 {
			head = fmt.Sprintf("%s to %s (%d versions)", t.Rows[0].Label, t.Rows[n-1].Label, n)
		}
		out := newTable(title, "", head)
		out.Columns[1].Kind = document.Prose
		for i, column := range t.Columns {
			out.Add(document.As(document.Given, column), document.As(document.Given, t.History(i)))
		}
		return out
	}
	if len(a.Arms) > 1 && t.Arm != "" {
		title = title.Said(" · ").And(document.As(document.Given, t.Arm))
	}
	out := newTable(title, append([]string{t.By}, t.Columns...)...)
	for _, r := range t.Rows {
		cells := []document.Text{document.As(document.Given, r.Label)}
		for _, f := range r.Cells {
			cells = append(cells, text(f))
		}
		out.Add(cells...)
	}
	for _, n := range t.Notes {
		out.Notes = append(out.Notes, document.As(document.Warning, "note: ").And(document.As(document.Given, n)))
	}
	return out
}

// timeText is the time of a case, or why it has none.
func (c Case) timeText() document.Text {
	switch {
	case c.Failed != "":
		return document.Text{document.Failed.Span()}
	case len(c.Invalid) > 0:
		return document.Text{document.Invalid.Span()}
	}
	return c.Time.Text()
}

// text is a ratio with what is known of it.
func (c Comparison) text() document.Text {
	v := c.Difference.Verdict(c.Value >= 1)
	return c.Figure.Text().Said(" ").And(document.Text{v.Says(string(c.Difference))})
}

// cases has a row for every case and configuration, with the ratio to the first of these.
func (a *Answer) cases(s *Study) *document.Table {
	against := slices.ContainsFunc(s.Cases, func(c Case) bool { return c.VsFirst != nil })
	t := newTable(document.Say("cases"), "case", "config", "time/op", "B/op", "allocs/op", "", "other metrics")
	t.Columns[1].Kind, t.Columns[6].Kind, t.Rank = document.Name, document.Words, 7
	if against {
		t.Columns[5].Head = "vs " + a.Arms[0].Name
	}
	for _, c := range s.Cases {
		config, vs := document.Text(nil), document.Text(nil)
		if len(a.Arms) > 1 {
			config = document.As(document.Given, c.Arm)
		}
		if c.VsFirst != nil {
			vs = c.VsFirst.text()
		}
		t.Add(document.As(document.Given, c.Name), config, c.timeText(), document.Say(c.Metric("B/op")),
			document.Say(c.Metric("allocs/op")), vs, document.As(document.Given, c.Others()))
	}
	for _, at := range []int{6, 5, 1} {
		if empty := !slices.ContainsFunc(t.Rows, func(r document.Row) bool { return !r.Cells[at].Empty() }); empty {
			t.Columns = slices.Delete(t.Columns, at, at+1)
			for i := range t.Rows {
				t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, at, at+1)
			}
		}
	}
	return t
}

// reasons is a table of what the cases allocate that their study explains, beside the compiler's
// reason for it: each case once for the configurations of which the same is said.
func (a *Answer) reasons(s *Study) document.Block {
	t := newTable(document.Say("heap allocations, and the reason that the compiler gives"), "case", "config", "allocs/op",
		"reason", "compiler message")
	for _, i := range []int{1, 3, 4} {
		t.Columns[i].Kind = document.Prose
	}
	if len(a.Arms) < 2 {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	for _, g := range s.ReasonGroups() {
		cells := []document.Text{document.As(document.Given, g.Case), document.As(document.Given, strings.Join(g.Arms, ", ")),
			document.Say(g.Allocated)}
		if len(a.Arms) < 2 {
			cells = slices.Delete(cells, 1, 2)
		}
		for _, r := range g.Rows {
			t.Add(append(cells, document.Say(r.Cause), document.As(document.Given, r.Says))...)
			cells = make([]document.Text, len(cells))
			further := r.Flow
			if r.Fix != "" {
				further = append(further, "usual fix: "+r.Fix)
			}
			for _, say := range further {
				t.Add(append(slices.Clone(cells), nil, document.As(document.Given, say))...).Long = true
			}
		}
	}
	return t
}

// changes say how many cases changed against the first configuration, and list them where not all
// cases are listed.
func (a *Answer) changes(s *Study) []document.Block {
	changed, count, rest := a.Changed(s)
	if count == "" {
		return nil
	}
	first := a.Arms[0].Name
	t := newTable(document.Say("changed against ").And(document.As(document.Given, first)), "case", "config", "time/op",
		"vs "+first)
	t.Columns[1].Kind, t.Rank = document.Name, 2
	if len(s.Tables) == 0 {
		t.On = folded
	}
	for _, c := range changed {
		t.Add(document.As(document.Given, c.Name), document.As(document.Given, c.Arm), c.Time.Text(), c.VsFirst.text())
	}
	return []document.Block{t, &document.Sentence{Frame: document.Frame{Gap: 1, Inset: 2}, Hang: 2,
		Text: document.As(document.Strong, count).Said(" ", rest)}}
}

// claims is a table with a row for each claim, and a column for each configuration and each
// published data set; below it stands where what does not hold fails.
func (a *Answer) claims(s *Study) []document.Block {
	if len(s.Claims) == 0 {
		return nil
	}
	t := newTable(document.Say("claims"), "claim", "")
	t.Columns[0].Kind, t.Columns[1].Kind, t.Rank = document.Key, document.Prose, 1
	releases, published, arms := a.ByRelease() != nil, false, 0
	if releases {
		t.Columns = append(t.Columns, document.Column{Head: "by release", Kind: document.Prose})
	}
	for _, v := range s.Claims[0].Verdicts {
		name := a.Here(v.Data)
		if v.Published {
			published, name = true, figures.ShortName(v.Data)
		} else {
			arms++
		}
		if !releases || v.Published {
			t.Columns = append(t.Columns, document.Column{Head: name, Kind: document.Words})
		}
	}
	details := &document.Group{Frame: document.Frame{Gap: 1, Rank: 4, Inset: 2}}
	said := map[string]bool{}
	for _, c := range s.Claims {
		cells := []document.Text{document.As(document.Given, c.ID), document.As(document.Given, c.Says())}
		if releases {
			all := a.Releases(&c)
			history := document.As(document.Given, figures.History(all))
			if len(all) == 1 {
				for _, status := range []claim.Status{claim.Holds, claim.Fails, claim.Undecided} {
					if strings.HasPrefix(all[0].Text, string(status)) {
						history = document.Text{status.Verdict().Says(all[0].Text)}
					}
				}
			}
			cells = append(cells, history)
		}
		for _, v := range c.Verdicts {
			if !releases || v.Published {
				cells = append(cells, v.text())
			}
			for _, d := range c.Details(v, arms > 1, true) {
				if !said[d] {
					said[d] = true
					details.Add(&document.Sentence{Item: true, Text: document.As(document.Given, d),
						Frame: document.Frame{Long: releases && !v.Published}}) // its figures are too many to be read
				}
			}
		}
		t.Add(cells...)
	}
	if published {
		t.Notes = []document.Text{document.Say(
			"Published figures have no interval: a claim is tested on the figure as it was printed.")}
	}
	return []document.Block{t, details}
}

// text is a verdict with the figure that decides it.
func (v Verdict) text() document.Text {
	status := v.Status.Verdict()
	switch {
	case v.Status == claim.Untested:
		return document.Text{status.Says(v.Short())}
	case v.Says != string(v.Status) && v.Decided() != "":
		return document.Text{status.Says(v.Word()), {Kind: document.Break}}.And(document.As(document.Given, v.Decided()))
	}
	word, rest, _ := strings.Cut(v.Short(), " ")
	out := document.Text{status.Says(word)}
	if rest != "" {
		out = out.Said(" ").And(document.As(document.Given, rest))
	}
	return out
}

// mostCauses is how many causes are listed where not all is asked for.
const mostCauses = 12

// causes list what does not count and why: causes that differ in their numbers as one, and where
// all is asked for each by itself below.
func (a *Answer) causes(s *Study) []document.Block {
	list := func(all []Cause, f document.Frame) *document.Group {
		g := &document.Group{Frame: f}
		for _, x := range all {
			kind := document.As(document.Warning, x.Kind)
			if x.Kind != Flagged {
				kind = document.Text{document.Invalid.Says(x.Kind)}
			}
			g.Add(&document.Sentence{Item: true, Text: kind.Said(" ", x.Of()).And(document.As(document.Given, x.Case)).Said(
				" on ").And(document.As(document.Given, x.Arm)).Said(": ").And(document.As(document.Given, x.Why))})
		}
		return g
	}
	joined, each := s.Causes(false), s.Causes(true)
	out := []document.Block{list(joined, document.Frame{Gap: 1, Rank: 3, Inset: 2, Most: mostCauses})}
	if len(each) > len(joined) {
		out = append(out, &document.Sentence{Frame: document.Frame{Rank: 4, Inset: 2, Long: true}, Text: document.Say("Each by itself:")},
			list(each, document.Frame{Rank: 4, Inset: 2, Long: true}))
	}
	return out
}

// Measured says how an answer came about, and what is to be known of it.
func (a *Answer) Measured() []document.Block {
	f := &document.Facts{}
	say := func(label, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			f.Add(label, document.Span{Kind: document.Given, Text: text})
		}
	}
	m := a.Machine
	if a.Kind == File {
		say("machine", "%s", a.MachineName())
		say("samples", "%d", a.Samples)
		say("file", "%s", a.Dir)
	} else {
		if command := a.CommandLine(); command != "" {
			f.Add("command", document.Span{Kind: document.Code, Text: command})
		}
		say("machine", "%s, %s, %s, %s/%s", cmp.Or(m.CPUModel, "unknown CPU"), units.Plural(m.CPUs, "CPU"),
			units.Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
		say("certificate", "%s", a.CertificateSays)
	}
	switch a.Kind {
	case File:
	case Records:
		say("measured", "%s with %s", units.Plural(a.Samples, "figure"), units.Plural(len(a.Arms), "configuration"))
		say("run folder", "%s", a.Dir)
	default:
		say("samples", "%d in %s, each in a fresh process; %s", a.Samples, a.RoundsSay(), a.Excluded())
		say("verdicts", "%s", a.Together.String())
		say("evidence", "%s", a.Resting())
		say("loops", "share of run time in benchmark loops %s", a.LoopTime())
		for i, n := range a.NoiseFloor {
			if i == 0 {
				say("noise floor", "%s", NoiseSays)
			}
			say("", "%s", n.Sentence())
		}
		say("seed", "%d, α = %g, %s profile", a.Options.Seed, a.Options.Alpha, a.Options.Profile)
		say("tool", "%s", a.Tool)
		say("run folder", "%s", a.Dir)
	}
	title := a.Kind
	if a.Kind == Records {
		title = Run
	}
	terminal := &document.Group{Frame: document.Frame{On: document.Terminal, Gap: 1}, Head: document.Say(title),
		Blocks: []document.Block{&document.Group{Frame: document.Frame{Inset: 2}, Blocks: []document.Block{f}}}}
	out := []document.Block{terminal, &document.Fold{Frame: document.Frame{On: folded, Rank: 5},
		Head: document.Say("How it was measured"), Blocks: []document.Block{f}}}
	for _, w := range a.Warnings {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "warning"}, Hang: 2, Item: true,
			Text: document.As(document.Warning, "warning: ").And(document.As(document.Given, w))})
	}
	return out
}

// realTime are the verdicts on settings: a table of the settings by situations, and what is to be
// pasted into a program.
func realTime(r *latency.RealTime) []document.Block {
	if r == nil {
		return nil
	}
	t := newTable(document.Say("Real-time verdict: ").And(document.As(document.Given, r.Rule())), "allocator", "setting",
		"verdict")
	t.Columns[1].Kind, t.Columns[2].Kind = document.Key, document.Words
	for _, s := range r.Situations {
		t.Columns = append(t.Columns, document.Column{Head: s.Name})
	}
	t.Columns = append(t.Columns, document.Heads(document.Figure, "longest call", "first violation",
		"delayed by the machine", "late, cause not found")...)
	t.Columns[len(t.Columns)-3].Kind = document.Words
	var below []document.Block
	for _, s := range r.Settings {
		cells := []document.Text{document.As(document.Given, s.Allocator), document.As(document.Given, s.Setting),
			document.Say(s.Verdict())}
		for _, in := range r.Situations {
			cells = append(cells, document.Say(s.At(in.Key)))
		}
		t.Add(append(cells, document.Say(s.LongestCall()), document.As(document.Given, s.First),
			document.Say(units.Thousands(s.Machine)), document.Say(units.Thousands(s.Unexplained)))...)
		if say := s.Says(); say != "" {
			paste := &document.Source{Language: "c"}
			for _, l := range s.Paste {
				paste.Lines = append(paste.Lines, document.SourceLine{Text: l})
			}
			below = append(below, &document.Sentence{Frame: document.Frame{Gap: 1}, Hang: 2,
				Text: document.As(document.Given, say)}, paste)
		}
	}
	for _, n := range r.Notes() {
		t.Notes = append(t.Notes, document.As(document.Given, n))
	}
	return append([]document.Block{t}, below...)
}
