package compare

import (
	"math"
	"strings"
	"testing"

	"memcost/internal/base/hint"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

// changed is the metric of a benchmark on a second side, with the interval of its ratio.
func changed(unit string, lo, hi float64, verdict claim.Difference) Metric {
	value := func(v float64) figures.Figure {
		return figures.Figure{Value: figures.Number(v), Lo: figures.Number(v), Hi: figures.Number(v), Unit: unit}
	}
	m := Metric{Unit: unit, Values: []figures.Figure{value(100), value(100 * (lo + hi) / 2)}}
	m.Changes = []Change{{Verdict: verdict, Stands: verdict == Changed, Ratio: figures.Figure{
		Value: figures.Number((lo + hi) / 2), Lo: figures.Number(lo), Hi: figures.Number(hi)}}}
	return m
}

// exact is one that is compared without statistics.
func exact(unit string, ratio float64, verdict claim.Difference) Metric {
	m := changed(unit, ratio, ratio, verdict)
	m.Exact = true
	m.Changes[0].Ratio.Lo, m.Changes[0].Ratio.Hi = figures.Number(math.NaN()), figures.Number(math.NaN())
	return m
}

func TestCheck(t *testing.T) {
	time, allocs := Time, "allocs/op"
	rate := changed("B/s", 0.8, 0.9, Changed)
	rate.HigherIsBetter = true
	unknown := changed("hits", 1.5, 1.6, Changed)
	unknown.NoDirection = true
	came := exact(allocs, math.Inf(1), Changed)
	came.Changes[0].Ratio.Note = FromZero
	lucky := changed(time, 1.05, 1.06, Undecided) // it does not stand among all
	small := changed(time, 1.004, 1.008, Equivalent)
	small.Changes[0].Stands = true
	for _, tt := range []struct {
		name, gate string
		metric     Metric
		closes     bool
	}{
		{"slower", "slower", changed(time, 1.03, 1.07, Changed), true},
		{"not by so much", "slower=5%", changed(time, 1.03, 1.07, Changed), false},
		{"by more than that", "slower=2.5%", changed(time, 1.03, 1.07, Changed), true},
		{"a share", "slower=0.025", changed(time, 1.03, 1.07, Changed), true},
		{"faster", "slower", changed(time, 0.8, 0.9, Changed), false},
		{"equivalent", "slower", changed(time, 0.995, 1.005, Equivalent), false},
		{"within the report's margin, beyond the gate's", "slower=0.3%", small, true},
		{"undecided", "slower", changed(time, 0.9, 1.3, Undecided), false},
		{"undecided, asked for", "slower,undecided", changed(time, 0.9, 1.3, Undecided), true},
		{"undecided alone", "undecided", changed(time, 0.9, 1.3, Undecided), true},
		{"undecided, but no regression", "slower,undecided", changed(time, 0.9, 1.005, Undecided), false},
		{"undecided, but within the gate's margin", "slower=5%,undecided", changed(time, 0.98, 1.04, Undecided),
			false},
		{"not among all", "slower", lucky, false},
		{"allocations", "allocs", exact(allocs, 1.2, Changed), true},
		{"allocations of the default", Default, exact(allocs, 1.2, Changed), true},
		{"fewer", "allocs", exact(allocs, 0.8, Changed), false},
		{"from 0", "allocs=50%", came, true},
		{"allocations within", "allocs=30%", exact(allocs, 1.2, Changed), false},
		{"of another metric", "slower,bytes,cpu,memory,metrics", exact(allocs, 1.2, Changed), false},
		{"bytes", "bytes=10%", exact("B/op", 1.2, Changed), true},
		{"CPU", "cpu", changed("cpu-sec/op", 1.03, 1.07, Changed), true},
		{"memory", "memory", changed("peak-RSS-bytes", 1.03, 1.07, Changed), true},
		{"a rate that falls", "metrics", rate, true},
		{"a rate that falls by less", "metrics=30%", rate, false},
		{"nobody knows whether more is better", "metrics", unknown, false},
	} {
		g, err := Parse(tt.gate)
		if err != nil {
			t.Fatal(err)
		}
		// Beside it there is a time that did not change, so that every gate compares something.
		r := &Report{Margin: 0.01, Sides: []Side{{Name: "main"}, {Name: "feature"}}}
		quiet := func(unit string) Metric { return exact(unit, 1, Equivalent) }
		r.Benchmarks = []Benchmark{{Study: "p", Name: "X", Metrics: []Metric{tt.metric}},
			{Study: "p", Name: "Y", Metrics: []Metric{quiet(time), quiet("B/op")}}}
		found := g.Check(r)
		if len(found) > 1 || (len(found) == 1) != tt.closes {
			t.Errorf("%s: --gate %s: %+v", tt.name, tt.gate, found)
		}
		for _, f := range found {
			if f.Benchmark != "X" || f.Side != "feature" || f.Unit != tt.metric.Unit ||
				!strings.HasPrefix(f.Says, "X") {
				t.Errorf("%s: %+v", tt.name, f)
			}
		}
	}
}

// A gate that a broken benchmark opens is none; one that was broken before and works now is
// no finding.
func TestBroken(t *testing.T) {
	g, err := Parse(Default)
	if err != nil {
		t.Fatal(err)
	}
	invalid := changed(Time, 1, 1, Invalid)
	works, fails := exact(Time, 1, Undecided), exact(Time, 1, Undecided)
	works.Values[0], fails.Values[1] = figures.NoFigure(), figures.NoFigure()
	for _, tt := range []struct {
		name   string
		b      Benchmark
		closes bool
	}{
		{"invalid", Benchmark{Name: "X", Invalid: []string{"feature: optimised away"},
			Metrics: []Metric{invalid}}, true},
		{"fails", Benchmark{Name: "X", Failed: []string{"feature: exit status 2"},
			Metrics: []Metric{fails}}, true},
		{"fails everywhere", Benchmark{Name: "X", Failed: []string{"main: exit status 2"}}, true},
		{"works again", Benchmark{Name: "X", Failed: []string{"main: exit status 2"},
			Metrics: []Metric{works}}, false},
	} {
		r := &Report{Margin: 0.01, Sides: []Side{{Name: "main"}, {Name: "feature"}},
			Benchmarks: []Benchmark{tt.b}}
		if found := g.Check(r); (len(found) > 0) != tt.closes {
			t.Errorf("%s: %+v", tt.name, found)
		}
	}
	if found := g.Check(&Report{}); len(found) != 1 || found[0].Benchmark != "" {
		t.Errorf("of nothing: %+v", found)
	}
}

func TestJoin(t *testing.T) {
	for line, want := range map[string]string{
		"compare a b --gate":                          "compare a b --gate",
		"compare --gate a b":                          "compare --gate a b",
		"compare a b --gate slower=3%,allocs ./codec": "compare a b --gate=slower=3%,allocs ./codec",
		"report a b --gate undecided":                 "report a b --gate=undecided",
		"compare a b --gate slower=x":                 "compare a b --gate=slower=x",
		"compare a b --gate=slower ./codec":           "compare a b --gate=slower ./codec",
		"compare a b -- --gate slower":                "compare a b -- --gate slower",
	} {
		if got := strings.Join(Join(strings.Fields(line)), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"", "faster", "slower=", "slower=-1%", "slower=x", "slower=5000%", "slower,,allocs",
		"undecided=3%", "allocs=NaN"} {
		if g, err := Parse(s); err == nil || !hint.IsUsage(err) {
			t.Errorf("--gate %q: %+v, %v", s, g, err)
		}
	}
	g, err := Parse(" slower=3% , undecided")
	if err != nil || !g.Undecided() {
		t.Errorf("with spaces: %+v, %v", g, err)
	}
}

// A gate of which nothing is known is not open.
func TestNothingKnown(t *testing.T) {
	nan, inf := figures.Number(math.NaN()), figures.Number(math.Inf(1))
	r := &Report{Sides: []Side{{Name: "old"}, {Name: "new"}}, Margin: 0.01}
	r.Benchmarks = []Benchmark{{Name: "A", Metrics: []Metric{{Unit: Time,
		Values: make([]figures.Figure, 2), Changes: []Change{{Verdict: Undecided,
			Ratio: figures.Figure{Value: 28, Lo: nan, Hi: inf}}}}}}}
	g, err := Parse("slower")
	if err != nil {
		t.Fatal(err)
	}
	if found := g.Check(r); len(found) != 1 || !found[0].Unmeasured || !strings.Contains(found[0].Says, "too few rounds") {
		t.Errorf("the gate is closed by %+v", found)
	}
	r.Benchmarks[0].Metrics[0].Changes[0].Ratio = figures.Figure{Value: 1.02, Lo: 0.9, Hi: 1.1}
	if found := g.Check(r); len(found) != 0 {
		t.Errorf("what is undecided closes the gate: %+v", found)
	}
}

// More rounds are of no use to a gate when what it asks for is decided, whatever else is open.
func TestDecided(t *testing.T) {
	for _, tt := range []struct {
		gate    string
		metrics []Metric
		want    bool
	}{
		{"allocs", []Metric{changed(Time, 0.9, 1.3, Undecided), exact("allocs/op", 1, Equivalent)}, true},
		{"allocs", []Metric{exact("allocs/op", 2, Changed)}, true},
		{"allocs", []Metric{changed("allocs/op", 0.9, 1.3, Undecided)}, false},
		{"allocs,bytes", []Metric{exact("allocs/op", 1, Equivalent), changed("B/op", 0.9, 1.3, Undecided)}, false},
		{"allocs=50%", []Metric{changed("allocs/op", 0.9, 1.3, Undecided)}, true},
		{"allocs", []Metric{exact("B/op", 1, Equivalent)}, false},
		{"slower,allocs", []Metric{changed(Time, 0.9, 1.3, Undecided), exact("allocs/op", 1, Equivalent)}, false},
	} {
		g, err := Parse(tt.gate)
		if err != nil {
			t.Fatal(err)
		}
		r := &Report{Margin: 0.01, Benchmarks: []Benchmark{{Name: "X", Metrics: tt.metrics}}}
		if got := g.Decided(r); got != tt.want {
			t.Errorf("%s: %v of %+v", tt.gate, got, tt.metrics)
		}
	}
}
