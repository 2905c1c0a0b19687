package blocks

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
)

// first adds what stands first: the answer, the picture on one axis, and how far it can be trusted.
func (p *view) first(d *document.Document) {
	f := p.front
	g := &document.Group{Frame: document.Frame{ID: "front", Class: "first"}, Level: 1, Head: given(f.Question)}
	g.Add(&document.Sentence{Frame: document.Frame{Class: "front-answer"}, Text: answered(f)})
	if f.Axis != nil {
		g.Add(p.axis(f.Axis))
	} else if f.Own {
		g.Add(p.own()...)
	}
	g.Add(p.trust(), extremes(f))
	d.Add(g)
}

// mostOwn is how many cases of a package of the user's the front shows; the evidence has all.
const mostOwn = 12

// own is the time and the allocations of the user's own benchmarks, and what changed.
func (p *view) own() (out []document.Block) {
	for _, s := range p.studies {
		t := p.table(s)
		t.Title, t.Class = given(s.name), "own"
		if left := len(t.Rows) - mostOwn; left > 0 {
			t.Rows = t.Rows[:mostOwn]
			t.Notes = append(t.Notes, document.Say(fmt.Sprintf("%d more cases stand in the evidence.", left)))
		}
		out = append(out, t)
	}
	if p.front.Releases != "" {
		out = append(out, sentence("soft", p.front.Releases))
	}
	return out
}

// trust says of which machine and how many processes the front is.
func (p *view) trust() *document.Group {
	f := p.front
	g := &document.Group{Frame: document.Frame{Class: "trust"}}
	add := func(text document.Text) { g.Add(&document.Sentence{Text: text}) }
	t := f.Trust
	t.Warnings = nil
	for _, a := range p.answers {
		t.Warnings = append(t.Warnings, a.Warnings...)
	}
	all := trust(&t)
	if f.Trust.Amber != "" {
		add(all[0])
		all = all[1:]
	}
	add(document.As(document.Strong, f.Machine))
	for _, words := range []string{strings.Join(f.Tools, " · "), f.Created} {
		if words != "" {
			add(document.Say(words))
		}
	}
	for _, text := range all {
		if span := &text[0]; span.To != "" {
			if span.Kind = document.Link; span.Verdict == document.Invalid {
				span.To = "#" + p.invalid()
			}
		}
		add(text)
	}
	return g
}

// invalid returns where the first study with an INVALID or failed case says so.
func (p *view) invalid() string {
	for _, s := range p.studies {
		if s.card != nil && s.card.Tally.Invalid > 0 {
			return s.anchor + "-validity"
		}
	}
	for _, s := range p.studies {
		if s.troubled {
			return s.anchor + "-validity"
		}
	}
	return "studies"
}

// warned returns how many warnings the runs have.
func (p *view) warned() (n int) {
	for _, a := range p.answers {
		n += len(a.Warnings)
	}
	return n
}

// find returns a study of the page; nil of one that it does not have.
func (p *view) find(name string) *section {
	for _, s := range p.studies {
		if s.name == name {
			return s
		}
	}
	return nil
}

// claim returns the address of a claim's row; of a claim that no study has, of the studies.
func (p *view) claim(study, id string) string {
	s := p.find(study)
	if s == nil {
		return "#studies"
	}
	if c, has := s.claims[id]; has {
		return "#" + c.anchor
	}
	return "#" + s.anchor
}

// second adds what to do, and which conclusions hold.
func (p *view) second(d *document.Document) {
	g := &document.Group{Frame: document.Frame{Class: "second"}}
	if len(p.front.Advice) > 0 {
		g.Add(p.advice())
	}
	if !p.front.Own || p.front.Tally.All() > 0 {
		g.Add(p.verdicts())
	}
	if len(g.Blocks) > 0 {
		d.Add(g)
	}
}

func (p *view) advice() document.Block {
	g := &document.Group{Frame: document.Frame{ID: "advice", Class: "advice"}, Level: 2,
		Head: document.Say("What to do on this machine")}
	g.Add(sentence("soft", "By claims that are decided here: what the other way costs, as a multiple [95% interval]."))
	if p.front.Releases != "" {
		g.Add(sentence("soft", p.front.Releases))
	}
	f := &document.Facts{Frame: document.Frame{Class: "advised"}}
	for _, a := range p.front.Advice {
		text := document.As(document.Strong, a.Do+".")
		text = append(text, document.Span{Kind: document.Break}).And(said(a.Because))
		if a.When != "" {
			text = append(text, document.Span{Kind: document.Faint, Text: " For " + a.When + "."})
		}
		// Its mark says that it is supported: where the claim fails, by what was measured instead.
		measured := " “" + a.Prose + "”"
		if a.Status == claim.Fails {
			measured = " It does not hold here that “" + a.Prose + "”"
		}
		text = append(text, document.Span{Kind: document.Break}, document.Span{Kind: document.Link, Verdict: document.Holds,
			Text: document.Holds.Mark() + measured, To: p.claim(a.Study, a.Claim)},
			document.Span{Kind: document.Faint, Text: " (" + a.Study + ")"})
		f.Facts = append(f.Facts, document.Fact{Label: a.Times, Text: text})
	}
	g.Add(f)
	return g
}

func (p *view) verdicts() document.Block {
	f := p.front
	g := &document.Group{Frame: document.Frame{ID: "verdicts", Class: "verdicts"}, Level: 2,
		Head: document.Say("This run tests no conclusion")}
	theirs := 0
	for _, s := range f.Studies {
		for _, c := range s.Claims {
			if !c.Own && len(s.Article) > 0 {
				theirs++
			}
		}
	}
	if n := f.Tally.All(); f.Own {
		g.Head = document.Say("The claims of these benchmarks: ").And(tally(f.Tally))
	} else if n > 0 {
		of := ""
		if theirs > 0 {
			of = fmt.Sprintf(" (%d of them published)", theirs)
		}
		g.Head = document.Say(fmt.Sprintf("Of %d conclusions%s %d hold here and %d fail", n, of, f.Tally.Hold, f.Tally.Fail))
	}
	if len(f.Advice) == 0 && f.Releases != "" && !f.Own {
		g.Add(sentence("soft", f.Releases))
	}
	g.Add(p.matrix())
	if len(f.Failing) > 0 {
		x := &document.Facts{Frame: document.Frame{Class: "published-fails"},
			Title: document.Say("True by their author’s own figures, not true here ").And(
				document.As(document.Faint, "published → here"))}
		for _, c := range f.Failing {
			prose, _, _ := strings.Cut(c.Prose, " (published: ") // what was published stands beside it
			x.Add(c.Study, document.Span{Kind: document.Link, Text: prose, To: p.claim(c.Study, c.Claim)},
				document.Span{Kind: document.Break}, document.Span{Kind: document.Faint, Text: c.Published + " → "},
				document.Span{Kind: document.Strong, Text: c.Here})
		}
		g.Add(x)
	}
	if len(f.Next) > 0 {
		g.Add(&document.Sentence{Frame: document.Frame{Class: "soft next"}, Text: next(f.Next[0])})
	}
	return g
}

func next(n answer.Next) document.Text {
	return document.Say(n.Does, ": ").And(document.As(document.Code, n.Command))
}

// mostRows is how many machines a study's part of the matrix shows; the verdicts of more are counted.
const mostRows = 6

type matrix struct {
	Filters []filter      `json:"filters"`
	Legend  string        `json:"legend"`
	Studies []matrixStudy `json:"studies"`
}

// A filter is a switch that leaves the verdicts of one kind.
type filter struct {
	Kind  string `json:"kind"`
	Mark  string `json:"mark"`
	Says  string `json:"says"`
	Count int    `json:"count"`
}

// A matrixStudy is the verdicts of one study: a row for each machine.
type matrixStudy struct {
	Name string      `json:"name"`
	To   string      `json:"to"`
	Rows []matrixRow `json:"rows"`
}

type matrixRow struct {
	Name  string `json:"name"`
	Here  bool   `json:"here"`
	Cells []box  `json:"cells"`
}

// A box is one verdict, or how many of several hold.
type box struct {
	Class string `json:"class"`
	Mark  string `json:"mark"`
	To    string `json:"to"`
	Label string `json:"label"`
	Says  string `json:"says"`
	Claim string `json:"claim"` // in words
}

// matrix returns the verdicts of all studies: a box for each claim on each machine.
func (p *view) matrix() document.Block {
	m := &matrix{Legend: "Each box is one conclusion. Large rows: this machine."}
	t := &document.Table{Title: document.Say("The verdicts as a table"), Columns: []document.Column{
		{Head: "claim", Kind: document.Key}, {Head: "of", Kind: document.Words},
		{Head: "verdict", Kind: document.Words}, {Head: "figures", Kind: document.Prose}}}
	published, counted := false, false
	for _, s := range p.front.Studies {
		if len(s.Claims) == 0 {
			continue
		}
		m.Studies = append(m.Studies, p.matrixOf(s, t))
		counted = counted || len(s.Lines) > mostRows
		published = published || slices.ContainsFunc(s.Lines, func(l answer.Line) bool { return l.Published })
	}
	if len(m.Studies) == 0 {
		return nil
	}
	if published {
		m.Legend += " Small rows: published figures, which have no interval: consistent with the conclusion or not."
	}
	if counted {
		m.Legend += " Numbers: on how many other machines it holds."
	}
	m.Legend += " Point at a box to read it, follow it to its evidence."
	n := p.front.Tally
	m.Filters = []filter{{"all", "", "in all", n.All()}}
	for _, x := range []struct {
		v    document.Verdict
		says string
		n    int
	}{{document.Holds, "hold", n.Hold}, {document.Fails, "fail", n.Fail}, {document.AtBound, "at the bound", n.AtBound},
		{document.Undecided, "undecided", n.Undecided}, {document.NotTested, "not tested", n.NotTested}, {document.Invalid, "INVALID", n.Invalid}} {
		if x.n > 0 {
			m.Filters = append(m.Filters, filter{x.v.Class(), x.v.Mark(), x.says, x.n})
		}
	}
	return &document.Picture{Kind: "matrix", Data: m, Table: t}
}

func (p *view) matrixOf(s answer.Study, t *document.Table) matrixStudy {
	out := matrixStudy{Name: s.Name, To: "#studies"}
	own := p.find(s.Name)
	words := func(id string) string { return "" }
	if own != nil {
		out.To = "#" + own.anchor
		words = func(id string) string { return own.claims[id].says }
	}
	for i, l := range s.Lines {
		if i > 0 && len(s.Lines) > mostRows {
			out.Rows = append(out.Rows, p.counted(s))
			break
		}
		row := matrixRow{Name: l.Name, Here: i == 0 && !l.Published}
		for j, c := range l.Cells[:min(len(l.Cells), len(s.Claims))] {
			id, v := s.Claims[j].ID, c.Status.Verdict()
			if l.Published {
				v = v.OfPublished()
			}
			to := p.claim(s.Name, id)
			row.Cells = append(row.Cells, box{v.Class(), v.Mark(), to, id + " " + v.Word() + ", " + l.Name, c.Says, words(id)})
			t.Add(document.Text{{Kind: document.Link, Text: s.Name + " " + id, To: to}}, given(l.Name),
				document.Text{v.Span()}, document.Say(c.Says))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// counted returns a row that says on how many of the machines after the first a claim holds.
func (p *view) counted(s answer.Study) matrixRow {
	others := s.Lines[1:]
	row := matrixRow{Name: fmt.Sprintf("%d others", len(others))}
	for j, c := range s.Claims {
		n := map[document.Verdict]int{}
		for _, l := range others {
			if j < len(l.Cells) {
				n[l.Cells[j].Status.Verdict()]++
			}
		}
		hold, fail, undecided := n[document.Holds], n[document.Fails], n[document.Undecided]
		says := fmt.Sprintf("%d of %d hold, %d fail, %d undecided", hold, hold+fail+undecided, fail, undecided)
		b := box{"counted", fmt.Sprint(hold), p.claim(s.Name, c.ID), c.ID + ": " + says, says, c.Prose}
		if fail > 0 {
			b.Class += " some-fail"
		}
		row.Cells = append(row.Cells, b)
	}
	return row
}

// axisDrawn is what the picture on one axis is drawn from.
type axisDrawn struct {
	*answer.Axis
	Series []series `json:"series"` // the first is here
	Of     []int    `json:"of"`     // of each of the means, its series
}

// A series is the curves of one configuration of a run, or of a published machine.
type series struct {
	Label     string `json:"label"`
	Machine   string `json:"machine"`
	Published bool   `json:"published,omitempty"`

	run  int
	data string
}

// axis returns what a block costs by its size, by every means.
func (p *view) axis(a *answer.Axis) *document.Picture {
	d := &axisDrawn{Axis: a, Of: []int{}}
	for _, m := range a.Means {
		at := slices.IndexFunc(d.Series, func(s series) bool {
			return s.Published == m.Published && s.data == m.Data && (m.Published || s.run == m.Run)
		})
		if at < 0 {
			at = len(d.Series)
			d.Series = append(d.Series, p.series(m))
		}
		d.Of = append(d.Of, at)
	}
	t := axisTable{Axis: a, names: p.names, page: true}
	out := &document.Picture{Frame: document.Frame{ID: "axis"}, Kind: "axis", Says: document.Say(a.What), Data: d,
		Table: t.table()}
	if a.Note != "" {
		out.Table.Notes = append(out.Table.Notes, document.Say(a.Note))
	}
	for _, c := range a.Crossings {
		out.Table.Notes = append(out.Table.Notes, said(c.Says).And(document.As(document.Faint, " "+c.Claim)))
	}
	for _, s := range a.Missing {
		out.Table.Notes = append(out.Table.Notes, document.Say(s))
	}
	return out
}

// series names the run, configuration or published machine of a curve.
func (p *view) series(m answer.Mean) series {
	s := series{Label: m.Data, Published: m.Published, run: m.Run, data: m.Data}
	if m.Published {
		s.Label = figures.ShortName(m.Data) + ", published"
		return s
	}
	if at := p.at(m.Run, m.Data, false); at >= 0 {
		s.Machine = p.sets[at].Machine
		if len(p.answers) > 1 {
			s.Label = p.sets[at].Label
		}
	}
	return s
}

// end says of which runs the page is, and what they lack.
func (p *view) end() document.Block {
	f := p.front
	run := &document.Group{Frame: document.Frame{ID: "run"}, Level: 2, Head: p.runsHead("The run")}
	var text document.Text
	if f.Run != "" {
		text = document.Say("Folder ").And(document.As(document.Code, f.Run)).Said(".")
	}
	for _, s := range []string{f.Trust.Certificate, f.Trust.Together} {
		if s != "" {
			text = text.Said(" ", s)
		}
	}
	if !text.Empty() {
		run.Add(&document.Sentence{Text: text})
	}
	if n := p.warned(); n > 0 {
		x := &document.Fold{Frame: document.Frame{ID: "warnings"}, Head: document.Say(units.Plural(n, "warning"))}
		for _, a := range p.answers {
			for _, s := range a.Warnings {
				x.Add(sentence("warning", s))
			}
		}
		run.Add(x)
	}
	machines := "The machines"
	if len(p.answers) == 1 {
		machines = "The machine"
	}
	run.Add(&document.Fold{Frame: document.Frame{ID: "machines"}, Blocks: p.runs(),
		Head: document.Say(machines, ", configurations, rounds and noise floor")})
	more := &document.Group{Level: 2, Head: document.Say("What more there is to measure")}
	if len(f.LeftOut) > 0 {
		more.Head = document.Say("Not in this run")
	}
	for _, s := range f.LeftOut {
		more.Add(&document.Sentence{Item: true, Text: next(answer.Next{Does: "the study " + s.Study, Command: s.Command})})
	}
	for _, n := range f.Next {
		more.Add(&document.Sentence{Item: true, Text: next(n)})
	}
	end := &document.Group{Frame: document.Frame{Class: "end"}, Blocks: []document.Block{run}}
	if len(more.Blocks) > 0 {
		end.Add(more)
	}
	return end
}
