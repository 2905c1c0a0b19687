package sample

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/series"
	"memcost/internal/toolchain"
)

// odd is a study whose benchmarks behave well, or do what ODD says when they have been timed
// three times.
var odd = fstest.MapFS{
	"odd/doc.go": {Data: []byte("// Package odd has benchmarks.\npackage odd\n")},
	"odd/loop_test.go": {Data: []byte(`//go:build go1.24

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
	case "goes on":
		if b.N == 1 && timed == 0 {
			go func() {
				for {
					block = make([]byte, 100)
				}
			}()
		}
	case "starts":
		time.Sleep(30 * time.Millisecond)
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
	p := &plan.Plan{Options: plan.Options{Sample: 20 * time.Millisecond, Slices: 10, Timeout: 3 * time.Second, Seed: 1},
		Arms:   []plan.Arm{{Name: "plain", Toolchain: "go"}, {Name: "odd", Toolchain: "go", Env: env}},
		Suites: []plan.Suite{{Name: "odd", Pkg: "odd"}}, Cases: []plan.Case{c}}
	e := &Engine{Plan: p, Sampler: sampler, Lab: &Lab{Runner: &proc.Runner{},
		Target: func(plan.Case, int, int) (Target, error) { return target, nil }}, cycles: map[series.ID]float64{}}
	ts := []plan.Task{{Round: 3, Arm: 1, N: c.N}, {Round: 3, Arm: 0, N: c.N, Order: 1}}
	for _, task := range ts {
		e.cycles[e.id(task)] = cycles
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
		if arm := e.Plan.Arms[ts[i].Arm].Name; r.GetConfig(series.KeyArm) != arm {
			t.Errorf("the %d. record is of %q, not of %s", i, r.GetConfig(series.KeyArm), arm)
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
			n, k, _ := e.sliceOf(ts)
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

// A benchmark that goes wrong on the way has the record of a failure, with the words of one that
// runs alone, and the other side has its figure.
func TestSlicesThatFail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process takes turns on Windows")
	}
	target := oddTarget(t, localToolchain(t))
	for _, tt := range []struct{ odd, says string }{
		{"fails", "it has had enough"}, {"panics", "panic: it has had enough"}, {"exits", "exit status 7"},
		{"hangs", "no result after 3"}} {
		t.Run(tt.odd, func(t *testing.T) {
			e, ts := oddEngine(t, target, "Work", 2, 0, "ODD="+tt.odd)
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
		{"goes on", "goes on while it waits", ""},
		{"starts", "what stands between the slices", ""},
	} {
		t.Run(tt.odd, func(t *testing.T) {
			e, ts := oddEngine(t, target, "Work", 2, 0, "ODD="+tt.odd)
			rs := takeBoth(t, e, ts)
			if !strings.Contains(e.alone[0], tt.because) {
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
