package sites

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/gotool/escape"
)

// fixture returns a report on the package of testdata/codec: three benchmarks, ten sites that
// allocated and two that did not. Its figures are made up.
func fixture() *Report {
	r := &Report{Go: "go1.26.8", Platform: "linux/amd64", Mode: "benchmarks",
		Packages: []Package{{Path: "example.com/codec", Dir: "testdata/codec"}},
		Benchmarks: []Benchmark{
			{Package: "example.com/codec", Name: "Decode/lines=64", N: 120_000, Time: runs(18.4e-6, 18.1e-6, 18.7e-6),
				Objects: 454, Bytes: 14_912, Counted: 454, Malloc: runs(0.241, 0.232, 0.25),
				Assist: runs(0.012, 0, 0.031),
				GC:     runs(0.093, 0.07, 0.116)},
			{Package: "example.com/codec", Name: "Encode", N: 2_400_000, Time: runs(612e-9, 604e-9, 620e-9),
				Objects: 15,
				Bytes:   392, Counted: 15, Malloc: runs(0.302, 0.291, 0.313), GC: runs(0.051, 0.04, 0.062),
				Assist: runs(0.004, 0.001, 0.007)},
			{Package: "example.com/codec", Name: "Index", N: 500_000, Failed: "b.Fatal: no records"},
		},
		Join: Join{Samples: 1234, Matched: 1219, Named: 13, Objects: 9_000_000, ObjectsMatched: 8_900_000,
			ObjectsNamed: 99_000, Outside: 5_800_000, OutsideExplained: 5_790_000, OutsideSamples: 700,
			OutsideSamplesExplained: 699, Contradicted: 1, Unmatched: []Unmatched{{Frame: Frame{
				Function: "example.com/codec.record", File: "decode.go", Line: 36}, Call: "runtime.newobject",
				Objects: 1000,
				Bytes:   16_000}}},
	}
	r.Sites = fixtureSites()
	return r
}

func runs(value, lo, hi float64) Interval {
	return Interval{Value: value, Lo: lo, Hi: hi, Runs: 12}
}

// caused returns a cause as package join takes it from the compiler's.
func caused(c escape.Cause) Cause {
	return Cause{Key: c.String(), Words: c.Words(), Fix: c.Fix()}
}

// siteOf returns a site of decode.go, with what every site has.
func siteOf(rank int, class Class, function string, line, col int, c Cause, expr, says string) Site {
	text, _ := os.ReadFile("testdata/codec/decode.go")
	return Site{ID: fmt.Sprintf("%012x", 0x9e3779b9*int64(line*256+col)), Rank: rank, Class: class, Cause: c, Advice: c.Fix,
		Package: "example.com/codec", Function: function, File: "decode.go", Path: "testdata/codec/decode.go",
		Line: line,
		Col:  col, Text: strings.TrimSpace(strings.Split(string(text), "\n")[line-1]), Expr: expr, Says: says}
}

// cost returns what a site costs in a benchmark; its share is parted as is usual.
func cost(benchmark int, objects, bytes, share float64) Cost {
	return Cost{Benchmark: benchmark, Objects: objects, Bytes: bytes, Share: runs(share, 0.9*share, 1.1*share),
		Malloc: runs(0.7*share, 0.65*share, 0.75*share), Assist: runs(0.05*share, 0, 0.1*share),
		GC: runs(0.25*share, 0.2*share, 0.3*share)}
}

func fixtureSites() []Site {
	grow, box := caused(escape.AppendGrowth), caused(escape.FormatArgument)
	concat := caused(escape.Concatenation)
	fields := siteOf(1, RuntimeOnly, "record", 35, 35, Cause{}, "strings.Fields(rest)", "")
	fields.Callee = &Callee{Frame: Frame{Function: "strings.Fields", File: "strings/strings.go", Line: 391},
		Package: "strings", Class: Conditional, Cause: caused(escape.VariableMake),
		Says: "make([]string, n) escapes to heap", Flow: []string{"the size is known only at run time"},
		Via: "strings.Fields", Objects: 1, Bytes: 1}
	fields.Inside, fields.Costs = []Callee{*fields.Callee}, []Cost{cost(0, 64, 6144, 0.118)}
	fields.Sizes = []SizeClass{{Bytes: 96, Objects: 0.9}, {Bytes: 112, Objects: 0.1}}
	values := siteOf(2, Conditional, "record", 41, 20, grow, "append(r.Values, n)",
		"append escapes to heap in record")
	values.Calls, values.Costs = []string{"runtime.growslice"}, []Cost{cost(0, 192, 3584, 0.094)}
	values.Sizes = []SizeClass{{Bytes: 8, Objects: 0.33}, {Bytes: 16, Objects: 0.33}, {Bytes: 32, Objects: 0.34}}
	values.Flow = []string{"the result of append goes to r.Values", "r escapes to the heap: it is returned"}
	price := runs(21.5e-9, 20.1e-9, 22.9e-9)
	values.Price = &price
	values.Gain = &Gain{Benchmark: 0, Seconds: runs(1.42e-6, 0.9e-6, 1.94e-6), Share: runs(0.077, 0.049, 0.105),
		From: "Two of three objects would go: 128 objects at the price of 16 and 32 bytes on this machine."}
	values.Edit = &Edit{Title: "preallocate with the capacity that was seen",
		Check: "rest has one field for each value",
		Diff: "--- a/decode.go\n+++ b/decode.go\n@@ -34,2 +34,3 @@\n \tr := &Record{Key: strings.ToUpper(key)}\n" +
			"+\tr.Values = make([]int, 0, 4)\n \tfor _, field := range strings.Fields(rest) {\n"}
	returned := siteOf(3, CertainHeap, "record", 34, 7, caused(escape.ReturnedPointer), "&Record{...}",
		"&Record{...} escapes to heap in record")
	returned.Calls, returned.Costs = []string{"runtime.newobject"}, []Cost{cost(0, 64, 4096, 0.081)}
	returned.Flow = []string{"the address of the literal is assigned to r", "r is returned"}
	returned.Chain = []Frame{{Function: "example.com/codec.record", File: "decode.go", Line: 34}}
	out := []Site{fields, values, returned,
		siteOf(4, CertainHeap, "(*Record).Encode", 50, 5, concat, "s += fmt.Sprint(v) + \" \"",
			"s + ... escapes to heap"),
		siteOf(5, CertainHeap, "(*Record).Encode", 50, 20, box, "v", "v escapes to heap in (*Record).Encode"),
		siteOf(6, CertainHeap, "(*Record).Encode", 48, 12, concat, "r.Key + \"=\"", "r.Key + \"=\" escapes to heap"),
		siteOf(7, RuntimeOnly, "record", 34, 36, Cause{}, "strings.ToUpper(key)", ""),
		siteOf(8, Conditional, "Decode", 22, 16, grow, "append(out, r)", "append escapes to heap in Decode"),
		siteOf(9, CertainHeap, "record", 38, 25, box, "field", "field escapes to heap in record"),
		siteOf(10, CertainHeap, "record", 38, 25, caused(escape.Boxing), "fmt.Sprintf(...)",
			"fmt.Sprintf(...) escapes to heap in record"),
	}
	for i, c := range [][]Cost{{cost(1, 4, 208, 0.2)}, {cost(1, 4, 32, 0.07)}, {cost(1, 1, 16, 0.03)},
		{cost(0, 64, 512, 0.025)}, {cost(0, 7, 1016, 0.012)}, {cost(0, 0.5, 8, 0.0011)}, {cost(0, 0.5, 8, 0.0009)}} {
		out[3+i].Costs = c
	}
	out[4].Costs[0].Estimated = true
	out[5].Costs[0].Share = Interval{}
	out[6].Named = "strings.ToUpper is of the standard library, whose diagnostics were not asked for"
	out[9].Costs[0].Share = Interval{Value: math.NaN(), Runs: 1}
	maps := siteOf(0, NeverExecuted, "Index", 57, 13, caused(escape.MapLiteral),
		"make(map[string]*Record, len(records))",
		"make(map[string]*Record, len(records)) escapes to heap in Index")
	maps.Would = CertainHeap
	sizes := siteOf(0, NeverExecuted, "Sizes", 66, 13, caused(escape.VariableMake), "make([]int, 0, len(records))",
		"make([]int, 0, len(records)) escapes to heap in Sizes")
	sizes.Would = Conditional
	return append(out, maps, sizes)
}

// static returns the fixture as it is when nothing was run.
func static() *Report {
	r := fixture()
	r.Mode, r.Benchmarks, r.Join = "static", nil, Join{Contradicted: 1}
	for i := range r.Sites {
		s := &r.Sites[i]
		s.Rank, s.Costs, s.Sizes, s.Price, s.Gain, s.Edit = 0, nil, nil, nil, nil, nil
		if s.Class == NeverExecuted {
			s.Class, s.Would = s.Would, ""
		}
	}
	slices.SortStableFunc(r.Sites, func(a, b Site) int { return a.Line - b.Line })
	return r
}

// many returns a report with so many sites, of long names and in several benchmarks.
func many(n int) *Report {
	r := fixture()
	pattern := r.Sites[:10]
	r.Sites = nil
	for i := range n {
		s := pattern[i%len(pattern)]
		s.Rank, s.ID = i+1, fmt.Sprintf("site%d", i)
		s.Function = "(*Decoder[go.shape.struct { Näme string; Größe int }]).decodeEverythingThatIsLong.func" +
			strconv.Itoa(i)
		s.File = fmt.Sprintf("internal/a/very/long/way/down/日本語/decode_%d.go", i)
		r.Sites = append(r.Sites, s)
	}
	for i := range 18 {
		b := r.Benchmarks[0]
		b.Name = fmt.Sprintf("Decode/compression=zstandard/level=%d/size=1048576/concurrency=16/buffer=bounded", i)
		r.Benchmarks = append(r.Benchmarks, b)
	}
	r.Warnings = []string{strings.Repeat("a warning that is long, ", 20), "a second", "a third", "a fourth"}
	return r
}
