package budget

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/escape"
	"memcost/internal/why"
)

const work = `package codec

//memcost:allocs 0
func certain() *int {
	x := 1
	return &x
}

//memcost:allocs 0
func grows(s []int) []int {
	return append(s, 1)
}

//memcost:allocs 0
func silent() {
	c = make(chan int)
}

//memcost:allocs 0
func panics(n int) {
	panic(&n)
}

//memcost:allocs 1
func measured() {
	a()
	b()
}

//memcost:allocs 0
func clean() {}

//memcost:allocs 2
func few() {
	a()
}
`

// report is what memcost why says of work, with a benchmark or without.
func report(benchmark bool) *why.Report {
	file := "codec/decode.go"
	boxing := why.Cause{Key: "returned", Words: "its address is returned"}
	r := &why.Report{Mode: "static", Sites: []why.Site{
		{Class: why.CertainHeap, Cause: boxing, Function: "certain", File: file, Line: 5, Expr: "x", Says: "moved to heap: x",
			Calls: []string{"runtime.newobject"}},
		{Class: why.Conditional, Function: "grows", File: file, Line: 11, Expr: "append(s, 1)", Says: "append escapes to heap",
			Calls: []string{"runtime.growslice"}},
		{Class: why.NeverExecuted, Would: why.RuntimeOnly, Function: "silent", File: file, Line: 16,
			Calls: []string{"runtime.makechan"}},
		{Class: why.CertainHeap, Function: "panics", File: file, Line: 21, Says: "&n escapes to heap",
			Calls: []string{"runtime.newobject"}},
		{Class: why.CertainHeap, Function: "measured", File: file, Line: 26, Says: "a escapes", Expr: "a"},
		{Class: why.Conditional, Function: "inner", File: "codec/inner.go", Line: 3, Says: "b escapes", Expr: "b",
			Chain: []why.Frame{{Function: "codec.inner", File: "codec/inner.go", Line: 3},
				{Function: "codec.measured", File: file, Line: 27}}},
		{Class: why.CertainHeap, Function: "few", File: file, Line: 35, Says: "a escapes", Expr: "a"},
	}}
	if !benchmark {
		return r
	}
	r.Mode = "benchmarks"
	r.Benchmarks = []why.Benchmark{{Name: "Small", N: 10}, {Name: "Large/size=64", N: 10}}
	r.Sites[4].Costs = []why.Cost{{Benchmark: 0, Objects: 1}, {Benchmark: 1, Objects: 1}}
	r.Sites[5].Costs = []why.Cost{{Benchmark: 1, Objects: 0.5}}
	r.Sites[6].Costs = []why.Cost{{Benchmark: 0, Objects: 2.001}}
	return r
}

// states are the findings in short: "certain broken compiler".
func states(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, strings.TrimSpace(f.Budget.Function+" "+string(f.State)+" "+string(f.Source)))
	}
	return out
}

func TestCheckStatic(t *testing.T) {
	budgets, err := budgets(t, work)
	if err != nil {
		t.Fatal(err)
	}
	found := Check(budgets, report(false), nil)
	want := []string{"certain broken compiler", "grows note compiler", "silent broken binary", "measured unchecked",
		"few unchecked"}
	if got := states(found); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i, says := range []string{
		"certain has a budget of 0 allocations, and the compiler puts x on the heap at codec/decode.go:5: " +
			"its address is returned.",
		"grows has a budget of 0 allocations, and append(s, 1) at codec/decode.go:11 is allocated in some runs only, " +
			"which does not break it.",
		"silent has a budget of 0 allocations, and the machine code of codec/decode.go:16 calls runtime.makechan, " +
			"which makes a channel; the compiler says nothing of it.",
		"The budget of measured cannot be checked: a budget above 0 is checked by a benchmark, and none was run.",
	} {
		if found[i].Says != says {
			t.Errorf("%s\nwant %s", found[i].Says, says)
		}
	}
}

func TestCheckMeasured(t *testing.T) {
	budgets, err := budgets(t, work)
	if err != nil {
		t.Fatal(err)
	}
	r := report(true)
	found := Check(budgets, r, nil)
	want := []string{"certain broken compiler", "grows note compiler", "silent broken binary", "measured broken benchmark"}
	if got := states(found); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	last := found[3]
	says := "measured has a budget of 1 allocation, and BenchmarkLarge/size=64 makes 1.5 per operation there: 1 at " +
		"codec/decode.go:26, 0.5 at codec/inner.go:3."
	if last.Says != says || last.Measured != 1.5 || last.Site != 4 || last.Line != 26 {
		t.Errorf("%+v\nwant %s", last, says)
	}
	r.Sites[1].Costs = []why.Cost{{Benchmark: 0, Objects: 0.2}, {Benchmark: 1, Objects: 0.3}}
	found = Check(budgets, r, nil)
	if len(found) < 2 || found[1].State != Broken || found[1].Source != Benchmark || found[1].Measured != 0.3 ||
		!strings.Contains(found[1].Says, "; another benchmark breaks it, too") {
		t.Errorf("an append that was measured: %+v", found[1])
	}
}

// A place that the compiler was not given is said, and one where nothing allocates is fine.
func TestCheckSeen(t *testing.T) {
	budgets, err := budgets(t, work)
	if err != nil {
		t.Fatal(err)
	}
	seen := Seen{}
	seen.Add([]byte("# codec\n./decode.go:4:6: can inline certain with cost 1 as: func()\n"+
		"./decode.go:21:7: &n escapes to heap\n"), "codec")
	var got []string
	for _, f := range Check(budgets, &why.Report{}, seen) {
		got = append(got, f.Says)
	}
	if len(got) != 6 || got[0] != "The budget of grows cannot be checked: grows was not compiled." {
		t.Errorf("%q", got)
	}
	for _, f := range Check(budgets, &why.Report{}, Seen{}) {
		if f.State != Unchecked || !strings.Contains(f.Says, "codec/decode.go was not compiled") {
			t.Errorf("a file that was not compiled: %+v", f)
		}
	}
	if found := Check(budgets, &why.Report{}, nil); len(found) > 0 {
		t.Errorf("nothing allocates: %v", states(found))
	}
}

// Compilers of all versions say of each function whether it can be inlined.
func TestSeenInCaptured(t *testing.T) {
	dir := filepath.Join("..", "escape", "testdata")
	funcs, err := escape.FuncsOf(os.DirFS(filepath.Join(dir, "causes")), ".")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "causes-go1.*.txt"))
	if err != nil || len(logs) < 10 {
		t.Fatalf("%d captures, %v", len(logs), err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		seen := Seen{}
		seen.Add(text, "x")
		compared := 0
		for name, ranges := range funcs {
			for _, r := range ranges {
				lines, compiled := seen["x/"+filepath.Base(r.File)]
				if !compiled {
					continue
				}
				compared++
				if !lines[r.From] {
					t.Errorf("%s: %s at %s:%d is not seen", filepath.Base(log), name, r.File, r.From)
				}
			}
		}
		if compared < 40 {
			t.Errorf("%s: %d functions are seen", log, compared)
		}
	}
}
