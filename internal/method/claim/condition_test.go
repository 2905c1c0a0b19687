package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// loads adds stack and heap cases beside busy cores: the stack costs the same beside each,
// and the heap ratio times as much as the stack, by load.
func (l *lab) loads(rounds int, ratio map[string]float64, sizes ...int) {
	for round := range rounds {
		for _, size := range sizes {
			for _, busy := range []string{"0", "1", "all"} {
				if ratio[busy] == 0 {
					continue
				}
				for i, place := range []string{"stack", "heap"} {
					cost := []float64{1, ratio[busy]}[i]
					name := fmt.Sprintf("X/busy=%s/place=%s/size=%d-2", busy, place, size)
					l.add(name, "a", "", round, sec(l.noisy(cost, 0.01)))
				}
			}
		}
	}
}

// A claim that does not name the load compares the sides beside the same one, each load in
// a place of its own; one that names it compares loads.
func TestLoads(t *testing.T) {
	l := newLab(1)
	l.loads(20, map[string]float64{"0": 2, "1": 4, "all": 8}, 512, 1024)
	for text, want := range map[string]struct {
		status  Status
		figures string
	}{
		"place:heap / place:stack > 1 for every size": {Holds, "size=512 busy=0 2, size=1024 busy=0 2, " +
			"size=512 busy=1 4, size=1024 busy=1 4, size=512 busy=all 8, size=1024 busy=all 8"},
		"place:heap / place:stack > 1 for every size, busy": {Holds, "size=512 busy=0 2, size=1024 busy=0 2, " +
			"size=512 busy=1 4, size=1024 busy=1 4, size=512 busy=all 8, size=1024 busy=all 8"},
		"place:heap busy:1 / place:heap busy:0 > 1.5 for every size":    {Holds, "size=512 2, size=1024 2"},
		"place:heap busy:all / place:stack busy:0 > 7 for every size":   {Holds, "size=512 8, size=1024 8"},
		"place:heap busy:all / place:stack busy:all > 7 for every size": {Holds, "size=512 8, size=1024 8"},
		"place:heap busy:(0 OR 1) / place:stack busy:(1 OR all) > 3 for every size": {Holds,
			"size=512 busy=1 4, size=1024 busy=1 4"},
		"place:heap busy:0 / place:stack > 1 for every size": {Holds,
			"size=512 busy=0 2, size=1024 busy=0 2"},
		"place:stack busy:1 / place:stack busy:0 in 0.95..1.05 for every size": {Holds, "size=512 1, size=1024 1"},
		"place:heap sec/op > 1 for every size": {Holds, "size=512 busy=0 2, size=1024 busy=0 2, " +
			"size=512 busy=1 4, size=1024 busy=1 4, size=512 busy=all 8, size=1024 busy=all 8"},
		// One of two loads on the other side: nothing says which.
		"place:heap busy:(1 OR all) / place:heap busy:0 > 1 for every size": {Untested, ""},
	} {
		v := l.verdict(t, text)
		var figures []string
		for _, e := range v.Elements {
			figures = append(figures, fmt.Sprintf("%s %.0f", e.Label, e.Figure))
		}
		if got := strings.Join(figures, ", "); v.Status != want.status || got != want.figures {
			t.Errorf("%s: %s, %s; want %s, %s; %v", text, v.Status, got, want.status, want.figures, v.Notes)
		}
	}
}

// With one load alone its name is not in the labels; GOMAXPROCS may be compared likewise.
func TestOneLoadAndProcs(t *testing.T) {
	l := newLab(1)
	l.loads(20, map[string]float64{"1": 4}, 512)
	if v := l.verdict(t, "place:heap / place:stack > 3 for every size"); v.Status != Holds ||
		v.Elements[0].Label != "size=512" {
		t.Errorf("%+v", v)
	}
	for round := range 20 {
		l.add("Y/place=heap", "a", "", round, sec(l.noisy(3, 0.01)))
		l.add("Y/place=heap-2", "a", "", round, sec(l.noisy(1, 0.01)))
	}
	v := l.verdict(t, `.name:Y gomaxprocs:"" / .name:Y gomaxprocs:2 > 2`)
	if v.Status != Holds || len(v.Elements) != 1 {
		t.Errorf("%+v", v)
	}
	if v := l.verdict(t, ".name:Y / .name:Y > 2"); v.Status != Untested {
		t.Errorf("%+v", v)
	}
}

// On a busy machine busy=0 is not without load: the stack, which a busy core does not slow
// on a quiet one, shares its core there. A ratio of loads, or of GOMAXPROCS, is decided no
// more than one of different code.
func TestABusyMachineDecidesNoRatioOfLoads(t *testing.T) {
	for _, tt := range []struct {
		a, b, ratio string
		want        Status
	}{
		{"X/busy=1/place=heap-2", "X/busy=0/place=heap-2", "busy:1 / busy:0", Undecided},
		{"X/place=heap-2", "X/place=heap-4", "gomaxprocs:2 / gomaxprocs:4", Undecided},
		{"X/setting=a/place=heap-2", "X/setting=b/place=heap-2", "setting:a / setting:b", Holds},
	} {
		l := newLab(1)
		for round := range 40 {
			for i, name := range []string{tt.a, tt.b} {
				l.add(name, "a", "", round, sec(l.noisy(float64(2-i), 0.01)),
					benchfmt.Value{Value: 1, Unit: series.UnitWall},
					benchfmt.Value{Value: 0.9 * float64(round%2), Unit: series.UnitForeign})
			}
		}
		st := claimStudy(t, [2]string{"claim", "C " + tt.ratio + " > 1.5"})
		code := func(string) string { return "the same" }
		v := JudgeArms(Study{Name: "s", Written: st, Code: code}, l.set, []string{"a"}, 0.05, nil)[0].Verdicts[0]
		if v.Status != tt.want || v.Busy != (tt.want == Undecided) {
			t.Errorf("%s / %s: %s (%s), want %s", tt.a, tt.b, v.Status, v.Why, tt.want)
		}
	}
}

// What must be measured side by side are the pairs that claims and tables compare.
func TestLoadsAreMeasuredSideBySide(t *testing.T) {
	l := newLab(1)
	l.loads(1, map[string]float64{"0": 2, "1": 4}, 512)
	names := func(text string) []string {
		var out []string
		for _, p := range RatioPairs(claimStudy(t, [2]string{"claim", "C " + text}), l.set.All()) {
			out = append(out, strings.ReplaceAll(p.Num.Case+" / "+p.Den.Case, "/size=512-2", ""))
		}
		slices.Sort(out)
		return out
	}
	for text, want := range map[string][]string{
		"place:heap / place:stack > 1 for every size": {"X/busy=0/place=heap / X/busy=0/place=stack",
			"X/busy=1/place=heap / X/busy=1/place=stack"},
		"place:heap busy:1 / place:heap busy:0 > 1 for every size": {"X/busy=1/place=heap / X/busy=0/place=heap"},
	} {
		if got := names(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A column that names a load has one row for each value of its key; one that does not has
// one for each load, too.
func TestColumnsOfLoads(t *testing.T) {
	l := newLab(1)
	l.loads(20, map[string]float64{"0": 2, "1": 4}, 512, 1024)
	st := claimStudy(t)
	d := l.judge(t, st).Data
	selector := func(text string) language.Selector {
		return claimStudy(t, [2]string{"claim", "C " + text + " sec/op > 0"}).Claims[0].Num
	}
	for _, tt := range []struct{ num, den, want string }{
		{"place:heap busy:1", "", "512 4, 1024 4"},
		{"place:heap", "", "512 busy=0 2, 1024 busy=0 2, 512 busy=1 4, 1024 busy=1 4"},
		{"place:heap busy:1", "place:heap busy:0", "512 2, 1024 2"},
		{"place:heap", "place:stack", "512 busy=0 2, 1024 busy=0 2, 512 busy=1 4, 1024 busy=1 4"},
	} {
		col := language.Column{Num: selector(tt.num), Unit: "sec/op"}
		if tt.den != "" {
			col.Den = selector(tt.den)
		}
		var got []string
		err := d.Column(col, "size", func(label string, e Estimate, note string) {
			got = append(got, fmt.Sprintf("%s %.0f", label, e.Centre))
		})
		if text := strings.Join(got, ", "); err != nil || text != tt.want {
			t.Errorf("%s / %s: %s, %v; want %s", tt.num, tt.den, text, err, tt.want)
		}
	}
}
