// Package show_test tests the renderers on the same small documents: each block, narrow, wide, hostile, empty
// and too long.
package show_test

import (
	"fmt"
	"strings"

	"memcost/internal/document"
	"memcost/internal/testkit"
)

// An example is a document with its name.
type example struct {
	name     string
	document *document.Document
}

// examples are small documents that renderers are tested on: each block, narrow, wide, hostile,
// empty and too long.
func examples() []example {
	of := func(name string, blocks ...document.Block) example {
		return example{name, &document.Document{Title: name, Blocks: blocks}}
	}
	return []example{
		of("nothing"),
		of("empty", &document.Sentence{}, &document.Table{}, &document.Facts{}, &document.Picture{}, &document.Fold{},
			&document.Source{}, &document.Group{}, &document.Group{Head: document.Say("never shown")}),
		of("sentences", sentences()...),
		of("table", costs(), verdicts()),
		of("wide", wide()),
		of("headless", headless()),
		of("groups", groups()...),
		of("facts", facts()),
		of("picture", picture()),
		of("sources", sources()...),
		of("hostile", hostile(testkit.Hostile)...),
		of("long", long()...),
		of("front", front()...),
	}
}

func number(s string) document.Text   { return document.As(document.Number, s) }
func interval(s string) document.Text { return document.As(document.Interval, s) }

func sentences() []document.Block {
	return []document.Block{
		&document.Sentence{Text: document.As(document.Warning, "On a busy machine:").Said(" a block from the heap costs ").
			And(number("3.7×"), document.Say(" "), interval("[3.2, 5.7]"), document.Say(" what the same block costs on "+
				"the stack at 1 MiB.")), Hang: 2},
		&document.Sentence{Frame: document.Frame{Gap: 1}, Text: document.Text{document.Holds.Glyph(), {Text: " C4 "},
			document.Holds.Span(), {Text: " at "}, {Kind: document.Given, Text: "results/2026_11_22"}, {Text: "; see "},
			{Kind: document.Link, Text: "the guide", To: "https://go.dev/doc/gc-guide"}, {Text: " and "},
			{Kind: document.Link, Text: "the cases", To: "#cases"}, {Text: ", or type "},
			{Kind: document.Code, Text: "memcost run ./... --long"}}},
		&document.Sentence{Frame: document.Frame{On: document.Page}, Text: document.Say("on the page alone")},
		&document.Sentence{Frame: document.Frame{Long: true}, Text: document.Say("where all is asked for")},
		&document.Sentence{Item: true, Hang: 2, Frame: document.Frame{Inset: 2},
			Text: document.As(document.Strong, "two").And(document.Text{{Kind: document.Break}},
				document.As(document.Faint, "lines"))},
	}
}

func costs() *document.Table {
	t := &document.Table{Title: document.Say("What it costs"), Columns: []document.Column{{Head: "case", Kind: document.Key},
		{Head: "config", Kind: document.Key}, {Head: "time/op"}, {Head: "B/op", Drop: 1}, {Head: "allocs/op", Drop: 2},
		{Head: "why", Kind: document.Prose}}, LeftOut: 3,
		Notes: []document.Text{document.As(document.Warning, "note:").Said(" one of two")}}
	for i, config := range []string{"go1.26.8", "go1.26.8 GOGC=off", "go1.27.4"} {
		t.Add(document.As(document.Given, "Smaug/place=heap/size=65536-2"), document.As(document.Given, config),
			number(fmt.Sprintf("4.1%d µs", i)).Said(" ").And(interval("[4.0, 4.3]")), document.Say("64 KiB"),
			document.Say("1"), document.Say("the value is kept after the function returns, and so it escapes"))
	}
	t.Rows[1].Rank = 1
	t.Add(document.Say("geomean"), nil, number("4.11 µs")).Last = true
	return t
}

func verdicts() *document.Table {
	t := &document.Table{Frame: document.Frame{Gap: 1}, Columns: []document.Column{{Head: "verdict", Kind: document.Key},
		{Head: "glyph", Kind: document.Words}, {Head: "word", Kind: document.Words}}}
	t.Add(document.Say("of all")).Head = true
	for v := document.Holds; v <= document.Inconsistent; v++ {
		t.Add(document.Say(fmt.Sprint(v)), document.Text{v.Glyph()}, document.Text{v.Glyph(), {Text: " "}, v.Span()})
	}
	return t
}

// wide has keys of which only the second tells rows apart, and no column that may be left out.
func wide() *document.Table {
	t := &document.Table{Title: document.Say("cases"), Columns: []document.Column{{Head: "case", Kind: document.Key},
		{Head: "config", Kind: document.Key}, {Head: "time/op"}, {Head: "B/op"}, {Head: "allocs/op"},
		{Head: "vs go1.26.8"}, {Head: "other", Kind: document.Words}}}
	for i, config := range []string{"go1.26.8", "go1.26.8 GOGC=off", "go1.27.4", "go1.27.4 GOGC=off"} {
		t.Add(document.As(document.Given, "Smaug/place=heap/size=65536-2"), document.As(document.Given, config),
			document.Say("4.12 µs ±3%"), document.Say("64 KiB"), document.Say("1"),
			document.Say(fmt.Sprintf("1.0%d× [1.02, 1.08] undecided", i)), document.Say("12 widgets"))
	}
	return t
}

// headless has names that differ in their middle alone.
func headless() *document.Table {
	t := &document.Table{Headless: true, Columns: []document.Column{{Kind: document.Name}, {}}}
	for _, middle := range []string{"malloc", "calloc"} {
		t.Add(document.As(document.Given, "A/very/long/"+strings.Repeat("x", 20)+middle+strings.Repeat("y", 40)),
			document.Say("1 ns"))
	}
	return t
}

func groups() []document.Block {
	list := &document.Group{Head: document.Say("Published conclusions that fail here"), Frame: document.Frame{Gap: 1, Most: 2}}
	for i := range 3 {
		list.Add(&document.Sentence{Item: true, Text: document.Say("an item of the list with a number: ").And(
			number(fmt.Sprint(i)))})
	}
	nested := &document.Group{Head: document.Say("Study"), Level: 1, Frame: document.Frame{Gap: 1}}
	nested.Add(&document.Sentence{Text: document.Say("Inside.")}, &document.Group{Head: document.Say("Part"), Level: 2,
		Frame: document.Frame{Gap: 1}, Blocks: []document.Block{&document.Sentence{Text: document.Say("Deeper inside.")}}})
	fold := &document.Fold{Head: document.Say("How it was measured"), Hint: "--long", Frame: document.Frame{Gap: 1},
		Blocks: []document.Block{&document.Sentence{Text: document.Say("Folded in.")}}}
	return []document.Block{list, nested, fold,
		&document.Fold{Head: document.Say("silent"), Blocks: []document.Block{&document.Sentence{Text: document.Say("hidden")}}},
		&document.Fold{Head: document.Say("open"), Open: true,
			Blocks: []document.Block{&document.Sentence{Text: document.Say("seen")}}}}
}

func facts() *document.Facts {
	f := &document.Facts{Title: document.Say("run")}
	f.Add("machine", document.Span{Kind: document.Given, Text: "AMD EPYC"}, document.Span{Text: ", 2 CPUs, 23.5 GiB, linux/amd64"})
	f.Add("noise floor", document.Span{Text: "two copies of the same configuration are between 0.99 and 1.01 times each other"})
	f.Add("", document.Span{Text: "without a label"})
	f.Add("next", document.Span{Kind: document.Code, Text: "memcost run --full --budget 30m ./stackheap"},
		document.Span{Kind: document.Faint, Text: "   decides more"})
	f.Add("nothing")
	return f
}

func picture() *document.Picture {
	t := &document.Table{Columns: []document.Column{{Head: "time per block", Kind: document.Name, Most: 26}}, Bare: 2}
	for i, size := range []string{"16 B", "4 KiB", "64 KiB", "1 MiB"} {
		t.Columns = append(t.Columns, document.Column{Head: size, Drop: []int{4, 1, 2, 3}[i]})
	}
	for i, class := range []string{"stack", "heap"} {
		r := t.Add(document.Text{{Text: "Go " + class + ", by value", Short: class}})
		r.Class = class
		for level := range 4 {
			r.Cells = append(r.Cells, document.Text{{Kind: document.Bar, Level: 1 + level + i},
				{Kind: document.Number, Text: fmt.Sprintf("%d.5 ns", level+i)}, {Text: " "},
				{Kind: document.Interval, Text: "[1, 2]"}})
		}
	}
	return &document.Picture{Kind: "curve", Title: document.Say("The stack is cheaper"), Table: t,
		Says:  document.Say("The stack costs less at every size."),
		Notes: []document.Text{document.As(document.Faint, "Each step of a bar is a factor of ten.")}}
}

func sources() []document.Block {
	return []document.Block{
		&document.Source{File: "buf.go", Language: "go", Lines: []document.SourceLine{
			{Number: 9, Text: "func f() *T {"},
			{Number: 10, Text: "\tt := T{}", Mark: '>', Margin: document.Say("3 objects"),
				Note: document.As(document.Faint, "// moved to heap: t")},
			{Number: 11, Text: "\treturn &t // ```"}, {Number: 12, Text: "}"}}},
		&document.Source{Frame: document.Frame{Gap: 1}, Language: "diff", Lines: []document.SourceLine{
			{Text: "func f() *T {", Mark: ' '}, {Text: "\treturn &T{}", Mark: '-'}, {Text: "\treturn T{}", Mark: '+'}}},
	}
}

// hostile puts a text into every place of every block.
func hostile(s string) []document.Block {
	var all document.Text
	for kind := document.Plain; kind <= document.Break; kind++ {
		all = append(all, document.Span{Kind: kind, Text: s, To: s, Short: s, Level: 99, Verdict: document.Fails})
	}
	given := document.As(document.Given, s)
	t := &document.Table{Title: all, More: "--long", Notes: []document.Text{all}, LeftOut: 1}
	for _, kind := range []document.ColumnKind{document.Key, document.Name, document.Words, document.Prose, document.Figure} {
		t.Columns = append(t.Columns, document.Column{Head: s, Kind: kind, Title: s})
	}
	t.Add(given, given, all, given, given)
	t.Rows[0].Class, t.Rows[0].ID, t.Rows[0].Detail = s, s, []document.Block{&document.Sentence{Text: all}}
	return []document.Block{
		&document.Sentence{Frame: document.Frame{ID: s, Class: s}, Text: all, Short: given}, &document.Sentence{Text: given, Item: true}, t,
		&document.Facts{Title: all, Facts: []document.Fact{{Label: s, Text: all}}},
		&document.Picture{Title: all, Says: given, Notes: []document.Text{all}, Table: t},
		&document.Fold{Head: all, Blocks: []document.Block{&document.Sentence{Text: given}}},
		&document.Group{Head: all, Level: 1, Blocks: []document.Block{&document.Sentence{Text: given}}},
		&document.Source{File: s, Language: "go", Lines: []document.SourceLine{{Number: 1, Text: s, Note: given, Margin: given, Mark: '>'}}},
	}
}

// hostileDocument puts a text into every place of every block.
func hostileDocument(s string) *document.Document {
	return &document.Document{Title: s, Blocks: hostile(s)}
}

// long has more than any page takes, of several ranks.
func long() []document.Block {
	out := []document.Block{&document.Sentence{Text: document.Say("This stays.")}}
	for i := range 3 {
		t := &document.Table{Title: document.Say(fmt.Sprint("table of rank ", i)), Frame: document.Frame{Rank: i, Good: 6, Least: 2, Gap: 1 + i},
			Columns: []document.Column{{Head: "name", Kind: document.Name}, {Head: "figure"}, {Head: "why", Kind: document.Prose}}}
		for n := range 200 {
			t.Add(document.Say(fmt.Sprint("row ", n)), document.Say(fmt.Sprint(n)), document.Say("because it is so, and not at all otherwise"))
		}
		out = append(out, t)
	}
	return append(out, &document.Sentence{Frame: document.Frame{Rank: 9, Good: -1}, Text: document.Say("This goes first.")},
		&document.Sentence{Flow: true, Text: document.Say(strings.Repeat("on and on ", 60)), Frame: document.Frame{Rank: 1, Good: 3, Least: 1}})
}

// front is what a reader meets first, in small.
func front() []document.Block {
	return append(append(sentences(), picture()), groups()...)
}
