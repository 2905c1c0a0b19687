package sample

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// odd is a study whose benchmarks behave well, or do what ODD says when they have been timed
// three times.
var odd = fstest.MapFS{
	"odd/doc.go": {Data: []byte("// Package odd has benchmarks.\npackage odd\n")},
	"odd/loop_test.go": {Data: []byte(`//go:build go1.24
// +build go1.24

package odd

import "testing"

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		work(100)
	}
}
`)},
	"odd/odd_test.go": {Data: []byte(`package odd

import (
		"fmt"
	"os"
	"testing"
	"time"
)

var (
	sink  uint64
	block []byte
	timed int
)

func init() {
	if os.Getenv("ODD") == "goes on" {
		go func() {
			for {
				block = make([]byte, 100)
			}
		}()
	}
}

func work(n int) {
	for i := 0; i < n; i++ {
		sink = sink*6364136223846793005 + 1442695040888963407
	}
}

func BenchmarkWork(b *testing.B) {
	if b.N > 1 {
		timed++
	}
	if timed > 3 {
		switch os.Getenv("ODD") {
		case "fails":
			b.Fatal("it has had enough")
		case "panics":
			panic("it has had enough")
		case "exits":
			os.Exit(7)
		case "ends":
			os.Exit(0)
		case "hangs":
			time.Sleep(time.Hour)
		case "prints":
			fmt.Print("BenchmarkWork 7 nonsense")
		}
	}
	switch os.Getenv("ODD") {
	case "skips":
		b.Skip("not here")
	case "starts":
		work(40e6)
		b.ResetTimer()
	case "hides":
		b.ReportMetric(0, "ns/op")
	}
	for i := 0; i < b.N; i++ {
		work(100)
	}
}

func BenchmarkParts(b *testing.B) {
	b.Run("part=a/size=1", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			block = make([]byte, 1000)
		}
		b.ReportMetric(float64(b.N), "own")
		b.SetBytes(1000)
	})
	b.Run("part=b", func(b *testing.B) { b.Fatal("not this one") })
}

func BenchmarkStops(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		work(10)
		b.StartTimer()
		work(200000)
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for n := uint64(0); pb.Next(); n++ {
			for i := uint64(0); i < 100; i++ {
				n += n * i
			}
		}
	})
}
`)},
}

// oddTarget builds the study with a toolchain.
func oddTarget(t *testing.T, tc toolchain.Toolchain) Target {
	t.Helper()
	cache := t.TempDir()
	b := &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: cache, Env: os.Environ()}
	dir, err := toolchain.PrepareStudies(odd, filepath.Join(cache, "studies"), tc)
	if err != nil {
		t.Fatal(err)
	}
	built, err := b.Build(t.Context(), toolchain.Build{Toolchain: tc, Dir: dir, Pkg: "./odd"})
	if err != nil {
		t.Fatal(err)
	}
	return Target{Path: built.Paths[0], Dir: cache, Env: os.Environ(), Turns: built.FloatAllocs}
}

func localToolchain(t *testing.T) toolchain.Toolchain {
	t.Helper()
	tc, err := (&toolchain.Finder{Runner: &proc.Runner{}, Env: os.Environ()}).Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

// oddEngine is an engine with two configurations and one case, of which it is known how often
// the collector runs.
func oddEngine(t *testing.T, target Target, base string, procs int, cycles float64, env ...string) (*Engine,
	[]plan.Task) {
	t.Helper()
	sampler, err := machine.NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sampler.Close() })
	name := base
	if procs > 1 {
		name = fmt.Sprintf("%s-%d", base, procs)
	}
	c := plan.Case{Name: name, Base: base, Procs: procs, N: 100_000, Estimate: 1e-7}
	switch base {
	case "Stops":
		c.N, c.Estimate = 100, 2e-4
	case "Parallel":
		c.N, c.Estimate = 1_000_000, 2e-8
	}
	p := &plan.Plan{Options: plan.Options{Sample: 160 * time.Millisecond, Slices: 10, Timeout: time.Minute, Seed: 1},
		Sides:   []plan.Side{{Name: "plain", Toolchain: "go"}, {Name: "odd", Toolchain: "go", Env: env}},
		Studies: []plan.Study{{Name: "odd", Pkg: "odd"}}, Cases: []plan.Case{c}}
	e := &Engine{Plan: p, Sampler: sampler, Executor: &Executor{Runner: &proc.Runner{},
		Target: func(plan.Case, int, int) (Target, error) { return target, nil }}, ran: map[series.ID]ranAlone{}}
	ts := []plan.Task{{Round: 3, Side: 1, N: c.N}, {Round: 3, Side: 0, N: c.N, Order: 1}}
	for _, task := range ts {
		e.ran[e.id(task)] = ranAlone{cycles: cycles}
	}
	return e, ts
}

func takeBoth(t *testing.T, e *Engine, ts []plan.Task) []*benchfmt.Result {
	t.Helper()
	if !e.sliced(ts) {
		t.Fatal("these are not taken in turns")
	}
	rs, err := e.takeSliced(t.Context(), ts)
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != 2 || rs[0] == nil || rs[1] == nil {
		t.Fatalf("%d records of 2 tasks", len(rs))
	}
	for i, r := range rs {
		if arm := e.Plan.Sides[ts[i].Side].Name; r.GetConfig(series.KeySide) != arm {
			t.Errorf("the %d. record is of %q, not of %s", i, r.GetConfig(series.KeySide), arm)
		}
	}
	return rs
}

func value(r *benchfmt.Result, unit string) float64 {
	if v, ok := r.Value(unit); ok {
		return v
	}
	return math.NaN()
}

// Benchmarks of all kinds take turns, and their records look like any others.
func TestSlices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process takes turns on Windows")
	}
	target := oddTarget(t, localToolchain(t))
	for _, tt := range []struct {
		base   string
		procs  int
		cycles float64
	}{{"Work", 2, 0}, {"Work", 1, 0}, {"Loop", 2, 0}, {"Parts/part=a/size=1", 2, 1e-3}, {"Stops", 1, 0},
		{"Parallel", 2, 0}} {
		t.Run(fmt.Sprintf("%s-%d", tt.base, tt.procs), func(t *testing.T) {
			e, ts := oddEngine(t, target, tt.base, tt.procs, tt.cycles)
			each, k, _ := e.sliceOf(ts)
			n := each[0]
			for _, r := range takeBoth(t, e, ts) {
				if failed := r.GetConfig(series.KeyFailed); failed != "" || e.alone[0] != "" {
					t.Fatal(failed, e.alone)
				}
				if got := value(r, series.UnitSlices); got != float64(k) || r.Iters != k*int(n) {
					t.Errorf("%v slices with %d iterations in all, want %d with %d each", got, r.Iters, k, n)
				}
				starts := 1.0
				if tt.base == "Stops" {
					starts = float64(r.Iters + 1)
				}
				if value(r, series.UnitTimerStarts) != starts || !(value(r, "sec/op") > 0) ||
					!(value(r, series.UnitWall) > value(r, "sec/op")*float64(r.Iters)*0.9) ||
					!(value(r, series.UnitIdleCPU) >= 0) || value(r, series.UnitRound) != 3 {
					t.Errorf("%v", r.Values)
				}
				if tt.cycles > 0 && (value(r, "B/op") < 1000 || value(r, series.UnitGCCycles) < float64(k) ||
					value(r, "own") != float64(n) || math.Abs(value(r, "B/s")*value(r, "sec/op")/1000-1) > 0.01 ||
					value(r, series.UnitGCFreed) > 1.2*value(r, "B/op")*float64(r.Iters)) {
					t.Errorf("%v", r.Values)
				}
			}
		})
	}
}

// Two cases can take turns, too: each has iterations of its own, so that its slices last as long as the
// other's. Runs do not do it (docs/decisions/0009-slices.md).
func TestSlicesOfTwoCases(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process takes turns on Windows")
	}
	e, ts := oddEngine(t, oddTarget(t, localToolchain(t)), "Work", 2, 0)
	e.Plan.Cases = append(e.Plan.Cases, plan.Case{Name: "Stops", Base: "Stops", Procs: 1, N: 100, Estimate: 2e-4})
	ts[1] = plan.Task{Round: 3, Case: 1, Side: 1, N: 100, Order: 1}
	e.ran[e.id(ts[1])] = ranAlone{}
	if e.sliced(ts) {
		t.Error("a run would take them in turns")
	}
	n, k, ok := e.sliceOf(ts)
	if !ok || n[0] != 2000*n[1] {
		t.Fatalf("%d iterations in a slice, %v", n, ok)
	}
	rs, err := e.takeSliced(t.Context(), ts)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rs {
		if want := e.Plan.Cases[ts[i].Case].Name; string(r.Name) != want || r.Iters != k*int(n[i]) ||
			value(r, series.UnitSlices) != float64(k) || r.GetConfig(series.KeyFailed) != "" {
			t.Errorf("%s: %d iterations, %v", r.Name, r.Iters, r.Values)
		}
	}
}

// A benchmark that goes wrong on the way has the record of a failure, with the words of one that
// runs alone, and the other side has its figure.
func TestSlicesThatFail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process takes turns on Windows")
	}
	target := oddTarget(t, localToolchain(t))
	for _, tt := range []struct{ odd, says string }{
		{"fails", "it has had enough"}, {"panics", "panic: it has had enough"}, {"exits", "exit status 7"},
		{"hangs", "no result after "}} {
		t.Run(tt.odd, func(t *testing.T) {
			e, ts := oddEngine(t, target, "Work", 2, 0, "ODD="+tt.odd)
			if tt.odd == "hangs" {
				e.Plan.Options.Timeout = 5 * time.Second
			}
			rs := takeBoth(t, e, ts)
			if said := rs[0].GetConfig(series.KeyFailed); !strings.Contains(said, tt.says) {
				t.Errorf("it says %q and should say %q", said, tt.says)
			}
			if _, failed := rs[1].Value(series.UnitFailed); failed || !(value(rs[1], "sec/op") > 0) {
				t.Errorf("the other side: %v", rs[1].Values)
			}
			if !e.sliced(ts) {
				t.Errorf("a crash has no second try: %v", e.alone)
			}
		})
	}
}

// What does not go with turns is measured by processes that run alone, from then on.
func TestSlicesThatDoNotFit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process takes turns on Windows")
	}
	target := oddTarget(t, localToolchain(t))
	for _, tt := range []struct{ odd, because, failed string }{
		{"ends", "does not take turns", ""},
		{"skips", "does not take turns", "it printed nothing: it skips itself"},
		{"prints", "not a result for each slice", ""},
		{"hides", "not a result for each slice", ""},
		{"goes on", "", ""}, // on a busy machine its turns take too long
		{"starts", "what stands between the slices", ""},
	} {
		t.Run(tt.odd, func(t *testing.T) {
			e, ts := oddEngine(t, target, "Work", 2, 0, "ODD="+tt.odd)
			rs := takeBoth(t, e, ts)
			if e.alone[0] == "" || !strings.Contains(e.alone[0], tt.because) {
				t.Errorf("it runs alone because %q, and should because %q", e.alone[0], tt.because)
			}
			for i, r := range rs {
				if _, sliced := r.Value(series.UnitSlices); sliced {
					t.Errorf("%d: %v", i, r.Values)
				}
			}
			said := rs[0].GetConfig(series.KeyFailed)
			if !strings.Contains(said, tt.failed) || (said != "") != (tt.failed != "") {
				t.Errorf("it says %q and should say %q", said, tt.failed)
			}
			if e.sliced(ts) {
				t.Error("the next round tries it again")
			}
		})
	}
}

// The oldest and the newest Go, and some between, take turns, too.
func TestSlicesOfVersions(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") == "" {
		t.Skip("MEMCOST_LONG=1 downloads them")
	}
	find := &toolchain.Finder{Runner: &proc.Runner{}, Env: os.Environ(), Log: func(s string) { t.Log(s) }}
	for _, version := range []string{"1.16.15", "1.18.10", "1.21.13", "1.24.13", "1.27.4"} {
		t.Run(version, func(t *testing.T) {
			tc, err := find.Find(t.Context(), version)
			if err != nil {
				t.Fatal(err)
			}
			target := oddTarget(t, tc)
			for _, base := range []string{"Work", "Parts/part=a/size=1", "Loop"} {
				if base == "Loop" && (version < "1.24") {
					continue
				}
				e, ts := oddEngine(t, target, base, 2, 0)
				for _, r := range takeBoth(t, e, ts) {
					if !(value(r, series.UnitSlices) > 0) {
						t.Errorf("%s: %v, %v", base, e.alone, r.Values)
					}
				}
				e, ts = oddEngine(t, target, "Work", 2, 0, "ODD=fails")
				if rs := takeBoth(t, e, ts); !strings.Contains(rs[0].GetConfig(series.KeyFailed), "it has had enough") {
					t.Errorf("a failure is %q", rs[0].GetConfig(series.KeyFailed))
				}
			}
		})
	}
}

// Counts of the slices are summed, and what is told of an operation is their mean.
func TestMerge(t *testing.T) {
	read := func(line string) *benchfmt.Result {
		t.Helper()
		o := parse([]byte(line+"\n"), 1)
		if len(o.results) != 1 {
			t.Fatal(line)
		}
		series.SameUnits(o.results[0])
		return o.results[0]
	}
	const tail = " timer-starts 5 idle-cpu-ns"
	r := series.Merge([]*benchfmt.Result{
		read("BenchmarkX \t100\t10 ns/op 200 MB/s 4 B/op 1 gc-cycles 0 gc-pause-ns 7 peak-RSS-bytes 1" + tail),
		read("BenchmarkX \t100\t20 ns/op 100 MB/s 5 B/op 2 gc-cycles 30 gc-pause-ns 9 peak-RSS-bytes 3" + tail),
		read("BenchmarkX \t100\t40 ns/op 50 MB/s 6 B/op 0 gc-cycles 40 gc-pause-ns 8 peak-RSS-bytes 1 b-loop 1" + tail),
	}, 16e-9)
	for unit, want := range map[string]float64{"sec/op": 16e-9, "B/s": 125e6, "B/op": 5, "gc-cycles": 3,
		"gc-pause-sec": 70e-9, "peak-RSS-bytes": 9, "timer-starts": 3, "b-loop": 1, "idle-cpu-sec": 5e-9,
		series.UnitSlices: 3} {
		if got := value(r, unit); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%v %s, want %v", got, unit, want)
		}
	}
	if r.Iters != 300 {
		t.Errorf("%d iterations", r.Iters)
	}
	var text bytes.Buffer
	if err := benchfmt.NewWriter(&text).Write(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"16 ns/op", "125 MB/s", "70 gc-pause-ns"} {
		if line := text.String(); strings.Count(line, want[strings.Index(want, " "):]+" ") != 1 {
			t.Errorf("%q is not once in %q", want, line)
		}
	}
}

// A process that takes turns keeps its heap's free memory, unless its own GODEBUG says otherwise.
func TestTurnsEnv(t *testing.T) {
	for _, tt := range []struct{ env, want []string }{
		{[]string{"A=1"}, []string{"A=1", "GODEBUG=madvdontneed=0", "MEMCOST_SLICES=1"}},
		{[]string{"GODEBUG=gctrace=1", "A=1"}, []string{"A=1", "GODEBUG=gctrace=1,madvdontneed=0", "MEMCOST_SLICES=1"}},
		{[]string{"GODEBUG=a=1", "GODEBUG=madvdontneed=1"}, []string{"GODEBUG=madvdontneed=1", "MEMCOST_SLICES=1"}},
	} {
		if got := turnsEnv(tt.env); !slices.Equal(got, tt.want) {
			t.Errorf("turnsEnv(%q) = %q, want %q", tt.env, got, tt.want)
		}
	}
}
