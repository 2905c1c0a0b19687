package language

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// result reads one benchmark line below configuration lines.
func result(t testing.TB, text string) *benchfmt.Result {
	t.Helper()
	r := benchfmt.NewReader(strings.NewReader(text), "test")
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok {
			return res.Clone()
		}
	}
	t.Fatalf("no result in %q", text)
	return nil
}

func TestSelectorMatch(t *testing.T) {
	const smaug = "pkg: memcost/study/stackheap\ntoolchain: go1.25.4\nBenchmarkSmaug/place=stack/size=1024-10 1 " +
		"78.36 ns/op\n"
	const bilbo = "BenchmarkBilbo/place=heap 1 12.16 ns/op\n"
	const plain = "BenchmarkCopy-8 1 5 ns/op\n"
	const odd = "place: config\nBenchmarkSmaug/place=name/case=-2-4 1 5 ns/op\n"
	tests := []struct {
		selector, scope, text string
		want                  bool
	}{
		{"place:stack", "", smaug, true},
		{"place:stack", "Smaug", smaug, true},
		{"place:stack", "Bilbo", smaug, false},
		{"place:heap", "Smaug", smaug, false},
		{"/place:stack size:1024", "Smaug", smaug, true},
		{"place:heap OR size:1024", "Bilbo", smaug, false}, // the scope stands before the whole selector
		{"place:heap OR size:1024", "Smaug", smaug, true},
		{"-place:heap", "Smaug", smaug, true},
		{"-place:stack", "Smaug", smaug, false},
		{"place:(heap OR stack) size:/^10/", "Smaug", smaug, true},
		{"(place:heap OR place:stack) AND -(size:1 OR size:2)", "", smaug, true},
		{"gomaxprocs:10", "", smaug, true},
		{"gomaxprocs:1", "", smaug, false},
		{"toolchain:go1.25.4 place:stack", "", smaug, true},
		{"toolchain:go1.27.4 place:stack", "", smaug, false},
		{`"place":"stack"`, "", smaug, true},
		{"pkg:memcost/study/stackheap", "", smaug, true},
		{".name:Smaug", "Bilbo", smaug, true}, // a selector that names a benchmark has no scope
		{".fullname:/Smaug/", "Bilbo", smaug, true},
		{".name:(Bilbo OR Smaug)", "Copy", smaug, true},
		{"*", "Smaug", smaug, true},
		{"*", "Bilbo", smaug, false},
		{`mode:""`, "", smaug, true}, // a key that is nowhere
		{`place:""`, "", smaug, false},
		{"place:heap", "Bilbo", bilbo, true},
		{"place:heap", "", plain, false},
		{"-place:heap", "", plain, true},
		{".name:Copy", "", plain, true},
		{"place:config", "", odd, false}, // the name decides over the configuration
		{"place:name", "", odd, true},
		{"place:(config OR name)", "", odd, true},
		{"place:/^con/", "", odd, false},
		{"/place:name", "", odd, true},
		{"-place:name", "", odd, false},
		{`case:"-2"`, "", odd, true}, // unquoted, the "-" would be an operator
	}
	for _, tt := range tests {
		sel, err := newSelector(tt.selector, tt.scope)
		if err != nil {
			t.Errorf("%s: %v", tt.selector, err)
			continue
		}
		if got := sel.Match(result(t, tt.text)); got != tt.want {
			t.Errorf("%s in scope %q on %q: %v, want %v", tt.selector, tt.scope, tt.text, got, tt.want)
		}
		if sel.String() != tt.selector {
			t.Errorf("String of %q is %q", tt.selector, sel)
		}
	}
	if (Selector{}).Match(result(t, smaug)) || !(Selector{}).IsZero() {
		t.Error("the zero selector matches")
	}
}

// The published figures, as they stand in the repository.
func TestSelectorOnPublished(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "published", "stackheap-m1max.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := map[string]int{}
	sels := map[string]Selector{}
	for _, text := range []string{"place:stack", "place:heap size:1024", ".name:Bilbo", "place:pool",
		"study:stackheap -place:heap"} {
		if sels[text], err = newSelector(text, "Smaug"); err != nil {
			t.Fatal(err)
		}
	}
	r := benchfmt.NewReader(f, f.Name())
	for r.Scan() {
		res, ok := r.Result().(*benchfmt.Result)
		for text, sel := range sels {
			if ok && sel.Match(res) {
				count[text]++
			}
		}
	}
	want := map[string]int{"place:stack": 11, "place:heap size:1024": 1, ".name:Bilbo": 2,
		"study:stackheap -place:heap": 11}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("matched %v, want %v", count, want)
	}
}

func TestKeys(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Smaug/place=stack/size=1024-10", "[{place stack} {size 1024} {gomaxprocs 10}]"},
		{"Bilbo/place=heap", "[{place heap}]"},
		{"Copy-8", "[{gomaxprocs 8}]"},
		{"Copy/gomaxprocs=2/a=1-8", "[{a 1} {gomaxprocs 8}]"},
		{"Copy/gomaxprocs=2", "[{gomaxprocs 2}]"},
		{"Copy/positional/a=b=c/x=", "[{a b=c} {x }]"},
		{"Copy", "[]"},
		{"", "[]"},
		{"a//-1", "[{gomaxprocs 1}]"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(Keys(benchfmt.Name(tt.name))); got != tt.want {
			t.Errorf("Keys(%q) = %s, want %s", tt.name, got, tt.want)
		}
	}
	if v, ok := Keys(benchfmt.Name("X/a=1/a=2")).Get("a"); v != "1" || !ok {
		t.Errorf("a repeated key is %q, %v: the first counts, as in benchproc", v, ok)
	}
	if _, ok := Keys(benchfmt.Name("X/a=1")).Get("b"); ok {
		t.Error("found a key that is not there")
	}
}

// Match is called for every case and selector: it must not copy the result.
func TestSelectorMatchIsCheap(t *testing.T) {
	res := result(t, "toolchain: go1.25.4\nBenchmarkSmaug/place=stack/size=1024-10 1 78.36 ns/op\n")
	sel, err := newSelector("place:stack size:1024", "Smaug")
	if err != nil {
		t.Fatal(err)
	}
	sel.Match(res) // benchfmt builds its index
	const keys = 2 // of the name; benchfmt's Name.Parts grows a slice for each look
	if n := testing.AllocsPerRun(100, func() { sel.Match(res) }); n > 3*keys {
		t.Errorf("%v allocations per match, want at most %d", n, 3*keys)
	}
}

func FuzzSelector(f *testing.F) {
	for _, s := range []string{"place:stack", `"a b":/x(y)/ OR -(c:(d OR "e") *)`, ".name:X", "a:(b OR", `x:"\"`} {
		f.Add(s)
	}
	res := result(f, "place: config\nBenchmarkSmaug/place=stack/size=1024-10 1 78.36 ns/op\n")
	f.Fuzz(func(t *testing.T, text string) {
		plain, err := newSelector(text, "")
		if err != nil {
			return
		}
		scoped, err := newSelector(text, "Smaug")
		if err != nil {
			t.Fatalf("%q is a selector, but not in a scope: %v", text, err)
		}
		if plain.Match(res) != scoped.Match(res) {
			t.Fatalf("%q differs in the scope of the result's own benchmark", text)
		}
		not, err := newSelector("-("+text+")", "")
		if err != nil || not.Match(res) == plain.Match(res) {
			t.Fatalf("%q and its negation agree (%v)", text, err)
		}
	})
}

func BenchmarkSelectorMatch(b *testing.B) {
	res := result(b, "toolchain: go1.25.4\nBenchmarkSmaug/place=stack/size=1024-10 1 78.36 ns/op\n")
	sel, err := newSelector("place:stack size:1024", "Smaug")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		sel.Match(res)
	}
}
