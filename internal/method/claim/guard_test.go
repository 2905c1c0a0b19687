package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var guarded = [][2]string{
	{"floor", "Empty"},
	{"expect", "place:stack allocs/op == 0"},
	{"expect", "place:heap B/op >= size"},
	{"expect", "place:stack stays-on-stack byValue, byCopy"},
	{"claim", "R " + stackWins},
	{"claim", "V place:stack sec/op < 1 for every size"},
	{"claim", "L place:stack linear in size"},
	{"claim", "A place:heap allocs/op == 1 for every size"},
	{"table", "T by size: stack = place:stack | ratio = place:heap / place:stack"},
}

func (l *lab) guarded(t *testing.T, heap HeapUse) *Judged {
	t.Helper()
	return JudgeArms(Study{Name: "s", Written: claimStudy(t, guarded...), Heap: func(string) HeapUse { return heap }}, l.set,
		[]string{"a"}, 0.05, nil)[0]
}

func (l *lab) empty(rounds int, cost float64) {
	for round := range rounds {
		l.add("Empty-2", "a", "", round, sec(l.noisy(cost, 0.02)), allocs(0))
	}
}

// An INVALID case is in no claim, in no ratio and in no figure of a table, and
// each verdict that it is missing from says so.
func TestInvalidCasesAreKeptOut(t *testing.T) {
	const bad = "X/place=stack/size=4096-2"
	l := newLab(1)
	l.places(20, 0.02, always(2), 512, 1024, 2048)
	for round := range 20 {
		l.add(bad, "a", "", round, sec(l.noisy(1e-6, 0.02)), allocs(0.4), bytes(100))
		l.add("X/place=heap/size=4096-2", "a", "", round, sec(l.noisy(1e-9, 0.02)), allocs(1), bytes(4096))
	}
	j := l.guarded(t, nil)
	if why := j.Invalid[bad]; len(why) != 1 || !strings.Contains(why[0],
		"it has 0.4 allocs/op, expected == 0 (s_test.go:2)") || len(j.Invalid) != 1 {
		t.Fatalf("INVALID: %v", j.Invalid)
	}
	for _, v := range j.Verdicts {
		for _, e := range v.Elements {
			if strings.Contains(strings.Join(e.Cases, " "), bad) {
				t.Errorf("%s judges the INVALID case", v.Claim)
			}
		}
		notes := strings.Join(v.Notes, "\n")
		if said := strings.Contains(notes, bad+" is left out: it is INVALID"); said == (v.Claim == "A") {
			t.Errorf("%s: notes %q", v.Claim, v.Notes)
		}
	}
	for _, col := range claimStudy(t, guarded...).Tables[0].Columns {
		rows := 0
		err := j.Column(col, "size", func(label string, e Estimate, note string) {
			rows++
			if label == "4096" && (e.Rounds > 0 || note != InvalidNote) {
				t.Errorf("column %s shows %+v, note %q", col.Header, e, note)
			}
		})
		if err != nil || rows < 3 {
			t.Errorf("column %s: %d rows, %v", col.Header, rows, err)
		}
	}
}

// The bytes of one heap case fall short in two samples of ten: more than one in
// ten, so that it is not the case that it says it is.
func TestExpectationsAreCheckedOnEverySample(t *testing.T) {
	for _, tt := range []struct {
		off  int
		want bool
	}{{0, false}, {1, false}, {2, true}, {10, true}} {
		l := newLab(1)
		for round := range 10 {
			b := 512.0
			if round < tt.off {
				b = 400
			}
			l.add("X/place=heap/size=512-2", "a", "", round, sec(1e-6), allocs(1), bytes(b))
		}
		if got := len(l.guarded(t, nil).Invalid) > 0; got != tt.want {
			t.Errorf("%d of 10 samples short: INVALID %v, want %v", tt.off, got, tt.want)
		}
	}
}

func TestStaysOnStack(t *testing.T) {
	l := newLab(1)
	l.places(3, 0.02, always(2), 512)
	use := func(fn string) []string {
		if fn == "byCopy" {
			return []string{"x.go:3: moved to heap: v", "x.go:9: more"}
		}
		return nil
	}
	j := l.guarded(t, use)
	if why := j.Invalid["X/place=stack/size=512-2"]; len(why) != 1 || !strings.Contains(why[0],
		"of byCopy on the heap (x.go:3: moved to heap: v)") || len(j.Invalid) != 1 {
		t.Errorf("%v", j.Invalid)
	}
	for _, heap := range []HeapUse{nil, func(string) []string { return nil }} {
		if j := l.guarded(t, heap); len(j.Invalid) > 0 {
			t.Errorf("without heap lines: %v", j.Invalid)
		}
	}
}

func TestOptimisedAway(t *testing.T) {
	for i, tt := range []struct {
		cost, noise float64
		rounds      int
		want, open  bool
	}{
		{1, 0.02, 30, true, false},     // the same
		{0.5, 0.02, 30, true, false},   // less than the loop itself
		{1.3, 0.02, 30, false, false},  // something is left
		{1000, 0.02, 30, false, false}, // far above
		{0.99, 0.2, 12, false, true},   // undecided: benefit of the doubt
		{1, 0.02, 7, false, true},      // too few rounds to say
		{1.051, 0.001, 30, false, false},
	} {
		l := newLab(uint64(i))
		l.empty(tt.rounds, 0.3e-9)
		for round := range tt.rounds {
			l.add("X/place=stack/size=512-2", "a", "", round, sec(l.noisy(tt.cost*0.3e-9, tt.noise)), allocs(0))
			// Each GOMAXPROCS has its own floor: this one is three times its.
			l.add("Empty-4", "a", "", round, sec(0.1e-9))
			l.add("X/place=stack/size=512-4", "a", "", round, sec(0.3e-9), allocs(0))
		}
		j := l.guarded(t, nil)
		invalid := j.Invalid
		if open := slices.ContainsFunc(j.AtFloor, func(p Pair) bool {
			return p.Num.Case == "X/place=stack/size=512-2" && p.Den.Case == "Empty-2"
		}); open != tt.open {
			t.Errorf("%v of the floor, noise %v, %d rounds: asks for more rounds: %v, want %v", tt.cost, tt.noise,
				tt.rounds, open, tt.open)
		}
		if why := invalid["X/place=stack/size=512-4"]; len(why) > 0 {
			t.Errorf("judged by the floor of another GOMAXPROCS: %v", why)
		}
		why := invalid["X/place=stack/size=512-2"]
		if got := len(why) > 0; got != tt.want || got && !strings.Contains(why[0], "optimised away") {
			t.Errorf("%v of the floor, noise %v, %d rounds: %v, want INVALID %v", tt.cost, tt.noise, tt.rounds, why,
				tt.want)
		}
	}
}

// aboveFloor spares work; it must never hide what the interval would show.
func TestAboveFloorAgreesWithTheInterval(t *testing.T) {
	agreed := 0
	for seed := range uint64(300) {
		l := newLab(seed)
		rounds := 8 + l.rng.IntN(40)
		l.empty(rounds, 1)
		cost, noise := 0.8+0.6*l.rng.Float64(), 0.002+0.2*l.rng.Float64()
		for round := range rounds {
			l.add("X-2", "a", "", round, sec(l.noisy(cost, noise)))
		}
		j := l.judge(t, claimStudy(t))
		x, floor := j.Data.Find("X-2"), j.Data.Find("Empty-2")
		if !aboveFloor(j.Data, x, floor) {
			continue
		}
		agreed++
		if e := j.Ratio(x, floor, "sec/op"); e.Interval.Hi < floorMargin {
			t.Errorf("seed %d: the interval %v lies below the margin", seed, e.Interval)
		}
	}
	if agreed < 50 {
		t.Errorf("only %d of 300 were spared", agreed)
	}
}

func TestDrifts(t *testing.T) {
	for i, tt := range []struct {
		steps float64 // cost per op at N/4 over that at N
		noise float64
		want  bool
	}{{1, 0.02, false}, {1.05, 0.01, false}, {1.5, 0.02, true}, {0.6, 0.02, true}, {1.2, 0.5, false}} {
		l := newLab(uint64(i))
		for round := range 20 {
			l.add("X-2", "a", "", round, sec(l.noisy(1e-6, tt.noise)))
			if round < 8 {
				l.add("X-2", "a", "quarter", round, sec(l.noisy(tt.steps*1e-6, tt.noise)))
			}
		}
		ds := Drifts(l.judge(t, claimStudy(t)).Data)
		if got := len(ds) == 1; got != tt.want {
			t.Errorf("%v times the cost at N/4, noise %v: %+v, want %v", tt.steps, tt.noise, ds, tt.want)
		}
		if len(ds) == 1 && (ds[0].Centre/tt.steps > 1.05 || ds[0].Centre/tt.steps < 0.95 || ds[0].Rounds != 8) {
			t.Errorf("planted %v, found %+v", tt.steps, ds[0])
		}
	}
}

func TestColumnNamesWhatItCannotShow(t *testing.T) {
	l := newLab(1)
	for round := range 3 {
		for _, name := range []string{"X/place=heap/size=8/mode=a-2", "X/place=heap/size=8/mode=b-2",
			"X/place=stack/size=8-2"} {
			l.add(name, "a", "", round, sec(1))
		}
	}
	j := l.judge(t, claimStudy(t))
	st := claimStudy(t, [2]string{"table", "T by size: a = place:heap | b = place:heap / place:stack | c = place:stack"})
	for i, want := range []string{"stand in the same row (size=8)", "on the same side", ""} {
		n := 0
		err := j.Column(st.Tables[0].Columns[i], "size", func(string, Estimate, string) { n++ })
		if got := fmt.Sprint(err); (want == "") != (err == nil) || !strings.Contains(got, want) {
			t.Errorf("column %d: %d figures, error %v, want %q", i, n, err, want)
		}
	}
}
