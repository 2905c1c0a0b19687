package sites

import (
	"fmt"
	"path"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

const (
	contextLines = 4  // of the source, before and after a site
	costsMost    = 20 // benchmarks in the detail of a site
	leavesMost   = 12 // of what allocates inside of dependencies
)

// site returns everything that is known of a site, below its name.
func (b *builder) site(s *Site) document.Block {
	rank := ""
	if s.Rank > 0 {
		rank = fmt.Sprintf("%d ", s.Rank)
	}
	g := &document.Group{Frame: document.Frame{ID: siteID(s), Gap: 1}, Level: 2,
		Head: document.Say(rank).And(given(b.name(s))).Said(" ").And(given(s.position()))}
	g.Add(&document.Sentence{Text: document.Say(sentence(s.class() + ": " + s.cause())), Hang: 2})
	g.Add(b.details(s, 0)...)
	return g
}

// position returns where a site is, with its column where that is known.
func (s *Site) position() string {
	if s.Col > 0 {
		return fmt.Sprintf("%s:%d", s.Position(), s.Col)
	}
	return s.Position()
}

// steps returns a numbered list below a label.
func steps(label string, all []document.Text) document.Block {
	if len(all) == 0 {
		return nil
	}
	g := &document.Group{Head: document.Say(label)}
	for i, t := range all {
		g.Add(&document.Sentence{Text: document.Say(fmt.Sprintf("%d. ", i+1)).And(t), Item: true, Hang: 3})
	}
	return g
}

// details returns everything that is known of a site beside its class and cause. Blocks of a
// higher rank give way first.
func (b *builder) details(s *Site, rank int) []document.Block {
	out := []document.Block{b.identity(s), b.context(s)}
	says := document.As(document.Code, s.Says)
	switch {
	case s.Says == "" && s.Callee != nil:
		says = document.Say("nothing of this line, which calls what allocates")
	case s.Says == "":
		says = document.Say("no diagnostic")
	}
	if s.Named != "" {
		says = says.Said(": ").And(given(s.Named))
	}
	f := &document.Facts{Frame: document.Frame{Gap: 1}}
	f.Add("compiler", says...)
	if s.Expr != "" {
		f.Add("expression", document.Span{Kind: document.Code, Text: s.Expr})
	}
	calls := document.Say("none")
	if len(s.Calls) > 0 {
		calls = nil
		for i, c := range s.Calls {
			if i > 0 {
				calls = calls.Said(", ")
			}
			calls = calls.And(document.As(document.Code, c))
		}
	}
	f.Add("calls in the binary", calls...)
	if len(s.Costs) == 0 && !b.static() {
		f.Add("cost", document.Say(notMeasured, ": it allocated nothing in this run")...)
	}
	out = append(out, f, steps("how the value reaches the heap", s.flow()))
	if len(s.Chain) > 1 {
		var chain []document.Text
		for _, f := range s.Chain {
			chain = append(chain, given(f.Function).Said(" ").And(document.As(document.Faint, at(f.File, f.Line))))
		}
		out = append(out, steps("inlined, innermost first", chain))
	}
	out = append(out, b.costs(s), b.remedy(s))
	out = append(out, edit(s.Edit)...)
	out = append(out, s.leaves())
	for _, x := range out {
		if x != nil {
			x.Framed().Rank = rank
		}
	}
	return out
}

// identity returns what a site is called.
func (b *builder) identity(s *Site) document.Block {
	t := document.Say("ID ").And(document.As(document.Code, s.ID))
	if s.Package != "" {
		t = t.Said(", package ").And(given(s.Package))
	}
	if s.Generated {
		t = t.Said(". The file says that it is generated: the fix belongs into the generator.")
	}
	return &document.Sentence{Text: t, Hang: 2}
}

// context returns the source around a site, its own line marked, or that line alone.
func (b *builder) context(s *Site) document.Block {
	out := &document.Source{Frame: document.Frame{Gap: 1}, Language: "go"}
	lines := b.files.Lines(s.Path)
	if s.Line < 1 || s.Line > len(lines) {
		if s.Text == "" {
			return nil
		}
		out.Lines = []document.SourceLine{{Number: s.Line, Text: s.Text, Mark: '>'}}
		return out
	}
	for n := max(s.Line-contextLines, 1); n <= min(s.Line+contextLines, len(lines)); n++ {
		l := document.SourceLine{Number: n, Text: lines[n-1]}
		if n == s.Line {
			l.Mark = '>'
		}
		out.Lines = append(out.Lines, l)
	}
	return out
}

// flow returns how the value reaches the heap, each step with its place unless that is said.
func (s *Site) flow() []document.Text {
	var out []document.Text
	for i, says := range s.Flow {
		t := given(says)
		if i < len(s.FlowAt) && s.FlowAt[i].File != "" {
			f := s.FlowAt[i]
			if !strings.Contains(says, at(path.Base(f.File), f.Line)) {
				t = t.And(document.As(document.Faint, " "+at(f.File, f.Line)))
			}
		}
		out = append(out, t)
	}
	return out
}

// costs returns what the site costs in each benchmark, and its objects by size.
func (b *builder) costs(s *Site) document.Block {
	if len(s.Costs) == 0 {
		return nil
	}
	per := b.per()
	t := &document.Table{Frame: document.Frame{Gap: 1, Most: costsMost}, Columns: []document.Column{
		{Head: b.ran(), Kind: document.Name, Least: leastName}, {Head: "objects" + per}, {Head: "B" + per}, {Head: "share of CPU"},
		{Head: "malloc"}, {Head: "mark assist"}, {Head: "GC (estimate)"}}}
	estimated := false
	for _, c := range s.Costs {
		f := c.figures()
		estimated = estimated || c.Estimated
		t.Add(given(b.bench(c.Benchmark)), f[0], f[1], f[2], c.Malloc.Share(), c.Assist.Share(), c.GC.Share())
	}
	if estimated {
		t.Notes = append(t.Notes, document.Say("≈: objects under 16 bytes share blocks, and their count is shared out "+
			"among the sites."))
	}
	var sizes []string
	for _, c := range s.Sizes {
		sizes = append(sizes, units.Bytes(c.Bytes)+" "+units.Percent(c.Objects))
	}
	if len(sizes) > 0 {
		t.Notes = append(t.Notes, document.Say("objects by size class: ", strings.Join(sizes, ", ")))
	}
	return t
}

// remedy returns the usual fix, what an object costs, and what the fix would save.
func (b *builder) remedy(s *Site) document.Block {
	f := &document.Facts{Frame: document.Frame{Gap: 1}}
	if fix := s.Advice; fix != "" {
		f.Add("usual fix", document.Say(sentence(fix))...)
	}
	if s.Price != nil && s.Price.Measured() {
		f.Add("price", document.Say("one such object costs ").And(s.Price.Seconds()).Said(" on this machine")...)
	}
	if g := b.gain(s); g != "" {
		share := ""
		if s.Gain.Share.Measured() {
			of := "the time per operation"
			if i := s.Gain.Benchmark; i >= 0 && i < len(b.Benchmarks) {
				of += " of " + b.bench(i)
			}
			share = "That is " + s.Gain.Share.Share().String() + " of " + of + "."
		}
		f.Add("gain", document.Say(sentences(g, share, sentence(s.Gain.From)))...)
	}
	if len(f.Facts) == 0 {
		return nil
	}
	return f
}

// edit returns the proposed change.
func edit(e *Edit) []document.Block {
	if e == nil {
		return nil
	}
	diff := &document.Source{Frame: document.Frame{Class: "edit"}, Language: "diff"}
	for line := range strings.SplitSeq(strings.TrimSuffix(e.Diff, "\n"), "\n") {
		l := document.SourceLine{Text: line}
		if line != "" && strings.IndexByte("+- ", line[0]) >= 0 && !strings.HasPrefix(line, "+++") &&
			!strings.HasPrefix(line, "---") {
			l = document.SourceLine{Mark: line[0], Text: line[1:]}
		}
		diff.Lines = append(diff.Lines, l)
	}
	return []document.Block{
		&document.Sentence{Frame: document.Frame{Gap: 1}, Hang: 2,
			Text: document.As(document.Strong, "proposed edit, not applied: ").And(given(e.Title))},
		diff, &document.Sentence{Text: document.Say("check: ").And(given(sentence(e.Check))), Hang: 2}}
}

// leaves returns what allocates on behalf of the site, outside of the user's packages.
func (s *Site) leaves() document.Block {
	inside := s.Inside
	if len(inside) == 0 && s.Callee != nil {
		inside = []Callee{*s.Callee}
	}
	if len(inside) == 0 {
		return nil
	}
	g := &document.Group{Frame: document.Frame{Gap: 1, Most: leavesMost},
		Head: document.Say("what allocates inside of dependencies")}
	for i := range inside {
		c := &inside[i]
		t := document.Say(fmt.Sprintf("%s of its objects, %s of its bytes: ", units.Percent(c.Objects),
			units.Percent(c.Bytes))).And(given(c.Function)).Said(" ").And(document.As(document.Faint, at(c.File, c.Line)))
		if c.Via != "" && c.Via != c.Function {
			t = t.Said(", called by way of ").And(given(c.Via))
		}
		t = t.Said(". ", sentence(string(c.Class)+": "+c.Cause.clause("")))
		if c.Says != "" {
			t = t.Said(" compiler: ").And(document.As(document.Code, c.Says))
		}
		for j, step := range c.Flow {
			t = append(t, document.Span{Kind: document.Break})
			t = t.Said(fmt.Sprintf("  %d. ", j+1)).And(given(step))
		}
		g.Add(&document.Sentence{Text: t, Item: true, Hang: 2})
	}
	return g
}
