package explain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

const work = `package codec

//memcost:allocs 0
func grows(s []int) []int {
	return append(s, 1)
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

// report is what memcost why says of work.
func report() *sites.Report {
	file := "codec/decode.go"
	return &sites.Report{
		Mode:       "benchmarks",
		Benchmarks: []sites.Benchmark{{Name: "Small", N: 10}, {Name: "Large/size=64", N: 10}},
		Sites: []sites.Site{
			{Function: "grows", File: file, Line: 5},
			{Function: "measured", File: file, Line: 10, Costs: []sites.Cost{{Objects: 1}, {Benchmark: 1, Objects: 1}}},
			{Function: "inner", File: "codec/inner.go", Line: 3, Costs: []sites.Cost{{Benchmark: 1, Objects: 0.5}},
				Chain: []sites.Frame{{Function: "codec.inner", File: "codec/inner.go", Line: 3},
					{Function: "codec.measured", File: file, Line: 11}}},
			{Function: "few", File: file, Line: 19, Costs: []sites.Cost{{Objects: 2.001}}},
		},
	}
}

// states are the findings in short: "certain broken compiler".
func states(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, strings.TrimSpace(f.Budget.Function+" "+string(f.State)+" "+string(f.Source)))
	}
	return out
}

// check holds work to a report.
func check(t *testing.T, r *sites.Report, packages ...Sources) []Finding {
	t.Helper()
	budgets, err := budgets(t, work)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Check(budgets, r, packages)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCheckMeasured(t *testing.T) {
	r, codec := report(), Sources{Folder: "codec"}
	found := check(t, r, codec)
	if got := states(found); !slices.Equal(got, []string{"measured broken benchmark"}) {
		t.Fatalf("%q", got)
	}
	says := "measured has a budget of 1 allocation, and BenchmarkLarge/size=64 makes 1.5 per operation there: 1 at " +
		"codec/decode.go:10, 0.5 at codec/inner.go:3."
	if f := found[0]; f.Says != says || f.Measured != 1.5 || f.Site != 1 || f.Line != 10 {
		t.Errorf("%+v\nwant %s", f, says)
	}
	r.Sites[0].Costs = []sites.Cost{{Benchmark: 0, Objects: 0.2}, {Benchmark: 1, Objects: 0.3}}
	found = check(t, r, codec)
	if got := states(found); !slices.Equal(got, []string{"grows broken benchmark", "measured broken benchmark"}) {
		t.Fatalf("%q", got)
	}
	if found[0].Measured != 0.3 || !strings.Contains(found[0].Says, "; another benchmark breaks it, too") {
		t.Errorf("an append that was measured: %+v", found[0])
	}
}

// A budget above 0 says nothing without a benchmark, and one of a package that is not known
// nothing at all.
func TestUnchecked(t *testing.T) {
	r := report()
	r.Benchmarks[0].Failed, r.Benchmarks[1].N = "it failed", 0
	found := check(t, r, Sources{Folder: "codec"})
	if len(found) < 2 || found[len(found)-1].Says !=
		"The budget of few cannot be checked: a budget above 0 is checked by a benchmark, and none was run." {
		t.Errorf("no benchmark: %+v", found)
	}
	if found := check(t, report(), Sources{Folder: "other"}); len(found) != 4 || found[0].State != Unchecked ||
		found[0].Says != "The budget of grows cannot be checked: its package was not looked at." {
		t.Errorf("another package: %+v", found)
	}
	compiled := func(all ...escape.Diagnostic) Sources {
		return Sources{Folder: "codec", Asked: join.Asked{Described: join.Described{Log: &escape.Log{Diagnostics: all}}}}
	}
	found = check(t, &sites.Report{}, compiled(escape.Diagnostic{File: "./decode.go", Line: 4, Kind: escape.Compiled}))
	if got := states(found); !slices.Equal(got, []string{"measured unchecked", "clean unchecked", "few unchecked"}) ||
		found[1].Says != "The budget of clean cannot be checked: clean was not compiled." {
		t.Errorf("functions that were not compiled: %+v", found)
	}
	found = check(t, &sites.Report{}, compiled())
	if len(found) != 4 || !strings.Contains(found[0].Says, "codec/decode.go was not compiled") {
		t.Errorf("a file that was not compiled: %+v", found)
	}
	if found := check(t, &sites.Report{}, Sources{Folder: "codec"}); len(found) > 0 {
		t.Errorf("nothing allocates: %v", states(found))
	}
}

// Compilers of all versions say of each function whether it can be inlined.
func TestCompiledInCaptured(t *testing.T) {
	dir := filepath.Join("..", "..", "gotool", "escape", "testdata")
	source, err := escape.SourceOf(os.DirFS(filepath.Join(dir, "causes")), ".")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "causes-go1.*.txt"))
	if err != nil || len(logs) < 10 {
		t.Fatalf("%d captures, %v", len(logs), err)
	}
	for _, log := range logs {
		text, err := os.Open(log)
		if err != nil {
			t.Fatal(err)
		}
		read, err := escape.ReadLog(text)
		text.Close()
		if err != nil {
			t.Fatal(err)
		}
		files := compiled(read)
		compared := 0
		for name, ranges := range source.Funcs {
			for _, r := range ranges {
				lines, ok := files[filepath.Base(r.File)]
				if !ok {
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
