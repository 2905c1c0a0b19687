package whytext

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/hint"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

const answer = "2 sites make 58% of the bytes of Decode/lines=64. One of them is append growth in record."

// golden compares a text with a file of testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	file = filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (go test -update ./internal/show/whytext writes it anew): %v; got:\n%s", file, err, got)
	}
}

func render(t *testing.T, r *sites.Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if o.Read == nil {
		o.Read = os.ReadFile
	}
	if err := Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fits fails for lines wider than the terminal, for more lines than fit a screen, and for what
// a terminal would take for more than text.
func fits(t *testing.T, got string, width, most int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) > most {
		t.Errorf("%d lines, more than %d:\n%s", len(lines), most, got)
	}
	for _, line := range lines {
		if w := pretty.StringWidth(line); w > width && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("%d columns, more than %d: %s", w, width, line)
		}
		for _, c := range line {
			if !unicode.IsPrint(c) {
				t.Errorf("%q is printed: %q", c, line)
			}
		}
	}
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    *sites.Report
		o    Options
	}{
		{"overview", fixture(), Options{Answer: answer}},
		{"long", fixture(), Options{Answer: answer, Style: text.Style{Long: true, Width: 120}}},
		{"inside", fixture(), Options{Answer: answer, All: true}},
		{"narrow", fixture(), Options{Answer: answer, Style: text.Style{Width: 60}}},
		{"static", static(), Options{}},
		{"site", fixture(), Options{Site: "2"}},
		{"callee", fixture(), Options{Site: "decode.go:35", Style: text.Style{Width: 60}}},
		{"never", fixture(), Options{Site: "decode.go:57"}},
		{"source", fixture(), Options{Source: "decode.go"}},
		{"many", many(500), Options{Answer: answer}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := render(t, tt.r, tt.o)
			golden(t, tt.name+".txt", got)
			width, most := max(tt.o.Width, 60), 1000
			if tt.o.Width == 0 {
				width = defaultWidth
			}
			if tt.name == "overview" || tt.name == "static" || tt.name == "many" {
				most = linesAtMost
			}
			fits(t, got, width, most)
		})
	}
}

// An overview fits a screen, whatever the report holds.
func TestOverviewFits(t *testing.T) {
	for _, n := range []int{0, 1, 2, 9, 10, 11, 500} {
		for _, width := range []int{80, 100, 140} {
			r := many(n)
			fits(t, render(t, r, Options{Answer: strings.Repeat("An answer that is long. ", 8),
				Style: text.Style{Width: width}}), width, linesAtMost)
			r.Mode = "static"
			for i := range r.Sites {
				r.Sites[i].Rank = 0
			}
			fits(t, render(t, r, Options{Style: text.Style{Width: width}}), width, linesAtMost)
		}
		fits(t, render(t, many(n), Options{Style: text.Style{Width: 60}}), 60, 1<<20)
	}
}

// What was not measured is said to be so, and is never 0.
func TestNotMeasured(t *testing.T) {
	r := fixture()
	for i := range r.Benchmarks {
		r.Benchmarks[i].Time, r.Benchmarks[i].Malloc = sites.Interval{}, sites.Interval{}
		r.Benchmarks[i].Assist, r.Benchmarks[i].GC = sites.Interval{}, sites.Interval{}
	}
	for i := range r.Sites {
		for j := range r.Sites[i].Costs {
			c := &r.Sites[i].Costs[j]
			c.Share, c.Malloc, c.Assist, c.GC = sites.Interval{}, sites.Interval{}, sites.Interval{}, sites.Interval{}
		}
		r.Sites[i].Gain = nil
	}
	for i, s := range r.Benchmarks[:2] {
		r.Benchmarks[i].Name = s.Name + strings.Repeat("/long=name", 10)
	}
	fits(t, render(t, r, Options{Answer: answer}), defaultWidth, linesAtMost)
	for _, o := range []Options{{}, {Site: "2"}} {
		got := render(t, r, o)
		if strings.Contains(got, "0.0%") || strings.Contains(got, "0 ns") || !strings.Contains(got, notMeasured) {
			t.Errorf("%+v:\n%s", o, got)
		}
	}
	if got := render(t, static(), Options{}); !strings.HasPrefix(got, "Nothing was run") ||
		strings.Contains(got, "0 B") {
		t.Errorf("static:\n%s", got)
	}
}

// Text of others brings no escape sequence, no change of the writing direction, and no line of
// its own.
func TestHostileText(t *testing.T) {
	for _, o := range []Options{{}, {Site: "1"}, {Site: "2"}, {Source: "decode.go"}, {Style: text.Style{Long: true}},
		{All: true}, {Style: text.Style{Width: 60}}} {
		r := hostile()
		o.Answer = evil
		o.Read = func(string) ([]byte, error) {
			return []byte(strings.Repeat(strings.ReplaceAll(evil, "\n", " ")+"\n", 70)), nil
		}
		got := render(t, r, o)
		fits(t, got, 1<<20, 1000)
		if strings.Contains(got, "\x1b") || strings.Contains(got, "\nINJECTED") {
			t.Errorf("%+v:\n%q", o, got)
		}
	}
	_, err := Find(fixture(), evil)
	if err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a site that there is not: %v", err)
	}
}

const evil = "a\x1b[31mb\u202ec\nINJECTED `|</details><script>alert(1)</script>```\n# head @all www.evil.example\x07"

// hostile returns the fixture with evil in each of its texts that come from the user's source.
func hostile() *sites.Report {
	r := fixture()
	r.Packages[0].Partial, r.Warnings = []string{evil}, []string{evil}
	for i := range r.Benchmarks {
		r.Benchmarks[i].Name += evil
	}
	r.Benchmarks[2].Failed = evil
	for i := range r.Sites {
		s := &r.Sites[i]
		s.Function, s.Text, s.Expr, s.Says, s.Named, s.ID = s.Function+evil, evil, evil, evil, evil, evil
		s.Calls, s.Flow = []string{evil}, []string{evil}
		s.Chain = []sites.Frame{{Function: evil, File: evil, Line: 1}}
		if s.Callee != nil {
			s.Callee.Via, s.Callee.Says, s.Callee.Function = evil, evil, evil
			s.Inside = []sites.Callee{*s.Callee}
		}
		if s.Edit != nil {
			s.Edit.Title, s.Edit.Check, s.Edit.Diff = evil, evil, "+"+strings.ReplaceAll(evil, "\n", "\n+")
		}
	}
	r.Join.Unmatched[0].Function = evil
	return r
}

func TestShortFunction(t *testing.T) {
	for name, want := range map[string]string{"example.com/a/buffer.(*Buffer).Write": "buffer.(*Buffer).Write",
		"strings.Fields": "strings.Fields", "f": "f", "": "",
		"example.com/pool.(*Pool[example.com/a.T]).Get": "pool.(*Pool[example.com/a.T]).Get",
		"example.com/a.Map[go.shape.*uint8]":            "a.Map[go.shape.*uint8]"} {
		if got := shortFunction(name); got != want {
			t.Errorf("shortFunction(%q) = %q, want %q", name, got, want)
		}
	}
}

// A site is found by rank, ID, and position, and a mistake is a usage error with advice.
func TestFind(t *testing.T) {
	r := fixture()
	for _, tt := range []struct {
		key  string
		line int
		n    int
	}{{"1", 35, 1}, {"10", 38, 1}, {r.Sites[2].ID, 34, 1}, {"decode.go:38", 38, 2}, {"./decode.go:50", 50, 2},
		{"0", 0, 0}, {"11", 0, 0}, {"ecode.go:38", 0, 0}, {"decode.go:3", 0, 0}, {"", 0, 0}, {":", 0, 0}} {
		got, err := Find(r, tt.key)
		if len(got) != tt.n || (err == nil) != (tt.n > 0) || tt.n > 0 && got[0].Line != tt.line {
			t.Errorf("Find(%q) = %d sites, %v", tt.key, len(got), err)
		}
		if err != nil && !hint.IsUsage(err) {
			t.Errorf("Find(%q): %v is no usage error", tt.key, err)
		}
	}
	for _, source := range []string{"nowhere.go", "\x1b[1m"} {
		var b strings.Builder
		if err := Text(&b, r, Options{Source: source, Read: os.ReadFile}); !hint.IsUsage(err) || b.Len() > 0 {
			t.Errorf("--source %q: %v", source, err)
		}
	}
}

// Source is shown of each function with a site, and of those alone; a file that cannot be
// parsed shows the lines around its sites.
func TestSource(t *testing.T) {
	got := render(t, fixture(), Options{Source: "decode.go", Style: text.Style{Width: 140}})
	for _, want := range []string{"func record(", "func (r *Record) Encode(", "func Index("} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "type Record") {
		t.Errorf("a declaration without sites is shown:\n%s", got)
	}
	broken := render(t, fixture(), Options{Source: "decode.go", Read: func(p string) ([]byte, error) {
		data, err := os.ReadFile(p)
		return append([]byte("!!"), data...), err
	}})
	if !strings.Contains(broken, "r := &Record{") || strings.Contains(broken, "Package codec") {
		t.Errorf("broken file:\n%s", broken)
	}
}

// Colours are written only where they are asked for.
func TestColor(t *testing.T) {
	for _, o := range []Options{{}, {Site: "2"}, {Source: "decode.go"}} {
		if strings.Contains(render(t, fixture(), o), "\x1b") {
			t.Errorf("%+v has colours unasked", o)
		}
		o.Color = true
		if got := render(t, fixture(), o); !strings.Contains(got, "\x1b[") {
			t.Errorf("%+v has no colours", o)
		}
	}
}

// Whatever a report holds, it is shown: on a screen, in full, as Markdown and as JSON.
func FuzzText(f *testing.F) {
	for _, r := range []*sites.Report{fixture(), static(), many(3)} {
		var b bytes.Buffer
		if err := JSON(&b, r); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), uint8(100), "1")
		f.Add(b.Bytes(), uint8(30), "decode.go:38")
	}
	f.Add([]byte(`{"mode":"benchmarks","sites":[{"rank":1,"line":-5,"costs":[{"benchmark":9,"objects":-1}],"gain":{}}]}`),
		uint8(1), "1")
	read := func(string) ([]byte, error) { return []byte("package a\n\nfunc f() {\n"), nil }
	f.Fuzz(func(t *testing.T, report []byte, width uint8, key string) {
		var r sites.Report
		if json.Unmarshal(report, &r) != nil {
			t.Skip()
		}
		for i := range r.Sites {
			r.Sites[i].Path = r.Sites[i].File
		}
		style := text.Style{Width: int(width)}
		for _, o := range []Options{{Style: style}, {Style: style, All: true, Read: read},
			{Site: key, Style: style, Read: read}, {Source: key, Style: style, Read: read},
			{Style: text.Style{Width: int(width), Long: true}}} {
			var b strings.Builder
			if err := Text(&b, &r, o); err != nil && !hint.IsUsage(err) && o.Source == "" {
				t.Error(err)
			}
			for _, c := range b.String() {
				if c != '\n' && !unicode.IsPrint(c) {
					t.Fatalf("%q is printed", c)
				}
			}
			if most := linesAtMost; o.Site+o.Source == "" && !o.Long && !o.All && width >= leastWidth &&
				strings.Count(b.String(), "\n") > most {
				t.Errorf("%d lines:\n%s", strings.Count(b.String(), "\n"), b.String())
			}
		}
		if err := Markdown(io.Discard, &r, Options{}); err != nil {
			t.Error(err)
		}
		if err := JSON(io.Discard, &r); err != nil {
			t.Error(err)
		}
	})
}
