package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A bench is an engine whose samples are made up: a second each.
type bench struct {
	*Engine
	rng *rand.Rand
}

func newBench(t *testing.T, budget time.Duration, cases []string, claims ...string) *bench {
	t.Helper()
	var ds []language.Directive
	for i, c := range claims {
		ds = append(ds, language.Directive{Verb: "claim", Text: fmt.Sprintf("C%d %s", i, c)})
	}
	st, err := language.Parse("s", ds, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Options: plan.Options{Alpha: 0.05, Precision: 0.03, Budget: budget},
		Sides: []plan.Side{{Name: "a"}}, Studies: []plan.Study{{Name: "s"}}}
	for _, name := range cases {
		p.Cases = append(p.Cases, plan.Case{Name: name, N: 1, Estimate: 1})
	}
	p.Link(nil)
	e := &Engine{Plan: p, Studies: []claim.Study{{Name: "s", Written: st}}, set: series.New(nil)}
	return &bench{e, rand.New(rand.NewPCG(1, 2))}
}

// add takes one sample of a case.
func (b *bench) add(name, arm string, round int, cost float64) {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: []benchfmt.Value{{Value: cost, Unit: "sec/op"},
		{Value: 1, Unit: series.UnitWall}, {Value: float64(round), Unit: series.UnitRound}}}
	for _, kv := range [][2]string{{series.KeyStudy, "s"}, {series.KeySide, arm}} {
		r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	b.set.Add(r)
	b.wall++
}

// rounds takes rounds of what is live, and returns how many samples each case had; cost is that of
// a case, before a noise of 5%.
func (b *bench) rounds(n int, cost func(name string) float64) map[string]int {
	taken := map[string]int{}
	for range n {
		b.open = b.questions()
		round := b.set.Rounds()
		if b.enough(round) != "" {
			break
		}
		for i, c := range b.Plan.Cases {
			for a, arm := range b.Plan.Sides {
				if b.open.live[cell{i, a}] {
					taken[c.Name]++
					b.add(c.Name, arm.Name, round, cost(c.Name)*math.Exp(0.05*b.rng.NormFloat64()))
				}
			}
		}
	}
	return taken
}

func (b *bench) live() (names []string) {
	b.open = b.questions()
	for at := range b.open.live {
		names = append(names, b.Plan.Cases[at.c].Name)
	}
	slices.Sort(names)
	return names
}

var places = []string{"X/place=heap/size=1", "X/place=stack/size=1", "X/place=heap/size=2", "X/place=stack/size=2",
	"Y/only=table"}

func heapCosts(at1, at2 float64) func(string) float64 {
	return func(name string) float64 {
		switch name {
		case places[0]:
			return at1
		case places[2]:
			return at2
		}
		return 1
	}
}

// What has been decided leaves the rotation, place by place; what fills a table alone has three
// rounds and waits.
func TestRoundsGoToWhatIsOpen(t *testing.T) {
	b := newBench(t, 0, places, "place:heap / place:stack > 1.5 for every size")
	cost := heapCosts(4, 1.6)
	taken := b.rounds(plan.FirstRounds, cost)
	if taken["Y/only=table"] != plan.FirstRounds || taken[places[0]] != plan.FirstRounds {
		t.Errorf("the first rounds took %v", taken)
	}
	b.rounds(5, cost)
	if got, want := b.live(), places[2:4]; !slices.Equal(got, want) {
		t.Errorf("after 8 rounds %v are live, want the open place alone", got)
	}
	// Then the tables have their turn: up to an interval, and on to the precision asked for.
	taken = b.rounds(400, cost)
	if b.open.decided != 1 || taken["Y/only=table"] < 5 {
		t.Errorf("%d of %d claims decided, in the end %v were taken", b.open.decided, b.open.claims, taken)
	}
	if b.open.live == nil || len(b.open.live) > 0 {
		t.Errorf("%d cells are live after everything is answered", len(b.open.live))
	}
}

// Where the time does not suffice for the intervals of all figures that only fill a table, some have one and the others are left
// at their first rounds: half of the rounds of all are no interval of any.
func TestSomeTablesHaveIntervals(t *testing.T) {
	var cases []string
	for i := range 10 {
		cases = append(cases, fmt.Sprintf("Y/only=%d", i))
	}
	const whole = 6 // of the ten, which there is time for
	b := newBench(t, time.Duration(10*plan.FirstRounds+whole*5+3)*time.Second, cases)
	b.Plan.Options.Precision = 0.001
	b.rounds(100, func(string) float64 { return 1 })
	with := 0
	for i := range cases {
		with += len(b.series(cell{i, 0}).Rounds) / 8
	}
	if with != whole {
		t.Errorf("%d of 10 figures have an interval, want the %d that there is time for", with, whole)
	}
}

// One place that is wrong refutes a claim: the others need no more rounds.
func TestAFailingPlaceIsEnough(t *testing.T) {
	b := newBench(t, 0, places, "place:heap / place:stack > 1.5 for every size")
	b.rounds(8, heapCosts(1.55, 1.47))
	if got, want := b.live(), places[2:4]; b.open.decided == 0 && !slices.Equal(got, want) {
		t.Errorf("%v are live, want the place at which it seems to fail", got)
	}
}

// Claims that look as if they would take more time than there is do not take it from one that
// can be decided: what it leaves goes to one of them at a time.
func TestTimeGoesToWhatItSuffices(t *testing.T) {
	cases, claims := []string{"Y/only=table"}, []string{"place:heap size:0 / place:stack size:0 > 1"}
	for size := range 5 {
		for _, place := range []string{"heap", "stack"} {
			cases = append(cases, fmt.Sprintf("X/place=%s/size=%d", place, size))
		}
		if size > 0 {
			claims = append(claims, fmt.Sprintf("place:heap size:%d / place:stack size:%d >= 1", size, size))
		}
	}
	const near = "X/place=heap/size=0"
	cost := func(name string) float64 {
		if name == near {
			return 1.045
		}
		return 1
	}
	b := newBench(t, 200*time.Second, cases, claims...)
	b.rounds(8, cost)
	began, taken := b.wall, map[string]int{}
	for b.open.decided == 0 && b.wall < 180 {
		for name, n := range b.rounds(1, cost) {
			taken[name] += n
		}
	}
	all := 0
	for _, n := range taken {
		all += n
	}
	if taken[near] < 3 || taken[near] < all/6 {
		t.Errorf("%d of %d samples in %.0f s went to the claim within reach", taken[near], all, b.wall-began)
	}
	// What is left over is not thrown away.
	b.rounds(200, cost)
	if b.open.decided < 1 {
		t.Errorf("%d of %d claims decided", b.open.decided, b.open.claims)
	}
	if left := 200 - b.wall; left > 10 || left < -10 {
		t.Errorf("%.0f s of the budget are left", left)
	}
}

// Arms are compared for as long as they are not known to differ or to agree.
func TestComparisonsOfArmsAreQuestions(t *testing.T) {
	b := newBench(t, 0, []string{"A", "B"})
	b.Plan.Sides = append(b.Plan.Sides, plan.Side{Name: "b"})
	for round := range 12 {
		for _, name := range []string{"A", "B"} {
			noise := 0.01
			if name == "B" {
				noise = 0.2
			}
			for _, arm := range []string{"a", "b"} {
				cost := math.Exp(noise * b.rng.NormFloat64())
				if arm == "b" {
					cost *= 1.3
				}
				b.add(name, arm, round, cost)
			}
		}
	}
	if got := b.live(); !slices.Equal(got, []string{"B", "B"}) {
		t.Errorf("%v are live, want both configurations of the noisy case", got)
	}
	if got := b.Undecided(); !slices.Equal(got, []string{"B"}) {
		t.Errorf("%v are undecided, want the noisy case", got)
	}
}
