package plan

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/method/stat"
)

func example(sides, cases int) *Plan {
	p := &Plan{Options: Options{Seed: 7, Alpha: .05, Layouts: 4}}
	for range sides {
		p.Sides = append(p.Sides, Side{})
	}
	p.Studies = []Study{{Name: "s"}}
	for range cases {
		p.Cases = append(p.Cases, Case{N: 100})
	}
	p.Link(nil)
	return p
}

func TestRoundIsAFunctionOfTheSeed(t *testing.T) {
	p, q := example(2, 5), example(2, 5)
	for r := range 20 {
		if !reflect.DeepEqual(p.Round(r, State{}), q.Round(r, State{})) {
			t.Fatalf("round %d differs between two equal plans", r)
		}
	}
	q.Options.Seed++
	if reflect.DeepEqual(p.Round(9, State{}), q.Round(9, State{})) {
		t.Error("another seed gave the same round")
	}
}

// The coin: over many rounds each side of a pair goes first about half the time,
// and its two members are always neighbours.
func TestPairOrderIsAFairCoin(t *testing.T) {
	p := example(2, 6)
	const rounds = 4000
	first := make([]int, 6)
	for r := GuardRounds; r < GuardRounds+rounds; r++ {
		seen := map[int]int{}
		for i, task := range p.Round(r, State{}) {
			if at, ok := seen[task.Case]; ok {
				if i != at+1 {
					t.Fatalf("round %d: the arms of case %d stand at %d and %d", r, task.Case, at, i)
				}
				continue
			}
			seen[task.Case] = i
			if task.Side == 0 {
				first[task.Case]++
			}
		}
	}
	for c, n := range first {
		if z := (float64(n) - rounds/2) / (0.5 * 63.2); z > 5 || z < -5 {
			t.Errorf("case %d: arm 0 went first in %d of %d rounds", c, n, rounds)
		}
	}
}

// The coin has no memory: what it showed for a pair in one round tells neither what it
// shows in the next one (taking turns would be fair, and follow any rhythm of the
// machine), nor what it shows for the next pair.
func TestTheCoinHasNoMemory(t *testing.T) {
	p := example(2, 6)
	const rounds = 4000
	order := func(round int) (heads [6]bool) {
		var seen [6]bool
		for _, task := range p.Round(round, State{}) {
			if !seen[task.Case] {
				seen[task.Case], heads[task.Case] = true, task.Side == 0
			}
		}
		return heads
	}
	before := order(99)
	var repeats, alike [6]int
	for r := 100; r < 100+rounds; r++ {
		now := order(r)
		for c := range now {
			if now[c] == before[c] {
				repeats[c]++
			}
			if now[c] == now[(c+1)%6] {
				alike[c]++
			}
		}
		before = now
	}
	for c := range repeats {
		for what, n := range map[string]int{"as in the round before": repeats[c], "as the next case": alike[c]} {
			if z := (float64(n) - rounds/2) / (0.5 * 63.2); z > 5 || z < -5 {
				t.Errorf("case %d has the order %s in %d of %d rounds", c, what, n, rounds)
			}
		}
	}
}

// A difference of one side that does not exist, with a machine that slows down steadily, is
// found in no more runs than the level says, in the order that the plan gives; always in
// the same order it is found nearly always.
func TestTheCoinProtectsFromDrift(t *testing.T) {
	const runs, rounds = 200, 40
	planned, fixed := 0, 0
	for seed := range uint64(runs) {
		p := example(2, 1)
		p.Options.Seed = seed
		noise := rand.New(rand.NewPCG(seed, 3))
		var d, inOrder []float64
		for r := range rounds {
			var cost [2]float64
			tasks := p.Round(100+r, State{})
			first, second := noise.NormFloat64(), noise.NormFloat64()+2 // the second one is later
			cost[tasks[0].Side], cost[tasks[1].Side] = first, second
			d = append(d, cost[1]-cost[0])
			inOrder = append(inOrder, second-first)
		}
		if (stat.Looks{}).Interval(stat.Rounds{D: d}, 0.05).Excludes(0) {
			planned++
		}
		if (stat.Looks{}).Interval(stat.Rounds{D: inOrder}, 0.05).Excludes(0) {
			fixed++
		}
	}
	if iv := stat.ClopperPearson(planned, runs, 0.002); iv.Lo > 0.05 {
		t.Errorf("a drift is taken for a difference in %d of %d runs", planned, runs)
	}
	if fixed < runs*9/10 {
		t.Errorf("the drift shows in %d of %d runs with a fixed order: it is none", fixed, runs)
	}
}

// A case at rest must not disturb the order of the others: a resumed run
// replays rounds whose live set it works out anew.
func TestRestingCasesLeaveTheOrderAlone(t *testing.T) {
	p := example(1, 8)
	full := p.Round(11, State{})
	part := p.Round(11, State{Live: func(c, _ int) bool { return c != 3 }})
	var want []int
	for _, task := range full {
		if task.Case != 3 {
			want = append(want, task.Case, task.Padding)
		}
	}
	var got []int
	for _, task := range part {
		got = append(got, task.Case, task.Padding)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLink(t *testing.T) {
	p := example(1, 6)
	p.Link([][2]int{{0, 3}, {3, 5}, {1, 2}})
	var got []int
	for _, c := range p.Cases {
		got = append(got, c.Group)
	}
	if want := []int{0, 1, 1, 0, 2, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

// The two sides of a ratio are neighbours also where many ratios share a group, and one case that
// all others are compared with stands in their middle.
func TestPairsStandTogether(t *testing.T) {
	p := example(1, 24)
	var pairs [][2]int
	for c := range 8 { // eight places of heap, stack and pool, linked by one claim across places
		pairs = append(pairs, [2]int{3 * c, 3*c + 1}, [2]int{3 * c, 3*c + 2})
		if c > 0 {
			pairs = append(pairs, [2]int{3 * c, 3*c - 3})
		}
	}
	p.Link(pairs)
	if len(p.Groups()) != 1 || len(p.Pairs) != 23 {
		t.Fatalf("%d groups, %d pairs", len(p.Groups()), len(p.Pairs))
	}
	const rounds = 2000
	first, apart := map[[2]int]int{}, map[[2]int]int{}
	for r := range rounds {
		at := map[int]int{}
		for i, task := range p.Round(r, State{}) {
			at[task.Case] = i
		}
		for _, pr := range p.Pairs {
			if at[pr[0]] < at[pr[1]] {
				first[pr]++
			}
			apart[pr] += max(at[pr[0]]-at[pr[1]], at[pr[1]]-at[pr[0]])
		}
	}
	for pr, n := range first {
		if z := (float64(n) - rounds/2) / (0.5 * math.Sqrt(rounds)); math.Abs(z) > 5 {
			t.Errorf("cases %v: the first comes first in %d of %d rounds", pr, n, rounds)
		}
	}
	for pr, sum := range apart {
		if within := pr[1]-pr[0] < 3; within && float64(sum)/rounds > 4 {
			t.Errorf("cases %v are %.1f samples apart on average", pr, float64(sum)/rounds)
		}
	}
}

// Of many sides each meets the first one in its turn, with three samples at most between them.
func TestManySidesTakeTurns(t *testing.T) {
	p := example(14, 3)
	if p.Turns() != 1 {
		t.Fatalf("%d turns where all arms are measured in each round", p.Turns())
	}
	p.Options.Together = Together
	few := example(4, 1)
	if few.Options.Together = Together; p.Turns() != 5 || few.Turns() != 1 {
		t.Fatalf("%d turns of 14 arms, %d of 4", p.Turns(), few.Turns())
	}
	met := map[int]int{}
	for r := range p.Turns() {
		at := map[int]map[int]int{}
		for i, task := range p.Round(r, State{}) {
			if at[task.Case] == nil {
				at[task.Case] = map[int]int{}
			}
			at[task.Case][task.Side] = i
		}
		for c, sides := range at {
			base, ok := sides[0]
			if !ok || len(sides) > Together {
				t.Errorf("round %d, case %d: arms %v", r, c, sides)
			}
			for side, i := range sides {
				if far := max(i-base, base-i); side > 0 && far > 3+2 { // with its quarter samples' places
					t.Errorf("round %d, case %d: arm %d is %d samples from the first", r, c, side, far)
				}
				met[side]++
			}
		}
	}
	for side := 1; side < 14; side++ {
		if met[side] != 3 {
			t.Errorf("arm %d was measured %d times, want once for each of 3 cases", side, met[side])
		}
	}
}

// What tables alone show is tried with a quarter of its iterations when it gets more rounds than
// its first.
func TestShownCasesAreSievedLater(t *testing.T) {
	p := example(1, 2)
	p.Cases[1].Shown, p.Sieve = true, true
	for round, want := range [][]int{{0}, {0}, nil, {1}, {1}, nil} {
		var got []int
		for _, task := range p.Round(round, State{}) {
			if task.Role == Quarter {
				got = append(got, task.Case)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("round %d has quarter samples of %v, want %v", round, got, want)
		}
	}
}

// A case that joins late has its guard samples in its own first rounds.
func TestGuardsCountTheCasesRounds(t *testing.T) {
	p := example(1, 2)
	p.Suspects = []int{0, 1}
	quarters := func(taken ...int) (out []int) {
		for _, task := range p.Round(40, State{Taken: func(c, _ int) int { return taken[c] }}) {
			if task.Role == Quarter {
				out = append(out, task.Case)
			}
		}
		return out
	}
	if got := quarters(40, 3); !reflect.DeepEqual(got, []int{1}) {
		t.Errorf("in round 40 cases %v have a quarter sample, want the one that has three rounds", got)
	}
}

func TestShardsPartitionTheRound(t *testing.T) {
	p := example(1, 10)
	p.Options.Shards = 3
	count := map[int]int{}
	for p.Options.Shard = 1; p.Options.Shard <= 3; p.Options.Shard++ {
		for _, task := range p.Round(10, State{}) {
			count[task.Case]++
		}
	}
	if len(count) != 10 {
		t.Errorf("%d of 10 cases are in some shard", len(count))
	}
	for c, n := range count {
		if n != 1 {
			t.Errorf("case %d is in %d shards", c, n)
		}
	}
}

func TestGuardSamplesOnlyLead(t *testing.T) {
	p := example(1, 2)
	p.Doubles, p.Suspects = []int{1}, []int{0, 1}
	roles := func(r int) map[Role]int {
		m := map[Role]int{}
		for _, task := range p.Round(r, State{}) {
			m[task.Role]++
		}
		return m
	}
	if got, want := roles(0), (map[Role]int{Main: 2, Double: 1, Quarter: 2}); !reflect.DeepEqual(got, want) {
		t.Errorf("round 0 has %v, want %v", got, want)
	}
	doubles := 0
	for r := QuarterRounds; r < QuarterRounds+8; r++ {
		got := roles(r)
		doubles += got[Double]
		if got[Main] != 2 || got[Quarter] != 0 {
			t.Errorf("round %d has %v", r, got)
		}
	}
	if doubles != 2 {
		t.Errorf("%d of 8 later rounds have a second copy, want every fourth", doubles)
	}
	for r := range p.LeastRounds() {
		if got := roles(r); got[Double] != 1 {
			t.Errorf("round %d, before the noise floor's first interval, has %v", r, got)
		}
	}
}

// Calibration saw the first side alone: on the others the first rounds try every case, and the
// next those that seemed to depend on N.
func TestSieveTriesTheOtherSides(t *testing.T) {
	p := example(2, 3)
	for i := range p.Cases {
		p.Cases[i].N, p.Cases[i].Short = 100, 1
	}
	p.Cases[2].Short = 0 // calibrated with one N alone
	p.ChooseSuspects()
	p.Suspects = []int{0}
	quarters := func(r int, suspect func(c, side int) bool) (out [][2]int) {
		for _, task := range p.Round(r, State{Suspect: suspect}) {
			if task.Role == Quarter {
				if task.N != 25 {
					t.Errorf("a quarter of 100 is %d", task.N)
				}
				out = append(out, [2]int{task.Case, task.Side})
			}
		}
		slices.SortFunc(out, func(a, b [2]int) int { return 10*(a[0]-b[0]) + a[1] - b[1] })
		return out
	}
	only := func(c, side int) bool { return c == 1 && side == 1 }
	for _, tt := range []struct {
		round int
		want  [][2]int
	}{
		{0, [][2]int{{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}},
		{SieveRounds, [][2]int{{0, 0}, {1, 1}}},
		{QuarterRounds - 1, [][2]int{{0, 0}, {1, 1}}},
		{QuarterRounds, nil},
	} {
		if got := quarters(tt.round, only); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("round %d: quarters of %v, want %v", tt.round, got, tt.want)
		}
	}
	// What the sieve says must not disturb the order of the others.
	var with, without []Task
	for _, task := range p.Round(5, State{Suspect: only}) {
		if task.Role != Quarter {
			task.Order = 0
			with = append(with, task)
		}
	}
	for _, task := range p.Round(5, State{Suspect: func(int, int) bool { return false }}) {
		if task.Role != Quarter {
			task.Order = 0
			without = append(without, task)
		}
	}
	if !reflect.DeepEqual(with, without) {
		t.Error("the order depends on what the sieve found")
	}
	p.Options.NoGuards = true
	if got := quarters(0, only); got != nil {
		t.Errorf("without guards there are quarters of %v", got)
	}
}

func TestCheckNamesWhatIsDamaged(t *testing.T) {
	for says, spoil := range map[string]func(*Plan){
		"no configuration":          func(p *Plan) { p.Sides = nil },
		"alpha is 2":                func(p *Plan) { p.Options.Alpha = 2 },
		"study or package 9":        func(p *Plan) { p.Cases[0].Study = 9 },
		"group -1":                  func(p *Plan) { p.Cases[0].Group = -1 },
		"0 iterations":              func(p *Plan) { p.Cases[0].N = 0 },
		"names case 99":             func(p *Plan) { p.Doubles = []int{99} },
		"names configuration 5":     func(p *Plan) { p.Studies[0].Sides = []int{5} },
		"(s) has no configuration":  func(p *Plan) { p.Studies[0].Sides = []int{} },
		"or a guard, names case -1": func(p *Plan) { p.Suspects = []int{-1} },
	} {
		p := example(1, 2)
		if err := p.Check(); err != nil {
			t.Fatalf("a sound plan: %v", err)
		}
		spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is %v, and should say %q", err, says)
		}
	}
}

// Slices of unlike loops take as long as each other, and hold cycles of each one's collector.
func TestSlicesOfLoops(t *testing.T) {
	p := &Plan{Options: Options{Sample: 60 * time.Millisecond, Slices: 20}, Studies: []Study{{}}}
	for _, tt := range []struct {
		loops  []Loop
		n      []int64
		slices int
	}{
		{[]Loop{{Sec: 3e-6}}, []int64{667}, 15},
		{[]Loop{{Sec: 3e-6}, {Sec: 7e-6}}, []int64{667, 286}, 15},
		{[]Loop{{Sec: 1e-7, Cycles: 1e-5}, {Sec: 1e-6}}, []int64{200_000, 20_000}, LeastSlices}, // 2 cycles are 20 ms
		{[]Loop{{Sec: 1e-7, Cycles: 1e-6}, {Sec: 1e-6}}, nil, 0},                                // 0.2 s are too long
		{[]Loop{{Sec: 1e-6}, {Sec: 3e-2}}, nil, 0},
		{[]Loop{{}, {Sec: 1e-6}}, nil, 0},
	} {
		n, got, ok := p.Slices(0, tt.loops...)
		if ok != (tt.slices > 0) || ok && (!slices.Equal(n, tt.n) || got != tt.slices) {
			t.Errorf("%v: %v iterations in %d slices (%v), want %v in %d", tt.loops, n, got, ok, tt.n, tt.slices)
		}
	}
}
