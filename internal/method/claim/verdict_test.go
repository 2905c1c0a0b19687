package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

const stackWins = "place:heap / place:stack > 1 for every size"

func TestRatioClaims(t *testing.T) {
	at1024 := func(r, others float64) func(int) float64 {
		return func(size int) float64 {
			if size == 1024 {
				return r
			}
			return others
		}
	}
	for i, tt := range []struct {
		name   string
		claim  string
		rounds int
		noise  float64
		ratio  func(int) float64
		want   Status
	}{
		{"twice the cost", stackWins, 30, 0.05, always(2), Holds},
		{"a loss at one size", stackWins, 30, 0.05, at1024(0.8, 2), Fails},
		{"five percent, little noise", stackWins, 40, 0.02, always(1.05), Holds},
		{"equal at one size", stackWins, 200, 0.002, at1024(1, 2), AtBound},
		{"equal does not refute >=", "place:heap / place:stack >= 1 for every size", 200, 0.002, at1024(1, 2),
			AtBound},
		{"equal at one size, a loss at another", stackWins, 200, 0.002, func(size int) float64 { return map[int]float64{512: 1, 1024: 0.8, 2048: 2}[size] }, Fails},
		{"nearly equal, by a margin of its own", "[margin: 2%] " + stackWins, 200, 0.03, always(1), AtBound},
		{"nearly equal, by the usual margin", stackWins, 200, 0.03, always(1), Undecided},
		{"half a percent is no gain that is refuted", stackWins, 200, 0.001, always(1.005), Holds},
		{"noise hides it", stackWins, 12, 0.3, always(1.05), Undecided},
		{"too few rounds", stackWins, 5, 0.01, always(2), Undecided},
		{"inside a range", "place:heap / place:stack in 2..10 for every size", 30, 0.05, always(5), Holds},
		{"on the edge of a range", "place:heap / place:stack in 2..10 for every size", 30, 0.05, always(2), Undecided},
		{"shown to be on the edge of a range", "place:heap / place:stack in 2..10 for every size", 200, 0.002, always(2), AtBound},
		{"outside a range", "place:heap / place:stack in 2..10 for every size", 30, 0.05, always(12), Fails},
		{"equal within 1%", "place:heap / place:stack == 1 for every size", 200, 0.002, always(1), Holds},
		{"not equal", "place:heap / place:stack == 1 for every size", 30, 0.01, always(1.1), Fails},
		{"below", "place:heap / place:stack < 1 for every size", 30, 0.05, always(0.5), Holds},
		{"one size", "place:heap size:1024 / place:stack size:1024 > 1", 30, 0.05, at1024(2, 0.5), Holds},
		{"against a key", "place:heap / place:stack < size for every size", 30, 0.05, always(2), Holds},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(uint64(i))
			l.places(tt.rounds, tt.noise, tt.ratio, 512, 1024, 2048)
			if v := l.verdict(t, tt.claim); v.Status != tt.want {
				t.Errorf("%s, want %s: %+v", v.Status, tt.want, v)
			}
		})
	}
}

// A claim over m sizes is refuted at the first look where it is plainly wrong at all of them, or at one.
func TestFailingOverManyPlaces(t *testing.T) {
	sizes := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	least := stat.MinRounds(2 * 0.05)
	lastLoses := func(size int) float64 {
		if size == 1024 {
			return 0.3
		}
		return 3
	}
	for _, tt := range []struct {
		rounds int
		ratio  func(int) float64
		want   Status
		places int // at which it fails
	}{{least - 1, always(3), Undecided, 0}, {least, always(3), Holds, 0}, {least - 1, always(0.3), Undecided, 0},
		{least, always(0.3), Fails, 11}, {least - 1, lastLoses, Undecided, 0}, {least, lastLoses, Fails, 1}} {
		l := newLab(1)
		l.places(tt.rounds, 0.0001, tt.ratio, sizes...)
		v := l.verdict(t, stackWins)
		failing := 0
		for _, e := range v.Elements {
			if e.Status == Fails {
				failing++
			}
		}
		if v.Status != tt.want || len(v.Elements) != 11 || failing != tt.places {
			t.Errorf("%d rounds: %s at %d of %d places, want %s at %d", tt.rounds, v.Status, failing, len(v.Elements),
				tt.want, tt.places)
		}
	}
}

// Weak evidence at each of several places refutes a claim that none of them alone does, and not where it holds at one.
func TestPlacesRefuteTogether(t *testing.T) {
	const m = 8
	all, one := shares(0.05, m)
	// place is below the bound of 1 at levels down to least.
	place := func(least float64) Element {
		at := func(alpha float64) stat.Interval {
			if alpha/2 < least {
				return stat.Interval{Lo: 0.5, Hi: 1.5}
			}
			return stat.Interval{Lo: 0.5, Hi: 0.9}
		}
		return Element{Status: Undecided, allowed: allowed{lo: 1, hi: math.Inf(1)}, at: at, Interval: at(0.05)}
	}
	for _, x := range []struct {
		levels []float64
		fails  int
	}{
		{slices.Repeat([]float64{all}, m), m},
		{append(slices.Repeat([]float64{all}, m-1), 1.01*all), 0},
		{append(slices.Repeat([]float64{1}, m-1), one), 1},
		{append(slices.Repeat([]float64{1}, m-1), 1.01*one), 0},
		{append(slices.Repeat([]float64{one}, 3), slices.Repeat([]float64{1}, m-3)...), 3},
	} {
		var elements []Element
		for _, l := range x.levels {
			elements = append(elements, place(l))
		}
		refute(elements, 0.05)
		failing := 0
		for _, e := range elements {
			failing += count(e.Status == Fails)
			if e.Status == Fails && !e.allowed.contradicts(e.Interval) {
				t.Errorf("it fails beside %v", e.Interval)
			}
			if e.Status == Undecided && e.allowed.contradicts(e.Interval) {
				t.Errorf("it is undecided beside %v", e.Interval)
			}
		}
		if failing != x.fails {
			t.Errorf("%v: it fails at %d, want %d", x.levels, failing, x.fails)
		}
	}
}

// Between two looks a verdict stands as it did at the earlier one, with its figure and its interval.
func TestTheLastLookStands(t *testing.T) {
	l, next := newLab(3), 0
	type stands struct {
		figure   float64
		interval stat.Interval
		n        int
		status   Status
	}
	to := func(rounds int) stands {
		for ; next < rounds; next++ {
			l.add("X/place=stack-2", "a", "", next, sec(l.noisy(1, 0.05)))
			l.add("X/place=heap-2", "a", "", next, sec(l.noisy(1.57, 0.05)))
		}
		e := l.verdict(t, "place:heap / place:stack > 1.5").Elements[0]
		return stands{e.Figure, e.Interval, e.N, e.Status}
	}
	var before stands
	for n := 8; n < 30; n++ {
		now := to(n)
		if look := (stat.Looks{}).At(n); now.n != look {
			t.Errorf("%d rounds: of %d, want %d", n, now.n, look)
		} else if look != n && now != before {
			t.Errorf("%d rounds, between two looks: %+v, before %+v", n, now, before)
		}
		before = now
	}
}

// With a true ratio of 1, "> 1" and "< 1" may each be believed in one data set of
// twenty, however often one looks.
func TestErrorRateOfClaims(t *testing.T) {
	const runs = 800
	wrong := 0
	for i := range runs {
		l := newLab(uint64(i))
		for _, upTo := range []int{10, 20, 30} { // looks; the rounds go on
			from := l.set.Rounds()
			for round := from; round < upTo; round++ {
				state := 1 + 0.02*float64(round)
				l.add("X/place=stack-2", "a", "", round, sec(l.noisy(state, 0.1)))
				l.add("X/place=heap-2", "a", "", round, sec(l.noisy(state, 0.1)))
			}
			if s := l.verdict(t, "place:heap / place:stack > 1").Status; s == Holds {
				wrong++
				break
			}
		}
	}
	t.Logf("%d of %d null claims were believed", wrong, runs)
	atMost(t, "a null claim", wrong, runs, 0.05)
	if wrong == 0 {
		t.Error("no null claim is ever believed: it was not tested at 5%")
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	full := func() *lab {
		l := newLab(1)
		l.places(20, 0.02, always(2), 512, 1024)
		return l
	}
	l := full()
	for round := range 20 {
		l.add("X/place=heap/size=4096-2", "a", "", round, sec(1))
	}
	if v := l.verdict(t, stackWins); v.Status != Holds || len(v.Elements) != 2 || len(v.Notes) != 1 ||
		!strings.Contains(v.Notes[0], "X/place=heap/size=4096-2 is left out: the other side") {
		t.Errorf("a size with one side: %+v", v)
	}

	l = full()
	for round := range 20 { // the name without a suffix beside others with one
		l.add("X/place=heap/size=512", "a", "", round, sec(1))
	}
	if v := l.verdict(t, stackWins); len(v.Notes) != 1 || !strings.Contains(v.Notes[0],
		"X/place=heap/size=512 (GOMAXPROCS=1) is left out: the other side") {
		t.Errorf("one processor with one side: %+v", v)
	}

	l = full()
	for round := range 20 { // the sides never meet in a round
		l.add(fmt.Sprintf("X/place=%s/size=4096-2", []string{"heap", "stack"}[round%2]), "a", "", round, sec(1))
	}
	if v := l.verdict(t, stackWins); v.Status != Holds || v.Says() != "holds at 2 of 3 sizes (the rest: no figure)" ||
		len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "not tested in 1 of its 3 cases") {
		t.Errorf("a size without a common round: %+v", v)
	}

	l = full()
	for round := range 20 {
		l.add("Y/place=heap/size=512-2", "a", "", round, sec(1))
	}
	if v := l.verdict(t, stackWins); v.Status != Untested || len(v.Notes) == 0 || !strings.Contains(v.Notes[0],
		"on the same side") {
		t.Errorf("two candidates: %+v", v)
	}

	l = full()
	for round := range 20 { // has no size: "for every size" does not speak of it
		l.add("Z/place=heap-2", "a", "", round, sec(1))
		l.add("Z/place=stack-2", "a", "", round, sec(2))
	}
	if v := l.verdict(t, stackWins); v.Status != Holds || len(v.Elements) != 2 {
		t.Errorf("a case without the key: %+v", v)
	}

	l = newLab(1)
	l.set = series.New(func(string, string) int { return 0 }, "stops", "odd")
	for round := range 5 { // a count that does not vary, before there is a verdict on such
		l.add("X/by=copy-2", "a", "", round, sec(1), benchfmt.Value{Value: 0, Unit: "stops"},
			benchfmt.Value{Value: float64(round % 2), Unit: "odd"})
		l.add("X/by=pointer-2", "a", "", round, sec(1), benchfmt.Value{Value: 3, Unit: "stops"})
	}
	for text, want := range map[string]string{
		"by:copy stops == 0": "it was 0 in each of its 5 rounds so far, and a figure that does not vary " +
			"is tested from round 8 on",
		"by:pointer / by:copy stops > 1":  "X/by=copy-2 has 0 stops in every round: there is no ratio to it",
		"by:copy / by:pointer stops <= 1": "X/by=copy-2 has 0 stops in every round: its ratio has no logarithm",
	} {
		if v := l.verdict(t, text); v.Status != Untested || len(v.Notes) != 1 || v.Notes[0] != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
	if v := l.verdict(t, "by:copy odd == 0"); v.Status == Untested {
		t.Errorf("a count that is not always 0: %+v", v)
	}

	if v := newLab(1).verdict(t, stackWins); v.Status != Untested || v.Notes[0] != NoFigures {
		t.Errorf("no samples: %+v", v)
	}
}

func TestSeveralGOMAXPROCS(t *testing.T) {
	l := newLab(1)
	for round := range 20 {
		for _, procs := range []int{1, 2} {
			for _, size := range []int{8, 16, 32} {
				cost := float64(size)
				l.add(fmt.Sprintf("X/place=stack/size=%d-%d", size, procs), "a", "", round, sec(l.noisy(cost, 0.01)))
				l.add(fmt.Sprintf("X/place=heap/size=%d-%d", size, procs), "a", "", round,
					sec(l.noisy(cost*float64(procs)*2, 0.01)))
			}
		}
	}
	v := l.verdict(t, stackWins)
	if v.Status != Holds || len(v.Elements) != 6 || v.Elements[0].Label == v.Elements[1].Label {
		t.Errorf("%+v", v)
	}
	if v := l.verdict(t, "place:stack linear in size"); v.Status != Holds || len(v.Elements) != 6 {
		t.Errorf("an exponent and two local ones for each GOMAXPROCS: %+v", v)
	}
}

func TestLinear(t *testing.T) {
	for i, tt := range []struct {
		exponent float64
		sizes    []int
		want     Status
	}{
		{1, []int{1, 2, 4, 8, 16}, Holds},
		{1.03, []int{1, 4, 16, 64}, Holds},
		{1.4, []int{1, 2, 4, 8, 16}, Fails},
		{0.5, []int{1, 2, 4, 8, 16}, Fails},
		{1.1, []int{1, 2, 4, 8, 16}, AtBound},
		{1, []int{1, 2}, Untested},
	} {
		l := newLab(uint64(i))
		l.places(40, 0.01, func(size int) float64 { return math.Pow(float64(size), tt.exponent-1) }, tt.sizes...)
		v := l.verdict(t, "place:heap linear in size")
		if v.Status != tt.want {
			t.Errorf("exponent %v: %s, want %s: %+v", tt.exponent, v.Status, tt.want, v)
		}
		if v.Status != Untested && math.Abs(v.Elements[0].Figure-tt.exponent) > 0.02 {
			t.Errorf("exponent %v estimated as %v", tt.exponent, v.Elements[0].Figure)
		}
	}
	// A step between two sizes: the line through all of them has a slope of 1.08.
	l := newLab(1)
	l.places(40, 0.01, func(size int) float64 {
		if size >= 64 {
			return 1.4
		}
		return 1
	}, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
	v := l.verdict(t, "place:heap linear in size")
	if all := v.Elements[0]; v.Status != Fails || v.Elements[v.Deciding].Label != "exponent size=32..64" ||
		all.Status != Holds || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "becomes 1.4 times") {
		t.Errorf("a step: %+v", v)
	}
	l = newLab(1)
	l.places(20, 0.01, always(2), 8, 16, 32)
	if v := l.verdict(t, "* linear in size"); v.Status != Untested || !strings.Contains(v.Notes[0],
		"stand at the same size") {
		t.Errorf("two cases at a size: %+v", v)
	}
}

func TestValueClaims(t *testing.T) {
	l := newLab(1) // 1e-11 sec per byte, drifting up by half: 67 to 100 GB/s
	l.places(40, 0.01, always(4), 1024, 4096)
	for claim, want := range map[string]Status{
		"place:stack size/sec in 50e9..120e9 for every size": Holds,
		"place:stack size/sec > 150e9 for every size":        Fails,
		"place:stack size/sec > 80e9 for every size":         Undecided,
		"place:stack sec/op < 1 for every size":              Holds,
		"place:stack sec/op < 1e-9":                          Fails,
		"place:heap allocs/op == 1 for every size":           Holds,
		"place:heap allocs/op == 2 for every size":           Fails,
		"place:heap B/op >= size for every size":             Holds,
		"place:heap B/op > size for every size":              Fails,
		"place:stack allocs/op == 0":                         Holds,
		"place:stack sec/op < depth":                         Untested,
	} {
		v := l.verdict(t, claim)
		if v.Status != want {
			t.Errorf("%s: %s, want %s: %+v", claim, v.Status, want, v)
		}
		if want == Fails && v.Deciding < 0 {
			t.Errorf("%s: nothing decided it", claim)
		}
	}
}

// The noise of the runtime's own objects is let pass, 0.4 objects per op never.
func TestExactCounts(t *testing.T) {
	for _, tt := range []struct {
		allocs []float64
		want   Status
	}{
		{[]float64{0, 0, 0}, Holds},
		{[]float64{0.0098, 0.001, 0}, Holds},
		{[]float64{0.4, 0.4, 0.4}, Fails},
		{[]float64{0.06, 0.06, 0.06}, Fails},
		{[]float64{0, 0, 1}, Undecided},
		{[]float64{1, 1, 0}, Fails},
		{[]float64{-1, -1, -1}, Fails},
	} {
		l := newLab(1)
		for round, x := range tt.allocs {
			l.add("X-2", "a", "", round, sec(1), allocs(x))
		}
		if v := l.verdict(t, ".name:X allocs/op == 0"); v.Status != tt.want {
			t.Errorf("%v: %s, want %s", tt.allocs, v.Status, tt.want)
		}
	}
	// However few the iterations and busy the collector.
	for iters := range 100 {
		set := series.New(nil)
		set.Add(&benchfmt.Result{Name: benchfmt.Name("X"), Iters: iters, Values: []benchfmt.Value{
			{Value: 1, Unit: "sec/op"}, {Value: 5 * float64(iters), Unit: series.UnitGCCycles}}})
		if s := Slack("allocs/op", set.All()[0]); s >= 0.4 || s < 0 {
			t.Errorf("slack of %d iterations is %v", iters, s)
		}
	}
}

// A share that is 0 in most rounds is estimated with them: without, the rounds in
// which the rare thing happened would speak for all.
func TestZerosCount(t *testing.T) {
	l := newLab(1)
	l.set = series.New(func(string, string) int { return 0 }, "wait-share")
	for round := range 40 {
		share := 0.0
		if round%4 == 0 {
			share = 0.2
		}
		l.add("X/by=rare-2", "a", "", round, sec(1), benchfmt.Value{Value: share, Unit: "wait-share"})
	}
	for text, want := range map[string]Status{
		"by:rare wait-share < 0.15": Holds,
		"by:rare wait-share > 0.15": Fails,
	} {
		if v := l.verdict(t, text); v.Status != want {
			t.Errorf("%s: %s, want %s: %+v", text, v.Status, want, v)
		}
	}
}
