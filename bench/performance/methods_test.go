package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"memcost/bench/methods"
	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

func TestStepsGoOn(t *testing.T) {
	dir := t.TempDir()
	open := func(setting string) *stepStore {
		t.Helper()
		s, err := openSteps(dir, setting)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open("a")
	first := step{Setting: "a", Rate: 5, Take: takeMemcost, Wall: 70,
		Recording: &methods.Recording{Rate: 5, Span: 60, Ends: []float64{1, 2}, Pairs: map[string][]*methods.Pair{
			"K": {{Base: 1, Cand: 2}, nil}}}}
	for _, x := range []step{first, {Setting: "a", Rate: 0, Take: takeMemcost, Wall: 90}} {
		if _, err := s.folder(x); err != nil {
			t.Fatal(err)
		}
		if err := s.keep(x); err != nil {
			t.Fatal(err)
		}
	}
	// A step that was cut off: before its file, and while that was written.
	cut, err := s.folder(step{Rate: 2, Take: takeRun})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cut, stepFile+".new"), []byte(`{"sett`), 0o666); err != nil {
		t.Fatal(err)
	}
	s = open("a")
	if len(s.done) != 2 || s.spent() != 160 {
		t.Errorf("%d steps of %v s are done, want 2 of 160 s", len(s.done), s.spent())
	}
	got := s.done[first.name()].Recording
	if got == nil || !slices.Equal(got.Ends, first.Recording.Ends) || got.Pairs["K"][0].Cand != 2 ||
		got.Pairs["K"][1] != nil {
		t.Errorf("read again: %+v", got)
	}
	group := []step{{Rate: 5, Take: takeMemcost}, {Rate: 1, Take: takeMemcost}, {Rate: 1, Take: takeRun}}
	if e := s.expected(group, 50); e != 80+50 {
		t.Errorf("one like those that are done and one unknown: %v s expected, want 130", e)
	}
	if other := open("b"); len(other.done) != 0 {
		t.Errorf("another setting takes over %d", len(other.done))
	}
	if err := os.WriteFile(filepath.Join(cut, stepFile), []byte(`{"sett`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openSteps(dir, "a"); err == nil || !strings.Contains(err.Error(), cut) {
		t.Errorf("a damaged step: %v", err)
	}
}

// Each pass measures each true change by each way of sampling once, and the runs do not
// get into each other's folders.
func TestPassSteps(t *testing.T) {
	names := map[string]bool{}
	for pass := range 3 {
		groups := passSteps(pass)
		if len(groups) != len(ratesInTurn) {
			t.Errorf("pass %d: %d groups", pass, len(groups))
		}
		for i, group := range groups {
			takes := map[string]bool{}
			for _, s := range group {
				if s.Take != takeRun && s.Rate != ratesInTurn[i] || names[s.name()] {
					t.Errorf("pass %d, group %d: %s", pass, i, s.name())
				}
				names[s.name()], takes[s.Take] = true, true
			}
			if len(takes) != 4 {
				t.Errorf("pass %d, group %d: %v", pass, i, takes)
			}
		}
	}
}

const madeKinds = 2

// madeRun writes a run folder with two benchmarks and a configuration that takes so many
// times as long, a round each second, and returns how its samples came in.
func madeRun(t *testing.T, rounds int, ratio float64) (dir string, g growth) {
	t.Helper()
	dir = t.TempDir()
	q := &plan.Question{Format: plan.Format, Tool: "memcost 0.0.0", Created: time.Unix(1_790_000_000, 0),
		Plan: plan.Plan{Options: plan.Options{Profile: "quick", Seed: 1, Alpha: plan.Alpha,
			Precision: plan.QuickPrecision, Sample: plan.QuickSample, Layouts: layouts},
			Sides: []plan.Side{{Name: madeArm, Toolchain: madeArm},
				{Name: madeArm + " SLOWER=5", Toolchain: madeArm, Env: []string{"SLOWER=5"}}},
			Studies: []plan.Study{{Name: "known", Pkg: "known"}}},
		Builds: []plan.Build{{}, {Side: 1}}}
	for i := range madeKinds {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: fmt.Sprintf("K%d-2", i), Base: fmt.Sprintf("K%d", i),
			Procs: 2, N: 100, Group: i, Estimate: 1e-3, Short: 1e-3})
	}
	f, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteQuestion(q); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "goos: linux\nstudy: known\npkg: known\ntoolchain: %s\n", madeArm)
	fmt.Fprintf(&out, "role: floor\n\nBenchmarkEmpty 100 5 ns/op 0 round\n\nrole:\n")
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range rounds {
		for side, setting := range []string{"", "SLOWER=5"} {
			fmt.Fprintf(&out, "arm: %s\n\n", setting)
			for i := range madeKinds {
				ns := 1e6 * math.Exp(0.003*rng.NormFloat64()) * math.Pow(ratio, float64(side))
				fmt.Fprintf(&out, "BenchmarkK%d-2 100 %.7g ns/op 0 B/op 0 allocs/op %.7g wall-sec %d round %d order "+
					"%d layout\n", i, ns, ns*1e-7, round, side, rng.IntN(layouts))
			}
			out.WriteString("\n")
		}
		g.ticks = append(g.ticks, tick{float64(round + 1), int64(out.Len())})
	}
	if err := os.WriteFile(filepath.Join(dir, store.SamplesFile), out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir, g
}

func readSamples(t *testing.T, dir string) []sample {
	t.Helper()
	samples, err := runSamples(dir)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

func TestRecordingOf(t *testing.T) {
	dir, g := madeRun(t, 12, 1.05)
	r, err := recordingOf(readSamples(t, dir), g, 5, 12)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Ends) != 12 || r.Ends[0] != 1 || r.Ends[11] != 12 || len(r.Pairs) != madeKinds {
		t.Fatalf("rounds end at %v, %d kinds", r.Ends, len(r.Pairs))
	}
	for kind, pairs := range r.Pairs {
		for round, p := range pairs {
			if p == nil || math.Abs(p.Cand/p.Base-1.05) > 0.03 || math.Abs(p.Base-1e-3) > 2e-5 {
				t.Errorf("%s round %d: %+v", kind, round, p)
			}
		}
	}
}

// A folder whose writer was cut off, or whose file is damaged, gives the rounds that are
// left.
func TestRecordingOfADamagedRun(t *testing.T) {
	dir, g := madeRun(t, 12, 1.05)
	path := filepath.Join(dir, store.SamplesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(whole[:len(whole)-40]) // in the last line
	r, err := recordingOf(readSamples(t, dir), g, 5, 12)
	if err != nil || len(r.Ends) != 11 || len(r.Pairs["K0"]) != 11 {
		t.Errorf("a last line that is cut off: %+v, %v", r, err)
	}
	lines := bytes.Split(whole, []byte("\n"))
	at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(" 5 round")) })
	lines[at] = bytes.Replace(lines[at], []byte("ns/op"), []byte("%%"), 1)
	write(bytes.Join(lines, []byte("\n")))
	r, err = recordingOf(readSamples(t, dir), g, 5, 12)
	if err != nil || len(r.Ends) != 12 {
		t.Fatalf("a damaged line: %v", err)
	}
	if r.Pairs["K0"][5] != nil || r.Pairs["K0"][4] == nil || r.Pairs["K1"][5] == nil {
		t.Errorf("a damaged line in round 5 of K0: %v, %v, %v", r.Pairs["K0"][5], r.Pairs["K0"][4], r.Pairs["K1"][5])
	}
	write(nil)
	if r, err := recordingOf(readSamples(t, dir), g, 5, 12); err == nil {
		t.Errorf("no samples: %+v", r)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := runSamples(dir); err == nil {
		t.Error("a run without samples.txt is read")
	}
}

// memcost itself says of each part of a run what it would have said then: nothing of the
// first rounds, a planted change later, and nothing of sides that are alike.
func TestTakeLooks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memcost")
	}
	b := testBench(t)
	b.memcost = filepath.Join(b.dir, "memcost")
	if _, err := b.do(t.Context(), proc.Cmd{Path: "go", Dir: filepath.Join("..", ".."),
		Args: []string{"build", "-o", b.memcost, "./cmd/memcost"}}); err != nil {
		t.Fatal(err)
	}
	for _, ratio := range []float64{1, 1.05} {
		dir, _ := madeRun(t, 60, ratio)
		scratch := filepath.Join(b.dir, "looks")
		at := map[int][]int{0: {3, 30}, 20: {24, 60}}
		looks, err := sampler{b}.takeLooks(t.Context(), dir, readSamples(t, dir), at, scratch)
		if err != nil {
			t.Fatal(err)
		}
		if len(looks) != 4*madeKinds {
			t.Fatalf("%d looks: %+v", len(looks), looks)
		}
		for _, l := range looks {
			want := 0
			if ratio > 1 && l.Last-l.First >= 30 {
				want = 1
			}
			if l.Changed != want || l.Differs != want || l.Interval && !(l.Lo <= ratio && ratio <= l.Hi) ||
				l.Interval != (l.Last-l.First >= 30) {
				t.Errorf("%v times as long: %+v", ratio, l)
			}
		}
		if _, err := os.Stat(scratch); err == nil {
			t.Error("the parts are left behind")
		}
	}
}

// The true change is in the code: with SLOWER=5 an operation makes 5% more allocations of
// the same size, to the last one.
func TestKnownChange(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the benchmarks")
	}
	b := testBench(t)
	x := &comparer{sampler: sampler{b}}
	b.memcost = os.Args[0] // prepare only hashes it
	if err := x.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	allocs := func(env ...string) (n [2]int) {
		t.Helper()
		res, err := b.do(t.Context(), proc.Cmd{Path: x.binary, Env: append(slices.Clone(b.env), env...),
			Args: []string{"-test.run=^$", "-test.bench=Map|Small", "-test.benchtime=300x", "-test.benchmem"}})
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for line := range strings.Lines(string(res.Stdout)) {
			fields := strings.Fields(line)
			if len(fields) > 2 && fields[len(fields)-1] == "allocs/op" && i < 2 {
				if n[i], err = strconv.Atoi(fields[len(fields)-2]); err != nil {
					t.Fatal(err)
				}
				i++
			}
		}
		return n
	}
	plain, slower := allocs(), allocs("SLOWER=5")
	for i := range plain {
		if plain[i] == 0 || slower[i]*100 != plain[i]*105 {
			t.Errorf("%d and %d allocations", plain[i], slower[i])
		}
	}
	if _, err := x.benchmarks(t.Context(), x.pkg, x.binary, -1, 1, "1x"); err != nil {
		t.Errorf("without a change: %v", err)
	}
	got, err := x.recordInterleaved(t.Context(), x.pkg, x.binary, 5, 0.01, "1x", rand.New(rand.NewPCG(1, 1)))
	if err != nil || len(got.Ends) != 1 || len(got.Pairs) != 3 || got.Rate != 5 {
		t.Errorf("interleaved: %+v, %v", got, err)
	}
	one, err := x.recordSequential(t.Context(), x.pkg, x.binary, 5, 4, "1x")
	if err != nil || len(one.Base["Arithmetic"]) != 4 || len(one.Cand["MapFilling"]) != 4 || one.Seconds <= 0 {
		t.Errorf("sequential: %+v, %v", one, err)
	}
}

// The tables and the picture come from the figures alone: those that were kept give the
// same again.
func TestDrawAgain(t *testing.T) {
	b := testBench(t)
	r := &judged{Span: 60, Begun: "2026-11-22T16:00:00Z", Seconds: 1200,
		Runs:  []budgetRun{{Kind: "K", Changed: true, Differs: true, At: 31, Whole: 70}, {Kind: "K", Whole: 72}},
		Truth: []truth{{Kind: "K", Rate: 5, Ratio: 1.0507, Lo: 1.049, Hi: 1.052, Pairs: 60}},
		Costs: []cost{{takeMemcost, 1, 8, 30}}}
	for i, m := range methods.All {
		for _, rate := range []int{0, 5} {
			for _, s := range []float64{5, 60} {
				r.Figures = append(r.Figures, methods.Figure{Method: m, Kind: "K", Rate: rate, Seconds: s, Found: i,
					Of: 8, Intervals: 8, Covered: 7})
			}
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "methods.json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := drawAgain(b, context.Background()); err != nil {
		t.Fatal(err)
	}
	text := b.out.(*bytes.Buffer).String()
	if text != r.text() {
		t.Errorf("drawn again:\n%s", text)
	}
	for _, want := range []string{"| benchstat, interleaved", "2 of 8 [3, 65%]", "1 of 2 [1, 99%]", "31.0 s (of 1)",
		"1.0507 [1.0490, 1.0520] of 60", "14 of 16 [62, 98%]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	svg, err := os.ReadFile(filepath.Join(b.dir, "methods.svg"))
	if err != nil || !bytes.Contains(svg, []byte("A true change of 5% in 60 s: memcost finds 0 of 8, an interleaved")) {
		t.Errorf("the picture: %v", err)
	}
	if err := drawAgain(testBench(t), context.Background()); err == nil {
		t.Error("figures that are not there are drawn")
	}
}

func TestOfSeed(t *testing.T) {
	a, err := parseAnswer([]byte(`[{"rounds": 10, "samples": 99, "suites": [{"name": "s", "claims": [
		{"id": "A", "claim": "x", "verdicts": [{"status": "holds"}, {"status": "fails", "published": true}]},
		{"id": "B", "verdicts": [{"status": "undecided", "busy": true, "notes": ["a note"], "elements": [
			{"label": "size=1", "status": "holds"},
			{"label": "size=2", "status": "undecided", "figure": {"value": 1.5, "lo": 0.5, "hi": null, "rounds": 9}},
			{"label": "size=4", "status": "undecided", "figure": {}}]}]},
		{"id": "C", "verdicts": [{"status": "fails"}]}, {"id": "D", "verdicts": [{"status": "not tested"}]}]}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	r := a.ofSeed()
	if k, n := r.decided(); k != 2 || n != 3 || r.NotDone != 1 || r.Rounds != 10 {
		t.Errorf("%+v: %d of %d", r, k, n)
	}
	want := "the machine was busy; 2 of 3 cases, the first: size=2 1.5 [0.5, no bound] of 9 rounds; a note"
	if len(r.Undecided) != 1 || r.Undecided[0].Why != want {
		t.Errorf("%+v, want %q", r.Undecided, want)
	}
	r.Seed, r.Whole, r.Prepared = 1, 290, 60
	other := r
	other.Seed, other.Undecided = 2, nil
	text := seedTable([]seedRun{r, other}) + undecidedTable([]seedRun{r, other})
	for _, want := range []string{"2 of 3: 66.7%", "2 of 2: 100.0%", "4 of 5: 80.0%", "median 4m50s",
		"| s B ", "1 of 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// A seed that is done is read; one whose file is damaged is named.
func TestSeedGoesOn(t *testing.T) {
	b := testBench(t)
	b.memcost = filepath.Join(b.dir, "none")
	path := filepath.Join(b.dir, "seed.json")
	if err := os.WriteFile(path, []byte(`{"seed": 3, "holds": 7}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if r, err := runSeed(b, t.Context(), b.dir, 3, nil); err != nil || r.Holds != 7 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := os.WriteFile(path, []byte(`{"seed": 3, "ho`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := runSeed(b, t.Context(), b.dir, 3, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged seed: %v", err)
	}
}
