package sites

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"memcost/internal/base/hint"
	"memcost/internal/document"
	"memcost/internal/show/html"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

func documentOf(t testing.TB, r *Report, v View) *document.Document {
	t.Helper()
	if v.Read == nil {
		v.Read = os.ReadFile
	}
	d, err := r.Document(v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// screen draws a view as it stands on a screen of 45 lines.
func screen(t testing.TB, r *Report, v View) string {
	return drawn(t, r, v, terminal.Style{Width: 100, Lines: 45})
}

func drawn(t testing.TB, r *Report, v View, s terminal.Style) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Write(&b, documentOf(t, r, v), s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	for _, x := range []struct {
		name  string
		r     *Report
		v     View
		style terminal.Style
	}{
		{"overview", fixture(), View{}, terminal.Style{Width: 100, Lines: 45}},
		{"long", fixture(), View{All: true}, terminal.Style{Width: 120, Long: true}},
		{"narrow", fixture(), View{}, terminal.Style{Width: 60}},
		{"static", static(), View{}, terminal.Style{Width: 100, Lines: 45}},
		{"site", fixture(), View{Site: "2"}, terminal.Style{Width: 100}},
		{"callee", fixture(), View{Site: "decode.go:35"}, terminal.Style{Width: 60}},
		{"never", fixture(), View{Site: "decode.go:57"}, terminal.Style{Width: 100}},
		{"source", fixture(), View{Source: "decode.go"}, terminal.Style{Width: 100}},
		{"many", many(500), View{}, terminal.Style{Width: 100, Lines: 45}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := drawn(t, x.r, x.v, x.style)
			testkit.Golden(t, "testdata/"+x.name+".txt", got)
			if n := strings.Count(got, "\n"); x.style.Lines > 0 && n > x.style.Lines {
				t.Errorf("%d lines", n)
			}
		})
	}
	var b strings.Builder
	if err := markdown.Write(&b, documentOf(t, fixture(), View{}), markdown.Options{}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/report.md", b.String())
}

// An overview fits a screen, whatever the report holds.
func TestOverviewFits(t *testing.T) {
	for _, n := range []int{0, 1, 2, 9, 10, 11, 500} {
		for _, width := range []int{80, 100, 140} {
			r := many(n)
			for _, mode := range []string{"benchmarks", "static"} {
				if r.Mode = mode; mode == "static" {
					for i := range r.Sites {
						r.Sites[i].Rank = 0
					}
				}
				got := drawn(t, r, View{Budgets: []string{"budget broken: a.go:1: a budget"}}, terminal.Style{Width: width, Lines: 45})
				if lines := strings.Count(got, "\n"); lines > 45 || lines < 3 || n > 0 && !strings.Contains(got, "next: ") {
					t.Errorf("%s, %d sites, width %d: %d lines:\n%s", mode, n, width, lines, got)
				}
			}
		}
	}
}

// What was not measured is said to be so, and is never 0.
func TestNotMeasured(t *testing.T) {
	r := fixture()
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		b.Time, b.Malloc, b.Assist, b.GC = Interval{}, Interval{}, Interval{}, Interval{}
	}
	for i := range r.Sites {
		for j := range r.Sites[i].Costs {
			c := &r.Sites[i].Costs[j]
			c.Share, c.Malloc, c.Assist, c.GC = Interval{}, Interval{}, Interval{}, Interval{}
		}
		r.Sites[i].Gain = nil
	}
	for _, v := range []View{{}, {Site: "2"}} {
		got := screen(t, r, v)
		if strings.Contains(got, "0.0%") || strings.Contains(got, "0 ns") || !strings.Contains(got, notMeasured) {
			t.Errorf("%+v:\n%s", v, got)
		}
	}
	if got := screen(t, static(), View{}); !strings.HasPrefix(got, "Nothing was run") || strings.Contains(got, "0 B") {
		t.Errorf("static:\n%s", got)
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{"example.com/a/buffer.(*Buffer).Write": "buffer.(*Buffer).Write",
		"strings.Fields": "strings.Fields", "f": "f", "": "", "gopkg.in/yaml%2ev3.Unmarshal": "yaml.Unmarshal",
		"github.com/pelletier/go-toml/v2.Unmarshal": "toml.Unmarshal", "example.com/vm/v10.(*VM).Run": "vm.(*VM).Run",
		"example.com/pool.(*Pool[example.com/a.T]).Get": "pool.(*Pool[example.com/a.T]).Get",
		"example.com/a.Map[go.shape.*uint8]":            "a.Map[go.shape.*uint8]"} {
		if got := Short(name); got != want {
			t.Errorf("Short(%q) = %q, want %q", name, got, want)
		}
	}
}

// A site is found by rank, ID, and position, and a mistake is a usage error with advice.
func TestFind(t *testing.T) {
	r := fixture()
	for _, x := range []struct {
		key  string
		line int
		n    int
	}{{"1", 35, 1}, {"10", 38, 1}, {r.Sites[2].ID, 34, 1}, {"decode.go:38", 38, 2}, {"./decode.go:50", 50, 2},
		{"0", 0, 0}, {"11", 0, 0}, {"ecode.go:38", 0, 0}, {"decode.go:3", 0, 0}, {"", 0, 0}, {":", 0, 0},
		{testkit.Hostile, 0, 0}} {
		got, err := r.Find(x.key)
		if len(got) != x.n || (err == nil) != (x.n > 0) || x.n > 0 && got[0].Line != x.line {
			t.Errorf("Find(%q) = %d sites, %v", x.key, len(got), err)
		}
		if err != nil && (!hint.IsUsage(err) || strings.ContainsAny(err.Error(), "\x1b\u202e")) {
			t.Errorf("Find(%q): %q is no usage error, or no text", x.key, err)
		}
	}
	for _, source := range []string{"nowhere.go", "\x1b[1m"} {
		if d, err := r.Document(View{Source: source, Read: os.ReadFile}); !hint.IsUsage(err) || len(d.Blocks) > 0 {
			t.Errorf("--source %q: %v", source, err)
		}
	}
}

// Source is shown of each function with a site, and of those alone; a file that cannot be parsed
// shows the lines around its sites, one that cannot be read is an error.
func TestSource(t *testing.T) {
	got := screen(t, fixture(), View{Source: "decode.go"})
	for _, want := range []string{"func record(", "func (r *Record) Encode(", "func Index("} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "type Record") {
		t.Errorf("a declaration without sites is shown:\n%s", got)
	}
	broken := screen(t, fixture(), View{Source: "decode.go", Read: func(p string) ([]byte, error) {
		data, err := os.ReadFile(p)
		return append([]byte("!!"), data...), err
	}})
	if !strings.Contains(broken, "r := &Record{") || strings.Contains(broken, "Package codec") {
		t.Errorf("broken file:\n%s", broken)
	}
	gone := View{Source: "decode.go", Read: func(string) ([]byte, error) { return nil, os.ErrNotExist }}
	if _, err := fixture().Document(gone); err == nil || hint.IsUsage(err) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// The page of docs/why.md names each class and its letter as the margin has it.
func TestClassesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/why.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Class{CertainHeap, Conditional, RuntimeOnly, DidNotAllocate, NeverExecuted} {
		if row := fmt.Sprintf("| %s | %s | ", c, letters[c]); !strings.Contains(string(text), row) {
			t.Errorf("docs/why.md has no row %q", row)
		}
	}
}

// Whatever a report holds, it is shown: on a screen, in full, as Markdown, as a page and as JSON.
func FuzzDocument(f *testing.F) {
	for _, r := range []*Report{fixture(), static(), many(3)} {
		for i := range r.Sites {
			for j := range r.Sites[i].Costs {
				r.Sites[i].Costs[j].Share = Interval{}
			}
		}
		text, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint8(100), "1")
		f.Add(text, uint8(30), "decode.go:38")
	}
	f.Add([]byte(`{"mode":"benchmarks","sites":[{"rank":1,"line":-5,"costs":[{"benchmark":9,"objects":-1}],"gain":{}}]}`),
		uint8(1), "1")
	read := func(string) ([]byte, error) { return []byte("package a\n\nfunc f() {\n"), nil }
	f.Fuzz(func(t *testing.T, report []byte, width uint8, key string) {
		var r Report
		if json.Unmarshal(report, &r) != nil {
			t.Skip()
		}
		for i := range r.Sites {
			r.Sites[i].Path = r.Sites[i].File
		}
		for _, v := range []View{{}, {All: true, Read: read}, {Site: key, Read: read}, {Source: key, Read: read}} {
			d, err := r.Document(v)
			if err != nil {
				if !hint.IsUsage(err) && v.Source == "" {
					t.Error(err)
				}
				continue
			}
			for _, s := range []terminal.Style{{Width: int(width), Lines: 45}, {Width: int(width), Long: true}} {
				if err := terminal.Write(io.Discard, d, s); err != nil {
					t.Error(err)
				}
			}
			if err := markdown.Write(io.Discard, d, markdown.Options{}); err != nil {
				t.Error(err)
			}
			if err := html.Write(io.Discard, d); err != nil {
				t.Error(err)
			}
		}
		if _, err := json.Marshal(r.Versioned()); err != nil {
			t.Error(err)
		}
	})
}
