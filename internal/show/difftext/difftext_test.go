package difftext

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
	"memcost/internal/sites"
	"memcost/internal/sites/diff"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./internal/show/difftext -update writes it anew); got:\n%s", file, got)
	}
}

func site(function, expr, cause string, line int, objects, share float64) sites.Site {
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

// reports are of three Go versions: the second has another source, too.
func reports() []*sites.Report {
	bench := func(name string, objects, seconds float64) sites.Benchmark {
		return sites.Benchmark{Package: "example.com/m/codec", Name: name, N: 1000, Objects: objects, Bytes: 48 * objects,
			Time: sites.Interval{Value: seconds, Lo: seconds * .99, Hi: seconds * 1.01, Runs: 10}}
	}
	old := &sites.Report{Go: "go1.24.13", Platform: "linux/amd64", Mode: "benchmarks",
		Benchmarks: []sites.Benchmark{bench("Decode/size=64", 8, 1e-6), bench("Old", 1, 1e-6)},
		Sites: []sites.Site{site("(*Decoder).Decode", "&Node{...}", "store", 12, 2, .1), site("Walk", "v", "boxing", 40,
			3, .2),
			site("Walk", "w", "boxing", 44, 2, .1), site("encode", "b", "store", 90, 1, .05), site("idle", "i",
				"store", 99, 0, 0)}}
	now := &sites.Report{Go: "go1.26.8", Platform: "linux/amd64", Mode: "benchmarks", Exact: true,
		Benchmarks: []sites.Benchmark{bench("Decode/size=64", 6, 0.8e-6), bench("New", 1, 1e-6),
			{Package: "example.com/m/codec", Name: "Old", Failed: "panic: no input"}},
		Sites: []sites.Site{site("Walk", "v", "boxing", 42, 1, .08), site("Walk", "w", "boxing", 46, 2, .1),
			site("encodeAll", "b", "store", 93, 1, .05), site("Map", "k", "boxing", 120, 2, .07)}}
	same := *old
	same.Go = "go1.27.4"
	return []*sites.Report{old, now, &same}
}

func written(t testing.TB, write func(w io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func render(t testing.TB, d []diff.Diff, s text.Style) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return Text(w, d, s) })
}

func TestGolden(t *testing.T) {
	d := diff.CompareAll(reports()...)
	golden(t, "versions.txt", render(t, d, text.Style{}))
	golden(t, "versions.long.txt", render(t, d, text.Style{Long: true, Width: 100}))
	golden(t, "versions.md", written(t, func(w io.Writer) error { return Markdown(w, d) }))
	golden(t, "versions.json", written(t, func(w io.Writer) error { return JSON(w, d[:1]) }))
	empty := diff.CompareAll(&sites.Report{}, &sites.Report{})
	golden(t, "empty.txt", render(t, empty, text.Style{}))
	with, without := render(t, d, text.Style{Color: true, Width: 100}), render(t, d, text.Style{Width: 100})
	if strip := pretty.StripEscape(with); strip != without || with == without {
		t.Errorf("colour changes the text, or there is none:\n%s", strip)
	}
}

// What others wrote is text and nothing else, fits the terminal, and leaves no comment too long
// for GitHub.
func TestHostile(t *testing.T) {
	evil := "a|b](http://x.example) @someone <script> \x1b[31m \xff`\n::error::x"
	var old, now sites.Report
	now.Benchmarks = []sites.Benchmark{{Name: evil, N: 1, Objects: 1e6}}
	old.Benchmarks = now.Benchmarks
	old.Go, now.Go, now.Warnings = evil, "new"+evil, []string{evil}
	for i := range 3000 {
		name := evil + fmt.Sprint(i)
		s := site(name, name, name, i, 2, 0)
		s.File, s.Cause.Words = name, name
		if i%2 == 0 {
			now.Sites = append(now.Sites, s)
		} else {
			old.Sites = append(old.Sites, s)
		}
	}
	d := diff.CompareAll(&old, &now, &now)
	md := written(t, func(w io.Writer) error { return Markdown(w, d) })
	if len(md) > mostMarkdown || !strings.Contains(md, "left out; `--json` has all.") {
		t.Errorf("%d characters", len(md))
	}
	for _, no := range []string{"<script>", "](http", "@someone", "\x1b", "a|b", "\n::error"} {
		if strings.Contains(md, no) {
			t.Errorf("there is %q in it", no)
		}
	}
	for _, width := range []int{0, 60, 100} {
		for line := range strings.SplitSeq(render(t, d, text.Style{Width: width}), "\n") {
			if w := pretty.StringWidth(line); width > 0 && w > width {
				t.Errorf("width %d: a line of %d columns: %s", width, w, line)
			}
			if strings.HasPrefix(line, "::") || strings.ContainsFunc(line,
				func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q", line)
			}
		}
	}
	if s := written(t, func(w io.Writer) error { return JSON(w, d) }); !json.Valid([]byte(s)) {
		t.Error("it is no JSON")
	}
	if s := written(t, func(w io.Writer) error { return JSON(w, nil) }); !strings.Contains(s, `"comparisons": []`) {
		t.Error(s)
	}
}
