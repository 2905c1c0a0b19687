package series

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func add(s *Set, name, side string, round int, secOp float64, extra ...benchfmt.Value) {
	s.Add(&benchfmt.Result{
		Config: []benchfmt.Config{{Key: KeyStudy, Value: []byte("s"), File: true}, {Key: KeySide, Value: []byte(side),
			File: true}},
		Name: []byte(name), Iters: 10,
		Values: append([]benchfmt.Value{{Value: secOp, Unit: "sec/op"}, {Value: float64(round), Unit: UnitRound}},
			extra...),
	})
}

func wall(v float64) benchfmt.Value  { return benchfmt.Value{Value: v, Unit: UnitWall} }
func steal(v float64) benchfmt.Value { return benchfmt.Value{Value: v, Unit: UnitSteal} }

func TestPairsMatchRounds(t *testing.T) {
	s := New(func(string, string) int { return 0 })
	add(s, "X", "a", 0, 1)
	add(s, "X", "b", 0, 2)
	add(s, "X", "a", 1, 1) // b is missing here
	add(s, "X", "b", 2, 8)
	add(s, "X", "a", 2, 2)
	d := s.Paired(s.Get(ID{"s", "X", "b", ""}), s.Get(ID{"s", "X", "a", ""}), "sec/op")
	if len(d) != 2 || math.Abs(d[0]-math.Log(2)) > 1e-12 || math.Abs(d[1]-math.Log(4)) > 1e-12 {
		t.Errorf("d = %v", d)
	}
	if s.Rounds() != 3 || s.Samples != 5 {
		t.Errorf("%d rounds, %d samples", s.Rounds(), s.Samples)
	}
}

// Interference during one side's sample voids the round for both.
func TestVoidIsBlindToTheSide(t *testing.T) {
	s := New(func(string, string) int { return 4 })
	for r := range 12 {
		for _, side := range []string{"a", "b"} {
			st := 0.0
			if r == 9 && side == "b" {
				st = 0.03
			}
			add(s, "X", side, r, 1, wall(.1), steal(st))
		}
	}
	for _, side := range []string{"a", "b"} {
		if got := s.Valid(s.Get(ID{"s", "X", side, ""}), "sec/op"); len(got) != 11 {
			t.Errorf("arm %s keeps %d of 12 rounds, want 11", side, len(got))
		}
	}
	if v := s.Disturbed(); len(v) != 1 || v[0].Round != 9 || v[0].Group != 4 {
		t.Errorf("voids %v", v)
	}
	if got := s.DisturbedShare(); math.Abs(got-1./12) > 1e-12 {
		t.Errorf("share %v", got)
	}
}

// Where disturbance is the rule, leaving rounds out would leave nothing.
func TestABusyMachineExcludesNothingFurther(t *testing.T) {
	s := New(nil)
	for r := range 20 {
		add(s, "X", "a", r, 1, wall(.1), steal(.03*float64(r%2)))
		for _, v := range s.Disturbed() {
			if v.Excluded {
				t.Fatalf("round %d is excluded where every other one is disturbed", v.Round)
			}
		}
	}
	if got := s.Valid(s.All()[0], "sec/op"); !s.Unfit() || len(got) != 20 {
		t.Errorf("busy: %v, %d of 20 rounds kept", s.Unfit(), len(got))
	}
	if got := len(s.Disturbed()); got != 10 {
		t.Errorf("%d rounds are listed as disturbed, want 10", got)
	}
}

// Whatever happens later, a round that is excluded stays so, and one that is not does too.
func TestExclusionsAreNeverRevised(t *testing.T) {
	s := New(func(string, string) int { return 0 })
	known := map[int]bool{}
	for r := range 200 {
		disturbed := r*r%7 < 2 && r < 60 || r%11 == 0
		for _, side := range []string{"a", "b"} {
			x := 0.0
			if disturbed && (r+len(side))%2 == 0 == (side == "a") {
				x = .03
			}
			add(s, "X", side, r, 1, wall(.1), steal(x))
		}
		for _, v := range s.Disturbed() {
			if was, ok := known[v.Round]; ok && was != v.Excluded {
				t.Fatalf("round %d: excluded %v at first, %v after round %d", v.Round, was, v.Excluded, r)
			}
			known[v.Round] = v.Excluded
		}
	}
	if len(known) == 0 {
		t.Error("nothing was disturbed")
	}
}

// A side that stalls by its own doing in every other round would lose its slow rounds, and
// look fast: after some rounds they count again, and the side is named.
func TestASideCannotExcludeItsOwnRounds(t *testing.T) {
	s := New(func(name, _ string) int { return 0 })
	for r := range 100 {
		cost, x := 1.0, 0.0
		if r%2 == 1 {
			cost, x = 3, .05
		}
		add(s, "Heap", "a", r, cost, wall(.1), benchValue(UnitForeign, x))
		add(s, "Stack", "a", r, 1, wall(.1), benchValue(UnitForeign, 0))
	}
	heap := s.Valid(s.Get(ID{"s", "Heap", "a", ""}), "sec/op")
	slow := 0
	for _, v := range heap {
		if v == 3 {
			slow++
		}
	}
	if s.Unfit() || slow < 40 {
		t.Errorf("busy %v; %d of its 50 slow rounds are left of %d", s.Unfit(), slow, len(heap))
	}
	own := 0
	for _, v := range s.Disturbed() {
		if v.Side != "Heap on a" {
			t.Errorf("the side is %q", v.Side)
		}
		if v.Own {
			own++
		}
	}
	if own < 40 {
		t.Errorf("%d rounds are called its own doing", own)
	}
}

// A neighbour hits both sides in proportion to their time, and is nobody's own doing.
func TestANeighbourIsNoSidesOwnDoing(t *testing.T) {
	s := New(func(string, string) int { return 0 })
	for r := range 400 {
		for i, name := range []string{"Heap", "Stack"} {
			x := 0.0
			if r%25 == 9 || (r*7+i*3)%40 == 39 {
				x = .05
			}
			add(s, name, "a", r, 1, wall(.1), benchValue(UnitForeign, x))
		}
	}
	for _, v := range s.Disturbed() {
		if v.Own || !v.Excluded {
			t.Errorf("%+v", v)
		}
	}
}

// A stall for memory may be the benchmark's own: it excludes nothing.
func TestMemoryPressureExcludesNothing(t *testing.T) {
	s := New(nil)
	for r := range 10 {
		add(s, "X", "a", r, 1, wall(.1), benchValue(UnitPSIMemory, .09))
	}
	if v := s.Disturbed(); len(v) != 0 || s.Unfit() {
		t.Errorf("%+v", v)
	}
}

// Zeros are counts like others: no round is dropped for them.
func TestCountsKeepZeros(t *testing.T) {
	s := New(func(string, string) int { return 0 }, "faults")
	for r := range 6 {
		add(s, "X", "a", r, 1, benchValue("faults", float64(r%3)))
		add(s, "X", "b", r, 1, benchValue("faults", 1))
	}
	a, b := s.Counts(s.Get(ID{"s", "X", "a", ""}), s.Get(ID{"s", "X", "b", ""}), "faults")
	if len(a) != 6 || len(b) != 6 || a[0] != 0 || a[2] != 2 {
		t.Errorf("%v %v", a, b)
	}
}

func benchValue(unit string, v float64) benchfmt.Value { return benchfmt.Value{Value: v, Unit: unit} }

func disturbed(x interference) string {
	_, reason := x.disturbance()
	return reason
}

func TestOneTickOfStealVoidsNothing(t *testing.T) {
	if why := disturbed(interference{wall: .1, steal: .01}); why != "" {
		t.Errorf("one tick: %s", why)
	}
	if why := disturbed(interference{wall: .1, steal: .02}); why == "" {
		t.Error("two ticks in 100 ms do not void")
	}
	if why := disturbed(interference{steal: 1}); why != "" {
		t.Errorf("without a wall time: %s", why)
	}
}

func TestMissingUnitsStayParallel(t *testing.T) {
	s := New(nil, "B/op")
	add(s, "X", "a", 0, 1)
	add(s, "X", "a", 1, 1, benchfmt.Value{Value: 16, Unit: "B/op"})
	sr := s.All()[0]
	if got := fmt.Sprint(sr.Values("B/op")); got != "[NaN 16]" {
		t.Errorf("B/op %s", got)
	}
	if got := s.Valid(sr, "B/op"); len(got) != 1 || got[0] != 16 {
		t.Errorf("valid %v", got)
	}
}

func TestFailuresAndRepeats(t *testing.T) {
	s := New(nil)
	add(s, "X", "a", 0, 1)
	add(s, "X", "a", 0, 9)
	add(s, "X", "a", 1, 0, benchfmt.Value{Value: 1, Unit: UnitFailed})
	sr := s.All()[0]
	if len(sr.Rounds) != 1 || sr.Values("sec/op")[0] != 1 || len(sr.Failures) != 1 || sr.Failures[0].Round != 1 {
		t.Errorf("%+v", sr)
	}
}

// A file from elsewhere has no rounds: its samples are numbered as they come.
func TestForeignFile(t *testing.T) {
	s := New(nil)
	for range 3 {
		s.Add(&benchfmt.Result{Name: []byte("Y"), Iters: 1, Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"}}})
	}
	if sr := s.All()[0]; len(sr.Rounds) != 3 || sr.Rounds[2] != 2 {
		t.Errorf("rounds %v", sr.Rounds)
	}
}

// A round that cannot be is damage: the sample is counted and left out.
func TestDamagedRounds(t *testing.T) {
	s := New(nil)
	add(s, "X", "a", 0, 1)
	for _, round := range []float64{-1, 0.5, 1e12, math.NaN(), math.Inf(1)} {
		s.Add(&benchfmt.Result{Config: []benchfmt.Config{{Key: KeyStudy, Value: []byte("s"), File: true},
			{Key: KeySide, Value: []byte("a"), File: true}},
			Name: []byte("X"), Iters: 1, Values: []benchfmt.Value{{Value: 9, Unit: "sec/op"},
				{Value: round, Unit: UnitRound}}})
	}
	add(s, "X", "a", 1, 1)
	if sr := s.All()[0]; len(s.All()) != 1 || len(sr.Rounds) != 2 || s.Rounds() != 2 || s.Damaged != 5 ||
		s.Samples != 7 {
		t.Errorf("rounds %v of %d, %d damaged of %d", sr.Rounds, s.Rounds(), s.Damaged, s.Samples)
	}
}

// Units that stand twice, or in another order than before, stay parallel to the
// rounds.
func TestUnitsInAnyOrder(t *testing.T) {
	b := func(v float64) benchfmt.Value { return benchfmt.Value{Value: v, Unit: "B/op"} }
	faults := func(v float64) benchfmt.Value { return benchfmt.Value{Value: v, Unit: UnitMinorFaults} }
	s := New(nil, "B/op")
	add(s, "X", "a", 0, 1, b(10), faults(3))
	add(s, "X", "a", 1, 2, faults(4), b(11))
	add(s, "X", "a", 2, 3, b(12), b(99), faults(5))
	add(s, "X", "a", 3, 4)
	add(s, "X", "a", 4, 5, b(14))
	sr := s.All()[0]
	if got := fmt.Sprint(sr.Values("B/op"), sr.Values("sec/op"),
		sr.Units()); got != "[10 11 12 NaN 14] [1 2 3 4 5] [B/op sec/op]" {
		t.Error(got)
	}
	if f := sr.Totals[UnitMinorFaults]; f.N != 3 || f.Sum != 12 || f.Min != 3 || f.Max != 5 {
		t.Errorf("faults %+v", f)
	}
	if sr.MeanOf("B/op") != 47./4 || sr.MeanOf(UnitMinorFaults) != 4 || !math.IsNaN(sr.MeanOf("none")) {
		t.Errorf("means %v, %v, %v", sr.MeanOf("B/op"), sr.MeanOf(UnitMinorFaults), sr.MeanOf("none"))
	}
	if d := s.Paired(sr, sr, "B/op"); len(d) != 4 {
		t.Errorf("paired %v", d)
	}
}

// Damaged times do not spread into the sums, and no loop outlasts its process.
func TestTimesAreBelieved(t *testing.T) {
	s := New(nil)
	for round, v := range []float64{0.01, 1e300, math.NaN(), -1, math.Inf(1)} {
		add(s, "X", "a", round, v, wall(0.2))
	}
	sr := s.All()[0]
	if math.Abs(sr.Loop-(0.1+0.2)) > 1e-12 || math.Abs(sr.Wall-1) > 1e-12 {
		t.Errorf("loop %v, wall %v", sr.Loop, sr.Wall)
	}
}

// Toolchain and settings are keys of their own in a file, and one name in memory.
func TestSideNames(t *testing.T) {
	for _, tt := range []struct{ toolchain, setting, side string }{
		{"go1.26.8", "", "go1.26.8"},
		{"go1.26.8", "GOGC=off", "go1.26.8 GOGC=off"},
		{"go1.26.8", "-gcflags=-N -l", "go1.26.8 -gcflags=-N -l"},
		{"", "mine", "mine"},
	} {
		if got := SideName(tt.toolchain, tt.setting); got != tt.side {
			t.Errorf("ArmName(%q, %q) = %q, want %q", tt.toolchain, tt.setting, got, tt.side)
		}
		if got := SideSetting(tt.side, tt.toolchain); got != tt.setting {
			t.Errorf("ArmSetting(%q, %q) = %q, want %q", tt.side, tt.toolchain, got, tt.setting)
		}
	}
	if got := SideName("go1.26.8", "go1.26.8"); got != "go1.26.8" {
		t.Errorf("a file that repeats the toolchain: %q", got)
	}
}

// A sample without a figure of its benchmark is left out; one without sec/op may have
// others (b.ReportMetric(0, "ns/op")).
func TestBareSamples(t *testing.T) {
	s := New(nil)
	for round, unit := range []string{"sec/op", UnitRSS, "allocs/op"} {
		s.Add(&benchfmt.Result{Name: benchfmt.Name("X"), Iters: 1, Values: []benchfmt.Value{{Value: 1, Unit: unit},
			{Value: 1, Unit: UnitWall}, {Value: float64(round), Unit: UnitRound}}})
	}
	if sr := s.All()[0]; !slices.Equal(sr.Rounds, []int32{0, 2}) || len(s.Bare) != 1 {
		t.Errorf("rounds %v, %d bare", sr.Rounds, len(s.Bare))
	}
}

// Samples of 35 ms beside a neighbour that uses half of a CPU: none of them reaches the
// least time by itself, which ticks of 10 ms ask for.
func TestShortSamplesBesideANeighbour(t *testing.T) {
	for _, tt := range []struct {
		wall    float64
		foreign []float64 // in turns
		busy    bool
	}{{.035, []float64{.02, .01, .02}, true}, {.035, []float64{.01, 0, 0, 0}, false},
		{.035, []float64{0, 0, .02, 0, 0, 0, 0}, false}, {.005, []float64{.008, 0, 0, 0}, false}} {
		s := New(func(string, string) int { return 0 })
		n := 0
		for r := range 40 {
			for _, name := range []string{"Heap", "Stack"} {
				add(s, name, "a", r, 1, wall(tt.wall), benchValue(UnitForeign, tt.foreign[n%len(tt.foreign)]))
				n++
			}
		}
		if s.Unfit() != tt.busy {
			t.Errorf("%v: busy %v, with %v of the rounds and %v of a CPU", tt.foreign, s.Unfit(), s.DisturbedShare(),
				s.ForeignShare())
		}
	}
}

// Counts of samples of slices and of others are means, and so are the iterations beside them.
func TestIterationsOfSlices(t *testing.T) {
	s := New(nil)
	for round, iters := range []int{1000, 1000, 100, 100} {
		r := &benchfmt.Result{Name: benchfmt.Name("X"), Iters: iters, Values: []benchfmt.Value{
			{Value: 1e-6, Unit: "sec/op"}, {Value: float64(round), Unit: UnitRound}}}
		if iters == 100 {
			r.Values = append(r.Values, benchfmt.Value{Value: 10, Unit: UnitSlices})
		}
		s.Add(r)
		if want := []int{1000, 1000, 700, 550}[round]; s.All()[0].Result.Iters != want {
			t.Errorf("after round %d: %d iterations, want %d", round, s.All()[0].Result.Iters, want)
		}
	}
}
