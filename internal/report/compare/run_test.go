package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// A planted benchmark costs what its fields say, on two sides.
type planted struct {
	links        int // of which the second side has some that are slower; 0: each round has its own
	name         string
	ratio, noise float64                                // of time, and of a round
	allocs       func(side, round int) float64          // nil: none
	own          func(side, round int) (string, string) // value and unit; nil: none
	failedOn     int                                    // the side on which every third sample crashes; 0: none
	missingOn    int                                    // the side that gives no result; 0: none
}

// run writes a run folder with planted truths, and returns what it says.
func run(t testing.TB, seed uint64, rounds int, change func(*plan.Question), all ...planted) *result.Answer {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 14))
	sides := []string{"main", "feature"}
	q := plan.Question{Format: plan.Format, Comparison: &plan.Comparison{}}
	q.Plan.Options = plan.Options{Profile: "quick", Alpha: plan.Alpha, Precision: 0.03, StopWhenDecided: true}
	for _, name := range sides {
		q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: name, Source: &plan.Source{Revision: name}})
	}
	q.Plan.Studies = []plan.Study{{Name: "example.com/p", Pkg: "example.com/p"}}
	for i, b := range all {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: b.name, Base: b.name, N: 100_000, Group: i})
	}
	if change != nil {
		change(&q)
	}
	var b strings.Builder
	b.WriteString("study: example.com/p\n")
	state := 1.0
	for round := range rounds {
		state *= math.Exp(0.02 * rng.NormFloat64()) // the machine's, which both sides have
		for _, x := range all {
			order := rng.IntN(2)
			for k := range sides {
				side := (k + order) % 2
				cost := 1000 * state * math.Exp(x.noise*rng.NormFloat64())
				layout := round + 100*side
				if side == 1 {
					cost *= x.ratio
				}
				if x.links > 0 {
					layout = round % x.links
					cost *= 1 + 0.2*float64(layout)*float64(side)
				}
				fmt.Fprintf(&b, "\narm: %s\n", q.Plan.Sides[side].Name)
				switch {
				case side > 0 && side == x.missingOn || side > 0 && side == x.failedOn && round%3 == 0:
					fmt.Fprintf(&b, "failed: exit status 2\n\nBenchmark%s 0 1 failed %d round\n\nfailed:\n",
						x.name, round)
					continue
				}
				fmt.Fprintf(&b, "\nBenchmark%s 100000 %.8g ns/op", x.name, cost)
				if x.allocs != nil {
					n := x.allocs(side, round)
					fmt.Fprintf(&b, " %.8g B/op %.8g allocs/op", 16*n, n)
				}
				if x.own != nil {
					v, unit := x.own(side, round)
					fmt.Fprintf(&b, " %s %s", v, unit)
				}
				fmt.Fprintf(&b, " %d round %d order %d layout\n", round, k, layout)
			}
		}
	}
	dir := t.TempDir()
	question, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run.json": string(question), "samples.txt": b.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := result.Read(dir, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func report(t testing.TB, a *result.Answer) *Report {
	t.Helper()
	r, err := OfRun(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// change returns the only change of a benchmark's metric.
func change(t testing.TB, r *Report, name, unit string) (Metric, Change) {
	t.Helper()
	for i := range r.Benchmarks {
		if b := &r.Benchmarks[i]; b.Name == name {
			if m := b.Metric(unit); m != nil && len(m.Changes) == 1 {
				return *m, m.Changes[0]
			}
			t.Fatalf("%s has no %s: %+v", name, unit, b.Metrics)
		}
	}
	t.Fatalf("there is no benchmark %s", name)
	return Metric{}, Change{}
}

func always(n float64) func(int, int) float64 { return func(int, int) float64 { return n } }

func bySide(n ...float64) func(int, int) float64 {
	return func(side, _ int) float64 { return n[side] }
}

func TestTimes(t *testing.T) {
	r := report(t, run(t, 1, 40, nil, planted{name: "Slower", ratio: 1.05, noise: 0.01},
		planted{name: "Faster", ratio: 0.9, noise: 0.01}, planted{name: "Same", ratio: 1, noise: 0.005},
		planted{name: "Noisy", ratio: 1, noise: 0.3}))
	for _, tt := range []struct {
		name       string
		verdict    claim.Difference
		regression bool
		truth      float64
	}{{"Slower", Changed, true, 1.05}, {"Faster", Changed, false, 0.9}, {"Same", Equivalent, false, 1},
		{"Noisy", Undecided, false, 1}} {
		_, c := change(t, r, tt.name, Time)
		if c.Verdict != tt.verdict || c.Regression != tt.regression || c.Rounds != 38 {
			t.Errorf("%s: %+v, want %s", tt.name, c, tt.verdict)
		}
		if lo, hi := float64(c.Ratio.Lo), float64(c.Ratio.Hi); !(lo < tt.truth && tt.truth < hi) {
			t.Errorf("%s: the interval [%v, %v] does not hold %v", tt.name, lo, hi, tt.truth)
		}
	}
	want := "Of 4 benchmarks 1 takes longer at feature than at main, and 1 takes less time: Faster 0."
	if !strings.HasPrefix(r.Says[0], want) ||
		!strings.HasSuffix(r.Says[0], "1 is equivalent within 1%, 1 is undecided.") {
		t.Errorf("it says %q", r.Says)
	}
	if r.Sides[0].Name != "main" || r.Sides[1].Kind != OfSource || !r.Interleaved || r.Margin != 0.01 {
		t.Errorf("%+v", r)
	}
}

// Counts that do not vary are compared as they are; a run with too few rounds knows nothing of
// them yet.
func TestExactCounts(t *testing.T) {
	all := []planted{{name: "More", ratio: 1, noise: 0.01, allocs: bySide(5, 6)},
		{name: "Same", ratio: 1, noise: 0.01, allocs: always(3)},
		{name: "None", ratio: 1, noise: 0.01, allocs: always(0)},
		{name: "Came", ratio: 1, noise: 0.01, allocs: bySide(0, 1)},
		{name: "Gone", ratio: 1, noise: 0.01, allocs: bySide(1, 0)},
		{name: "Large", ratio: 1, noise: 0.01, allocs: bySide(10_000, 10_001)},
		{name: "Runtime", ratio: 1, noise: 0.01,
			allocs: func(_, round int) float64 { return 2 + float64(round%4)/100_000 }},
		{name: "Amortised", ratio: 1, noise: 0.01,
			allocs: func(side, round int) float64 { return float64(side) * (0.5 + float64(round%4)/10) }}}
	r := report(t, run(t, 2, 12, nil, all...))
	for _, tt := range []struct {
		name              string
		verdict           claim.Difference
		says              string
		exact, regression bool
	}{
		{"More", Changed, "1.20×", true, true}, {"Same", Equivalent, "1×", true, false},
		{"None", Equivalent, "1×", true, false}, {"Came", Changed, "from 0", true, true},
		{"Gone", Changed, "to 0", true, false}, {"Large", Equivalent, "1.00×", true, false},
		{"Runtime", Equivalent, "1×", true, false}, {"Amortised", Changed, "from 0", false, true},
	} {
		m, c := change(t, r, tt.name, "allocs/op")
		if c.Verdict != tt.verdict || m.Exact != tt.exact || c.Regression != tt.regression || RatioSays(c) != tt.says {
			t.Errorf("%s: %s, %s, exact %v, regression %v, want %+v", tt.name, c.Verdict, RatioSays(c), m.Exact,
				c.Regression, tt)
		}
	}
	early := report(t, run(t, 2, 6, nil, all...))
	for _, b := range early.Benchmarks {
		if c := b.Metric("allocs/op").Changes[0]; c.Verdict != Undecided {
			t.Errorf("after 6 rounds %s is %s", b.Name, c.Verdict)
		}
	}
}

// Counts that vary have an interval, and zeros among them are values.
func TestVaryingCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	twice := func(side, _ int) float64 { return float64(rng.IntN(4) * (1 + side)) }
	r := report(t, run(t, 3, 150, nil, planted{name: "Twice", ratio: 1, noise: 0.01, allocs: twice},
		planted{name: "Other", ratio: 1, noise: 0.01,
			allocs: func(_, _ int) float64 { return 10 + float64(rng.IntN(3)) }}))
	m, c := change(t, r, "Twice", "allocs/op")
	lo, hi := float64(c.Ratio.Lo), float64(c.Ratio.Hi)
	if m.Exact || c.Verdict != Changed || !(1.01 < lo && lo < 2 && hi > 2) {
		t.Errorf("twice as many: %+v", c)
	}
	if _, c := change(t, r, "Other", "allocs/op"); c.Verdict == Changed || !c.Ratio.Bounded() {
		t.Errorf("as many: %+v", c)
	}
}

// A benchmark's own metrics are compared: of a rate more is better, and of a unit that nobody
// knows it is not said.
func TestOwnMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	value := func(unit string, ratio float64) func(int, int) (string, string) {
		return func(side, _ int) (string, string) {
			v := 100 * (1 + 0.01*rng.NormFloat64())
			if side == 1 {
				v *= ratio
			}
			return fmt.Sprintf("%.8g", v), unit
		}
	}
	r := report(t, run(t, 4, 30, nil, planted{name: "Rate", ratio: 1, noise: 0.01, own: value("MB/s", 0.9)},
		planted{name: "Tail", ratio: 1, noise: 0.01, own: value("p99-ns", 1.2)},
		planted{name: "Hits", ratio: 1, noise: 0.01, own: value("hits", 0.8)}))
	for _, tt := range []struct {
		name, unit         string
		higher, regression bool
	}{{"Rate", "B/s", true, true}, {"Tail", "p99-sec", false, true}, {"Hits", "hits", false, false}} {
		m, c := change(t, r, tt.name, tt.unit)
		if c.Verdict != Changed || m.HigherIsBetter != tt.higher || c.Regression != tt.regression {
			t.Errorf("%s: %+v of %+v", tt.name, c, m)
		}
	}
	if m, _ := change(t, r, "Hits", "hits"); !m.NoDirection {
		t.Error("of hits it is said which direction is better")
	}
}

// Of identical sides hardly ever anything is called changed, in any metric.
func TestIdenticalSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	wrong, runs := 0, 30
	for seed := range runs {
		var all []planted
		for i := range 8 {
			all = append(all, planted{name: fmt.Sprintf("B%d", i), ratio: 1, noise: 0.03,
				allocs: func(int, int) float64 { return float64(rng.IntN(6)) }})
		}
		r := report(t, run(t, uint64(100+seed), 25, nil, all...))
		found := false
		for _, unit := range r.Units() {
			found = found || r.Count(1, unit).Changed > 0
		}
		for _, g := range r.Geomeans {
			found = found || g.Changes[0].Verdict == Changed
		}
		if found {
			wrong++
		}
	}
	// Three families and three means, each wrong in 5% of the runs at most.
	if wrong > 8 {
		t.Errorf("%d of %d runs of identical sides call something changed", wrong, runs)
	}
}

// The geometric mean finds a change that is too small for each benchmark alone.
func TestGeomean(t *testing.T) {
	var all []planted
	for i := range 12 {
		all = append(all, planted{name: fmt.Sprintf("B%d", i), ratio: 1.03, noise: 0.05, allocs: always(float64(i))})
	}
	r := report(t, run(t, 12, 30, nil, all...))
	g := r.Geomean(Time)
	if g == nil || g.Changes[0].Verdict != Changed || !(g.Changes[0].Ratio.Lo < 1.03 && 1.03 < g.Changes[0].Ratio.Hi) {
		t.Fatalf("the geometric mean: %+v", g)
	}
	if g.Changes[0].Rounds != 29 || !g.Changes[0].Regression {
		t.Errorf("%+v", g.Changes[0])
	}
	if n := r.Count(1, Time).Changed; n > 6 {
		t.Errorf("%d of 12 benchmarks changed by themselves: the test shows nothing", n)
	}
	allocs := r.Geomean("allocs/op")
	if allocs == nil || allocs.Changes[0].Verdict != Equivalent || r.GeomeanSays(allocs) != "geomean of 11" {
		t.Errorf("the mean of what allocates: %+v", allocs)
	}
}

// The interval of the mean holds the truth as often as it says.
func TestGeomeanCovers(t *testing.T) {
	missed, runs := 0, 40
	for seed := range runs {
		var all []planted
		for i := range 6 {
			all = append(all, planted{name: fmt.Sprintf("B%d", i), ratio: 1.03, noise: 0.05})
		}
		c := report(t, run(t, uint64(seed), 20, nil, all...)).Geomean(Time).Changes[0]
		if !(c.Ratio.Lo < 1.03 && 1.03 < c.Ratio.Hi) {
			missed++
		}
	}
	if missed > 6 { // 5% of 40 are 2; more than 6 have a chance of 0.3%
		t.Errorf("%d of %d intervals at 95%% miss the truth", missed, runs)
	}
}

// The rounds of the mean are those that all benchmarks have.
func TestMeanOf(t *testing.T) {
	a := rounds{each: []float64{1, 2, 3}, links: []int{1, 2, 1}}
	b := rounds{each: []float64{3, 4}, links: []int{5, 5}}
	m := meanOf([]rounds{a, b})
	if !slices.Equal(m.each, []float64{2, 3}) || m.links[0] == m.links[1] {
		t.Errorf("%+v", m)
	}
}

// Samples that crash decide nothing, and a benchmark without a result on one side is said.
func TestCrashes(t *testing.T) {
	r := report(t, run(t, 7, 40, nil,
		planted{name: "Crashes", ratio: 1.5, noise: 0.01, failedOn: 1, allocs: bySide(5, 6)},
		planted{name: "Missing", ratio: 1, noise: 0.01, missingOn: 1}, planted{name: "Fine", ratio: 1, noise: 0.005}))
	if _, c := change(t, r, "Crashes", Time); c.Verdict != Undecided || c.Doubt == "" || c.Alone {
		t.Errorf("a benchmark that crashes is %+v", c)
	}
	m, c := change(t, r, "Missing", Time)
	if c.Verdict != Undecided || m.Values[1].Known() || !m.Values[0].Known() {
		t.Errorf("a benchmark without a result: %+v", m)
	}
	for i, b := range r.Benchmarks {
		if failed := len(b.Failed) > 0; failed != (b.Name == "Missing") {
			t.Errorf("%d: %s failed: %q", i, b.Name, b.Failed)
		}
		if flagged := len(b.Flags) > 0; flagged != (b.Name == "Crashes") {
			t.Errorf("%d: %s is flagged: %q", i, b.Name, b.Flags)
		}
	}
}

// A command is compared in what its processes cost, too: CPU time is that of user and system.
func TestCommands(t *testing.T) {
	commands := func(q *plan.Question) {
		for i := range q.Plan.Sides {
			q.Plan.Sides[i].Source, q.Plan.Sides[i].Command = nil, "./"+q.Plan.Sides[i].Name
		}
	}
	cost := func(side, round int) (string, string) {
		return fmt.Sprintf("%.6g user-sec %.6g sys-sec %d", 0.1+0.05*float64(side), 0.01+0.001*float64(round%3),
			1_000_000*(1+side)+round), series.UnitRSS
	}
	r := report(t, run(t, 8, 20, commands, planted{name: "command", ratio: 1.2, noise: 0.01, own: cost}))
	near := func(f figures.Number, want, by float64) bool { return math.Abs(float64(f)-want) <= by }
	if m, c := change(t, r, "command", series.UnitCPU); c.Verdict != Changed ||
		!near(m.Values[0].Value, 0.111, 0.002) {
		t.Errorf("CPU time: %+v", m)
	}
	if _, c := change(t, r, "command", series.UnitRSS); c.Verdict != Changed || !c.Regression ||
		!near(c.Ratio.Value, 2, 0.1) {
		t.Errorf("memory: %+v", c)
	}
	if say := r.Says[0]; !strings.HasPrefix(say, "feature takes 1.2") || !strings.HasSuffix(say, "as long as main.") {
		t.Errorf("it says %q", r.Says[0])
	}
}

// A change that only the count of all comparisons keeps from standing is marked.
func TestAlone(t *testing.T) {
	all := []planted{{name: "Slower", ratio: 1.2, noise: 0.01}}
	if r := report(t, run(t, 9, 9, nil, all...)); r.Count(1, Time).Changed != 1 || r.AloneSays() != "" {
		t.Errorf("by itself: %+v", r.Benchmarks[0].Metrics[0].Changes)
	}
	for i := range 30 {
		all = append(all, planted{name: fmt.Sprintf("B%d", i), ratio: 1, noise: 0.01})
	}
	r := report(t, run(t, 9, 9, nil, all...))
	_, c := change(t, r, "Slower", Time)
	if c.Verdict != Undecided || !c.Alone || c.Stands || VerdictSays(c) != "undecided ‡" || r.AloneSays() == "" {
		t.Errorf("among 31: %+v", c)
	}
}

// What links limit is said where there are no further ones, and that a longer budget decides it is not.
func TestLimitedByLinks(t *testing.T) {
	few := planted{name: "Parse", ratio: 0.8, noise: 0.01, links: 4}
	for layouts, want := range map[int]string{4: "undecided, limited by links", 0: "undecided"} {
		r := report(t, run(t, 9, 40, func(q *plan.Question) { q.Plan.Options.Layouts = layouts }, few))
		_, c := change(t, r, "Parse", Time)
		if VerdictSays(c) != want || (c.LimitedBy == "links") != (layouts > 0) || r.Limited(1) != min(layouts, 1) {
			t.Errorf("with --layouts %d: %q, %+v", layouts, VerdictSays(c), c)
		}
	}
}

// What is compared within a margin of the user's is judged by it.
func TestMargin(t *testing.T) {
	r := report(t, run(t, 9, 30, func(q *plan.Question) { q.Plan.Options.Margin = 0.1 },
		planted{name: "Slower", ratio: 1.05, noise: 0.01}))
	if _, c := change(t, r, "Slower", Time); c.Verdict != Equivalent || !c.Stands || c.Regression {
		t.Errorf("5%% within 10%%: %+v", c)
	}
	if want := "Slower takes as long at feature as at main, within 10%: 1.0"; !strings.HasPrefix(r.Says[0], want) {
		t.Errorf("it says %q", r.Says[0])
	}
}

func TestTraces(t *testing.T) {
	a := run(t, 10, 30, nil, planted{name: "Slower", ratio: 1.05, noise: 0.01},
		planted{name: "Same", ratio: 1, noise: 0.01})
	traces, left := Traces(a, report(t, a))
	if len(traces) != 2 || left != 0 || traces[0].Benchmark != "Slower" || len(traces[0].Ratios) != 30 {
		t.Fatalf("%+v, %d left", traces, left)
	}
	looks := traces[0].Looks
	if n := len(looks); n < 5 || looks[0].Rounds < 8 || looks[n-1].Rounds != 29 ||
		looks[n-1].Hi-looks[n-1].Lo > looks[0].Hi-looks[0].Lo {
		t.Errorf("%+v", looks)
	}
}

// What sides are called in a sentence: revisions, the work tree, settings and toolchains.
func TestWhere(t *testing.T) {
	files := &plan.Source{Revision: ".", Commit: "1"}
	sides := []plan.Side{{Name: "work tree", Toolchain: "go1.26.8", Source: files},
		{Name: "v1.2", Toolchain: "go1.26.8", Source: &plan.Source{Revision: "v1.2"}},
		{Name: "GOGC=off", Toolchain: "go1.26.8", Env: []string{"GOGC=off"}, Source: files},
		{Name: "go1.25.4", Toolchain: "go1.25.4", Source: files}, {Name: "./new", Command: "./new"},
		{Name: "-pgo=off", Flags: []string{"-pgo=off"}}}
	r := &Report{}
	for i, want := range []string{"in the work tree", "at v1.2", "with GOGC=off", "with go1.25.4", "with ./new",
		"with -pgo=off"} {
		r.Sides = append(r.Sides, sideOf(sides[i], &plan.Question{}))
		if got := r.Where(i); got != want {
			t.Errorf("%s is %q, want %q", sides[i].Name, got, want)
		}
	}
}

// A run with one configuration compares nothing.
func TestOneSide(t *testing.T) {
	a := run(t, 11, 3, nil, planted{name: "X", ratio: 1})
	a.Sides = a.Sides[:1]
	if _, err := OfRun(a); err == nil {
		t.Error("a run with one side is compared")
	}
}

// What a setting costs in memory stands in the samples, and is compared where settings are.
func TestMemoryOfSettings(t *testing.T) {
	b := planted{name: "Make-2", ratio: 0.5, noise: 0.01, own: func(side, round int) (string, string) {
		return fmt.Sprint(27e6*(1+5.5*float64(side)) + float64(round%3)*1e5), series.UnitRSS
	}}
	of := func(env ...string) *Report {
		r, err := OfRun(run(t, 1, 14, func(q *plan.Question) {
			q.Plan.Sides[1].Name, q.Plan.Sides[1].Env = "GOGC=off", env
		}, b))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := of("GOGC=off")
	m := r.Benchmarks[0].Metric(series.UnitRSS)
	if m == nil || m.Changes[0].Verdict != Changed || !m.Changes[0].Regression {
		t.Fatalf("%+v", m)
	}
	const want = "peak RSS changed in 1 of 1 benchmark with GOGC=off: Make-2 167 MiB instead of 25.8 MiB."
	if got := r.MetricSays(1, series.UnitRSS); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if g, err := Parse("memory"); err != nil || len(g.Check(r)) != 1 {
		t.Errorf("the gate: %v", err)
	}
	if m := of().Benchmarks[0].Metric(series.UnitRSS); m != nil {
		t.Errorf("of the same settings: %+v", m)
	}
}
