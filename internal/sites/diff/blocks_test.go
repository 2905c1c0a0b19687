package diff

import (
	"strings"
	"testing"

	"memcost/internal/document"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
	"memcost/internal/sites"
	"memcost/internal/testkit"
)

func caused(function, expr, cause string, line int, objects, share float64) sites.Site {
	s := sites.Site{ID: function + expr + cause, Class: sites.CertainHeap, Package: "example.com/m/codec",
		Function: function, Expr: expr,
		Cause: sites.Cause{Key: cause, Words: map[string]string{"boxing": "a value is put into an interface",
			"store": "its address is stored in a global or in something on the heap"}[cause]}, File: "codec/decode.go",
		Line: line, Text: "use(" + expr + ")"}
	if objects > 0 {
		s.Costs = []sites.Cost{{Objects: objects, Bytes: 48 * objects, Share: sites.Interval{Value: share, Lo: share * .9,
			Hi: share * 1.1, Runs: 10}}}
	}
	return s
}

// threeReports are of three Go versions: the second has another source, too.
func threeReports() []*sites.Report {
	bench := func(name string, objects, seconds float64) sites.Benchmark {
		return sites.Benchmark{Package: "example.com/m/codec", Name: name, N: 1000, Objects: objects, Bytes: 48 * objects,
			Time: sites.Interval{Value: seconds, Lo: seconds * .99, Hi: seconds * 1.01, Runs: 10}}
	}
	old := &sites.Report{Go: "go1.24.13", Platform: "linux/amd64", Mode: "benchmarks",
		Benchmarks: []sites.Benchmark{bench("Decode/size=64", 8, 1e-6), bench("Old", 1, 1e-6)},
		Sites: []sites.Site{caused("(*Decoder).Decode", "&Node{...}", "store", 12, 2, .1), caused("Walk", "v", "boxing", 40,
			3, .2),
			caused("Walk", "w", "boxing", 44, 2, .1), caused("encode", "b", "store", 90, 1, .05), caused("idle", "i",
				"store", 99, 0, 0)}}
	now := &sites.Report{Go: "go1.26.8", Platform: "linux/amd64", Mode: "benchmarks", Exact: true,
		Benchmarks: []sites.Benchmark{bench("Decode/size=64", 6, 0.8e-6), bench("New", 1, 1e-6),
			{Package: "example.com/m/codec", Name: "Old", Failed: "panic: no input"}},
		Sites: []sites.Site{caused("Walk", "v", "boxing", 42, 1, .08), caused("Walk", "w", "boxing", 46, 2, .1),
			caused("encodeAll", "b", "store", 93, 1, .05), caused("Map", "k", "boxing", 120, 2, .07)}}
	same := *old
	same.Go = "go1.27.4"
	return []*sites.Report{old, now, &same}
}

func drawn(t testing.TB, d *document.Document, s terminal.Style) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Write(&b, d, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	d := Document(CompareAll(threeReports()...), "", "")
	testkit.Golden(t, "testdata/versions.txt", drawn(t, d, terminal.Style{Width: 100}))
	testkit.Golden(t, "testdata/versions.long.txt", drawn(t, d, terminal.Style{Width: 100, Long: true}))
	var b strings.Builder
	if err := markdown.Write(&b, d, markdown.Options{}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/versions.md", b.String())
	empty := Document(CompareAll(&sites.Report{}, &sites.Report{}), "", "")
	testkit.Golden(t, "testdata/empty.txt", drawn(t, empty, terminal.Style{}))
}
