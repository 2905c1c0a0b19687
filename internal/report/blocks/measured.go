package blocks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/machine"
	"memcost/internal/malloc/latency"
	"memcost/internal/report/result"
)

// facts say how an answer came about.
func (v *view) facts(a *result.Answer) *document.Facts {
	f, m := &document.Facts{}, a.Machine
	say := func(label, format string, args ...any) {
		f.Add(label, given(fmt.Sprintf(format, args...))...)
	}
	if a.Kind == result.File {
		say("machine", "%s", a.MachineName())
		say("samples", "%d", a.Samples)
		say("file", "%s", a.Dir)
		return f
	}
	f.Add("command", document.As(document.Code, units.ShellLine(a.Command))...)
	say("machine", "%s, %s, %s, %s/%s", cmp.Or(m.CPUModel, "unknown CPU"), units.Plural(m.CPUs, "CPU"),
		units.Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
	if v.page {
		say("virtualization", "%s", m.Virtualization)
		var all []string
		for _, c := range caches(a) {
			all = append(all, c.Name+" "+units.Bytes(float64(c.Bytes)))
		}
		say("caches", "%s", strings.Join(all, ", "))
		for _, x := range a.Sides {
			with := x.Toolchain
			if len(x.Flags)+len(x.Env) > 0 {
				with += " with " + strings.Join(slices.Concat(x.Env, x.Flags), " ")
			}
			if with != x.Name {
				with = strings.TrimSuffix(x.Name+": "+with, ": ")
			}
			say("configuration", "%s", with)
		}
		if !a.Created.IsZero() {
			say("measured", "%s", a.Created.Format("2006-01-02 15:04 MST"))
		}
	}
	say("certificate", "%s", a.CertificateSays)
	switch a.Kind {
	case result.Records:
		say("measured", "%s with %s", units.Plural(a.Samples, "figure"), units.Plural(len(a.Sides), "configuration"))
	default:
		say("samples", "%d in %s, each in a fresh process; %s", a.Samples, a.RoundsSay(), a.Excluded())
		if a.Question != nil && a.Question.Plan.Looks == nil {
			say("looks", "the usual ones, for the run recorded none before its first sample")
		}
		say("verdicts", "%s", a.Together.String())
		say("evidence", "%s", a.Resting())
		say("loops", "share of run time in benchmark loops %s", a.LoopTime())
		for i, n := range a.NoiseFloor {
			if i == 0 {
				say("noise floor", "%s", result.NoiseSays)
			}
			say("", "%s", n.Sentence())
		}
		say("seed", "%d, α = %g, %s profile", a.Options.Seed, a.Options.Alpha, a.Options.Profile)
		if v.page && a.Options.Budget > 0 {
			say("budget", "%s", a.Options.Budget)
		}
		say("tool", "%s", a.Tool)
	}
	say("run folder", "%s", a.Dir)
	return f
}

// measured says how an answer came about, and what is to be known of it.
func (v *view) measured(run int) []document.Block {
	a := v.answers[run]
	f := v.facts(a)
	title, how := document.Say(a.Kind), document.Say("How it was measured")
	if a.Kind == result.Records {
		title = document.Say(result.Run)
	}
	if len(v.answers) > 1 {
		title, how = given(v.names[run]), given(v.names[run]).Said(": how it was measured")
	}
	out := []document.Block{&document.Group{Frame: document.Frame{On: document.Terminal, Gap: 1}, Head: title,
		Blocks: []document.Block{&document.Group{Frame: document.Frame{Inset: 2}, Blocks: []document.Block{f}}}},
		&document.Fold{Frame: document.Frame{On: document.Markdown, Rank: 5}, Head: how, Blocks: []document.Block{f}}}
	for _, w := range a.Warnings {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "warning"}, Hang: 2, Item: true,
			Text: document.As(document.Warning, "warning: ").And(given(w))})
	}
	return out
}

// runsHead returns the heading for one, or that of several runs.
func (v *view) runsHead(one string) document.Text {
	if len(v.answers) == 1 {
		return document.Say(one)
	}
	return document.Say("The runs")
}

// runs returns what is known of the machines and the rounds.
func (v *view) runs() (out []document.Block) {
	cards := &document.Group{Frame: document.Frame{Class: "cards"}}
	out = append(out, cards)
	for i, a := range v.answers {
		card := &document.Group{Frame: document.Frame{Class: "card"}, Level: 3, Head: given(v.machineName(i))}
		card.Add(v.facts(a))
		if warn := unfit(a); len(warn) > 0 {
			card.Add(&document.Fold{Head: document.Say("Fitness: ", units.Plural(len(warn), "warning")), Blocks: warn})
		}
		cards.Add(card)
		if a.RealTime != nil {
			out = append(out, realTime(a.RealTime))
		}
	}
	return out
}

func unfit(a *result.Answer) (out []document.Block) {
	if a.Kind != result.Run {
		return nil
	}
	for _, f := range machine.Assess(a.Machine, machine.Probe{}) {
		if f.Level >= machine.Warn {
			text := document.As(document.Strong, f.Name).Said(" ", f.Value, ": ", f.Detail)
			if f.Hint != "" {
				text = text.Said(" ").And(document.As(document.Faint, f.Hint))
			}
			out = append(out, item(text))
		}
	}
	return out
}

// realTime are the verdicts on settings: a table of the settings by situations, and what is to be
// pasted into a program.
func realTime(r *latency.RealTime) document.Block {
	if r == nil {
		return nil
	}
	t := table(document.Say("Real-time verdict: ").And(given(r.Rule())), "allocator", "setting", "verdict")
	t.Columns[1].Kind, t.Columns[2].Kind = document.Key, document.Words
	for _, s := range r.Situations {
		t.Columns = append(t.Columns, document.Column{Head: s.Name})
	}
	t.Columns = append(t.Columns, document.Heads(document.Figure, "longest call", "not fit for", "first violation",
		"delayed by the machine", "late, cause not found")...)
	t.Columns[len(t.Columns)-3].Kind, t.Columns[len(t.Columns)-4].Kind = document.Words, document.Words
	g := &document.Group{Blocks: []document.Block{&document.Sentence{Text: document.As(document.Given, r.Answer()), Hang: 2}, t}}
	for _, s := range r.Settings {
		verdict := document.Undecided
		switch {
		case s.Fit:
			verdict = document.Holds
		case s.Violations > 0:
			verdict = document.Fails
		}
		cells := []document.Text{given(s.Allocator), given(s.Setting), {verdict.Says(s.Verdict())}}
		for _, in := range r.Situations {
			cells = append(cells, document.Say(s.At(in.Key)))
		}
		t.Add(append(cells, document.Say(s.LongestCall()), document.Say(cmp.Or(s.NotFor(), "–")), given(s.First), document.Say(units.Thousands(s.Machine)),
			document.Say(units.Thousands(s.Unexplained)))...)
		if say := s.Says(); say != "" {
			g.Add(&document.Sentence{Frame: document.Frame{Gap: 1}, Hang: 2, Text: given(say)})
		}
		if len(s.Paste) > 0 {
			g.Add(code("c", s.Paste...))
		}
	}
	for _, n := range r.Notes() {
		t.Notes = append(t.Notes, given(n))
	}
	return g
}
