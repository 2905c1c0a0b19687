package sites

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// A View says what of a report is shown.
type View struct {
	All     bool     // what allocates inside of dependencies, below each site
	Site    string   // a rank, an ID or file:line: everything that is known of this site alone
	Source  string   // a file: its functions that have sites, with their costs beside their lines
	Asked   string   // the folder or the packages, for what to type next; "" is the first package
	Budgets []string // those that are exceeded, or may be, a sentence each
	Command string   // the command line that found it, "" if it is not known
	// Read returns the contents of a source file, by Site.Path. Without it, or where it fails, a
	// site has its own line of source alone.
	Read func(path string) ([]byte, error)
}

// Document returns what is shown of a report: the answer and what it rests on, or the site or the
// file that the view names. A site or a file that the report does not have is a usage error.
func (r *Report) Document(v View) (*document.Document, error) {
	b := &builder{Report: r, View: v, files: Files{Read: v.Read}}
	d := &document.Document{Title: "Why does " + b.packages() + " allocate?"}
	switch {
	case v.Site != "":
		found, err := r.Find(v.Site)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			d.Add(b.site(s))
		}
		return d, nil
	case v.Source != "":
		blocks, err := b.annotated(v.Source)
		d.Add(blocks...)
		return d, err
	}
	d.Add(&document.Sentence{Frame: document.Frame{Class: "lead"}, Text: document.As(document.Strong, r.Answer()),
		Hang: 2, Flow: true})
	if says := r.byClass(); says != "" {
		d.Add(&document.Sentence{Text: document.Say(says)})
	}
	b.benchmarks(d)
	d.Add(b.picture())
	d.Add(b.sites()...)
	d.Add(b.agreement()...)
	d.Add(b.budgets(), b.facts(), b.next())
	return d, nil
}

// A builder makes the blocks of a report.
type builder struct {
	*Report
	View
	files Files
}

// The ranks of blocks: those with higher ones give way first.
const (
	rankSites = iota + 1
	rankBenchmarks
	rankTrust
	rankDetails
)

func given(s string) document.Text { return document.As(document.Given, s) }

// packages names what was asked for.
func (b *builder) packages() string {
	switch n := len(b.Packages); {
	case n == 0:
		return "this code"
	case n > 3:
		return fmt.Sprintf("%d packages", n)
	}
	return b.paths()
}

// benchmarks adds what was run, and what failed.
func (b *builder) benchmarks(d *document.Document) {
	per := b.per()
	t := &document.Table{Frame: document.Frame{ID: "benchmarks", Rank: rankBenchmarks, Good: 4, Least: 3, Most: 6, Gap: 1},
		Bare: 6, Columns: []document.Column{{Head: b.ran(), Kind: document.Name, Least: leastName}, {Head: "allocs" + per},
			{Head: "B" + per}, {Head: "time" + per}, {Head: "malloc", Title: "share of the CPU time"},
			{Head: "mark assist", Title: "share of the CPU time"}, {Head: "GC (estimate)", Title: "share of the CPU time"}}}
	shared := b.shared()
	var failed []document.Block
	for i := range b.Benchmarks {
		x := &b.Benchmarks[i]
		if x.Failed != "" {
			failed = append(failed, &document.Sentence{Frame: document.Frame{Class: "warning", Rank: rankBenchmarks, Good: 1},
				Text: given(b.bench(i)).Said(" failed: ").And(given(sentence(x.Failed))), Hang: 2, Flow: true})
			continue
		}
		name := given(b.bench(i))
		if len(name) > 0 && len(b.bench(i)) > leastName && shared > 0 {
			name[0].Short = "…" + b.bench(i)[shared:]
		}
		t.Add(name, objects(x.Objects), size(x.Bytes), timeOf(x.Time), x.Malloc.Share(), x.Assist.Share(),
			x.GC.Share())
	}
	d.Add(t)
	d.Add(failed...)
}

// shared returns how many bytes all long names of benchmarks begin with, up to a slash: without
// their middles some of them could be the same.
func (b *builder) shared() int {
	shared := ""
	for i := range b.Benchmarks {
		name := b.bench(i)
		if len(name) <= leastName {
			continue
		}
		if shared == "" {
			shared = name
		}
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return strings.LastIndexByte(shared, '/') + 1
}

// leastName is how narrow a terminal may set the names of benchmarks, which differ in their middle.
const leastName = 24

// sitesMost is how many sites are shown where not all are asked for; the page has rowsMost, and of
// detailsMost of them everything, so that it stays small.
const (
	sitesMost   = 10
	rowsMost    = 1000
	detailsMost = 200
)

// listed returns the sites of the table: those that allocated, or all where nothing was run.
func (b *builder) listed() []*Site {
	var out []*Site
	for i := range b.Sites {
		if b.Sites[i].Rank > 0 || b.static() {
			out = append(out, &b.Sites[i])
		}
	}
	return out
}

// section returns blocks below a heading, which a terminal leaves out.
func section(id, head string, gap int, blocks ...document.Block) []document.Block {
	titled := &document.Group{Frame: document.Frame{ID: id, On: document.Markdown | document.Page}, Level: 2,
		Head: document.Say(head)}
	plain := &document.Group{Frame: document.Frame{On: document.Terminal, Gap: gap}}
	titled.Add(blocks...)
	plain.Add(blocks...)
	return []document.Block{titled, plain}
}

// sites returns the table of the sites, by measured cost.
func (b *builder) sites() []document.Block {
	all, head, none := b.listed(), "The sites, by bytes", "No site of these packages allocated."
	if b.ByCPU() {
		head = "The sites, by share of CPU"
	}
	if b.static() {
		head, none = "The sites that may allocate", "Neither the compiler nor the binary names an allocation site."
	}
	if len(all) == 0 {
		return section("by-cost", head, 3, &document.Sentence{Text: document.Say(none)})
	}
	priced := slices.ContainsFunc(all, func(s *Site) bool { return s.Price != nil || s.Gain != nil })
	t := &document.Table{Frame: document.Frame{ID: "sites", Rank: rankSites, Good: sitesMost, Least: 1},
		Sortable: true, More: "--long", Columns: b.columns(priced)}
	if n := len(all) - rowsMost; n > 0 {
		t.LeftOut, all = n, all[:rowsMost]
	}
	if !b.static() {
		t.Most = sitesMost
	}
	fixes := map[string]int{}
	few := slices.ContainsFunc(all, notable)
	for i, s := range all {
		row := t.Add(b.cells(s, priced)...)
		row.ID, row.Long = siteID(s), few && !notable(s) && !b.static()
		row.Detail = b.below(s, i, fixes)
	}
	return section("by-cost", head, 3, t)
}

func siteID(s *Site) string { return "site-" + s.ID }

// columns returns the heads of the table of sites.
func (b *builder) columns(priced bool) []document.Column {
	narrow := document.Terminal
	rank := document.Targets(0)
	if b.static() {
		rank = document.Page
	}
	out := []document.Column{{Head: "#", Kind: document.Words, On: rank}, {Head: "site", Kind: document.Key, On: ^narrow},
		{Head: "function", Kind: document.Name, Least: 16, On: narrow},
		{Head: "file:line", Kind: document.Name, Least: 16, On: narrow}}
	if !b.static() {
		per := b.per()
		bytes, cpu := "B"+per, "share of CPU"
		if b.ByCPU() {
			cpu += " ↓"
		} else {
			bytes += " ↓"
		}
		out = append(out, document.Column{Head: "objects" + per}, document.Column{Head: bytes}, document.Column{Head: cpu})
		if priced {
			out = append(out, document.Column{Head: "one object costs", On: document.Page},
				document.Column{Head: "could go: estimate", On: document.Page})
		}
	}
	on := ^narrow
	if b.static() {
		on = 0
	}
	return append(out, document.Column{Head: "class", Kind: document.Words, Choose: true, On: on},
		document.Column{Head: "cause", Kind: document.Prose, Choose: true, On: on})
}

// cells returns a site as the columns have it.
func (b *builder) cells(s *Site, priced bool) []document.Text {
	rank := document.Text{}
	if s.Rank > 0 {
		rank = document.Text{{Text: strconv.Itoa(s.Rank), Value: float64(s.Rank)}}
	}
	site := given(b.name(s)).Said(" ").And(document.Text{{Kind: document.Faint, Text: s.Position()}})
	if s.Text != "" {
		site = append(site, document.Span{Kind: document.Break}, document.Span{Kind: document.Code, Text: s.Text})
	}
	out := []document.Text{rank, site, given(b.name(s)), given(s.Position())}
	if !b.static() {
		f := s.figures()
		out = append(out, f[:]...)
		if priced {
			price, gain := document.Text{}, document.Text{}
			if s.Price != nil && s.Price.Measured() {
				price = s.Price.Seconds()
			}
			if s.Gain != nil && s.Gain.Seconds.Measured() {
				gain = document.Say("≈ ").And(s.Gain.Seconds.Seconds())
			}
			out = append(out, price, gain)
		}
	}
	return append(out, document.Say(s.class()), document.Say(s.cause()))
}

// leastNotable is how many objects each operation a site makes at least that is shown among those
// that cost most: what happens once in a run is none of them.
const leastNotable = 0.01

func notable(s *Site) bool {
	return slices.ContainsFunc(s.Costs, func(c Cost) bool { return c.Objects >= leastNotable })
}

// below returns what stands below a site's figures: on a terminal its class and cause, what could
// go, the usual fix, unless it stands at an earlier site, and the source; elsewhere everything
// else that is known of it, folded in.
func (b *builder) below(s *Site, i int, fixes map[string]int) []document.Block {
	where, fix, full := b.where(s), s.Advice, ""
	if fix != "" {
		full = "Fix: " + sentence(fix)
	}
	var out []document.Block
	if !b.static() {
		brief := full
		if first, ok := fixes[fix]; ok && fix != "" {
			brief = fmt.Sprintf("Fix: as %d.", first)
		} else {
			fixes[fix] = s.Rank
		}
		say := document.Say(sentences(sentence(b.reason(s)), b.gain(s), brief))
		if s.Text != "" {
			say = say.Said(" Source: ").And(given(s.Text))
		}
		out = append(out, &document.Sentence{Frame: document.Frame{On: document.Terminal}, Text: say, Hang: 2, Flow: true})
		if b.All {
			out = append(out, b.inside(s)...)
		}
	}
	head := sentences(where, full)
	if where != "" && full != "" {
		head = where + ". " + full
	}
	fold := &document.Fold{Frame: document.Frame{On: document.Markdown | document.Page, Rank: rankDetails + i},
		Head: document.Say(cmp.Or(head, "Details"))}
	if i < detailsMost {
		fold.Add(b.details(s, rankDetails+i)...)
	} else {
		fold.Add(b.identity(s), &document.Sentence{Text: document.Say("There is no room for its details here: ").And(
			document.As(document.Code, "memcost why "+b.asked()+" --site "+s.ID)).Said(" shows them.")})
	}
	return append(out, fold)
}

// inside returns what allocates in dependencies on behalf of a site.
func (b *builder) inside(s *Site) []document.Block {
	var out []document.Block
	for i := range s.Inside {
		c := &s.Inside[i]
		out = append(out, &document.Sentence{Frame: document.Frame{On: document.Terminal, Inset: 2}, Hang: 2,
			Text: document.Say(fmt.Sprintf("%s of its objects, %s of its bytes: ", units.Percent(c.Objects),
				units.Percent(c.Bytes))).And(given(c.Function+" at "+at(c.File, c.Line))).Said(": ", string(c.Class), ": ",
				c.Cause.clause(""))})
	}
	return out
}

// agreement returns how far the three sources agree, and what limits the report.
func (b *builder) agreement() []document.Block {
	joined := &document.Sentence{Frame: document.Frame{On: document.Page},
		Text: document.Say("Nothing was joined: there is no profile.")}
	if says := b.Join.agreement(); len(says) > 0 {
		joined = &document.Sentence{Frame: document.Frame{Rank: rankTrust, Good: 3}, Hang: 2, Flow: true,
			Text: document.Say(strings.Join(says, " "))}
	}
	warnings := &document.Group{Frame: document.Frame{Rank: rankTrust, Good: 3, Most: 3, Class: "warnings"}}
	warn := func(words string) {
		warnings.Add(&document.Sentence{Frame: document.Frame{Class: "warning"}, Item: true, Hang: 2, Flow: true,
			Text: document.As(document.Warning, "warning: ").And(given(words))})
	}
	for _, w := range b.Warnings {
		warn(w)
	}
	for _, p := range b.Packages {
		for _, s := range p.Partial {
			warn(p.Path + ": " + s)
		}
	}
	blocks := []document.Block{joined}
	if len(warnings.Blocks) > 0 {
		blocks = append(blocks, warnings)
	}
	return section("trust", "How far the sources agree", 2, append(blocks, b.contradicted(), b.unmatched(), b.never())...)
}

// agreement says in sentences how far the three sources agree.
func (j *Join) agreement() []string {
	var say []string
	if j.Samples > 0 {
		named, unmatched := "", "none is unmatched"
		if j.Named > 0 {
			named = units.Thousands(j.Named) + " more have a named reason for having none, "
		}
		if n := j.Samples - j.Matched - j.Named; n > 0 {
			unmatched = units.Thousands(n) + " unmatched (--long)"
		}
		say = append(say, fmt.Sprintf("%s of %s records of the profile in your packages match a compiler's "+
			"diagnostic, %s%s.", units.Thousands(j.Matched), units.Thousands(j.Samples), named, unmatched))
	}
	if j.Outside > 0 {
		say = append(say, fmt.Sprintf("%s of the %s objects from dependencies are explained.",
			units.Percent(float64(j.OutsideExplained)/float64(j.Outside)), units.Thousands(j.Outside)))
	}
	if j.Contradicted > 0 {
		say = append(say, fmt.Sprintf("The binary contradicts %s \"does not escape\".",
			units.Plural(j.Contradicted, "statement")))
	}
	return say
}

// folded returns a table behind a sentence: nil where it has no rows.
func folded(head string, t *document.Table) document.Block {
	if len(t.Rows) == 0 {
		return nil
	}
	t.Rank, t.Least = rankTrust+1, 1
	return &document.Fold{Frame: document.Frame{Rank: rankTrust + 1}, Head: document.Say(head), Blocks: []document.Block{t}}
}

// contradicted returns the sites at which the binary contradicts the compiler.
func (b *builder) contradicted() document.Block {
	t := &document.Table{Columns: []document.Column{{Head: "site", Kind: document.Name},
		{Head: "function", Kind: document.Words}, {Head: "compiler", Kind: document.Prose},
		{Head: "but", Kind: document.Prose}}}
	for i := range b.Sites {
		s := &b.Sites[i]
		if s.Says != "" && (s.Class == RuntimeOnly || s.Would == RuntimeOnly) && len(s.Calls) > 0 {
			t.Add(given(s.Position()), given(b.name(s)), given(s.Says), given(s.Named))
		}
	}
	return folded(fmt.Sprintf("\"does not escape\", and the binary allocates: %d", len(t.Rows)), t)
}

// unmatched returns the records that nothing explains.
func (b *builder) unmatched() document.Block {
	t := &document.Table{Columns: []document.Column{{Head: "position", Kind: document.Name},
		{Head: "function", Kind: document.Words}, {Head: "call", Kind: document.Words}, {Head: "objects"}, {Head: "bytes"}}}
	for _, u := range b.Join.Unmatched {
		t.Add(given(at(u.File, u.Line)), given(Short(u.Function)), given(u.Call),
			document.Text{{Kind: document.Number, Text: units.Thousands(u.Objects), Value: float64(u.Objects)}},
			document.Text{{Kind: document.Number, Text: units.Bytes(u.Bytes), Value: float64(u.Bytes)}})
	}
	return folded(fmt.Sprintf("Records that nothing explains: %d", len(t.Rows)), t)
}

// never returns the sites that did not allocate.
func (b *builder) never() document.Block {
	if b.static() {
		return nil
	}
	t := &document.Table{Columns: []document.Column{{Head: "site", Kind: document.Name},
		{Head: "function", Kind: document.Words}, {Head: "class", Kind: document.Prose},
		{Head: "cause", Kind: document.Prose}}}
	for i := range b.Sites {
		s := &b.Sites[i]
		switch {
		case s.Rank > 0:
		case len(t.Rows) == rowsMost:
			t.LeftOut++
		default:
			t.Add(given(s.Position()), given(b.name(s)), document.Say(s.class()), document.Say(s.cause()))
		}
	}
	fold, ok := folded(units.Plural(len(t.Rows)+t.LeftOut, "more site")+" allocated nothing in this run", t).(*document.Fold)
	if !ok {
		return nil
	}
	fold.Hint = "--long"
	return fold
}

// budgets returns what was found about the budgets of the source.
func (b *builder) budgets() document.Block {
	if len(b.Budgets) == 0 {
		return nil
	}
	g := &document.Group{Frame: document.Frame{Class: "warnings", Gap: 1}}
	for _, says := range b.Budgets {
		g.Add(&document.Sentence{Frame: document.Frame{Class: "warning"}, Item: true, Hang: 2, Text: given(says)})
	}
	return g
}

// facts say what the figures are of, and how they were taken.
func (b *builder) facts() document.Block {
	f := &document.Facts{}
	add := func(label, said string) {
		if said != "" {
			f.Add(label, document.Span{Kind: document.Given, Text: said})
		}
	}
	add("packages", b.paths())
	add("Go", strings.TrimSpace(b.Go+" "+b.Platform))
	add("revision", b.Revision)
	add("from", map[string]string{"benchmarks": "the timed parts of benchmarks, each in a process of its own",
		"tests": "tests, each in a process of its own", "profile": "a heap profile that was given",
		"static": "the compiler and the binary; nothing was run"}[b.Mode])
	if !b.static() {
		counted := "every object, but those of less than 16 bytes that share a block: they are shared out (≈)"
		if b.Exact {
			counted = "every object, each where it was made"
		}
		add("counted", counted)
		runs := 0
		for _, x := range b.Benchmarks {
			runs = max(runs, x.Time.Runs)
		}
		if runs > 0 {
			add("intervals", fmt.Sprintf("95%% confidence intervals over up to %s under the CPU profiler, Student's t",
				units.Plural(runs, "run")))
		} else {
			add("shares of CPU", notMeasured)
		}
	}
	g := &document.Group{Frame: document.Frame{ID: "made", On: document.Page}, Level: 2,
		Head: document.Say("What the figures are of"), Blocks: []document.Block{f}}
	if b.Command != "" {
		g.Add(Again("To measure again:", b.Command))
	}
	return g
}

// Again returns a command line, below what it does.
func Again(does, command string) document.Block {
	return &document.Group{Frame: document.Frame{Class: "reproduce"}, Blocks: []document.Block{
		&document.Sentence{Text: document.Say(does)},
		&document.Source{Language: "sh", Lines: []document.SourceLine{{Text: command}}}}}
}

// next returns what to type next.
func (b *builder) next() document.Block {
	if len(b.Sites) == 0 {
		return nil
	}
	first := &b.Sites[0]
	key := "1"
	if first.Rank == 0 {
		key = first.Position()
	}
	return &document.Sentence{Frame: document.Frame{On: document.Terminal, Gap: 1}, Hang: 2, Text: document.Say("next: ").And(
		document.As(document.Code, fmt.Sprintf("memcost why %s --site %s", b.asked(), key))).Said("   or --source ").And(
		given(first.File)).Said("   or -o why.html")}
}

// asked returns the packages for a command line.
func (b *builder) asked() string {
	if b.Asked == "" && len(b.Packages) > 0 {
		return b.Packages[0].Path
	}
	return cmp.Or(b.Asked, ".")
}
