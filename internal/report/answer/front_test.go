package answer

import (
	"slices"
	"strings"
	"testing"

	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// Trust is a verdict in a sentence, and the machine of a run without a sample has none.
func TestTrustIsAVerdict(t *testing.T) {
	a := recordedRun(t, "healthy")
	said := func() string { return Of([]*result.Answer{a}, Options{}).Trust.Says }
	if got := said(); got != "The machine was quiet; two copies of the same code differed by up to 1.04×." {
		t.Error(got)
	}
	a.NoiseFloor[0].Ratio.Lo = 0.75
	a.Voids = []series.Void{{Excluded: true}}
	if got := said(); got != "The machine was quiet most of the time; two copies of the same code differed by up to 1.3×." {
		t.Error(got)
	}
	if a.Busy = "The machine was busy."; said() != "Two copies of the same code differed by up to 1.3×." {
		t.Error(said())
	}
	if a.Samples, a.Busy = 0, ""; said() != "" {
		t.Error(said())
	}
}

// The largest ratio of each column is said with a count of both sides, the largest first; a figure whose
// interval holds 1 is no difference.
func TestExtremesHaveACause(t *testing.T) {
	toml := smaugFront + `
[[table]]
title = "Over the stack"
by = "size"
of = "Smaug"
columns = ["heap = place:heap / place:stack", "stack = place:stack / place:heap"]

[extremes]
table = "Over the stack"
counts = "allocs/op"
counted = "allocations"
`
	show, err := language.ReadShow("study.toml", []byte(toml))
	if err != nil {
		t.Fatal(err)
	}
	st, err := language.Parse("smaug", nil, withoutClaims(show))
	if err != nil {
		t.Fatal(err)
	}
	a := recordedRun(t, "healthy")
	s := &a.Studies[0]
	s.Study = st
	ratio := func(v, lo, hi float64) figures.Figure {
		f := figures.NoFigure()
		f.Value, f.Lo, f.Hi, f.N = figures.Number(v), figures.Number(lo), figures.Number(hi), 9
		return f
	}
	s.Tables = []figures.Table{{Title: "Over the stack", By: "size", Side: firstSide(s), Columns: []string{"heap", "stack"},
		Rows: []figures.Row{{Label: "1024", Cells: []figures.Figure{ratio(8, 7, 9), ratio(0.125, 0.1, 0.2)}},
			{Label: "4096", Cells: []figures.Figure{ratio(90, 0.9, 99), ratio(0.05, 0.04, 0.06)}}}}}
	f := Of([]*result.Answer{a}, Options{})
	want := []string{
		"A block of 4 KiB costs with the heap 20 [17, 25] times what it costs with the stack: 1 allocations against none.",
		"A block of 1 KiB costs with the heap 8.0 [7.0, 9.0] times what it costs with the stack: 1 allocations against none."}
	var got []string
	for _, s := range f.Extremes {
		got = append(got, s.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if a.Busy = "busy"; len(Of([]*result.Answer{a}, Options{}).Extremes) != 0 {
		t.Error("said of a machine that was busy")
	}
}

func TestCausesOfExtremes(t *testing.T) {
	for _, x := range []struct {
		a, b float64
		want string
	}{{64, 0, ": 64 page faults against none"}, {0.01, 3, ": no page faults against 3"}, {0.01, 0, ""}, {16, 16.01, ""}} {
		if got := causeOf(x.a, x.b, "page faults"); got != x.want {
			t.Errorf("%v against %v: %q", x.a, x.b, got)
		}
	}
}

// withoutClaims drops what needs the claims of the code.
func withoutClaims(show *language.Show) *language.Show {
	show.Answer, show.Say, show.Advise = nil, nil, nil
	return show
}

// A picture draws the curves that say most: those of the study's choice, and of the allocators the one
// that costs least here.
func TestCurvesThatAreDrawnAtOnce(t *testing.T) {
	mean := func(key, shown string, costs ...float64) Mean {
		m := Mean{Key: key, shown: shown, Family: "c"}
		for i, v := range costs {
			m.Points = append(m.Points, Point{Size: int64(1 << i), Figure: figures.Figure{Value: figures.Number(v)}})
		}
		return m
	}
	a := &Axis{Means: []Mean{mean("glibc", language.Always, 2, 3), mean("mmap", "", 2, 2),
		mean("jemalloc", language.Cheapest, 1, 4), mean("mimalloc", language.Cheapest, 2, 1),
		mean("short", language.Cheapest, 0.1)}}
	a.ask()
	var drawn []string
	for _, m := range a.Means {
		if !m.Asked {
			drawn = append(drawn, m.Key)
		}
	}
	if !slices.Equal(drawn, []string{"glibc", "mimalloc"}) {
		t.Errorf("%q are drawn", drawn)
	}
	for i := range a.Means {
		a.Means[i].Asked, a.Means[i].shown = false, ""
	}
	if a.ask(); slices.ContainsFunc(a.Means, func(m Mean) bool { return m.Asked }) {
		t.Error("no study says which, and not all are drawn")
	}
}

// What most people ask first stands before all other advice, which stands by its effect.
func TestAdviceStandsByEffect(t *testing.T) {
	ranks := [2][][]Advice{{{{Do: "little", effect: 0.1}, {Do: "much", effect: 3}}, {{Do: "second", effect: 9}}}}
	var got []string
	for _, a := range chosen(ranks, 3) {
		got = append(got, a.Do)
	}
	if strings.Join(got, " ") != "much little second" {
		t.Errorf("%q", got)
	}
	f := recordedShipped(t)
	if len(f.Advice) == 0 || len(f.Advice) > MaxAdvice || !f.Advice[0].Common {
		t.Errorf("%+v", f.Advice)
	}
}
