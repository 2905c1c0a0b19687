package claim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
)

// beside adds 20 rounds of a heap that costs three times the stack, beside other programs
// that use the CPU in the given share of the rounds.
func beside(share float64) *lab {
	l := newLab(1)
	for round := range 40 {
		foreign := 0.0
		if float64(round%10) < 10*share {
			foreign = 0.9
		}
		for i, place := range []string{"stack", "heap", "twin"} {
			cost := []float64{1, 3, 1}[i]
			l.add("X/place="+place+"/size=64-2", "a", "", round, sec(l.noisy(cost, 0.01)), allocs(float64(i%2)),
				benchfmt.Value{Value: 1, Unit: series.UnitWall},
				benchfmt.Value{Value: foreign, Unit: series.UnitForeign})
		}
	}
	return l
}

// On a busy machine a ratio of different code, and a cost, decide nothing, whatever their
// intervals; counts, and configurations of the same code, do.
func TestABusyMachineDecidesNothing(t *testing.T) {
	st := claimStudy(t, [2]string{"claim", "R place:heap / place:stack > 2"},
		[2]string{"claim", "F place:heap / place:stack < 2"},
		[2]string{"claim", "V place:stack sec/op < 2"},
		[2]string{"claim", "A place:heap allocs/op == 1"},
		[2]string{"claim", "S place:twin / place:stack in 0.9..1.1"})
	code := func(name string) string { return strings.ReplaceAll(name, "twin", "stack") }
	judge := func(share float64) []Verdict {
		s := Study{Name: "s", Written: st, Code: code}
		return JudgeArms(s, beside(share).set, []string{"a"}, 0.05, nil)[0].Verdicts
	}
	for i, want := range []Status{Holds, Fails, Holds, Holds, Holds} {
		if v := judge(0.1)[i]; v.Status != want || v.Busy {
			t.Errorf("%s on a quiet machine: %s (%s)", v.Claim, v.Status, v.Why)
		}
	}
	for i, want := range []Status{Undecided, Undecided, Undecided, Holds, Holds} {
		v := judge(0.5)[i]
		if v.Status != want || v.Busy != (want == Undecided) {
			t.Errorf("%s on a busy machine: %s (%s)", v.Claim, v.Status, v.Why)
		}
		if v.Busy && (v.Says() != "undecided: the machine was busy" || !(v.Elements[0].Interval.Lo > 0)) {
			t.Errorf("%s says %q with %v", v.Claim, v.Says(), v.Elements[0].Interval)
		}
	}
}

// A sample that crashes is not missing at random: its comparison is undecided, and no
// further round is asked for.
func TestACrashDecidesNothing(t *testing.T) {
	l := newLab(1)
	l.places(30, 0.02, always(2), 512, 1024)
	l.add("X/place=heap/size=512-2", "a", "", 30, benchfmt.Value{Value: 1, Unit: series.UnitFailed})
	for text, want := range map[string]string{
		stackWins: "undecided: some of its samples crashed or timed out",
		"place:heap size:1024 / place:stack size:1024 > 1": "holds",
		"place:heap allocs/op == 1 for every size":         "undecided: some of its samples crashed or timed out",
		"place:heap linear in size":                        "not tested: reason below",
	} {
		v := l.verdict(t, text)
		if v.Says() != want {
			t.Errorf("%s says %q: %+v", text, v.Says(), v)
		}
		if _, waits := v.Waits(0.05); waits {
			t.Errorf("%s asks for more rounds", text)
		}
	}
	if e := l.verdict(t, stackWins).Elements[0]; !strings.Contains(e.Note, "1 of its 61 samples crashed") {
		t.Errorf("note %q", e.Note)
	}
}

// A crash of one side of a comparison of two configurations leaves it undecided too.
func TestACrashIsNoChange(t *testing.T) {
	l := newLab(1)
	l.arms(1, 1, 20, 2, 0.01)
	js := func() []Change { return l.arms(0, 0, 0, 1, 0) }
	if got := js()[0]; got.Difference != Changed {
		t.Fatalf("%+v", got)
	}
	l.add("X/i=0-2", "b", "", 20, benchfmt.Value{Value: 1, Unit: series.UnitFailed})
	if got := js()[0]; got.Difference != Open || got.Doubt != Crashes {
		t.Errorf("%+v", got)
	}
}

// A verdict is no wider than what was measured.
func TestScope(t *testing.T) {
	st := claimStudy(t, [2]string{"floor", "Empty"}, [2]string{"claim", "C " + stackWins},
		[2]string{"claim", "V place:stack sec/op < 1 for every size"},
		[2]string{"claim", "L place:stack linear in size"})
	l := newLab(1)
	l.places(20, 0.01, always(2), 512, 1024, 2048)
	left := func(why Lack, sizes ...int) (out []Absence) {
		for _, s := range sizes {
			for _, place := range []string{"stack", "heap"} {
				out = append(out, Absence{fmt.Sprintf("X/place=%s/size=%d-2", place, s), why})
			}
		}
		return out
	}
	for _, tt := range []struct {
		name     string
		absent   []Absence
		invalid  string
		selected bool
		want     [3]string
	}{
		{name: "everything", want: [3]string{"holds", "holds", "holds"}},
		{name: "left to the full profile", absent: left(Full, 4096, 8192),
			want: [3]string{"holds at 3 of 5 sizes (the rest: --full)", "holds at 3 of 5 sizes (the rest: --full)",
				"holds at 3 of 5 sizes (the rest: --full)"}},
		{name: "failed", absent: append(left(Full, 4096), left(Failed, 8192)...),
			want: [3]string{"holds at 3 of 5 sizes (1: --full, 1: failed)",
				"holds at 3 of 5 sizes (1: --full, 1: failed)", "holds at 3 of 5 sizes (1: --full, 1: failed)"}},
		{name: "one side failed", absent: left(Failed, 4096)[:1],
			want: [3]string{"holds", "holds at 3 of 4 sizes (the rest: failed)",
				"holds at 3 of 4 sizes (the rest: failed)"}},
		{name: "INVALID", invalid: "X/place=stack/size=512-2",
			want: [3]string{"holds at 2 of 3 sizes (the rest: INVALID)", "holds at 2 of 3 sizes (the rest: INVALID)",
				"not tested: INVALID"}},
		{name: "selected", selected: true,
			want: [3]string{"holds at the 3 sizes that -b selects", "holds at the 3 sizes that -b selects",
				"holds at the 3 sizes that -b selects"}},
	} {
		if tt.invalid != "" { // as an empty loop does
			l.empty(20, 0.99*5.12e-9)
		}
		j := JudgeArms(Study{Name: "s", Written: st, Selected: tt.selected,
			Absent: func(string) []Absence { return tt.absent }}, l.set, []string{"a"}, 0.05, nil)[0]
		if tt.invalid != "" {
			j.Invalid = map[string]Reasons{tt.invalid: {"planted"}}
			j.Verdicts = nil
			j.judge(st, nil)
		}
		for i, want := range tt.want {
			if got := j.Verdicts[i].Says(); got != want {
				t.Errorf("%s, claim %s says %q, want %q", tt.name, j.Verdicts[i].Claim, got, want)
			}
		}
	}
}

func TestScopeInWords(t *testing.T) {
	for want, s := range map[string]Scope{
		"":                                      {Noun: "size", Judged: 3, Places: 3},
		"at the one size that -b selects":       {Noun: "size", Judged: 1, Places: 1, Selected: true},
		"at 13 of 36 causes (the rest: --full)": {Noun: "cause", Judged: 13, Places: 36, Full: 23},
		"at 1 of 3 values of n (the rest: --full)": {Noun: "n", Judged: 1, Places: 3, Full: 2},
		"at 2 of 4 places (1: --full, 1: INVALID, chosen by -b)": {Noun: "place", Judged: 2, Places: 4, Full: 1,
			Invalid: 1, Selected: true},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v reads %q, want %q", s, got, want)
		}
	}
}

// Rounds that follow a state of the machine which hits one side only show one ratio for
// as long as it lasts: it decides nothing, however narrow the rounds agree for a while.
func TestRoundsThatDependOnEachOther(t *testing.T) {
	const runs, rounds = 150, 40
	for _, null := range []struct {
		ratio float64
		wrong Status
	}{{1, Holds}, {1 + equivalence, Fails}} { // what "> 1" says wrongly of it
		wrong := map[float64]int{}
		for _, rho := range []float64{0, 0.9} {
			for seed := range uint64(runs) {
				l := newLab(seed)
				state := 0.0
				for round := range rounds {
					state = rho*state + 0.03*l.rng.NormFloat64()
					l.add("X/place=stack-2", "a", "", round, sec(1))
					l.add("X/place=heap-2", "a", "", round, sec(null.ratio*math.Exp(state)))
					if round%5 != 4 {
						continue
					}
					if v := l.verdict(t, "place:heap / place:stack > 1"); v.Status == null.wrong {
						wrong[rho]++
						break
					}
				}
			}
		}
		t.Logf("a ratio of %v: %v of %d wrongly %q", null.ratio, wrong, runs, null.wrong)
		// A single comparison of few rounds hardly knows that they depend on each other
		// (docs/decisions/0007-dependence.md): without tempering it would be 80% on both sides.
		atMost(t, "with independent rounds", wrong[0], runs, 0.05)
		atMost(t, "with rounds that wander", wrong[0.9], runs, 0.08)
	}
}

// A cost that drifts is between the least and the greatest of its rounds.
func TestAWanderingCostIsWithinItsRounds(t *testing.T) {
	l := newLab(1)
	for round := range 30 {
		l.add("X/place=stack-2", "a", "", round, sec(1+float64(round)/30))
	}
	for text, want := range map[string]Status{
		"place:stack sec/op < 3":   Holds,
		"place:stack sec/op > 3":   Fails,
		"place:stack sec/op < 1.5": Undecided,
		"place:stack sec/op > 1.1": Undecided,
	} {
		if v := l.verdict(t, text); v.Status != want {
			t.Errorf("%s: %s, want %s: %+v", text, v.Status, want, v)
		}
	}
}

// What every round of a link shows is one value of that link, however many rounds there
// are: four links that differ by more than their rounds do decide no difference.
func TestLinksThatDifferDecideNothing(t *testing.T) {
	for _, tt := range []struct {
		spread float64
		want   Difference
	}{{0, Changed}, {0.2, Open}} {
		l := newLab(3)
		offset := []float64{1, 0.9, -0.8, 1.1} // of the links of arm b, around the planted change
		for round := range 60 {
			link := benchfmt.Value{Value: float64(round % 4), Unit: series.UnitLayout}
			l.add("X-2", "a", "", round, sec(l.noisy(1, 0.03)), link)
			l.add("X-2", "b", "", round, sec(l.noisy(1.1*math.Exp(tt.spread*offset[round%4]), 0.03)), link)
		}
		judge := func(fixed bool) Change {
			js := JudgeArms(Study{Name: "s", Written: claimStudy(t), FixedLinks: fixed}, l.set, []string{"a", "b"}, 0.05, nil)
			Discover([][]*Judged{js}, 0.05)
			return js[1].Changes[0]
		}
		// Links limit where there are no further ones.
		if c := judge(true); c.LimitedByLinks != (tt.spread > 0) || judge(false).LimitedByLinks {
			t.Errorf("links %v apart limit: %v", tt.spread, c.LimitedByLinks)
		}
		c := judge(false)
		if c.Difference != tt.want || c.Layouts != 4 || (c.LayoutShare > 0.5) != (tt.spread > 0) {
			t.Errorf("links %v apart: %s, %d links with %v of the variance, %v", tt.spread, c.Difference, c.Layouts,
				c.LayoutShare, c.Interval)
		}
	}
}
