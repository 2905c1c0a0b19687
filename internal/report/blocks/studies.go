package blocks

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

// A section is one study, of all answers that have it, while its section is made.
type section struct {
	name, anchor string
	parts        []part
	card         *answer.Study // of the front; nil where there is none
	group        *document.Group
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

// several reports whether a part's configurations must be told apart.
func (s *section) several(x part) bool { return len(s.parts) > 1 || len(x.answer.Sides) > 1 }

// study returns a study with its section. On a page, what is behind its card is folded, where it has one.
func (v *view) study(name string, index int) *section {
	s := &section{name: name, anchor: fmt.Sprintf("study-%d", index), card: v.cardOf(name), claims: map[string]claimRow{}}
	question := ""
	for i, a := range v.answers {
		for j := range a.Studies {
			if x := &a.Studies[j]; v.studyName(i, x.Name) == name {
				s.parts = append(s.parts, part{i, a, x})
				question = cmp.Or(question, x.Question)
			}
		}
	}
	s.group = &document.Group{Frame: document.Frame{ID: s.anchor, Class: "study", Gap: 1}, Level: 1, Head: given(name)}
	if v.page {
		v.onPage(s, question)
		return s
	}
	if question != "" {
		s.group.Head = s.group.Head.Said(": ").And(given(question))
	}
	details := append(v.tables(s), v.cases(s), v.reasons(s))
	s.group.Add(v.answersOf(s), &document.Group{Frame: document.Frame{On: document.Terminal, Gap: 1}, Blocks: details})
	s.group.Add(v.changes(s)...)
	s.group.Add(v.claimsOf(s)...)
	s.group.Add(causes(v, s)...)
	s.group.Add(&document.Fold{Frame: document.Frame{On: document.Markdown, Rank: 6}, Blocks: details,
		Head: given(name).Said(": tables and cases")})
	return s
}

// onPage makes the section of a study on a page: what its card says, its key picture, and all else
// behind one click.
func (v *view) onPage(s *section, question string) {
	g := s.group
	g.Level = 2
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
			&document.Sentence{Frame: document.Frame{Class: "tally"}, Text: chips(s.card.Tally)})
		if s.card.FullOnly != "" {
			asked.Add(sentence("full-only", s.card.FullOnly))
		}
	}
	g.Add(asked)
	pictures := append(v.compared(s.name), v.pictures(s.parts)...)
	if at := s.key(v.answers, pictures); at >= 0 {
		key := pictures[at].picture
		key.Class = "key-picture"
		key.Data.(*drawn).Compact = true
		pictures = slices.Delete(pictures, at, at+1)
		g.Add(key)
	}
	evidence := &document.Fold{Frame: document.Frame{ID: s.anchor + "-evidence", Class: "evidence"}, Open: v.front == nil}
	v.behind(s, evidence, pictures)
	g.Add(evidence)
}

// cardOf returns what the front says of a study, if it says anything.
func (v *view) cardOf(name string) *answer.Study {
	if v.front == nil {
		return nil
	}
	for i := range v.front.Studies {
		s := &v.front.Studies[i]
		if _, own := ofCard(v.answers, s); own != nil && v.studyName(s.Run, own.Name) == name {
			return s
		}
	}
	return nil
}

// ofCard returns the answer and the study of it that a card of the front stands for; nil where there
// is none.
func ofCard(answers []*result.Answer, s *answer.Study) (*result.Answer, *result.Study) {
	if s.Run < 0 || s.Run >= len(answers) || s.Study < 0 || s.Study >= len(answers[s.Run].Studies) {
		return nil, nil
	}
	a := answers[s.Run]
	return a, &a.Studies[s.Study]
}

// key returns which of the pictures is the card's, −1 if none is.
func (s *section) key(answers []*result.Answer, pictures []drawing) int {
	if s.card == nil {
		return -1
	}
	_, own := ofCard(answers, s.card)
	if s.card.Key < 0 || s.card.Key >= len(own.Pictures) {
		return -1
	}
	k := own.Pictures[s.card.Key]
	return slices.IndexFunc(pictures, func(d drawing) bool { return d.kind == k.Kind && d.title == k.Title && d.by == k.By })
}

// behind adds what stands behind a study's card.
func (v *view) behind(s *section, f *document.Fold, pictures []drawing) {
	f.Add(v.answersOf(s))
	if s.card != nil {
		for _, a := range s.card.Article {
			f.Add(article(a))
		}
	}
	drawnHere := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, d := range pictures {
		drawnHere.Add(d.picture)
	}
	f.Add(drawnHere)
	if tables := v.tables(s); len(tables) > 0 {
		f.Add(&document.Fold{Frame: document.Frame{Class: "cases tables"}, Open: len(pictures) == 0, Blocks: tables,
			Head: document.Say(fmt.Sprintf("All %d tables", len(tables)))})
	}
	recordings := v.recordings(s)
	f.Add(recordings...)
	f.Add(v.claimsOf(s)...)
	if t := v.reasons(s); len(t.Rows) > 0 {
		f.Add(&document.Group{Level: 4, Head: t.Title, Blocks: []document.Block{t}})
		t.Title = nil
	}
	f.Add(causes(v, s)...)
	evidence := &document.Group{Frame: document.Frame{Class: "pictures"}}
	for _, d := range v.evidence(s) {
		evidence.Add(d)
	}
	f.Add(evidence)
	cases := v.table(s)
	cases.Title = nil
	f.Add(&document.Fold{Frame: document.Frame{Class: "cases"}, Blocks: []document.Block{cases},
		Head: document.Say(fmt.Sprintf("All %d cases", len(cases.Rows)))})
	f.Add(v.reproduce(s))
	var say []string
	for _, x := range []struct {
		n   int
		one string
	}{{len(s.claims), "claim"}, {len(pictures) + len(evidence.Blocks) + len(recordings), "picture"},
		{len(cases.Rows), "case"}} {
		if x.n > 0 {
			say = append(say, units.Plural(x.n, x.one))
		}
	}
	f.Head = document.Say("Evidence: ", strings.Join(append(say, "validity", "how to reproduce it"), ", "))
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
			f.Add(item(document.Say(s)))
		}
		g.Add(f)
	}
	return g
}

// answersOf are the answers of a study, one for each configuration that has one.
func (v *view) answersOf(s *section) document.Block {
	g := &document.Group{Frame: document.Frame{Class: "answers"}}
	for _, x := range s.parts {
		for _, h := range x.study.Answer {
			text := document.As(document.Strong, v.here(x.run, h.Side)+":").Said(" ").And(given(h.Sentence()))
			if verdict := h.Status.Verdict(); verdict != document.NoVerdict {
				text = document.Text{verdict.Glyph()}.Said(" ").And(text)
			}
			g.Add(&document.Sentence{Frame: document.Frame{Class: "answer"}, Text: text, Item: !v.page})
		}
	}
	if len(g.Blocks) == 0 {
		return nil
	}
	return g
}

// here returns what a configuration is called beside what others published.
func (v *view) here(run int, side string) string {
	if v.page || len(v.answers) > 1 {
		return v.label(run, side)
	}
	return v.answers[run].Here(side)
}

// tables are those that the study's author asks for. One by toolchain whose figures are exact has a line
// for each column, which says where it changed; the page has the figures, too.
func (v *view) tables(s *section) (out []document.Block) {
	for _, x := range s.parts {
		for _, t := range x.study.Tables {
			if t = t.Shown(); len(t.Rows) == 0 {
				continue
			}
			if !v.page && t.IsExact() {
				out = append(out, byToolchain(t))
				continue
			}
			shown := figuresTable(t, figures.Figure.InColumn)
			if s.several(x) && t.Side != "" {
				shown.Title = shown.Title.Said(" · ").And(given(v.label(x.run, t.Side)))
			}
			out = append(out, shown)
		}
	}
	return out
}

func byToolchain(t figures.Table) document.Block {
	head := t.Rows[0].Label
	if n := len(t.Rows); n > 1 {
		head = fmt.Sprintf("%s to %s (%d versions)", t.Rows[0].Label, t.Rows[n-1].Label, n)
	}
	out := table(given(t.Title), "", head)
	out.Columns[1].Kind = document.Prose
	for i, column := range t.Columns {
		addGiven(out, column, t.History(i))
	}
	return out
}

// recordings returns the recordings of a study, drawn: flame graphs and timelines.
func (v *view) recordings(s *section) (out []document.Block) {
	for _, x := range s.parts {
		for _, r := range x.study.Recordings {
			d, tables := recording(r)
			d.Title = given(fmt.Sprintf("%s of %s · %s (%s, for %s)", r.What, r.Case, v.label(x.run, r.Side), r.File, r.Tool))
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

// recording returns a recording as a picture, a flame graph or a timeline, with its tables.
func recording(r result.Recording) (*document.Picture, []*document.Table) {
	if t := r.Trace; t != nil {
		d := t.Picture()
		d.Says = document.Say(t.Sentence())
		return d, t.PictureTables()
	}
	d := r.Profile.Flame()
	d.Says = document.Say(r.Profile.Sentence())
	return d, []*document.Table{r.Profile.Table()}
}

// claimsOf is a table with a row for each claim of any answer, and a column for each data set that any of
// them was judged on; of many toolchains one column says where the verdict changes. Below it stands where
// what does not hold fails.
func (v *view) claimsOf(s *section) []document.Block {
	t := table(document.Say("claims"), "claim", "")
	t.Class, t.Rank = "claims", 1
	t.Columns[0].Kind, t.Columns[1].Kind = document.Key, document.Prose
	columns := map[int]int{} // of each data set, and −1 − run of the releases of a run
	var sets []int
	published := false
	for _, x := range s.parts {
		if len(x.study.Claims) > 0 && x.answer.ByRelease() != nil {
			sets = append(sets, -1-x.run)
		}
		for _, c := range x.study.Claims {
			for _, d := range c.Verdicts {
				if i := v.at(x.run, d.Data, d.Published); i >= 0 && !slices.Contains(sets, i) {
					sets = append(sets, i)
				}
				published = published || d.Published
			}
		}
	}
	slices.Sort(sets)
	for _, i := range sets {
		columns[i] = len(t.Columns)
		t.Columns = append(t.Columns, v.claimColumn(i))
	}
	details := &document.Group{Frame: document.Frame{Gap: 1, Rank: 4, Inset: 2}}
	for _, x := range s.parts {
		for i := range x.study.Claims {
			c := &x.study.Claims[i]
			if _, known := s.claims[c.ID]; !known {
				r := t.Add(make([]document.Text, len(t.Columns))...)
				r.ID = fmt.Sprintf("%s-c%d", s.anchor, len(t.Rows))
				s.claims[c.ID] = claimRow{r.ID, c.Says()}
				r.Cells[0], r.Cells[1] = given(c.ID), v.claimWords(c)
			}
			at := slices.IndexFunc(t.Rows, func(r document.Row) bool { return r.ID == s.claims[c.ID].anchor })
			cells := t.Rows[at].Cells
			if column, has := columns[-1-x.run]; has {
				cells[column] = releases(x.answer, c)
			}
			for _, d := range c.Verdicts {
				if column, has := columns[v.at(x.run, d.Data, d.Published)]; has {
					cells[column] = verdictText(d)
				}
				v.marked = v.marked || strings.Contains(d.Short(), result.Mark)
				v.detail(details, s, x, c, d)
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if !v.page {
		if published {
			t.Notes = []document.Text{document.Say(
				"Published figures have no interval: a claim is tested on the figure as it was printed.")}
		}
		return []document.Block{t, details}
	}
	t.Title, t.Columns[1].Head = nil, "statement, and as it is tested"
	g := &document.Group{Frame: document.Frame{ID: s.anchor + "-claims"}, Level: 4,
		Head: document.Say("Claims, and the figures that decide them"), Blocks: []document.Block{t}}
	g.Add(details.Blocks...)
	return []document.Block{g}
}

// claimColumn returns the column of a data set in the table of claims; of −1 − run that of its releases.
func (v *view) claimColumn(set int) document.Column {
	if set < 0 {
		c := document.Column{Head: "by release", Kind: document.Prose}
		if len(v.answers) > 1 {
			c.Head += ", " + v.names[-1-set]
		}
		return c
	}
	x := v.sets[set]
	switch {
	case v.page:
		return document.Column{Head: x.Label, Kind: document.Prose}
	case x.Published:
		return document.Column{Head: figures.ShortName(x.name), Kind: document.Words}
	}
	c := document.Column{Head: v.here(x.run, x.name), Kind: document.Words}
	if v.answers[x.run].ByRelease() != nil {
		c.On = document.Page
	}
	return c
}

// detail adds what is to be known of a verdict beside its figure, each sentence once.
func (v *view) detail(to *document.Group, s *section, x part, c *result.Claim, d result.Verdict) {
	for _, say := range c.Details(d, len(s.parts) == 1 && s.several(x), true) {
		if len(s.parts) > 1 && !d.Published {
			say = v.label(x.run, d.Data) + ": " + say
		}
		text := given(say)
		if !slices.ContainsFunc(to.Blocks, func(b document.Block) bool {
			return b.(*document.Sentence).Text.String() == say
		}) {
			one := item(text)
			one.Long = !v.page && x.answer.ByRelease() != nil && !d.Published // its figures are too many to be read
			to.Add(one)
		}
	}
}

// claimWords returns a claim in words, and on the page as it is tested, and where it stands.
func (v *view) claimWords(c *result.Claim) document.Text {
	if !v.page {
		return given(c.Says())
	}
	return append(document.Say(c.Says()), document.Span{Kind: document.Break}, document.Span{Kind: document.Code, Text: c.Text},
		document.Span{Kind: document.Faint, Text: " " + c.Pos})
}

// releases says on which toolchains a claim has which verdict.
func releases(a *result.Answer, c *result.Claim) document.Text {
	all := a.Releases(c)
	if len(all) == 1 {
		status, _, _ := strings.Cut(all[0].Text, " ")
		for _, x := range c.Verdicts {
			if !x.Published && string(x.Status) == status {
				return document.Text{x.Status.Verdict().Says(all[0].Text)}
			}
		}
	}
	return given(figures.History(all))
}

// verdictText is a verdict with the figure that decides it.
func verdictText(v result.Verdict) document.Text {
	verdict := v.Shown()
	switch {
	case verdict == document.NotTested:
		return document.Text{verdict.Says(v.Short())}
	case v.Says != string(v.Status) && v.Decided() != "":
		return document.Text{verdict.Says(v.Word()), {Kind: document.Break}}.And(given(v.Decided()))
	}
	word, rest, _ := strings.Cut(v.Short(), " ")
	out := document.Text{verdict.Says(word)}
	if rest != "" {
		out = out.Said(" ").And(given(rest))
	}
	return out
}

// reasons is a table of what the cases allocate that their study explains, beside the compiler's reason
// for it: each case once for the configurations of which the same is said.
func (v *view) reasons(s *section) *document.Table {
	t := table(document.Say("heap allocations, and the reason that the compiler gives"), "case", "config", "allocs/op",
		"reason", "usual fix", "compiler message")
	t.Class = "reasons"
	for _, i := range []int{1, 3, 4, 5} {
		t.Columns[i].Kind = document.Prose
	}
	t.Columns[4].On = document.Page
	for _, x := range s.parts {
		for _, g := range x.study.ReasonGroups() {
			var sides []string
			for _, side := range g.Sides {
				if s.several(x) {
					sides = append(sides, v.label(x.run, side))
				}
			}
			cells := []document.Text{given(g.Case), given(strings.Join(sides, ", ")), document.Say(g.Allocated)}
			for _, r := range g.Rows {
				row := t.Add(append(cells, document.Say(r.Cause), document.Say(r.Fix), given(r.Says))...)
				cells = make([]document.Text, 3)
				if v.page {
					row.Detail = flow(r.Flow)
					continue
				}
				further := r.Flow
				if r.Fix != "" {
					further = append(further, "usual fix: "+r.Fix)
				}
				for _, say := range further {
					t.Add(nil, nil, nil, nil, nil, given(say)).Long = true
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return t
	}
	return t.WithoutEmpty()
}

func flow(steps []string) []document.Block {
	if len(steps) == 0 {
		return nil
	}
	f := &document.Fold{Head: document.Say("flow of the value")}
	for _, step := range steps {
		f.Add(item(document.As(document.Code, step)))
	}
	return []document.Block{f}
}

// mostCauses is how many causes are listed where not all is asked for.
const mostCauses = 12

// causes list what does not count and why: causes that differ in their numbers as one, and on the page,
// and where all is asked for, each by itself.
func causes(v *view, s *section) []document.Block {
	joined := &document.Group{Frame: document.Frame{Gap: 1, Rank: 3, Inset: 2, Most: mostCauses}}
	each := &document.Group{Frame: document.Frame{Rank: 4, Inset: 2, Long: true}}
	leftOut := false
	for _, x := range s.parts {
		leftOut = leftOut || x.answer.Question != nil && len(x.answer.Question.LeftOut) > 0
		for _, c := range x.study.Causes(false) {
			joined.Add(v.cause(x.run, c))
		}
		for _, c := range x.study.Causes(true) {
			s.troubled = s.troubled || c.Kind != result.Flagged
			each.Add(v.cause(x.run, c))
		}
	}
	if !v.page {
		if len(each.Blocks) == len(joined.Blocks) {
			return []document.Block{joined}
		}
		return []document.Block{joined, &document.Sentence{Frame: document.Frame{Rank: 4, Inset: 2, Long: true},
			Text: document.Say("Each by itself:")}, each}
	}
	g := &document.Group{Frame: document.Frame{ID: s.anchor + "-validity", Class: "problems"}, Level: 4,
		Head: document.Say("Validity and rounds"), Blocks: each.Blocks}
	switch {
	case len(g.Blocks) > 0:
	case leftOut:
		g.Add(sentence("", "No case that was measured is invalid, and none failed; the warnings name what was left out."))
	default:
		g.Add(sentence("", "No case is invalid, and no case failed."))
	}
	return []document.Block{g}
}

func (v *view) cause(run int, c result.Cause) *document.Sentence {
	kind := document.Text{c.Verdict().Says(c.Kind)}
	if c.Kind == result.Flagged {
		kind = document.As(document.Warning, c.Kind)
	}
	return item(kind.Said(" ", c.Of()).And(given(c.Case)).Said(" on ").And(given(v.label(run, c.Side))).Said(": ").And(
		given(c.Why)))
}

// The columns of the table of cases.
const (
	configColumn = 1 + iota
	timeColumn
	bytesColumn
	allocsColumn
	samplesColumn
	versusColumn
	othersColumn
)

// table has a row for every case and configuration, with the ratio to the first of these.
func (v *view) table(s *section) *document.Table {
	t := table(document.Say("cases"), "case", "config", "time/op", "B/op", "allocs/op", "samples", "vs the first config",
		"other metrics")
	t.Columns[configColumn].Kind, t.Columns[othersColumn].Kind, t.Rank = document.Name, document.Words, 7
	if t.Columns[samplesColumn].On = document.Page; v.page {
		t.Columns[othersColumn].Kind = document.Prose
	}
	for _, x := range s.parts {
		if len(s.parts) == 1 && len(x.answer.Sides) > 0 {
			t.Columns[versusColumn].Head = "vs " + x.answer.Sides[0].Name
		}
		for i := range x.study.Cases {
			c := &x.study.Cases[i]
			row := []document.Text{given(c.Name), nil, timeOf(c), document.Say(c.Metric("B/op")),
				document.Say(c.Metric("allocs/op")), nil, nil, given(c.Others())}
			if s.several(x) {
				row[configColumn] = given(v.label(x.run, c.Side))
			}
			if c.Time.N > 0 {
				row[samplesColumn] = document.Say(fmt.Sprint(c.Time.N))
			}
			if c.VsFirst != nil {
				row[versusColumn] = versus(c.VsFirst)
			}
			if len(c.Notes) > 0 && v.page {
				row[othersColumn] = row[othersColumn].And(document.As(document.Faint, " "+strings.Join(c.Notes, "; ")))
			}
			t.Add(row...)
		}
	}
	return t.WithoutEmpty()
}

// cases is the table of cases, or by what each was found that a search recorded; where tables show the
// figures, it is shown where all is asked for.
func (v *view) cases(s *section) document.Block {
	g := &document.Group{Frame: document.Frame{Rank: 7}}
	records := false
	for _, x := range s.parts {
		g.Long = g.Long || len(x.study.Tables) > 0
		records = records || x.answer.Kind == result.Records
		for _, c := range x.study.Cases {
			for _, n := range c.Notes {
				g.Add(item(given(v.label(x.run, c.Side) + " " + c.Name + ": " + n)))
			}
		}
	}
	if records {
		return g
	}
	t := v.table(s)
	t.Long = g.Long
	return t
}

// timeOf is the time of a case, or why it has none.
func timeOf(c *result.Case) document.Text {
	switch {
	case c.Failed != "":
		return document.Text{document.Failed.Span()}
	case len(c.Invalid) > 0:
		return document.Text{document.Invalid.Span()}
	}
	return c.Time.Text()
}

// versus is a ratio to the first configuration, with what is known of it.
func versus(c *result.Comparison) document.Text {
	if c == nil {
		return nil
	}
	return c.Figure.Text().Said(" ").And(document.Text{c.Difference.Verdict(c.Value >= 1).Says(string(c.Difference))})
}

// changes say how many cases changed against the first configuration, and list them where not all cases
// are listed.
func (v *view) changes(s *section) (out []document.Block) {
	for _, x := range s.parts {
		t, say := changed(x)
		if t == nil {
			continue
		}
		if len(s.parts) > 1 {
			t.Title = document.Say("changed against ").And(given(v.label(x.run, x.answer.Sides[0].Name)))
		}
		if t.Rank = 2; len(x.study.Tables) == 0 {
			t.On = document.Markdown
		}
		out = append(out, t, &document.Sentence{Frame: document.Frame{Gap: 1, Inset: 2}, Hang: 2, Text: say})
	}
	return out
}

// changed returns the cases of a study that are known to have changed against the first configuration, and
// how many they are of all; nil where nothing was compared.
func changed(x part) (*document.Table, document.Text) {
	changed, count, rest := x.answer.Changed(x.study)
	if count == "" {
		return nil, nil
	}
	first := x.answer.Sides[0].Name
	t := table(document.Say("changed against ").And(given(first)), "case", "config", "time/op", "vs "+first)
	t.Columns[1].Kind = document.Name
	for i := range changed {
		c := &changed[i]
		t.Add(given(c.Name), given(c.Side), c.Time.Text(), versus(c.VsFirst))
	}
	return t, document.As(document.Strong, count).Said(" ", rest)
}

// reproduce says how a study was measured: the rest stands with its machine.
func (v *view) reproduce(s *section) document.Block {
	g := &document.Group{Frame: document.Frame{Class: "reproduce"}, Level: 4, Head: document.Say("How to reproduce")}
	for _, x := range s.parts {
		a, f := x.answer, &document.Facts{Title: given(v.machineName(x.run))}
		if line := units.ShellLine(a.Command); line != "" {
			g.Add(code("sh", line))
		}
		if a.Options.Seed != 0 {
			f.Add("samples", given(fmt.Sprintf("of at least %s, seed %d", cmp.Or(x.study.Sample, a.Options.Sample),
				a.Options.Seed))...)
		}
		f.Add(cmp.Or(map[string]string{result.File: "file"}[a.Kind], "run folder"), given(a.Dir)...)
		f.Add("all", document.Span{Kind: document.Link, Text: "tool, configurations, rounds and noise floor", To: "#machines"})
		g.Add(f)
	}
	return g
}
