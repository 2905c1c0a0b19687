package diff

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

const (
	rowsShown = 40  // sites where not all are asked for
	rowsMost  = 800 // sites in a table
	drawnMost = 12  // benchmarks with a picture
	barsMost  = 12  // sites in a picture
)

// Document returns what is shown of comparisons. command is the command line that made the
// reports, page where the page of the last one stands; "" of none.
func Document(diffs []Diff, command, page string) *document.Document {
	d := &document.Document{Title: "Which allocations changed?"}
	if len(diffs) == 0 {
		d.Add(&document.Sentence{Text: document.Say("There are no two reports to compare.")})
	}
	for i := range diffs {
		b := &builder{Diff: &diffs[i], prefix: fmt.Sprintf("c%d", i)}
		if d.Title = "What changed in the allocations from " + b.Old.Name + " to " + b.New.Name + "?"; len(diffs) > 1 {
			d.Title = "Which allocations changed?"
			d.Nav = append(d.Nav, document.Span{Kind: document.Link, Text: b.heading(), To: "#" + b.prefix})
		}
		d.Add(b.document())
	}
	if page != "" && len(diffs) > 0 {
		d.Add(&document.Sentence{Frame: document.Frame{On: document.Page}, Text: document.Text{{Kind: document.Link, To: page,
			Text: "All sites of " + diffs[len(diffs)-1].New.Name + ", with their source, flow and costs"}}})
	}
	if command != "" {
		d.Add(&document.Group{Frame: document.Frame{On: document.Page}, Blocks: []document.Block{
			sites.Again("To compare again:", command)}})
	}
	d.Add(&document.Sentence{Frame: document.Frame{On: document.Page, Class: "legend"}, Text: document.Say("Counts are of " +
		"the timed part of each benchmark. A change is stated where counts differ by more than counting can be wrong, and " +
		"where the 95% confidence intervals of shares and times are apart.")})
	return d
}

// A builder makes the blocks of a comparison.
type builder struct {
	*Diff
	prefix string // of IDs
}

// heading names the sides: "go1.27.4 against go1.24.13".
func (b *builder) heading() string { return b.New.Name + " against " + b.Old.Name }

func given(s string) document.Text { return document.As(document.Given, s) }

func (b *builder) document() document.Block {
	g := &document.Group{Frame: document.Frame{ID: b.prefix, Gap: 1, Class: "study"}, Level: 2, Head: given(b.heading())}
	for i, says := range b.Says {
		text := document.Say(says)
		if i == 0 {
			text = document.As(document.Strong, says)
		}
		g.Add(&document.Sentence{Text: text, Hang: 2})
	}
	g.Add(b.pictures()...)
	g.Add(b.benchmarks())
	g.Add(b.sites()...)
	if asides := b.asides(); len(asides.Blocks) > 0 {
		g.Add(asides)
	}
	f := &document.Facts{Frame: document.Frame{On: document.Page}, Title: document.Say("What is compared")}
	for _, s := range []Side{b.Old, b.New} {
		f.Add(s.Name, document.Span{Kind: document.Given, Text: s.words()})
	}
	g.Add(f)
	return g
}

// words says what a side is of.
func (s Side) words() string {
	var words []string
	if at := strings.TrimSpace(s.Go + " " + s.Platform); at != "" {
		words = append(words, at)
	}
	if s.Revision != "" {
		words = append(words, "revision "+s.Revision)
	}
	switch s.Mode {
	case "static":
		return strings.Join(append(words, "the compiler and the binary; nothing was run"), ", ")
	case "":
	default:
		words = append(words, "from "+s.Mode)
	}
	if s.Exact {
		words = append(words, "every object counted where it was made")
	}
	return strings.Join(words, ", ")
}

// bench names a benchmark: with its package where there are several.
func (b *builder) bench(i int) string {
	x := b.Benchmarks[i]
	several := slices.ContainsFunc(b.Benchmarks, func(o Benchmark) bool { return o.Package != x.Package })
	if several && x.Package != "" {
		return path.Base(x.Package) + "." + x.Name
	}
	return x.Name
}

// figure returns what became of a figure: "-2" where the site is gone, "5 → 3" where it changed,
// else the figure. The page sorts by how much it changed.
func figure(kind Kind, p Pair, unit string) document.Text {
	words := units.Quantity(p.New, unit)
	switch {
	case kind == Gone || kind == New:
		words = signed(p.Delta(), units.Quantity(math.Abs(p.Delta()), unit))
	case p.Changed:
		words = units.Quantity(p.Old, unit) + " → " + words
	}
	return document.Text{{Kind: document.Number, Text: words, Value: p.Delta()}}
}

// figure returns what became of a figure with an interval: both where it changed, else the new one,
// "" where there is none.
func (p PairShare) figure(as func(sites.Interval) document.Text) document.Text {
	switch {
	case p.Changed:
		out := as(p.Old).Said(" → ").And(as(p.New))
		for i := range out {
			out[i].Value = p.New.Value - p.Old.Value
		}
		return out
	case p.New.Runs == 0:
		return nil
	}
	out := as(p.New)
	for i := range out {
		out[i].Value = 0
	}
	return out
}

// benchmarks returns the table of the benchmarks of both sides: where not all are asked for, those
// that changed.
func (b *builder) benchmarks() document.Block {
	t := &document.Table{Frame: document.Frame{ID: b.prefix + "-benchmarks", Gap: 1, Most: rowsShown},
		Title: document.Say("benchmarks"), Columns: []document.Column{{Head: "benchmark", Kind: document.Name},
			{Head: "allocs/op"}, {Head: "B/op"}, {Head: "time/op"}}}
	for i, x := range b.Benchmarks {
		if x.Only == "" {
			t.Add(given(b.bench(i)), figure("", x.Objects, "allocs/op"), figure("", x.Bytes, "B/op"),
				x.Time.figure(sites.Interval.Seconds)).Long = !x.Objects.Changed && !x.Bytes.Changed && !x.Time.Changed
		}
	}
	return t.WithoutEmpty()
}

// What became of a site, and what that is to a reader.
func (c Change) what() document.Span {
	switch c.Kind {
	case Gone:
		return document.Better.Says("gone")
	case New:
		return document.Worse.Says("new")
	case Moved:
		return document.Span{Text: "moved"}
	case Same:
		return document.Span{Text: "the same"}
	}
	switch c.Direction() {
	case 1:
		return document.Worse.Says("costs more")
	case -1:
		return document.Better.Says("costs less")
	}
	return document.Changed.Says("costs more and less")
}

// sites returns the table of the sites that are gone, new, changed or moved, and, folded in, the
// others.
func (b *builder) sites() []document.Block {
	const beside = document.Markdown | document.Page // on a terminal it stands below
	static := !slices.ContainsFunc(b.Benchmarks, func(x Benchmark) bool { return x.Only == "" })
	table := func(id string) *document.Table {
		columns := []document.Column{{Head: "what", Kind: document.Words, Choose: true},
			{Head: "function", Kind: document.Key}, {Head: "line", Kind: document.Name, Least: 24}}
		if !static {
			columns = append(columns, document.Column{Head: "benchmark", Kind: document.Words}, document.Column{Head: "allocs/op"},
				document.Column{Head: "B/op"}, document.Column{Head: "share of CPU", On: beside})
		}
		return &document.Table{Frame: document.Frame{ID: b.prefix + id}, Columns: append(columns,
			document.Column{Head: "cause", Kind: document.Prose, Choose: true, On: beside})}
	}
	main, same, unused := table("-sites"), table("-same"), table("-unused")
	main.Gap, main.Most, main.Sortable, main.Title = 1, rowsShown, true, document.Say("sites")
	for i, c := range b.Sites {
		t, idle := main, c.Kind == Moved && len(c.Costs) == 0
		switch {
		case c.Idle:
			t = unused
		case c.Kind == Same:
			t = same
		}
		if len(t.Rows) == rowsMost {
			t.LeftOut++
			continue
		}
		row := t.Add(b.cells(c, static)...)
		row.ID, row.Long, row.Detail = b.siteID(i), idle, []document.Block{c.brief()}
		if t == main {
			row.Detail = append(row.Detail, b.below(c)...)
		}
	}
	fold := func(t *document.Table, head string) document.Block {
		n := len(t.Rows) + t.LeftOut
		if n == 0 {
			return nil
		}
		return &document.Fold{Frame: document.Frame{Rank: 2}, Head: document.Say(head, ": ", units.Thousands(n)), Hint: "--long",
			Blocks: []document.Block{t.WithoutEmpty()}}
	}
	said := "on one side only, and allocated nothing in the benchmarks of both"
	if static {
		said = "on one side only, and need not allocate"
	}
	return []document.Block{main.WithoutEmpty(), fold(same, "sites that are the same"), fold(unused, "sites "+said)}
}

func (b *builder) siteID(i int) string { return fmt.Sprintf("%s-site-%d", b.prefix, i) }

// cells returns a site as the table has it: with its figures of the benchmark that changed most.
func (b *builder) cells(c Change, static bool) []document.Text {
	function, line, cause := c.naming()
	out := []document.Text{{c.what()}, given(function), given(line)}
	if !static {
		var in, objects, bytes, share document.Text
		if len(c.Costs) > 0 {
			x := c.Costs[0]
			in = given(b.bench(x.Benchmark))
			if more := len(c.Costs) - 1; more > 0 {
				in = in.Said(fmt.Sprintf(" and %d more", more))
			}
			objects, bytes = figure(c.Kind, x.Objects, "allocs/op"), figure(c.Kind, x.Bytes, "B/op")
			share = x.Share.figure(sites.Interval.Share)
		}
		out = append(out, in, objects, bytes, share)
	}
	return append(out, document.Say(cause))
}

// naming returns the function, the line and the cause of a site, each with what it was before where
// it is another.
func (c Change) naming() (function, line, cause string) {
	p := c.Place()
	function, line, cause = p.Function, p.position(), p.Cause.Words
	if c.Old == nil || c.New == nil {
		return function, line, cause
	}
	if was := c.Old.Function; was != "" && escape.PlainName(was) != escape.PlainName(function) {
		function += " (was " + was + ")"
	}
	if was := c.Old.position(); was != line {
		if c.Old.File == c.New.File {
			was = fmt.Sprint(c.Old.Line)
		}
		line += " (was " + was + ")"
	}
	if c.Probably != "" {
		cause = strings.TrimSpace(cause + " (probably the same site: " + c.Probably + ")")
	}
	return function, line, cause
}

func (p *Place) position() string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// brief returns what stands below a site on a terminal: its cause, and how its share of the CPU time
// changed.
func (c Change) brief() document.Block {
	_, _, cause := c.naming()
	say := document.Say(cause)
	if len(c.Costs) > 0 && c.Costs[0].Share.Changed {
		if cause != "" {
			say = say.Said("; ")
		}
		say = say.Said("share of CPU ").And(c.Costs[0].Share.figure(sites.Interval.Share))
	}
	return &document.Sentence{Frame: document.Frame{On: document.Terminal}, Text: say, Hang: 2, Flow: true}
}

// below returns what a site unfolds to: what it is on both sides, and what it costs in each
// benchmark.
func (b *builder) below(c Change) []document.Block {
	p := c.Place()
	head := string(p.Class)
	if p.Advice != "" && (c.Kind == New || c.Kind == Changed && c.Direction() >= 0) {
		head += ". Usual fix: " + strings.TrimSuffix(p.Advice, ".") + "."
	}
	fold := &document.Fold{Frame: document.Frame{On: document.Markdown | document.Page, Rank: 3}, Head: document.Say(head)}
	for _, x := range []struct {
		name string
		*Place
	}{{b.Old.Name, c.Old}, {b.New.Name, c.New}} {
		if x.Place == nil {
			continue
		}
		fold.Add(&document.Sentence{Frame: document.Frame{Rank: 3}, Text: document.As(document.Strong, x.name+": ").And(
			given(x.Function), document.As(document.Faint, " "+x.position())).Said(" ", string(x.Class), ": ",
			cmp.Or(x.Cause.Words, "no known cause"), ", ID ").And(document.As(document.Code, x.ID))})
		if x.Text != "" {
			fold.Add(&document.Source{Frame: document.Frame{Rank: 3}, Language: "go", Lines: []document.SourceLine{{Text: x.Text}}})
		}
	}
	out := []document.Block{fold}
	costs := b.costs(c)
	fold.Add(costs)
	if len(c.Costs) > 1 {
		long := *costs
		long.On, long.Long = document.Terminal, true
		out = append(out, &long)
	}
	return out
}

// costs returns what a site costs on both sides in each benchmark.
func (b *builder) costs(c Change) *document.Table {
	t := &document.Table{Frame: document.Frame{Rank: 3}, Columns: []document.Column{{Head: "benchmark", Kind: document.Name},
		{Head: "allocs/op, before"}, {Head: "after"}, {Head: "B/op, before"}, {Head: "after"}, {Head: "share of CPU, before"},
		{Head: "after"}}}
	for _, x := range c.Costs {
		cells := []document.Text{given(b.bench(x.Benchmark)), {document.Quantity(x.Objects.Old, "allocs/op")},
			{document.Quantity(x.Objects.New, "allocs/op")}, {document.Quantity(x.Bytes.Old, "B/op")},
			{document.Quantity(x.Bytes.New, "B/op")}, nil, nil}
		if x.Share.Old.Runs+x.Share.New.Runs > 0 {
			cells[5], cells[6] = x.Share.Old.Share(), x.Share.New.Share()
		}
		t.Add(cells...)
	}
	return t.WithoutEmpty()
}

// asides are the sentences below the tables: what limits the comparison, and benchmarks on one
// side only.
func (b *builder) asides() *document.Group {
	g := &document.Group{Frame: document.Frame{Gap: 1, Rank: 1}}
	say := func(format string, args ...any) {
		g.Add(&document.Sentence{Item: true, Hang: 2, Text: given(fmt.Sprintf(format, args...))})
	}
	for _, n := range b.Notes {
		say("%s", n)
	}
	for _, side := range []struct{ key, name string }{{"old", b.Old.Name}, {"new", b.New.Name}} {
		var names []string
		for _, x := range b.Benchmarks {
			switch {
			case x.Only == side.key && x.Why == "":
				names = append(names, x.Name)
			case x.Only == side.key:
				say("%s has figures of %s only: %s", x.Name, side.name, x.Why)
			}
		}
		const most = 10
		if n := len(names) - most; n > 0 {
			say("Only %s has %s: %s and %d more.", side.name, units.Plural(len(names), "benchmark"),
				strings.Join(names[:most], ", "), n)
		} else if n > -most {
			say("Only %s has %s: %s.", side.name, units.Plural(len(names), "benchmark"), strings.Join(names, ", "))
		}
	}
	for _, x := range b.Benchmarks {
		if x.Only == "neither" {
			say("%s failed on both sides: %s", x.Name, x.Why)
		}
	}
	return g
}
