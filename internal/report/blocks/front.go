package blocks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// What the front takes on a terminal.
const (
	Lines   = 45
	Columns = 100 // where there is room, and where nothing says how much
)

// A Report is a front with what it was computed from.
type Report struct {
	Front   *answer.Front
	Answers []*result.Answer // as the front counts them: the first is here
	// Compared is what several answers say of the same cases, the baseline first.
	Compared []compare.Comparison
	Page     string // the page that shows the same; "": none
}

// Document returns the front as blocks, in their order.
func (r *Report) Document() *document.Document {
	f := r.Front
	d := &document.Document{Title: f.Question}
	r.head(d)
	r.axis(d)
	d.Add(extremes(f))
	if f.Own {
		r.cases(d)
	}
	if s := r.alone(); s != nil {
		if f.Axis == nil {
			d.Add(picture(r.picture(s)))
		}
		d.Add(claims(s))
	}
	d.Add(r.studies(true), r.studies(false))
	if f.Machines == nil {
		d.Add(runs(f))
	}
	d.Add(machines(f.Machines)...)
	if f.Releases != "" {
		d.Add(&document.Sentence{Frame: document.Frame{Rank: 4, Gap: 4, Good: 2, Least: 1}, Flow: true, Hang: 2,
			Text: document.As(document.Strong, f.Releases)})
	}
	if !f.Own {
		r.cases(d)
	}
	d.Add(advice(f), failing(f), r.problems())
	r.foot(d)
	return d
}

// alone returns the only study of the front; nil where there are several.
func (r *Report) alone() *answer.Study {
	if len(r.Front.Studies) != 1 {
		return nil
	}
	return &r.Front.Studies[0]
}

// head is the question, the machine with its tools and the day, and the answer in sentences.
func (r *Report) head(d *document.Document) {
	f := r.Front
	question := f.Question
	if s := r.alone(); s != nil && s.Name != "" && !strings.HasPrefix(question, s.Name) {
		question = strings.TrimSuffix(s.Name+": "+question, ": ")
	}
	about := f.Machine
	for _, t := range append(f.Tools[:len(f.Tools):len(f.Tools)], f.Created) {
		if t != "" {
			about = strings.TrimPrefix(about+" · "+t, " · ")
		}
	}
	text := answered(f)
	answered := &document.Sentence{Frame: document.Frame{Gap: 6, Least: 4, Most: 12}, Text: text, Flow: true}
	title := document.As(document.Strong, question)
	d.Add(&document.Sentence{Frame: document.Frame{On: document.Terminal, Good: 6, Least: 3}, Hang: 2, Flow: true,
		Text: title.And(document.Text{{Kind: document.Break, Text: "   "}}, given(about))}, &document.Group{Frame: document.Frame{On: document.Markdown},
		Head: title, Level: 1, Blocks: []document.Block{answered, &document.Sentence{Text: given(about)}}})
	terminal := *answered
	terminal.On = document.Terminal
	d.Add(&terminal)
}

// answered is the answer in sentences: first what is missing, then whose it is.
func answered(f *answer.Front) (text document.Text) {
	add := func(more document.Text) {
		if len(text) > 0 {
			text = text.Said(" ")
		}
		text = text.And(more)
	}
	for _, warning := range []string{f.Incomplete, f.Disturbed} {
		if warning != "" {
			add(document.As(document.Warning, warning))
		}
	}
	if f.Whose != "" && f.Disturbed == "" {
		add(given(f.Whose))
	}
	for _, s := range f.Answer {
		add(said(s))
	}
	return text
}

// tally says a tally in a line: "✓ 6 hold  ✗ 2 fail  ? 3 undecided  · 1 not tested".
func tally(t answer.Tally) document.Text {
	var out document.Text
	for i, c := range counts(t, false) {
		if i > 0 {
			out = out.Said("  ")
		}
		out = append(out, document.Span{Kind: document.Judged, Verdict: c.shown(), Text: c.verdict.Mark()},
			document.Span{Verdict: c.shown(), Text: fmt.Sprintf(" %d %s", c.n, c.words)})
	}
	return out
}

// chips says a tally without what there is none of.
func chips(t answer.Tally) (out document.Text) {
	for _, c := range counts(t, true) {
		words := fmt.Sprintf("%s %d %s", c.verdict.Mark(), c.n, c.words)
		if c.verdict == document.Invalid || c.verdict == document.NotTested {
			words = fmt.Sprintf("%d %s", c.n, c.words)
		}
		if c.n > 0 && out != nil {
			out = out.Said(" ")
		}
		if c.n > 0 {
			out = append(out, c.verdict.Says(words))
		}
	}
	return out
}

// A count is one state of claims with how many are in it.
type count struct {
	verdict document.Verdict
	words   string
	n       int
}

// counts returns how many claims are in each state: those at the bound and INVALID ones only if there are any, or if
// they are asked for.
func counts(t answer.Tally, invalid bool) []count {
	out := []count{{document.Holds, "hold", t.Hold}, {document.Fails, "fail", t.Fail},
		{document.Undecided, "undecided", t.Undecided}, {document.NotTested, "not tested", t.NotTested}}
	if t.AtBound > 0 || invalid {
		out = slices.Insert(out, 2, count{document.AtBound, "at the bound", t.AtBound})
	}
	if t.Invalid > 0 || invalid {
		out = append(out, count{document.Invalid, claim.InvalidNote, t.Invalid})
	}
	return out
}

// shown is the verdict that colours a count: nothing stands out where there are none.
func (c count) shown() document.Verdict {
	if c.n == 0 {
		return document.NotTested
	}
	return c.verdict
}

// tallyCells appends a cell for each state.
func tallyCells(row []document.Text, t answer.Tally, invalid bool) []document.Text {
	for _, c := range counts(t, invalid) {
		row = append(row, document.Text{{Verdict: c.shown(), Text: fmt.Sprint(c.n)}})
	}
	return row
}

// studies is the table of studies: how their claims stand, and what they answer, in what a line of
// a terminal holds or at length.
func (r *Report) studies(short bool) document.Block {
	f := r.Front
	if len(f.Studies) < 2 {
		return nil
	}
	invalid := f.Tally.Invalid > 0
	t := &document.Table{Frame: document.Frame{Rank: 2, Gap: 1, Least: 8},
		Columns: []document.Column{{Head: "study", Kind: document.Name, Most: 28}}}
	for _, c := range counts(f.Tally, invalid) {
		column := document.Column{Head: c.verdict.Mark(), Title: c.words}
		if c.verdict == document.NotTested {
			column.Drop = 1
		}
		t.Columns = append(t.Columns, column)
	}
	t.Columns = append(t.Columns, document.Column{Head: "answer", Kind: document.Prose, Drop: 2})
	if t.On = document.Markdown; short {
		t.On = document.Terminal
	}
	for i := range f.Studies {
		s := &f.Studies[i]
		say := said(s.Answer)
		if short && len(s.Short) > 0 {
			say = said(s.Short)
		}
		if _, x := ofCard(r.Answers, s); len(say) == 0 && x != nil {
			say = document.Say(units.Plural(len(x.Cases), "case"))
		}
		t.Add(append(tallyCells([]document.Text{given(s.Name)}, s.Tally, invalid), say)...)
	}
	t.Add(append(tallyCells([]document.Text{document.As(document.Strong, "together")}, f.Tally, invalid),
		tally(f.Tally))...).Last = true
	return t
}

// runs counts the verdicts of each run and configuration, where there are several.
func runs(f *answer.Front) document.Block {
	var names []string
	tallies := map[string]*answer.Tally{}
	for _, s := range f.Studies {
		for _, l := range s.Lines {
			if l.Published {
				continue
			}
			if tallies[l.Name] == nil {
				names = append(names, l.Name)
				tallies[l.Name] = &answer.Tally{}
			}
			for _, c := range l.Cells {
				tallies[l.Name].Count(c.Status)
			}
		}
	}
	if len(names) < 2 {
		return nil
	}
	t := &document.Table{Frame: document.Frame{Rank: 4, Gap: 4, Good: 6, Least: 2, On: document.Terminal},
		Columns: []document.Column{{Head: "claims of", Kind: document.Name}, {Head: "hold"}, {Head: "fail"},
			{Head: "at the bound", Drop: 1}, {Head: "undecided"}, {Head: "not tested", Drop: 1}, {Head: claim.InvalidNote, Drop: 2}}}
	for _, n := range names {
		t.Add(tallyCells([]document.Text{given(n)}, *tallies[n], true)...)
	}
	return t
}

// extremes say where settings and allocators lie furthest apart.
func extremes(f *answer.Front) document.Block {
	if len(f.Extremes) == 0 {
		return nil
	}
	g := &document.Group{Frame: document.Frame{Rank: 3, Gap: 3, Good: 3, Least: 1},
		Head: document.Say("The largest differences between settings and allocators")}
	for _, s := range f.Extremes {
		g.Add(&document.Sentence{Item: true, Text: said(s)})
	}
	return g
}

// claimOrder is how claims stand below each other: what readers look for first.
var claimOrder = []document.Verdict{document.Invalid, document.Fails, document.Undecided, document.AtBound, document.Holds,
	document.NotTested}

// claims lists the claims of a study with their verdicts here: those that fail first.
func claims(s *answer.Study) document.Block {
	var here []answer.Cell
	for _, l := range s.Lines {
		if !l.Published {
			here = l.Cells
			break
		}
	}
	if len(s.Claims) == 0 || len(here) < len(s.Claims) {
		return nil
	}
	t := &document.Table{Frame: document.Frame{Rank: 3, Gap: 2, Good: 12, Least: 3, On: document.Terminal},
		Title: document.As(document.Strong, "claims  ").And(tally(s.Tally)), Headless: true,
		Columns: []document.Column{{Head: "claim", Kind: document.Key, Most: 25},
			{Head: "what it says", Kind: document.Prose, Drop: 1}, {Head: "here", Kind: document.Prose, Least: 24}}}
	for _, v := range claimOrder {
		for i, c := range s.Claims {
			if here[i].Status.Verdict() == v {
				t.Add(document.Text{v.Glyph(), {Text: " " + c.ID, Verdict: v}}, given(c.Prose),
					document.Text{{Text: here[i].Says, Verdict: v}})
			}
		}
	}
	return t
}

// advice says what to do: each line rests on a decided claim. The condition under which it was
// measured stands below it where there is room.
func advice(f *answer.Front) document.Block {
	if len(f.Advice) == 0 {
		return nil
	}
	t := &document.Table{Frame: document.Frame{Class: "advice", Rank: 3, Gap: 2, Good: 4, Least: 3},
		Title: document.Say("What to do on this machine"), Headless: true,
		Columns: []document.Column{{Head: "do", Kind: document.Prose, Least: 36, Whole: true}, {Head: "otherwise"},
			{Head: "study", Kind: document.Words, Drop: 1}}}
	for _, a := range f.Advice {
		do := document.Say(strings.TrimSuffix(a.Do, "."))
		if a.When != "" {
			do = append(do, document.Span{Kind: document.Break}, document.Span{Kind: document.Faint, Text: "  when: " + a.When})
		}
		t.Add(do, document.As(document.Strong, a.Times), document.As(document.Faint, a.Study))
	}
	return t
}

// failing lists published conclusions that fail here. The condition of a conclusion stands at its
// end: cut, it would say more than it says.
func failing(f *answer.Front) document.Block {
	if len(f.Failing) == 0 {
		return nil
	}
	g := &document.Group{Frame: document.Frame{Rank: 4, Gap: 4, Good: 1, Least: 1},
		Head: document.Say("Published conclusions that fail here, with the figure here")}
	for _, x := range f.Failing {
		prose, _, _ := strings.Cut(x.Prose, " (published: ")
		say := given(strings.TrimSuffix(prose, ".")).Said(": ").And(document.As(document.Strong, x.Here))
		where := document.Text{{Text: " (" + x.Study + ")", Verdict: document.Fails}}
		item := &document.Sentence{Item: true, Text: say.And(where)}
		if x.Published != "" {
			item.Short, item.Text = item.Text, say.Said("; published: "+x.Published).And(where)
		}
		g.Add(item)
	}
	return g
}

// problems lists what does not count and why, in each answer: what is grave first.
func (r *Report) problems() document.Block {
	if len(r.Front.Studies) > 1 && r.Front.Trust.InvalidSays != "" { // the trust line has it
		return nil
	}
	g := &document.Group{Frame: document.Frame{Rank: 6, Gap: 5, On: document.Terminal}}
	names := result.Labels(r.Answers)
	for _, grave := range []bool{true, false} {
		for i, a := range r.Answers {
			for j := range a.Studies {
				for _, x := range a.Studies[j].Causes(false) {
					v := x.Verdict()
					if (v != document.Undecided) != grave {
						continue
					}
					text := document.Text{{Text: x.Kind, Verdict: v}}.Said(" ").And(given(x.String()))
					if len(r.Answers) > 1 {
						text = given(names[i]).Said(": ").And(text)
					}
					g.Add(&document.Sentence{Item: true, Flow: true, Text: text})
				}
			}
		}
		if grave {
			g.Good = min(len(g.Blocks), 3)
		}
	}
	if g.Good == 0 {
		g.Good = -1
	}
	return g
}

// foot says how far the run can be relied on, where the same is seen, how one sees more, and what
// to do next.
func (r *Report) foot(d *document.Document) {
	f := r.Front
	all := trust(&f.Trust)
	if say := strings.TrimSuffix(f.Trust.Certificate, "."); say != "" {
		all = append(all, document.Say(say))
	}
	if len(all) > 0 {
		d.Add(&document.Facts{Frame: document.Frame{Gap: 5, Good: 3, Least: 1}, Flow: true,
			Facts: []document.Fact{{Label: "trust", Text: together(all)}}})
	}
	warnings := &document.Group{Frame: document.Frame{Rank: 5, Good: -1, On: document.Terminal}}
	for _, w := range f.Trust.Warnings {
		warnings.Add(&document.Sentence{Item: true, Text: document.As(document.Warning, "warning:").Said(" ").And(given(w))})
	}
	if len(f.Trust.Warnings) == 1 { // the trust line says it
		warnings.Blocks = nil
	}
	d.Add(warnings)
	more := &document.Facts{Frame: document.Frame{Least: 2, On: document.Terminal}}
	if r.Page != "" {
		more.Add("look", document.Span{Kind: document.Code, Text: r.Page})
	}
	more.Facts = append(more.Facts, r.more())
	next := &document.Facts{Frame: document.Frame{Good: 1, Least: -1}}
	for _, n := range f.Next {
		next.Facts = append(next.Facts, command("next", n.Command, n.Does))
	}
	d.Add(more, next)
	if len(f.LeftOut) == 0 {
		return
	}
	var names []string
	for _, l := range f.LeftOut {
		names = append(names, l.Study)
	}
	d.Add(&document.Sentence{Frame: document.Frame{Rank: 6, Good: -1, Most: 1, On: document.Terminal}, Flow: true,
		Text: document.As(document.Faint, "not in this run: "+strings.Join(names, ", ")+"; for example "+f.LeftOut[0].Command)})
}

// trust says how far the run can be relied on, what speaks against it first: each in a text.
func trust(t *answer.Trust) (out []document.Text) {
	add := func(span document.Span) {
		if span.Text = strings.TrimSuffix(span.Text, "."); span.Text != "" {
			out = append(out, document.Text{span})
		}
	}
	add(document.Span{Kind: document.Warning, Text: t.Amber})
	if t.Invalid > 0 || t.InvalidSays != "" {
		say := units.Plural(max(t.Invalid, 1), "case") + " INVALID or failed"
		if t.InvalidSays != "" {
			say += " (" + t.InvalidSays + ")"
		}
		add(document.Span{Verdict: document.Invalid, Text: say, To: "#studies"})
	}
	add(document.Span{Text: t.Says})
	switch {
	case t.Processes == 1:
		add(document.Span{Text: "1 process"})
	case t.Processes > 1 && t.Rounds == 0: // a file has samples of others, and no rounds
		add(document.Span{Text: units.Thousands(t.Processes) + " samples"})
	case t.Processes > 1:
		add(document.Span{Text: units.Thousands(t.Processes) + " processes, " + units.Plural(t.Rounds, "round")})
	}
	if n := len(t.Warnings); n > 0 {
		says := "warning: " + strings.TrimSuffix(t.Warnings[0], ".")
		if n > 1 {
			says += fmt.Sprintf(" (and %s)", units.Plural(n-1, "other warning"))
		}
		add(document.Span{Kind: document.Warning, Text: says, To: "#warnings"})
	}
	switch {
	case t.Excluded != "":
		add(document.Span{Text: t.Excluded})
	case t.Processes > 0 && t.Amber == "":
		add(document.Span{Text: "no round excluded"})
	}
	return out
}

// together returns texts as one: one that is a sentence of its own ends what stands before it.
func together(all []document.Text) (out document.Text) {
	for i, t := range all {
		joint := "; "
		if r, _ := utf8.DecodeRuneInString(t[0].Text); unicode.IsUpper(r) {
			joint = ". "
		}
		if i > 0 {
			out = out.Said(joint)
		}
		out = append(out, t...)
	}
	return out
}

// command is a command, and what it does.
func command(label, cmd, does string) document.Fact {
	text := document.As(document.Code, cmd)
	if does != "" {
		text = append(text, document.Span{Kind: document.Faint, Text: "   " + does})
	}
	return document.Fact{Label: label, Text: text}
}

// more says how one sees more of the same.
func (r *Report) more() document.Fact {
	run, studies := r.Front.Run, r.Front.Studies
	switch {
	case len(r.Answers) > 1 || run == "" || strings.ContainsFunc(run, unquoted):
		return command("more", "--long", "prints everything")
	case len(studies) > 1 && !strings.ContainsFunc(studies[0].Name, unquoted):
		return command("more", "memcost report "+run+" "+studies[0].Name, "one study in full; --long: all")
	}
	return command("more", "memcost report "+run+" --long", "everything")
}

// unquoted reports whether a character keeps a name from standing in a command as it is.
func unquoted(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune("'\"\\$`!*?[](){}<>|&;#~", r)
}
