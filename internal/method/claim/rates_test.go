package claim

import (
	"math"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// atMost asserts that a rate is not above bound, by the exact binomial test: it fails when
// so many errors, or more, would come in less than one of a thousand such tests if the
// rate were bound.
func atMost(t *testing.T, what string, wrong, runs int, bound float64) {
	t.Helper()
	if iv := stat.ClopperPearson(wrong, runs, 0.002); iv.Lo > bound {
		t.Errorf("%s errs in %d of %d, %v: more than %.1f%%", what, wrong, runs, iv, 100*bound)
	}
}

// No figure is left out for its value: neither that of one side, nor a ratio, however far
// out it is. The same rounds with a disturbance that the machine reports are, after the
// first five.
func TestNoFigureIsLeftOutForItsValue(t *testing.T) {
	for _, foreign := range []float64{0, 0.9} {
		l := newLab(1)
		for round := range 40 {
			cost, busy := 1.0, 0.0
			if round%8 == 3 {
				cost, busy = 1000, foreign
			}
			if round%8 == 6 {
				cost = 0.001
			}
			for i, place := range []string{"stack", "heap"} {
				c := 1.0
				if i == 1 {
					c = cost
				}
				l.add("X/place="+place+"-2", "a", "", round, sec(c), benchfmt.Value{Value: 1, Unit: series.UnitWall},
					benchfmt.Value{Value: busy, Unit: series.UnitForeign})
			}
		}
		want := map[float64]int{0: 40, 0.9: 36}[foreign]
		d := l.judge(t, claimStudy(t)).Data
		heap, stack := d.Find("X/place=heap-2"), d.Find("X/place=stack-2")
		if e := d.Ratio(heap, stack, "sec/op"); e.Counted != want {
			t.Errorf("%v of a CPU used by others: %d of 40 rounds count, want %d", foreign, e.Counted, want)
		}
		if e := d.Estimate(heap, "sec/op"); e.Counted != want {
			t.Errorf("%v of a CPU used by others: %d of 40 rounds of one side count, want %d", foreign, e.Counted, want)
		}
	}
}

// A figure belongs to its round. Both sides follow a state of the machine that doubles and
// halves, so that their ratio is known exactly where the round's own figures are taken.
func TestFiguresArePairedByRound(t *testing.T) {
	l := newLab(1)
	for round := range 24 {
		state := math.Exp2(float64(round % 5))
		if round%6 != 2 { // one side is missing in some rounds
			l.add("X/place=stack-2", "a", "", round, sec(state))
		}
		if round%7 != 4 {
			l.add("X/place=heap-2", "a", "", round, sec(1.5*state))
		}
	}
	d := l.judge(t, claimStudy(t)).Data
	e := d.Ratio(d.Find("X/place=heap-2"), d.Find("X/place=stack-2"), "sec/op")
	if math.Abs(e.Centre-1.5) > 1e-12 || e.Interval.Width() > 1e-9 || e.Counted != 17 {
		t.Errorf("%v %v of %d rounds, want 1.5 exactly of 17", e.Centre, e.Interval, e.Counted)
	}
}

// Links that differ by more than their rounds do leave a claim undecided that the rounds
// alone would decide, and so does a cost.
func TestLinksDecideClaimsToo(t *testing.T) {
	offset := []float64{1, 0.9, -0.8, 1.1}
	for _, tt := range []struct {
		spread float64
		want   Status
	}{{0, Holds}, {0.2, Undecided}} {
		l := newLab(5)
		for round := range 60 {
			link := benchfmt.Value{Value: float64(round % 4), Unit: series.UnitLayout}
			l.add("X/place=stack-2", "a", "", round, sec(l.noisy(1, 0.03)), link)
			l.add("X/place=heap-2", "a", "", round, sec(l.noisy(1.1*math.Exp(tt.spread*offset[round%4]), 0.03)), link)
		}
		for _, text := range []string{"place:heap / place:stack > 1", "place:heap sec/op > 1"} {
			if v := l.verdict(t, text); v.Status != tt.want {
				t.Errorf("links %v apart, %s: %s, want %s", tt.spread, text, v.Status, tt.want)
			}
		}
	}
}
