package language

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/perf/benchfmt"
)

func TestLoads(t *testing.T) {
	var ds []Directive
	for _, d := range []struct{ text, scope string }{
		{"load 0 1", "Smaug"}, {"load size:64 1 all # more there", "Smaug"}, {"load .name:Bilbo 4", ""},
		{"load size:128 -place:heap 0", ""},
	} {
		ds = append(ds, directive(prefix+d.text, d.scope))
	}
	s, err := Parse("s", ds, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Smaug/size=8-2": "0 1", "Smaug/size=64-2": "0 1 all", "Bilbo": "4", "Thorin/size=64": "",
		"Thorin/place=stack/size=128": "0", "Thorin/place=heap/size=128": "",
	} {
		if got := strings.Join(s.LoadsOf(&benchfmt.Result{Name: benchfmt.Name(name)}), " "); got != want {
			t.Errorf("%s is measured beside %q, want %q", name, got, want)
		}
	}
}

func TestWrongLoads(t *testing.T) {
	for text, want := range map[string]string{
		"load":            "the load is missing",
		"load size:64":    "the load is missing",
		"load # why":      "the load is missing",
		"load 0 one":      `"one" is neither a number of busy cores nor all`,
		"load -1":         `selector "-"`,
		"load 0 -1":       `"-1" is neither a number of busy cores nor all`,
		"load 0 1 0":      "0 stands twice",
		"load 01":         `"01" is neither`,
		"load place:( 0":  "place:(",
		"load 0 place:a":  `"place:a" is neither`,
		"load .unit:ns 1": "a selector chooses cases",
	} {
		s, err := Parse("s", []Directive{directive(prefix+text, "Smaug")}, nil)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) || syntax.Form == "" || len(s.Loads) > 0 {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if names := verbNames(); !slices.Contains(names, "load") {
		t.Errorf("%q", names)
	}
}

func verbNames() (names []string) {
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return names
}

// Budgets of allocations are for memcost why: a package that has some is measured as others are.
func TestBudgetsAreNoDirectivesOfAStudy(t *testing.T) {
	fsys := fstest.MapFS{"x/x.go": {Data: []byte("package x\n\n//memcost:allocs 0\nfunc F() {\n" +
		"\tg() //memcost:allocs 1\n}\n")}, "x/x_test.go": {Data: []byte("package x\n\n" +
		"//memcost:expect * allocs/op == 0\nfunc BenchmarkF(b *testing.B) {}\n")}}
	s, err := ReadDir(fsys, "x")
	if err != nil || len(s.Directives) != 1 || s.Directives[0].Verb != "expect" {
		t.Errorf("%+v, %v", s, err)
	}
}
