package result

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/claim"
	"memcost/internal/method/series"
)

// A verdict that does not stand when everything is counted together is marked wherever it is printed, and
// no other one is.
func TestVerdictsCountedTogether(t *testing.T) {
	held := Verdict{Status: "holds", Says: "holds", Counted: true, Selected: true}
	alone := Verdict{Status: "fails", Says: "fails at 2 of 3 sizes", Counted: true}
	counts := Verdict{Status: "holds", Says: "holds"} // of exact figures: nothing was estimated
	open := Verdict{Status: "undecided", Says: "undecided", Counted: true}
	published := Verdict{Status: "fails", Says: "fails", Published: true}
	a := &Answer{Studies: []Study{{
		Claims: []Claim{{Verdicts: []Verdict{held, alone, published}}, {Verdicts: []Verdict{counts, open}}},
		Cases:  []Case{{}, {VsFirst: &Comparison{}}},
	}}}
	a.count()
	if x := a.Together; x == nil || *x != (Together{Verdicts: 2, Stand: 1, All: 4}) {
		t.Fatalf("%+v", a.Together)
	}
	if s := a.Together.String(); !strings.HasPrefix(s, "1 of 2 verdicts also stands when all 4 ") ||
		!strings.HasSuffix(s, Mark+" marks the others") {
		t.Error(s)
	}
	for _, tt := range []struct {
		v    Verdict
		want string
	}{{held, "holds"}, {alone, "fails at 2 of 3 sizes" + Mark}, {counts, "holds"}, {open, "undecided"},
		{published, "inconsistent"}} {
		if got := tt.v.Short(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	a.Studies[0].Claims[0].Verdicts[1].Selected = true
	if a.count(); strings.Contains(a.Together.String(), Mark) {
		t.Error(a.Together.String())
	}
	if s := (&Together{}).String() + (*Together)(nil).String(); s != "" {
		t.Error(s)
	}
}

// What an interval rests on is said where it is worth a word.
func TestRests(t *testing.T) {
	for _, tt := range []struct {
		e    claim.Estimate
		want string
	}{
		{claim.Estimate{Rounds: 12, Lag1: 0.1, Tau: 1.2, Layouts: 4, LayoutShare: 0.05, LayoutP: 0.01}, ""},
		{claim.Estimate{Rounds: 12, Lag1: 0.42, Tau: 3, Layouts: 4, LayoutShare: 0.31, LayoutP: 0.01},
			"rounds depend on each other (lag-1 0.42): 3 count as one; links explain 31% of the variance: 4 links"},
		{claim.Estimate{Rounds: 12, Tau: 1, Layouts: 4, LayoutShare: 0.6, LayoutP: 0.4}, ""}, // by chance
		{claim.Estimate{Rounds: 40, Tau: 1, Layouts: 4, LayoutShare: 0.6, LayoutP: 0.01, LimitedByLinks: true},
			"limited by links: 4 explain 60% of the variance (without --layouts further ones are drawn)"},
		{claim.Estimate{Rounds: 12, Tau: 1, Crashed: 1, Samples: 24}, "1 of 24 samples crashed or timed out"},
	} {
		if got := restsOn(tt.e).String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.e, got, tt.want)
		}
	}
	if x := restsOn(claim.Estimate{}); x != nil || x.String() != "" {
		t.Errorf("nothing rests on %+v", x)
	}
	// An undecided verdict says why its widest interval is wide, if nothing else stands with it.
	v := Verdict{Status: "undecided", Says: "undecided", Elements: []Element{{Status: "undecided",
		Rests: &Rests{Lag1: 0.42, AsOne: 3}}, {Status: "holds", Rests: &Rests{Lag1: 0.9, AsOne: 9}}}}
	if got := strings.Join(Claim{ID: "C"}.Details(v, false, false), "; "); !strings.Contains(got, "lag-1 0.42") {
		t.Errorf("%q", got)
	}
	v.Says = "undecided: the machine was busy"
	if got := v.wide(); got != "" {
		t.Errorf("%q", got)
	}
}

// A busy machine is said with who made it busy, the most frequent first.
func TestBusySaysWho(t *testing.T) {
	for _, tt := range []struct {
		what         string
		other, steal int // rounds of 40
		want         string
	}{
		{"quiet", 0, 0, ""},
		{"a few rounds", 3, 2, ""},
		{"programs", 18, 0, "other programs used the CPU in 45% of the rounds."},
		{"both", 12, 20, "the hypervisor took the CPU in 50% of the rounds, other programs used the CPU in 30%."},
	} {
		set := series.New(nil)
		for round := range 40 {
			x := &benchfmt.Result{Name: []byte("X"), Iters: 1, Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"},
				{Value: 1, Unit: series.UnitWall}, {Value: float64(round), Unit: series.UnitRound}}}
			if round < tt.other {
				x.Values = append(x.Values, benchfmt.Value{Value: 0.9, Unit: series.UnitForeign})
			} else if round < tt.other+tt.steal {
				x.Values = append(x.Values, benchfmt.Value{Value: 0.9, Unit: series.UnitSteal})
			}
			set.Add(x)
		}
		got := busy(set)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", tt.what, got)
		}
	}
}

// A side that seems to disturb its own rounds is named, and the machine is not called busy for it.
func TestOwnDoingIsSaid(t *testing.T) {
	x := runs()["healthy"]
	x.rounds = 60
	x.sample = func(round int, _ string, r *benchfmt.Result) {
		for i := range r.Values {
			if r.Values[i].Unit == series.UnitForeign && round%2 == 1 && string(r.Name) == x.cases[1].name {
				r.Values[i].Value = 0.9
			}
		}
	}
	dir := t.TempDir()
	x.write(t, dir)
	a, err := Read(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, w := range a.Warnings {
		if strings.HasPrefix(w, x.cases[1].name+" on go1.26.8: ") && strings.Contains(w, "seems to cause that itself") {
			said++
		}
	}
	if said != 1 || a.Busy != "" {
		t.Errorf("busy %q, warnings %q", a.Busy, a.Warnings)
	}
}
