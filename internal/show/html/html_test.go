package html

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/document"
	"memcost/internal/show/pagetest"
	"memcost/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

func render(t testing.TB, d *document.Document) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// open shows a page whose scripts have run, in a window that has the focus.
func open(t testing.TB, d *document.Document) *pagetest.Tab {
	t.Helper()
	p := pagetest.Open(t, pagetest.Page{HTML: render(t, d), Focus: true, OwnData: true})
	p.Check("the scripts run", `document.documentElement.dataset.ready === "true"`)
	return p
}

// sites is a table whose rows unfold, with the picture of them.
func sites(n int) []document.Block {
	t := &document.Table{Frame: document.Frame{ID: "sites"}, Title: document.Say("The sites"), Sortable: true,
		Columns: []document.Column{{Head: "#"}, {Head: "site", Kind: document.Key}, {Head: "bytes"},
			{Head: "cause", Kind: document.Prose, Choose: true, Title: "why it is on the heap"}}}
	var areas []map[string]any
	for i := range n {
		id, cause := fmt.Sprintf("site-%d", i), []string{"a slice grows", "a new string"}[i%2]
		r := t.Add(document.Say(fmt.Sprint(i+1)), document.As(document.Given, fmt.Sprintf("f%d", (i*7)%n)),
			document.Text{document.Quantity(float64(1000*(i*3%n)), "B/op")}, document.Say(cause))
		r.ID = id
		r.Detail = []document.Block{&document.Fold{Head: document.Say("how ", id, " reaches the heap"),
			Blocks: []document.Block{&document.Source{Language: "go", Lines: []document.SourceLine{
				{Number: i + 1, Text: "\tx := make([]byte, n)", Mark: '>', Note: document.Say("escapes")}}},
				&document.Table{Columns: []document.Column{{Head: "benchmark", Kind: document.Key}, {Head: "B/op"}},
					Rows: []document.Row{{Cells: []document.Text{document.Say("Decode"), document.Say("8 B")}}}}}}}
		areas = append(areas, map[string]any{"id": id, "package": fmt.Sprint("p", i%3), "name": "f", "place": "a.go:1",
			"words": cause, "color": i % 2, "parts": []float64{float64(i%n) / float64(n*n), float64(1) / float64(n)},
			"choices": map[string]any{"1": map[string]any{"parts": []float64{.5, .25},
				"cells": map[string]any{"bytes": []any{"7 B", 7}}}}})
	}
	return []document.Block{
		&document.Picture{Kind: "treemap", Says: document.Say("Where the bytes go"), Data: map[string]any{
			"table": "sites", "unit": "site", "measures": []map[string]string{{"name": "bytes", "of": "of the bytes"},
				{"name": "objects", "of": "of the objects"}}, "choice": map[string]any{"name": "benchmark",
				"all": "both", "options": []string{"Decode", "Encode"}}, "areas": areas, "groups": []map[string]any{
				{"name": "a slice grows", "color": 0}, {"name": "a new string", "color": 1}}}},
		t}
}

// all is a document with every block.
func all() *document.Document {
	d := &document.Document{Title: "What does it cost?",
		Nav: document.Text{{Kind: document.Link, Text: "Claims", To: "#claims"}}}
	claims := &document.Table{Frame: document.Frame{ID: "table", Class: "claims"}, Title: document.Say("Claims"),
		Columns: []document.Column{{Head: "claim", Kind: document.Key}, {Head: "as it is tested", Kind: document.Prose},
			{Head: "here", Kind: document.Words}, {Head: "time"}},
		LeftOut: 3, More: "as JSON", Notes: []document.Text{document.Say("± is a 95% confidence interval")}}
	claims.Rows = append(claims.Rows, document.Row{Head: true, Cells: []document.Text{document.Say("of stackheap")}})
	claims.Add(document.As(document.Given, "C1"), document.Say("the heap costs more"),
		document.Text{document.Holds.Span()}, document.Text{document.Quantity(3.1e-9, "sec/op"),
			{Text: " "}, {Kind: document.Interval, Text: "±2%"}}).ID = "claim-C1"
	claims.Add(document.As(document.Given, "C2"), document.Say("it does not"), document.Text{document.Fails.Glyph(),
		{Text: " "}, document.Fails.Span()})
	facts := &document.Facts{Title: document.Say("The machine")}
	facts.Add("CPU", document.Span{Kind: document.Given, Text: "Xeon"})
	facts.Add("load", document.Span{Kind: document.Warning, Text: "high"})
	bars := &document.Picture{Kind: "bars", Title: document.Say("bytes of Decode"), Says: document.Say("Decode costs less"),
		Data: map[string]any{"measures": []map[string]any{
			{"name": "bytes", "title": "bytes per operation", "bars": []map[string]any{
				{"name": "decode", "to": "#claim-C1", "place": "a.go:3", "kind": "less", "words": "costs less",
					"figure": "-384 B", "value": -384}, {"name": "new", "kind": "new", "figure": "+8 B", "value": 8}}},
			{"name": "objects", "title": "objects per operation", "bars": []map[string]any{
				{"name": "decode", "kind": "less", "figure": "-4", "value": -4}}}}},
		Table: &document.Table{Columns: []document.Column{{Head: "site", Kind: document.Key}, {Head: "change"}},
			Rows: []document.Row{{Cells: []document.Text{document.Say("decode"), document.Say("-384 B")}}}},
		Notes: []document.Text{document.Say("12 more change less")}}
	d.Add(
		&document.Sentence{Frame: document.Frame{Class: "lead"}, Text: document.Text{
			{Kind: document.Strong, Text: "A block"}, {Text: " costs "}, document.Quantity(3.1e-9, "sec/op"),
			{Kind: document.Interval, Text: " ±2%"}, {Text: ": "}, {Kind: document.Link, Text: "C1", To: "#claim-C1"},
			{Kind: document.Link, Text: " nowhere", To: "#nowhere"},
			{Kind: document.Link, Text: " script", To: "javascript:alert(1)"},
			{Kind: document.Link, Text: " article", To: "https://go.dev/a?b&c"}, {Kind: document.Faint, Text: " faint"},
			{Kind: document.Bar, Level: 3}}},
		&document.Sentence{Frame: document.Frame{On: document.Terminal}, Text: document.Say("on a terminal alone")},
		&document.Sentence{Text: document.Say("one"), Item: true}, &document.Sentence{Text: document.Say("two"), Item: true},
		&document.Sentence{Frame: document.Frame{Class: "warning"}, Text: document.Say("the machine was busy")},
		&document.Group{Frame: document.Frame{ID: "claims", Class: "study"}, Level: 2, Head: document.Say("The claims"),
			Blocks: []document.Block{claims, facts}},
		bars,
		&document.Picture{Kind: "unknown to the page", Says: document.Say("A picture of a kind without a script"),
			Table: bars.Table},
		&document.Group{Blocks: []document.Block{&document.Fold{Frame: document.Frame{Class: "evidence"},
			Head: document.Say("Evidence"), Blocks: []document.Block{
				&document.Source{File: "a.go", Language: "diff", Lines: []document.SourceLine{{Text: "@@ -1 +1 @@"},
					{Text: "\tx := 1", Mark: '-'}, {Text: "\tx := 2", Mark: '+'}, {Text: "}", Mark: ' '}}}}}}},
	)
	d.Add(sites(6)...)
	return d
}

var (
	scripted = regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>`)
	licences = regexp.MustCompile(`(?s)(<summary>Licence.*?<pre tabindex="0">).*?(</pre>)`)
	hashes   = regexp.MustCompile(`('sha256-.*?' ?)+`)
)

func TestGolden(t *testing.T) {
	got := hashes.ReplaceAllString(licences.ReplaceAllString(scripted.ReplaceAllString(render(t, all()), ""),
		"$1$2"), "HASHES")
	pagetest.Structure(t, got)
	testkit.Golden(t, filepath.Join("testdata", "all.golden.html"), got)
}

// Whatever texts a document has, the page has the same elements and attributes as with harmless
// words, and the words as text.
func TestHostileWordsStayText(t *testing.T) {
	spoiled := func(attack string) string {
		d := all()
		testkit.Spoil(reflect.ValueOf(d), attack, "ID", "Class", "Kind", "To", "Language")
		document.Walk(d.Blocks, func(b document.Block) bool {
			if p, is := b.(*document.Picture); is && p.Kind == "bars" {
				p.Data = map[string]any{"measures": []any{map[string]any{"name": "bytes" + attack,
					"title": attack, "bars": []any{map[string]any{"name": attack, "kind": attack, "words": attack}}}}}
			}
			return true
		})
		return render(t, d)
	}
	calm, _ := pagetest.Structure(t, spoiled("harmless"))
	if len(calm) < 200 {
		t.Fatalf("only %d elements", len(calm))
	}
	for _, a := range testkit.Attacks {
		page := spoiled(a)
		got, shown := pagetest.Structure(t, page)
		if strings.Join(got, "\n") != strings.Join(calm, "\n") {
			t.Errorf("%q: other elements", a)
		}
		if strings.ContainsAny(page, "\x00\x1b\u202e\u2066\u2028") {
			t.Errorf("%q: the page holds characters that change what stands around them", a)
		}
		plain := strings.IndexFunc(a, func(r rune) bool { return r < ' ' || r > '~' }) < 0
		if plain && strings.Count(shown, a) < 60 {
			t.Errorf("%q stands on the page %d times", a, strings.Count(shown, a))
		}
	}
	for _, a := range []string{testkit.Attacks[1], testkit.Attacks[2]} {
		p := pagetest.Open(t, pagetest.Page{HTML: spoiled(a)})
		p.Check("no element came from a text", `!document.querySelector("img, [onerror], [onload], [onmouseover]")`)
		p.Check("the bars are drawn", `new Promise(drawn => {
			document.querySelector("figure").scrollIntoView();
			const look = () => document.querySelector("table.bars") ? drawn(document.querySelectorAll("table.bars").length === 1)
				: setTimeout(look, 20);
			look();
		})`)
	}
}

// A page embeds what it needs and nothing else, and everything that it has may run.
func TestScriptsAreThoseOfTheBlocks(t *testing.T) {
	plain := &document.Document{Title: "plain", Blocks: []document.Block{&document.Sentence{Text: document.Say("x")}}}
	small := render(t, plain)
	if len(small) > 40_000 || strings.Contains(small, "Licence of") {
		t.Errorf("a page of one sentence has %d bytes", len(small))
	}
	big := render(t, all())
	for _, page := range []string{small, big} {
		if a, b := strings.Count(page, "<script>"), strings.Count(page, "'sha256-"); a != b || a == 0 {
			t.Errorf("%d scripts, %d of which may run", a, b)
		}
		if regexp.MustCompile(`(src|srcset|@import|url\()=?["']?http`).MatchString(scripted.ReplaceAllString(page, "")) {
			t.Error("something is loaded from elsewhere")
		}
	}
	if !strings.Contains(big, "Licence of d3") || strings.Contains(big, "Licence of plot") {
		t.Error("the page embeds d3, not Plot, and says so")
	}
}

type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { return nil, errors.New("no data") }

func TestErrors(t *testing.T) {
	d := &document.Document{Blocks: []document.Block{&document.Picture{Kind: "bars", Data: broken{}}}}
	if err := Write(&strings.Builder{}, d); err == nil || !strings.Contains(err.Error(), "no data") {
		t.Errorf("%v", err)
	}
	if err := Write(full{}, all()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }
