package join

import (
	"strings"
	"testing"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// A text that is copied and then put into an interface is two sites, whose causes are two.
func TestCopyAndBoxAreTwo(t *testing.T) {
	log, err := escape.ReadLog(strings.NewReader("# m\nm.go:3:14: string(b) escapes to heap in F:\n" +
		"m.go:3:14:   flow: {storage for ... argument} ← &{storage for string(b)}:\n" +
		"m.go:3:14:     from string(b) (spill) at m.go:3:14\n" +
		"m.go:3:14:     from ... argument (slice-literal-element) at m.go:3:10\n" +
		"m.go:3:14:   flow: {heap} ← {storage for ... argument}:\n" +
		"m.go:3:14:     from fmt.Sprint(... argument...) (call parameter) at m.go:3:10\n" +
		"m.go:3:14: string(b) escapes to heap\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Asked{Path: "m"}
	a := &analysis{in: Input{Mode: "benchmarks"}, resolver: newResolver(), asked: map[string]*Asked{"m": p},
		folders: map[string]string{}, sites: map[place]*gathered{}, executed: map[string]bool{}, report: &sites.Report{Benchmarks: []sites.Benchmark{{}}}}
	a.packages["m"] = read(Described{Log: log}, "m")
	count := &counting{analysis: a, p: p, n: 1}
	got := map[string]float64{}
	for target, objects := range map[string]int64{"runtime.slicebytetostring": 3, "runtime.convTstring": 2} {
		s := stack{inLeaf: 1, lines: []line{{fn: "m.F", file: "/m/m.go", line: 3, pkg: "m"}}}
		g := count.record(s, a.find(nil, target, s.lines), objects, 16*objects)
		a.describe(g)
		got[g.site.Cause.Key] = g.site.Costs[0].Objects
	}
	if len(got) != 2 || got["text-conversion"] != 3 || got["fmt"] != 2 {
		t.Errorf("%v", got)
	}
}

// Advice says what was measured, and there is none for a block that is made once: the first group of
// a map has room for 8 entries whatever size is given.
func TestAdviceIsHeldAgainstTheSizes(t *testing.T) {
	for _, c := range []struct {
		cause sites.Cause
		sizes []sites.SizeClass
		want  string
	}{
		{mapGrowth, []sites.SizeClass{{Bytes: 208, Objects: 1}}, ""},
		{mapGrowth, []sites.SizeClass{{Bytes: 208, Objects: 0.5}, {Bytes: 4096, Objects: 0.48}, {Bytes: 65536, Objects: 0.02}},
			mapGrowth.Fix + " (here blocks of 208 B to 4 KiB were made)"},
		{compilerCause(escape.AppendGrowth), []sites.SizeClass{{Bytes: 64, Objects: 1}}, ""},
		{compilerCause(escape.VariableMake), []sites.SizeClass{{Bytes: 1792, Objects: 1}},
			compilerCause(escape.VariableMake).Fix + " (here 1.75 KiB)"},
		{compilerCause(escape.ClosureCapture), []sites.SizeClass{{Bytes: 64, Objects: 1}},
			compilerCause(escape.ClosureCapture).Fix},
	} {
		g := &gathered{site: sites.Site{Cause: c.cause, Advice: c.cause.Fix, Sizes: c.sizes}}
		if g.advise(); g.site.Advice != c.want {
			t.Errorf("%s, %v: %q, want %q", c.cause.Key, c.sizes, g.site.Advice, c.want)
		}
	}
	errorf := sites.Callee{Via: "fmt.Errorf", Cause: compilerCause(escape.FormatArgument)}
	value := sites.Callee{Via: "reflect.Value.Interface", Cause: compilerCause(escape.Reflection)}
	sprint := sites.Callee{Via: "fmt.Sprint", Cause: compilerCause(escape.FormatArgument)}
	if got := adviceOutside(&errorf, true) + adviceOutside(&value, true) + adviceOutside(&sprint, false); got != "" {
		t.Errorf("%q is no advice", got)
	}
	if adviceOutside(&sprint, true) == "" {
		t.Error("there is advice on fmt.Sprint")
	}
}
