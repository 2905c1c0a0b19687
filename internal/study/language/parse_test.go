package language

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"memcost/internal/testkit"
)

// directive reads one comment line as if it stood in the doc of BenchmarkSmaug.
func directive(comment, scope string) Directive {
	return newDirective(strings.TrimPrefix(comment, prefix), scope, Pos{"x_test.go", 7})
}

func parseOne(t *testing.T, comment string) *Study {
	t.Helper()
	s, err := Parse("s", []Directive{directive(comment, "Smaug")}, nil)
	if err != nil {
		t.Fatalf("%s: %v", comment, err)
	}
	return s
}

func TestParseClaims(t *testing.T) {
	const heapStack = "claim C place:heap / place:stack "
	tests := []struct{ text, want string }{
		{heapStack + "> 1", "ratio num=place:heap den=place:stack sec/op > 1"},
		{heapStack + ">1 # the stack wins", "ratio num=place:heap den=place:stack sec/op > 1 #the stack wins"},
		{heapStack + "B/op <= 2 for every size, place",
			"ratio num=place:heap den=place:stack B/op <= 2 every=size,place"},
		{heapStack + "ns/op in 2..10 for every size,place",
			"ratio num=place:heap den=place:stack sec/op in 2..10 every=size,place"},
		{"claim C place:heap size:(1 OR 2) / .name:Copy -place:x > 1",
			"ratio num=place:heap size:(1 OR 2) den=.name:Copy -place:x sec/op > 1"},
		{"claim C place:heap OR place:pool / * == 1", "ratio num=place:heap OR place:pool den=* sec/op == 1"},
		{`claim C pkg:"a / b" / /size:/^1|2$/ > 1`, `ratio num=pkg:"a / b" den=/size:/^1|2$/ sec/op > 1`},
		{"claim C7-bytes place:heap B/op >= size for every size", "value num=place:heap B/op >= size every=size"},
		{"claim C place:heap B/op >= /size for every /size", "value num=place:heap B/op >= size every=size"},
		{"claim C place:stack ns/op < 20", "value num=place:stack sec/op < 2e-08"},
		{"claim C place:stack ns/op < 20us", "value num=place:stack sec/op < 2e-05"},
		{"claim C place:stack sec/op < 1.5ms", "value num=place:stack sec/op < 0.0015"},
		{"claim C place:stack MB/s > 2", "value num=place:stack B/s > 2e+06"},
		{"claim C place:stack B/op in 1KiB..2MiB", "value num=place:stack B/op in 1024..2.097152e+06"},
		{"claim C place:stack size/sec in 10e9..12e9 for every size",
			"value num=place:stack size/sec per=size in 1e+10..1.2e+10 every=size"},
		{"claim C place:stack size/sec > 1GiB", "value num=place:stack size/sec per=size > 1.073741824e+09"},
		{"claim C * gc-pauses/op < -1e-6", "value num=* gc-pauses/op < -1e-06"},
		{"claim C place:stack linear in size", "linear num=place:stack sec/op in 0.9..1.1 key=size"},
		{"claim C place:stack B/op linear in size # bytes", "linear num=place:stack B/op in 0.9..1.1 key=size #bytes"},
		{heapStack + "falls with place:stack size/sec across machines # weak",
			"across num=place:heap den=place:stack sec/op weak=place:stack key=size #weak"},
	}
	for _, tt := range tests {
		s := parseOne(t, prefix+tt.text)
		if got := describe(s.Claims[0]); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
		source, _, _ := strings.Cut(tt.text, " # ")
		if got := "claim " + s.Claims[0].ID + " " + s.Claims[0].Source; got != source {
			t.Errorf("%s: source %q", tt.text, got)
		}
	}
}

func describe(c Claim) string {
	out := c.Kind.String() + " num=" + c.Num.String()
	add := func(label, value string) {
		if value != "" {
			out += label + value
		}
	}
	add(" den=", c.Den.String())
	add(" ", c.Unit)
	add(" per=", c.PerKey)
	add(" weak=", c.Weak.String())
	add(" ", strings.TrimSpace(c.Cond.String() + " ")[:condLen(c)])
	add(" every=", strings.Join(c.Every, ","))
	add(" key=", c.LinearKey+c.WeakKey)
	add(" #", c.Prose)
	return out
}

// condLen hides the condition of a claim that has none.
func condLen(c Claim) int {
	if c.Cond.Op == "" {
		return 0
	}
	return len(c.Cond.String())
}

func TestParseExpects(t *testing.T) {
	e := parseOne(t, "//memcost:expect place:heap allocs/op == 1 # one object").Expects[0]
	if e.Sel.String() != "place:heap" || e.Unit != "allocs/op" || e.Cond.String() != "== 1" ||
		e.Prose != "one object" ||
		e.Source != "place:heap allocs/op == 1" || e.Funcs != nil || e.Pos != (Pos{"x_test.go", 7}) ||
		e.Sel.Scope != "Smaug" {
		t.Errorf("%+v", e)
	}
	e = parseOne(t, "//memcost:expect place:stack stays-on-stack byValue, (*T).M # both").Expects[0]
	if got := strings.Join(e.Funcs, "|"); got != "byValue|(*T).M" || e.Unit != "" || e.Cond.Op != "" ||
		e.Prose != "both" {
		t.Errorf("%+v", e)
	}
	e = parseOne(t, "//memcost:expect place:heap ns/op >= 0.5").Expects[0]
	if e.Unit != "sec/op" || e.Cond.Lo.Number != 0.5e-9 {
		t.Errorf("%+v", e)
	}
}

func TestParseTables(t *testing.T) {
	tb := parseOne(t, "//memcost:table Smaug by weight by size: stack = place:stack | heap = place:heap B/op | "+
		"plain copies = place:/st|x/ / .name:Copy | heap/stack = place:heap / place:stack ns/op | GB/s = "+
		"place:stack size/sec").Tables[0]
	var got []string
	for _, c := range tb.Columns {
		got = append(got, strings.Join([]string{c.Header, c.Num.String(), c.Den.String(), c.Unit, c.PerKey}, ";"))
	}
	want := "stack;place:stack;;sec/op;\nheap;place:heap;;B/op;\nplain " +
		"copies;place:/st|x/;.name:Copy;sec/op;\nheap/stack;place:heap;place:stack;sec/op;\n" +
		"GB/s;place:stack;;size/sec;size"
	if strings.Join(got, "\n") != want || tb.Title != "Smaug by weight" || tb.By != "size" ||
		!tb.Columns[0].Den.IsZero() {
		t.Errorf("%s by %s:\n%s", tb.Title, tb.By, strings.Join(got, "\n"))
	}
}

func TestParsePictures(t *testing.T) {
	s, err := Parse("s", []Directive{
		directive("//memcost:claim C4 place:heap / place:stack > 1 for every size", "Smaug"),
		directive("//memcost:claim C5 place:heap / place:stack in 2..10 for every size", "Smaug"),
		directive("//memcost:picture curve Cost against size by size: stack = place:stack | roofline plain copy = "+
			".name:Copy", "Smaug"),
		directive("//memcost:picture forest The loss by size: heap/stack = place:heap / place:stack against C4, C5",
			"Smaug"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	curve, forest := s.Pictures[0], s.Pictures[1]
	if curve.Kind != Curve || curve.Title != "Cost against size" || curve.By != "size" ||
		curve.Roofline != "plain copy" ||
		len(curve.Columns) != 2 || curve.Columns[1].Header != "plain copy" || curve.Against != nil {
		t.Errorf("%+v", curve)
	}
	if forest.Kind != Forest || !slices.Equal(forest.Against, []string{"C4", "C5"}) || len(forest.Columns) != 1 ||
		forest.Columns[0].Den.String() != "place:stack" {
		t.Errorf("%+v", forest)
	}
	_, err = Parse("s", []Directive{directive("//memcost:picture forest Cost by size: a = x:b / x:c against C9", "")},
		nil)
	if err == nil ||
		!strings.Contains(err.Error(), `x_test.go:7: //memcost:picture forest Cost: there is no claim "C9"`) {
		t.Errorf("a claim that does not exist: %v", err)
	}
	if all := s.Tabulated(); len(all) != 2 || len(s.Tables) != 0 {
		t.Errorf("tabulated: %+v", all)
	}
}

func TestParseStudyDirectives(t *testing.T) {
	s, err := Parse("s", []Directive{
		directive("//memcost:question What does it cost?", ""),
		directive("//memcost:go 1.18", ""),
		directive("//memcost:floor", "Empty"),
	}, nil)
	if err != nil || s.Question != "What does it cost?" || s.OldestGo != "1.18" || s.Floor != "Empty" ||
		s.Name != "s" || len(s.Directives) != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Wrong directives, each with the error it must give, in testdata/errors.golden.
func TestErrorTexts(t *testing.T) {
	input, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(string(input)), "\n") {
		scope := "Smaug"
		if remainder, ok := strings.CutPrefix(line, "(study) "); ok {
			line, scope = remainder, ""
		}
		var ds []Directive
		for _, l := range strings.Split(line, " && ") {
			ds = append(ds, directive(l, scope))
		}
		s, err := Parse("s", ds, nil)
		if err == nil {
			t.Errorf("%s: no error", line)
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Form == "" || syntax.Pos.Line != 7 || len(s.Claims)+len(s.Expects)+
			len(s.Tables) > len(ds)-1 {
			t.Errorf("%s: error %#v, study %+v", line, err, s)
		}
		got.WriteString(line + "\n\t" + err.Error() + "\n")
	}
	testkit.Golden(t, "testdata/errors.golden", got.String())
}

// A stored directive says the same as the source did.
func TestDirectivesSurviveStorage(t *testing.T) {
	ds := []Directive{
		directive("//memcost:claim C4 place:heap / place:stack > 1 for every size # the stack wins", "Smaug"),
		directive("//memcost:expect place:heap allocs/op == 1", "Smaug"),
		directive("//memcost:table T by size: a = place:stack", ""),
	}
	text, err := json.Marshal(ds)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"verb":"expect","text":"place:heap allocs/op == 1","scope":"Smaug","pos":{"file":"x_test.go","line":7}}`; !strings.Contains(string(text), want) {
		t.Errorf("stored as %s, want it to hold %s", text, want)
	}
	var back []Directive
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	a, errA := Parse("s", ds, nil)
	b, errB := Parse("s", back, nil)
	if errA != nil || errB != nil || describe(a.Claims[0]) != describe(b.Claims[0]) ||
		b.Claims[0].Num.Scope != "Smaug" ||
		a.Claims[0].Pos != b.Claims[0].Pos || b.Expects[0].Source != a.Expects[0].Source || b.Tables[0].Title != "T" {
		t.Errorf("read back as %+v (%v, %v)", b, errA, errB)
	}
}

func TestMisspeltUnitIsAWarning(t *testing.T) {
	s := parseOne(t, "//memcost:expect place:heap alloc/op == 1")
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Error(), "did you mean allocs/op?") ||
		len(s.Expects) != 1 {
		t.Errorf("warnings %v", s.Warnings)
	}
	for _, unit := range []string{"allocs/op", "ns/op", "gc-pauses/op", "p99-ns"} {
		if s := parseOne(t, "//memcost:expect place:heap "+unit+" == 1"); len(s.Warnings) != 0 {
			t.Errorf("%s: warnings %v", unit, s.Warnings)
		}
	}
}

func FuzzParse(f *testing.F) {
	input, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(input), "\n") {
		f.Add(strings.TrimPrefix(line, prefix), "")
	}
	for _, text := range []string{
		"claim C place:heap / place:stack > 1 for every size # prose", "claim C place:heap B/op in 1KiB..2KiB",
		"claim C place:stack linear in size", "claim C a:b / c:d falls with e:f size/sec across machines",
		"expect place:stack stays-on-stack f, (*T).M", `table T by size: a = x:/b|c/ | d = x:"e" / f:(g OR h) B/op`,
		"picture forest T by size: a = x:b / x:c against C1, C2", "picture curve T by size: roofline a = x:b | c = x:d",
	} {
		f.Add(text, "Smaug")
	}
	f.Fuzz(func(t *testing.T, text, scope string) {
		d := newDirective(text, scope, Pos{"f.go", 1})
		s, err := Parse("s", []Directive{d}, nil)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Form == "" && !strings.Contains(syntax.Msg, "no claim") ||
				syntax.Msg == "" {
				t.Fatalf("%q: error without a form: %v", text, err)
			}
			return
		}
		for _, c := range s.Claims {
			roundTrip(t, c.Cond, c.Kind)
			if c.Num.IsZero() || (c.Kind == Ratio || c.Kind == Across) == c.Den.IsZero() {
				t.Fatalf("%q: incomplete claim %+v", text, c)
			}
		}
		for _, e := range s.Expects {
			if e.Sel.IsZero() || (e.Unit == "") != (len(e.Funcs) > 0) {
				t.Fatalf("%q: incomplete expectation %+v", text, e)
			}
		}
	})
}

// roundTrip parses a printed condition, and compares.
func roundTrip(t *testing.T, c Cond, kind Kind) {
	t.Helper()
	if kind == Across {
		return
	}
	l := &lexer{s: c.String()}
	back, err := l.cond(unit{name: "x", written: "x", factor: 1})
	if err != nil || back != c || l.remainder() != "" {
		t.Fatalf("%q is read back as %+v (%v), want %+v", c, back, err, c)
	}
}
