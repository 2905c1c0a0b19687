package export

import (
	"fmt"

	"github.com/google/pprof/profile"

	"memcost/internal/sites"
)

const source = "package codec\n\nfunc Decode(s string) *Node {\n\tü := \"𝛼\"; return &Node{s}\n}\n"

var options = Options{Version: "1.2.3", Folder: "go", Root: "/src/go", ReadFile: func(path string) ([]byte, error) {
	if path != "/src/go/codec/decode.go" {
		return nil, fmt.Errorf("no file %s", path)
	}
	return []byte(source), nil
}}

// report has a site of each kind that the formats treat differently.
func report() *sites.Report {
	return &sites.Report{
		Go: "go1.26.8", Platform: "linux/amd64", Mode: "benchmarks",
		Packages: []sites.Package{{Path: "example.com/m/codec", Partial: []string{"c.go uses cgo"}}},
		Benchmarks: []sites.Benchmark{{Package: "example.com/m/codec", Name: "Decode/size=64", N: 1000, Objects: 4,
			Bytes: 160},
			{Package: "example.com/m/codec", Name: "Log", N: 10, Objects: 30, Bytes: 3000}},
		Warnings: []string{"the machine was busy"},
		Sites: []sites.Site{
			{ID: "Walk·x·append-growth", Class: sites.NeverExecuted, Would: sites.Conditional,
				Package: "example.com/m/codec",
				Cause: sites.Cause{Key: "append-growth",
					Words: "append makes a larger block when the old one is full"},
				Function: "Walk", File: "codec/walk.go", Line: 7, Col: 3, Text: "x = append(x, 1)",
				Expr: "append(x, 1)"},
			{ID: "Log·~r0·fmt", Rank: 2, Class: sites.CertainHeap, Package: "example.com/m/codec",
				Cause:  sites.Cause{Key: "fmt", Words: "it is an argument for formatting", Fix: "use strconv"},
				Advice: "use strconv",
				Callee: &sites.Callee{Frame: sites.Frame{Function: "fmt.Sprintf", File: "/usr/go/src/fmt/print.go",
					Line: 240},
					Package: "fmt", Via: "fmt.Sprintf"},
				Function: "Log", File: "codec/log a:b.go", Line: 12, Text: "fmt.Sprintf(\"{0} [x](1)\", v)",
				Costs: []sites.Cost{{Benchmark: 1, Objects: 1, Bytes: 24}}},
			{ID: "Decode·&Node{...}·returned-pointer", Rank: 1, Class: sites.CertainHeap, Package: "example.com/m/codec",
				Cause:  sites.Cause{Key: "returned-pointer", Words: "its address is returned", Fix: "return it by value"},
				Advice: "return it by value",
				Flow:   []string{"&Node{...} is stored in {heap} [y](2)", "it is returned"},
				FlowAt: []sites.Frame{{Function: "Decode", File: "codec/decode.go", Line: 4},
					{}},
				Chain: []sites.Frame{{Function: "example.com/m/codec.newNode", File: "codec/node.go", Line: 3},
					{Function: "example.com/m/codec.Decode", File: "codec/decode.go", Line: 4}},
				Function: "Decode", File: "codec/decode.go", Path: "/src/go/codec/decode.go", Line: 4, Col: 23,
				Text: "ü := \"𝛼\"; return &Node{s}", Expr: "&Node{s}",
				Costs: []sites.Cost{{Benchmark: 0, Objects: 2, Bytes: 128, Malloc: sites.Interval{Value: .12, Lo: .1,
					Hi: .14, Runs: 10}, GC: sites.Interval{Value: .05, Lo: .04, Hi: .06, Runs: 10},
					Share: sites.Interval{Value: .17, Lo: .15, Hi: .19, Runs: 10}},
					{Benchmark: 1, Objects: 1, Bytes: 64}},
				Price: &sites.Interval{Value: 25e-9, Lo: 24e-9, Hi: 26e-9, Runs: 5},
				Edit: &sites.Edit{Title: "return by value",
					Diff: "-return &Node{s}\n+return Node{s}\n", Check: "the callers"},
				Gain: &sites.Gain{Benchmark: 0, Seconds: sites.Interval{Value: 50e-9, Lo: 40e-9, Hi: 60e-9,
					Runs: 5}}},
			{ID: "(*T).get··", Rank: 3, Class: sites.RuntimeOnly, Package: "example.com/m/codec", Function: "(*T).get",
				File: "/elsewhere/x.go", Line: 2, Costs: []sites.Cost{{Benchmark: 0, Objects: 0.25, Bytes: 16}}},
		},
	}
}

var budgets = []Finding{{Note: true, Package: "example.com/m/codec", Function: "Walk", File: "codec/walk.go", Line: 7,
	Says: "Walk has a budget of 0 allocations, and append may allocate"},
	{Package: "example.com/m/codec", Function: "Decode", File: "codec/decode.go", Line: 3, Col: 1,
		Path: "/src/go/codec/decode.go", Says: "Decode allocates 2 objects, and its budget is 0: 100% more, at least"}}

// profiles adds heap profiles to a report: two samples at sites, one outside of them.
func profiles(r *sites.Report) *sites.Report {
	for i := range r.Benchmarks {
		m := &profile.Mapping{ID: 1, Start: 0x400000, Limit: 0x500000, File: "codec.test", HasFunctions: true}
		f := &profile.Function{ID: 1, Name: "example.com/m/codec.Decode", Filename: "/src/go/codec/decode.go"}
		l := &profile.Location{ID: 1, Mapping: m, Address: 0x401000, Line: []profile.Line{{Function: f, Line: 4}}}
		p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"},
			{Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space",
				Unit: "bytes"}},
			PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 1, Mapping: []*profile.Mapping{m},
			Function: []*profile.Function{f}, Location: []*profile.Location{l}}
		for _, values := range [][]int64{{2000, 128_000, 0, 0}, {250, 4000, 0, 0}, {1, 48, 0, 0}} {
			p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: values})
		}
		r.Profiles = append(r.Profiles, sites.Profiled{Benchmark: i, Memory: p, Sites: []int{2, 3, -1}})
	}
	return r
}
