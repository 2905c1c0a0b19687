package compare

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// gridRatios are intervals around what matters: the margin, 1, and what rounding makes of both.
var gridRatios = [][2]float64{{0.5, 0.6}, {0.9, 0.95}, {0.968, 1.15}, {0.985, 0.989}, {0.98998, 0.9902}, {0.9901, 0.9903}, {0.995, 1.005},
	{0.9999, 1.0001}, {1.0095, 1.0099}, {1.00951, 1.00999}, {1.0101, 1.0104}, {1.00995, 1.0101}, {1.02, 1.04}, {1.5, 3}, {0.2, 8}}

var shownRatio = regexp.MustCompile(`([0-9.]+)× \[([0-9.]+), ([0-9.]+)\]`)

// Each verdict has one sentence, and what is shown beside it does not contradict it.
func TestSentences(t *testing.T) {
	const margin = 0.01
	verdictOf := func(lo, hi float64) claim.Difference {
		switch {
		case lo > 1+margin || hi < 1/(1+margin):
			return Changed
		case lo >= 1/(1+margin) && hi <= 1+margin:
			return Equivalent
		}
		return Undecided
	}
	checked := 0
	for _, unit := range []string{Time, "B/op", "cpu-sec/op", "MB/s", "hits"} {
		for _, kind := range []string{OfSource, OfCommand, OfConfiguration} {
			for _, iv := range gridRatios {
				for _, invalid := range []bool{false, true} {
					verdict := verdictOf(iv[0], iv[1])
					if invalid {
						verdict = Invalid
					}
					m := changed(unit, iv[0], iv[1], verdict)
					r := &Report{Margin: margin, Sides: []Side{{Name: "main", Kind: kind}, {Name: "feature", Kind: kind}},
						Benchmarks: []Benchmark{{Study: "p", Name: "X", Metrics: []Metric{changed(Time, 1, 1, Equivalent)}}}}
					if unit == Time {
						r.Benchmarks[0].Metrics = nil
					}
					r.Benchmarks[0].Metrics = append(r.Benchmarks[0].Metrics, m)
					r.finish()
					b := &r.Benchmarks[0]
					got := b.Metric(unit)
					says := r.Sentence(b, got, 1)
					checkSentence(t, says, got, got.Changes[0], iv, margin)
					if unit == Time && !strings.HasPrefix(r.Says[0], says) && !invalid {
						t.Errorf("the answer is %q, and the sentence %q", r.Says[0], says)
					}
					checked++
				}
			}
		}
	}
	if checked != 5*3*len(gridRatios)*2 {
		t.Errorf("%d states", checked)
	}
}

func checkSentence(t *testing.T, says string, m *Metric, c Change, iv [2]float64, margin float64) {
	t.Helper()
	is := map[claim.Difference]bool{
		Undecided: strings.Contains(says, "t is undecided whether"), Invalid: strings.HasPrefix(says, "Nothing can be said of"),
		Equivalent: strings.Contains(says, ", within 1%"),
		Changed:    regexp.MustCompile(`takes [0-9.]+× \[.* as long|: .* is [0-9.]+× \[.* that `).MatchString(says) && !strings.Contains(says, "whether"),
	}
	for verdict, says := range is {
		if says != (verdict == c.Verdict) {
			t.Errorf("%s %v is %s, and it says so %v: %s", m.Unit, iv, c.Verdict, says, verdict)
		}
	}
	shown := shownRatio.FindStringSubmatch(RatioSays(c))
	if shown == nil {
		t.Fatalf("no ratio in %q", RatioSays(c))
	}
	value, _ := strconv.ParseFloat(shown[1], 64)
	lo, _ := strconv.ParseFloat(shown[2], 64)
	hi, _ := strconv.ParseFloat(shown[3], 64)
	outside, inside := lo > 1+margin || hi < 1/(1+margin), lo >= 1/(1+margin) && hi <= 1+margin
	if c.Verdict == Changed && !outside || c.Verdict == Equivalent && !inside || c.Verdict == Undecided && (outside || inside) {
		t.Errorf("%v is %s and is shown as %s", iv, c.Verdict, shown[0])
	}
	if value < lo || value > hi {
		t.Errorf("%v: the ratio lies outside of its interval in %s", iv, shown[0])
	}
	if of := float64(m.Values[1].Value / m.Values[0].Value); math.Abs(float64(c.Ratio.Value)-of) > 1e-9 {
		t.Errorf("%v: a ratio of %v beside figures with %v", iv, c.Ratio.Value, of)
	}
	if v := VerdictSays(c); c.Verdict == Changed && strings.Contains(v, "%") && strings.Contains(v, "+") != (c.Ratio.Value > 1) {
		t.Errorf("%v is %q", iv, v)
	}
}

// A rise is one, whichever way the others went.
func TestManyChanged(t *testing.T) {
	for _, tt := range []struct {
		ratios []float64
		want   string
	}{
		{[]float64{1.2, 1.3}, "2 of 2 benchmarks take longer at feature than at main: B1 "},
		{[]float64{0.7, 0.8}, "2 of 2 benchmarks take less time at feature than at main: B0 "},
		{[]float64{1.2, 0.5, 1.1, 1}, "Of 4 benchmarks 2 take longer at feature than at main, and 1 takes less time: B1 "},
	} {
		r := &Report{Margin: 0.01, Sides: []Side{{Name: "main", Kind: OfSource}, {Name: "feature", Kind: OfSource}}}
		for i, v := range tt.ratios {
			verdict := Changed
			if v == 1 {
				verdict = Equivalent
			}
			r.Benchmarks = append(r.Benchmarks, Benchmark{Name: fmt.Sprintf("B%d", i),
				Metrics: []Metric{changed(Time, v-0.001, v+0.001, verdict)}})
		}
		if r.finish(); !strings.HasPrefix(r.Says[0], tt.want) {
			t.Errorf("%q, want %q", r.Says[0], tt.want)
		}
	}
}

// Ratios are those of the figures beside them, that of the geometric means, too, and intervals hold them.
func TestFit(t *testing.T) {
	value := func(v float64) figures.Figure { return figures.Single(v, 10, Time) }
	g := Geomean{Unit: Time, Values: []figures.Figure{value(1), value(1.006)}, Changes: []Change{{Verdict: Changed, Stands: true,
		Ratio: figures.Figure{Value: 0.966, Lo: 0.95, Hi: 0.98}}}}
	r := &Report{Margin: 0.01, Sides: []Side{{Name: "a"}, {Name: "b"}}, Geomeans: []Geomean{g}}
	r.finish()
	c := r.Geomeans[0].Changes[0]
	if math.Abs(float64(c.Ratio.Value)-1.006) > 1e-9 || c.Ratio.Hi < c.Ratio.Value || c.Ratio.Lo != 0.95 || c.Verdict != Undecided || c.Stands {
		t.Errorf("%+v", c)
	}
}

// A time decides nothing where two copies of the benchmark may differ as much, nor where two links may, of sides that were
// linked once and are not the same binary. A gate stays open then.
func TestDoubtedTimes(t *testing.T) {
	g, err := Parse("slower,cpu,allocs")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		ratio   float64
		copy    figures.Figure // its second copy over its first
		layouts int
		builds  []plan.Build
		closes  bool
	}{
		{"apart as far", 1.496, figures.Figure{Value: 1.45, Lo: 1.38, Hi: 1.52}, 12, nil, false},
		{"apart as far the other way", 1.496, figures.Figure{Value: 0.69, Lo: 0.65, Hi: 0.73}, 12, nil, false},
		{"apart less", 1.496, figures.Figure{Value: 1.07, Lo: 1.01, Hi: 1.17}, 12, nil, true},
		{"not apart", 1.496, figures.Figure{Value: 1.1, Lo: 0.8, Hi: 1.7}, 12, nil, true},
		{"one link", 1.496, figures.Figure{}, 1, nil, false}, {"one link, by far", 3, figures.Figure{}, 1, nil, true},
		{"one link of each of two binaries", 1.496, figures.Figure{}, 1, []plan.Build{{Hash: "a"}, {Side: 1, Hash: "b"}}, false},
		{"one link of one binary", 1.496, figures.Figure{}, 1, []plan.Build{{Hash: "a"}, {Side: 1, Hash: "a"}}, true},
	} {
		q := &plan.Question{Builds: tt.builds,
			Plan: plan.Plan{Studies: []plan.Study{{Name: "p"}}, Options: plan.Options{Layouts: tt.layouts}}}
		b := &builder{answer: &result.Answer{Question: q}, Report: &Report{Margin: 0.01, Sides: []Side{{Name: "main"}, {Name: "feature"}},
			NoiseFloor: []result.Noise{{Study: "p", Case: "X", Ratio: tt.copy, Alarm: tt.copy.Lo > 1 || tt.copy.Hi < 1 && tt.copy.Hi > 0},
				{Study: "other", Case: "X", Ratio: figures.Figure{Value: 9, Lo: 8, Hi: 10}, Alarm: true}},
			Benchmarks: []Benchmark{{Study: "p", Name: "X", Metrics: []Metric{changed(Time, tt.ratio-0.01, tt.ratio+0.01, Changed),
				changed("cpu-sec/op", tt.ratio-0.01, tt.ratio+0.01, Changed), exact("allocs/op", 1, Equivalent)}}}}}
		b.doubtTimes()
		b.finish()
		found := g.Check(b.Report)
		if (len(found) > 0) != tt.closes || (len(b.DoubtsSay()) > 0) == tt.closes {
			t.Errorf("%s: closed by %+v, doubts %q", tt.name, found, b.DoubtsSay())
		}
		if m := b.Benchmarks[0].Metric("allocs/op"); m.Changes[0].Verdict != Equivalent {
			t.Errorf("%s: a count is in doubt: %+v", tt.name, m.Changes[0])
		}
	}
}
