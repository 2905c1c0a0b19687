package claim

import (
	"math"
	"math/rand/v2"
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

// Wherever the truth lies, at a bound, within its margin or beyond, the three verdicts together are wrong in at most 5% of
// claims at any look; and a claim whose truth is its bound is shown to be there.
func TestAtTheBound(t *testing.T) {
	const margin, bound, runs, noise = 0.02, 1.25, 300, 0.04
	looks := stat.Looks{Rounds: 140}
	for _, off := range []float64{-2, -1.001, -0.5, 0, 0.5, 1.001, 2} { // from the bound, in margins
		truth := bound * math.Pow(1+margin, off)
		rng, wrong, shown := rand.New(rand.NewPCG(3, 4)), 0, 0
		for range runs {
			d, bad, last := []float64(nil), false, Undecided
			for look := looks.Next(0); look > 0 && look <= looks.Rounds; look = looks.Next(look) {
				for len(d) < look {
					d = append(d, math.Log(truth)+noise*rng.NormFloat64())
				}
				b := basis{looks: looks, each: d, about: Estimate{Rounds: look}, rests: stat.Rounds{D: d, OnePeak: true}}
				e := Element{basis: &b, logs: true, Status: Undecided,
					allowed: allowed{lo: bound, hi: math.Inf(1), loOpen: true, hiOpen: true, margin: margin}}
				e.at = func(alpha float64) stat.Interval { return e.figures(b.interval(alpha)) }
				e.Interval = e.at(0.05)
				at := []Element{e.held(0.05)}
				refute(at, 0.05)
				last = at[0].Status
				bad = bad || last == Holds && truth <= bound || last == Fails && truth > bound ||
					last == AtBound && math.Abs(off) > 1
			}
			wrong += count(bad)
			shown += count(last == AtBound)
		}
		atMost(t, "a verdict", wrong, runs, 0.05)
		if off == 0 && shown < runs*8/10 {
			t.Errorf("of claims whose truth is their bound %d of %d are shown to be there", shown, runs)
		}
		t.Logf("truth %.4f: %d of %d wrong at some look, %d at the bound at the last", truth, wrong, runs, shown)
	}
}

// The least and the greatest of several places are picked for lying there. Whether the places are alike, in steps or far apart,
// the interval that goes with the picked one misses its truth in at most 5%, where that of the place itself does in more.
func TestExtremesCoverTheirTruth(t *testing.T) {
	for _, rounds := range []int{8, 13} { // at eight rounds signs are not as rare as a share of α
		extremesCover(t, rounds)
	}
}

func extremesCover(t *testing.T, rounds int) {
	const runs, places, noise = 600, 10, 0.1
	looks := stat.Looks{Rounds: rounds}
	for _, step := range []float64{0, 0.05, 0.1, 0.2, 1} { // between neighbours, in logarithms
		rng, missed, bare, widened := rand.New(rand.NewPCG(5, 6)), 0, 0, 0
		for range runs {
			elements := make([]Element, places)
			for i := range elements {
				d := make([]float64, rounds)
				for k := range d {
					d[k] = step*float64(i) + noise*rng.NormFloat64()
				}
				b := basis{looks: looks, each: d, about: Estimate{Rounds: rounds}, rests: stat.Rounds{D: d, OnePeak: true}}
				e := &elements[i]
				*e = Element{basis: &b, logs: true, Status: Undecided, Figure: math.Exp(b.centre()), N: rounds,
					allowed: allowed{lo: 0, hi: math.Inf(1)}}
				e.at = func(alpha float64) stat.Interval { return e.figures(b.interval(alpha)) }
				e.Interval = e.at(0.05)
			}
			extremes(elements, 0.05)
			least := 0
			for i, e := range elements {
				if e.Figure < elements[least].Figure {
					least = i
				}
			}
			truth := math.Exp(step * float64(least))
			bare += count(!elements[least].Interval.Contains(truth))
			shown := elements[least].Interval
			if c := elements[least].Chosen; c != nil {
				shown = *c
				widened++
			}
			missed += count(!shown.Contains(truth))
		}
		atMost(t, "a picked place", missed, runs, 0.05)
		switch {
		case step == 0 && bare < runs/10:
			t.Errorf("of places that are alike the least misses in %d of %d without a share of α: nothing is tested", bare, runs)
		case step == 1 && widened > 0:
			t.Errorf("places that are far apart are taken for each other in %d of %d", widened, runs)
		}
		t.Logf("%d rounds, steps of %v: %d of %d miss, %d without a share of α, %d widened", rounds, step, missed, runs, bare,
			widened)
	}
}
