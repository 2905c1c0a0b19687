package page

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/gotool/stacklog"
	"memcost/internal/measure/history"
	"memcost/internal/show/html"
	"memcost/internal/show/text"
)

// tableOf returns a table of package text as a block: its first column tells rows apart.
func tableOf(t text.Table) *document.Table {
	out := &document.Table{Title: document.Say(t.Title), LeftOut: int(t.More)}
	for i, head := range t.Header {
		c := document.Column{Head: head}
		if i == 0 {
			c.Kind = document.Key
		}
		out.Columns = append(out.Columns, c)
	}
	for _, row := range t.Rows {
		var cells []document.Text
		for _, c := range row {
			cells = append(cells, document.As(document.Given, c.Text))
		}
		out.Add(cells...)
	}
	return out
}

func warnings(all ...string) (out []document.Block) {
	for _, s := range all {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "warning"}, Text: document.Say(s)})
	}
	return out
}

// figuresOf returns all figures as the text that write writes.
func figuresOf(write func(io.Writer) error) (document.Block, error) {
	var b strings.Builder
	if err := write(&b); err != nil {
		return nil, err
	}
	out := &document.Source{}
	for line := range strings.SplitSeq(strings.TrimSuffix(b.String(), "\n"), "\n") {
		out.Lines = append(out.Lines, document.SourceLine{Text: line})
	}
	return &document.Group{Level: 2, Head: document.Say("All figures"), Blocks: []document.Block{out}}, nil
}

// WriteTrace writes an execution trace as one HTML page: its picture, and all figures.
func WriteTrace(w io.Writer, title string, t *exectrace.Trace) error {
	d := &document.Document{Title: title, Blocks: warnings(t.Warnings...)}
	p := t.Picture()
	p.Says = document.Say(text.TraceSentence(t))
	for _, t := range text.TraceTables(t)[:1] {
		p.Table = tableOf(t)
	}
	d.Add(p)
	figures, err := figuresOf(func(w io.Writer) error { return text.Trace(w, t, text.Style{}) })
	if err != nil {
		return err
	}
	d.Add(figures)
	return html.Write(w, d)
}

// mostHistories is how many pictures a page has.
const mostHistories = 60

// WriteHistory writes what a search through commits or releases found as one HTML page: the changes,
// a picture for each benchmark, and all figures as text.
func WriteHistory(w io.Writer, title string, r *history.Report) error {
	d := &document.Document{Title: title}
	for _, c := range r.Changes() {
		d.Add(&document.Sentence{Text: document.Say(r.Sentence(c.Series, c.Change)), Item: true})
	}
	if len(d.Blocks) == 0 {
		d.Add(&document.Sentence{Text: document.Say(r.Nothing())})
	}
	d.Add(&document.Sentence{Frame: document.Frame{Class: "note"}, Text: document.Say(r.Missed())})
	series := slices.Clone(r.Series)
	slices.SortStableFunc(series, func(a, b history.Series) int { return cmp.Compare(len(b.Changes), len(a.Changes)) })
	drawn := 0
	for i := range series {
		if p := r.Picture(&series[i]); p != nil && drawn < mostHistories {
			d.Add(p)
			drawn++
		}
	}
	if n := len(series) - drawn; n > 0 {
		d.Add(&document.Sentence{Text: document.Say(units.Plural(n, "figure"),
			" of benchmarks are not drawn: they stand in the text")})
	}
	figures, err := figuresOf(func(w io.Writer) error { return text.History(w, r, text.Style{Long: true}) })
	if err != nil {
		return err
	}
	d.Add(figures)
	return html.Write(w, d)
}

// pageRows bounds the tables of a page of stacks, and openRows those that one sees at once; JSON
// has all.
const (
	pageRows = 200
	openRows = 20
)

// WriteStacks writes what was found of stacks as a page of HTML.
func WriteStacks(w io.Writer, title string, runs []text.StackRun) error {
	d := &document.Document{Title: title}
	if len(runs) > 1 {
		d.Add(stackTable(text.StackOverviewTable(runs)))
	}
	for _, r := range runs {
		g := &document.Group{Level: 2, Head: document.Say(r.Name)}
		facts := &document.Facts{}
		for _, f := range r.Facts {
			facts.Add(f[0], document.Span{Kind: document.Given, Text: f[1]})
		}
		g.Add(facts)
		g.Add(warnings(slices.Concat(r.Notes, r.Failed)...)...)
		if r.Log != nil {
			g.Add(stackLog(r.Log)...)
		}
		d.Add(g)
	}
	return html.Write(w, d)
}

func stackLog(l *stacklog.Log) (out []document.Block) {
	for _, w := range l.Warnings {
		out = append(out, warnings("warning: "+w.Error())...)
	}
	for _, s := range text.StackTotals(l) {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "answer"}, Text: document.Say(s)})
	}
	for _, s := range text.StackAdvice(l) {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "advice"}, Text: document.Say(s)})
	}
	if p := l.Picture(); p != nil {
		out = append(out, p)
	}
	for _, t := range text.StackTables(l) {
		out = append(out, stackTable(t))
	}
	return out
}

func stackTable(t text.Table) document.Block {
	if len(t.Rows) == 0 {
		return nil
	}
	table := tableOf(t)
	f := &document.Fold{Head: table.Title, Open: len(t.Rows) <= openRows, Blocks: []document.Block{table}}
	table.Title = nil
	if more := len(table.Rows) - pageRows; more > 0 {
		table.Rows, table.LeftOut = table.Rows[:pageRows], table.LeftOut+more
	}
	return f
}
