package language

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"memcost/internal/testkit"
	"memcost/study"
)

// claimC is what the presentations of these tests may name.
var claimC = []Directive{newDirective("claim C place:heap / place:stack > 1 for every size # The stack is faster",
	"Smaug", Pos{"x_test.go", 1})}

func show(t *testing.T, text string) *Study {
	t.Helper()
	sh, err := ReadShow("study.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse("s", claimC, sh)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// columnsOf prints the columns of a table: "header = num / den unit".
func columnsOf(t Table) (out []string) {
	for _, c := range t.Columns {
		text := c.Header + " = " + strings.Join(c.Num.terms(), " ")
		if !c.Den.IsZero() {
			text += " / " + strings.Join(c.Den.terms(), " ")
		}
		out = append(out, text+" "+c.Unit)
	}
	return out
}

func TestShow(t *testing.T) {
	s := show(t, `
ask = """
Which place \
is cheaper?"""
command = "memcost limits"
answer = ["C"]

[names]
"place:heap" = "the heap"

[sets]
places = ["on the stack = place:stack", "on the heap = place:heap"]

[[table]]
title = "Both"
by = "size"
of = "Smaug"
each = ["places"]
columns = ["plain copy = .name:Copy", "B = place:heap B/op", "GB/s = place:stack size/sec"]
floor = "floor = place:none"

[[table]]
title = "Fixes"
by = "toolchain"
unit = "allocs/op"
each = ["places"]
cases = "form:escapes OR form:bad / form:fixed"

[[picture]]
kind = "curve"
title = "Curve {}"
by = "size"
repeat = "places"
columns = ["all = *"]
floor = "plain = .name:Copy"
against = ["C"]
`)
	if s.Question != "Which place is cheaper?" || s.Command != "memcost limits" ||
		!slices.Equal(s.Answer, []string{"C"}) || len(s.Tables) != 2 || len(s.Pictures) != 2 {
		t.Fatalf("%+v", s)
	}
	if got, want := columnsOf(s.Tables[0]), []string{
		"on the stack = .name:Smaug place:stack sec/op", "on the heap = .name:Smaug place:heap sec/op",
		"plain copy = .name:Copy sec/op",
		"B = .name:Smaug place:heap B/op", "GB/s = .name:Smaug place:stack size/sec",
		"floor = .name:Smaug place:none sec/op",
	}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if c := s.Tables[0].Columns; !c[5].Floor || c[0].Floor || s.Tables[0].Pos != (Pos{"study.toml", 14}) {
		t.Errorf("%+v at %v", c, s.Tables[0].Pos)
	}
	if got, want := columnsOf(s.Tables[1]), []string{
		"on the stack = place:stack (form:escapes OR form:bad) / place:stack form:fixed allocs/op",
		"on the heap = place:heap (form:escapes OR form:bad) / place:heap form:fixed allocs/op",
	}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	p := s.Pictures[1]
	if got, want := columnsOf(p.Table), []string{"all = place:heap sec/op",
		"plain = place:heap .name:Copy sec/op"}; !slices.Equal(got, want) ||
		p.Title != "Curve on the heap" || p.Roofline != "plain" || p.Kind != Curve ||
		!slices.Equal(p.Against, []string{"C"}) {
		t.Errorf("%+v: %q, want %q", p, got, want)
	}
}

// What a run folder stores of a Show says the same as the file did.
func TestShowSurvivesStorage(t *testing.T) {
	studies, err := ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range studies {
		text, err := json.Marshal(s.Show)
		if err != nil {
			t.Fatal(err)
		}
		var stored Show
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		back, err := Parse(s.Name, s.Directives, &stored)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if back.Question != s.Question || back.Command != s.Command || !slices.Equal(back.Answer, s.Answer) ||
			len(back.names) != len(s.names) ||
			len(back.Tables) != len(s.Tables) || len(back.Pictures) != len(s.Pictures) ||
			len(back.Latency.Sizes) != len(s.Latency.Sizes) {
			t.Fatalf("%s: %+v", s.Name, back)
		}
		for i, x := range s.Tabulated() {
			y := back.Tabulated()[i]
			if x.Title != y.Title || x.By != y.By || x.Pos != y.Pos || !slices.Equal(columnsOf(x), columnsOf(y)) {
				t.Errorf("%s: %s at %v is read back as %s at %v", s.Name, x.Title, x.Pos, y.Title, y.Pos)
			}
		}
	}
}

// Wrong presentations, each with the error it must give, in testdata/show.golden.
func TestShowErrors(t *testing.T) {
	input, err := os.ReadFile("testdata/show.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, text := range strings.Split(string(input), "---\n") {
		s, err := ReadShow("study.toml", []byte(text))
		if err == nil {
			_, err = Parse("s", claimC, s)
		}
		if err == nil {
			t.Errorf("%s\nno error", text)
			continue
		}
		checkShowError(t, text, err)
		got.WriteString(text + "\t" + strings.ReplaceAll(err.Error(), "\n", "\n\t") + "\n---\n")
	}
	testkit.Golden(t, "testdata/show.golden", got.String())
}

// checkShowError demands the file, a line and what to write instead.
func checkShowError(t *testing.T, text string, err error) {
	t.Helper()
	for _, line := range strings.Split(err.Error(), "\n") {
		if !strings.HasPrefix(line, "study.toml:") || strings.HasPrefix(line, "study.toml:0:") ||
			!strings.Contains(line, "; the right form is: ") {
			t.Errorf("%q\n%s: want file, line and the right form", text, line)
		}
	}
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("%q: %T", text, err)
	}
}

// In source, what is shown stands in study.toml alone, and in one file.
func TestShowStandsInOneFile(t *testing.T) {
	const src = "package s\n\n//memcost:question What?\n//memcost:table T by size: a = a:b\nfunc BenchmarkX() {}\n"
	read := func(files map[string]string) (*Study, error) {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys["s/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
		return ReadDir(fsys, "s")
	}
	_, err := read(map[string]string{"x_test.go": src})
	for _, want := range []string{"s/x_test.go:3: //memcost:question What?: what is shown stands in study.toml",
		`in study.toml: ask = "What does it cost?"`, "in study.toml: [[table]]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s, err := read(map[string]string{"x_test.go": "package s\n\nfunc BenchmarkX() {}\n",
		"memcost.toml": `ask = "What?"`})
	if err != nil || s.Question != "What?" || s.Show.File != "s/memcost.toml" {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = read(map[string]string{"x_test.go": "package s\n", "memcost.toml": `ask = "What?"`,
		"study.toml": `ask = "Why?"`})
	if err == nil || !strings.Contains(err.Error(), "s/memcost.toml:1: memcost.toml: study.toml stands beside it") {
		t.Error(err)
	}
	s, err = read(map[string]string{"x_test.go": "package s\n\nfunc BenchmarkX() {}\n"})
	if err != nil || s.Show == nil || s.Show.File != "" {
		t.Errorf("%+v, %v: want an empty Show", s, err)
	}
}

// A folder below a study that has a study.toml is a study of its own.
func TestReadAllReadsStudiesOfStudies(t *testing.T) {
	fsys := fstest.MapFS{
		"malloc/x.cpp":              {Data: []byte("//memcost:sample 12ms\n")},
		"malloc/latency/study.toml": {Data: []byte("ask = \"What?\"\n")},
		"malloc/latency/l.go": {Data: []byte("// Package latency is one.\n//\n//memcost:claim C .name:Longest " +
			"max-ns < 1us # It is short\npackage latency\n")},
		"malloc/cmake/x.go": {Data: []byte("//memcost:claim C .name:Longest max-ns < 1us\npackage cmake\n")},
	}
	studies, err := ReadAll(fsys)
	if err != nil || len(studies) != 2 || studies[1].Name != "malloc/latency" || studies[1].Question != "What?" ||
		len(studies[1].Claims) != 1 || len(studies[0].Claims) != 0 {
		t.Errorf("%+v, %v", studies, err)
	}
}

// A header may have a "=" of its own where the other has spaces around it.
func TestCutHeader(t *testing.T) {
	for text, want := range map[string]string{
		"heap = place:heap":                     "heap|place:heap",
		"heap=place:heap":                       "heap|place:heap",
		"M_TOP_PAD=0 = setting:pad0":            "M_TOP_PAD=0|setting:pad0",
		"A=0, B=0 = setting:ab":                 "A=0, B=0|setting:ab",
		"a=place:heap | b = place:stack":        "a|place:heap | b = place:stack",
		"bytes=place:heap B/op | b = x:y / x:z": "bytes|place:heap B/op | b = x:y / x:z",
	} {
		header, rest, ok := cutHeader(text)
		if got := strings.TrimSpace(header) + "|" + strings.TrimSpace(rest); !ok || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestSides(t *testing.T) {
	s := show(t, `
ask = "?"
[names]
"place:heap" = "the heap"
"place:stack" = "the stack"
"place:heap load:full" = "the heap on all cores"
"load:alone" = "one core"
".name:Live" = "the live one"
`)
	for _, tt := range []struct{ num, den, scope, want string }{
		{"place:heap", "place:stack", "Smaug", "the heap / the stack"},
		{"place:heap size:(1 OR 2)", "place:stack size:(1 OR 2)", "", "the heap / the stack"},
		{"place:heap load:full", "place:heap load:alone", "Smaug", "the heap on all cores / one core"},
		{".name:Live", ".name:Create by:pointer n:1000", "X", "the live one / Create pointer 1000"},
		{"from:arena method:fixed", "from:heap method:fixed", "", "arena / heap"},
		{"*", "place:stack", "Smaug", "* / the stack"},
		{"place:stack", "place:stack x:y", "", "stack / y"},
		{`a:"b c" -d:e`, "a:x", "", "b c not e / x"},
		{"a:b OR a:c", "a:d", "", "b OR a:c / d"},
	} {
		num, err := newSelector(tt.num, tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		den, err := newSelector(tt.den, tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := s.Sides(num, den); a+" / "+b != tt.want {
			t.Errorf("%s / %s: %s / %s, want %s", tt.num, tt.den, a, b, tt.want)
		}
	}
}

// The user's own settings take the place of the study's.
func TestWithVariants(t *testing.T) {
	own := []Variant{{Keys: "allocator=glibc/setting=default"}, {Keys: "allocator=mine/setting=default"},
		{Keys: "allocator=glibc/setting=M_TOP_PAD=0"}}
	for _, name := range []string{"malloc", "malloc/latency"} {
		before, err := ReadDir(os.DirFS("../../../study"), name)
		if err != nil {
			t.Fatal(err)
		}
		ds, sh := WithVariants(before.Directives, before.Show, own)
		s, err := Parse(name, ds, sh)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(s.Tables) < 8 || len(s.Pictures) < 6 || s.Question != before.Question ||
			len(s.Latency.Sizes) != len(before.Latency.Sizes) {
			t.Errorf("%s: %d tables, %d pictures", name, len(s.Tables), len(s.Pictures))
		}
		for _, x := range s.Tabulated() {
			text := strings.Join(columnsOf(x), "\n")
			if strings.Contains(text, "jemalloc") || strings.Contains(text, "trim0") || len(x.Columns) > 2 &&
				!strings.Contains(text, `mine = `) {
				t.Errorf("%s: %s\n%s", name, x.Title, text)
			}
		}
		for _, c := range s.Claims {
			if strings.Contains(c.Source, "allocator:") {
				t.Errorf("%s: the claim %s is about the study's settings", name, c.ID)
			}
		}
		for _, f := range s.Full {
			if strings.Contains(f.String(), "allocator:") {
				t.Errorf("%s: the full profile keeps %s", name, f)
			}
		}
	}
	s, err := ReadDir(os.DirFS("../../../study"), "malloc")
	if err != nil {
		t.Fatal(err)
	}
	ds, sh := WithVariants(s.Directives, s.Show, own)
	if s, err = Parse("malloc", ds, sh); err != nil {
		t.Fatal(err)
	}
	if got, want := columnsOf(s.Tables[0])[3],
		`mine/default = allocator:"mine" setting:"default" method:published op:malloc_free / allocator:"glibc" setting:"default" method:published op:malloc_free sec/op`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The example of the documentation is right.
func TestDocumentedShow(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, remainder, _ := strings.Cut(string(doc), "```toml\n")
	text, _, ok := strings.Cut(remainder, "```")
	sh, err := ReadShow("study.toml", []byte(text))
	if err != nil || !ok {
		t.Fatal(err)
	}
	claims := []Directive{
		newDirective("claim C4 place:heap / place:stack > 1 for every size", "Smaug", Pos{"x_test.go", 1}),
		newDirective("claim C1 place:heap / place:stack > 1", "Bilbo", Pos{"x_test.go", 2}),
	}
	s, err := Parse("s", claims, sh)
	if err != nil || len(s.Tables) != 1 || len(s.Pictures) != 1 || len(s.Tables[0].Columns) != 4 {
		t.Errorf("%v", err)
	}
}

func FuzzShow(f *testing.F) {
	input, err := os.ReadFile("testdata/show.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range strings.Split(string(input), "---\n") {
		f.Add([]byte(text))
	}
	studies, err := ReadAll(study.FS)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range studies {
		text, err := os.ReadFile(path.Join("../../../study", s.Name, "study.toml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadShow("study.toml", text)
		var study *Study
		if err == nil {
			study, err = Parse("s", claimC, s)
		}
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Msg == "" || syntax.Form == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, x := range study.Tabulated() {
			if x.Title == "" || x.By == "" || len(x.Columns) == 0 || x.Columns[0].Num.IsZero() {
				t.Fatalf("%q: incomplete table %+v", text, x)
			}
		}
		ds, own := WithVariants(claimC, s, []Variant{{Keys: "allocator=glibc/setting=default"}})
		Parse("s", ds, own)
	})
}

// A user's memcost.toml is not offered the keys that only a shipped study has a use for.
func TestKeysOfUsers(t *testing.T) {
	for file, want := range map[string]bool{"study.toml": true, "memcost.toml": false} {
		_, err := ReadShow(file, []byte("asks = 1\n"))
		if err == nil || strings.Contains(err.Error(), "command") != want ||
			strings.Contains(err.Error(), "vary") != want {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestSpoken(t *testing.T) {
	for part, want := range map[string]string{
		"ask": "ask", "table.0": "the first [[table]]", "picture.10.by": "by of [[picture]] number 11",
		"table.1.columns.2": "the third of columns of the second [[table]]", "sets.a.0": "the first of sets.a",
		"sets.a": "sets.a", "names.place:a.0": "names.place:a.0",
	} {
		if got := spoken(part); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
}

// What a value must be is said in the words of TOML, whatever Go's types are called.
func TestTypesOfValues(t *testing.T) {
	for text, want := range map[string]string{
		`table = "x"`:             "it must be a list of tables, not a text",
		`vary = 3`:                "it must be a table, not a whole number",
		"[latency]\nsizes = 3":    "it must be a list of tables, not a whole number",
		`say = 3`:                 "it must be a table, not a whole number",
		"[[axis]]\ndash = \"x\"":  "it must be a whole number, not a text",
		"[[axis]]\nstand-in = 3":  "it must be true or false, not a whole number",
		`axis = [3]`:              "it must be a table, not a whole number",
		"[[table]]\ntitle = true": "it must be a text, not true or false",
	} {
		if _, err := ReadShow("study.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
