package sample

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	"memcost/internal/method/stat"
)

//go:embed testdata/unlike_test.go.txt
var unlikeSource string

// unlike are pairs of cases of unlike code.
var unlike = [][2]string{
	{"From/heap/size=64", "From/stack/size=64"},
	{"From/heap/size=4096", "From/stack/size=4096"},
	{"From/heap/size=65536", "From/stack/size=65536"},
	{"From/pool/size=4096", "From/heap/size=4096"},
	{"From/arena/size=64", "From/heap/size=64"},
	{"From/pool/size=4096", "From/stack/size=4096"},
	{"Copy/size=1024", "Copy/size=16384"},
	{"Walk/size=16384", "Arithmetic"},
	{"Walk/size=262144", "Arithmetic"},
}

// Slices of pairs of unlike code beside processes that run alone, both in each round, for MEMCOST_LONG (3m).
// MEMCOST_PAIRS chooses pairs by a part of their names. It prints, of each pair, by how much slices change ln of the
// ratio, in time and in the processor's time (which counts no waiting for other programs), and what each way tells in a
// second.
func TestSlicesOfUnlikeCode(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("MEMCOST_LONG"))
	if err != nil {
		t.Skip("MEMCOST_LONG=3m measures for so long")
	}
	e, links := unlikeEngine(t)
	var pairs []*unlikePair
	for _, names := range unlike {
		if !slices.ContainsFunc(strings.Fields(os.Getenv("MEMCOST_PAIRS")), func(s string) bool {
			return strings.Contains(names[0]+" / "+names[1], s)
		}) && os.Getenv("MEMCOST_PAIRS") != "" {
			continue
		}
		x := &unlikePair{name: names[0] + " / " + names[1]}
		for i, name := range names {
			x.cases[i] = slices.IndexFunc(e.Plan.Cases, func(c plan.Case) bool { return c.Base == name })
		}
		pairs = append(pairs, x)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for round, began := 0, time.Now(); time.Since(began) < long; round++ {
		for _, x := range pairs {
			x.take(t, e, rng, round, round%links)
		}
	}
	for _, x := range pairs {
		x.print(t)
	}
}

// unlikeEngine has the cases of unlikeSource, calibrated, in so many links.
func unlikeEngine(t *testing.T) (e *Engine, links int) {
	t.Helper()
	cache, tc := t.TempDir(), localToolchain(t)
	dir, err := toolchain.PrepareStudies(fstest.MapFS{
		"unlike/doc.go":         {Data: []byte("// Package unlike has benchmarks.\npackage unlike\n")},
		"unlike/unlike_test.go": {Data: []byte(unlikeSource)},
	}, filepath.Join(cache, "studies"), tc)
	if err != nil {
		t.Fatal(err)
	}
	b := &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: cache, Env: os.Environ()}
	var seeds []uint64
	for number := range 6 {
		seeds = append(seeds, plan.LinkSeed(1, 0, number))
	}
	built, err := b.Build(t.Context(), toolchain.Build{Toolchain: tc, Dir: dir, Pkg: "./unlike",
		Layouts: seeds})
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := machine.NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sampler.Close() })
	p := &plan.Plan{Options: plan.Options{Sample: 60 * time.Millisecond, Longest: 235 * time.Millisecond,
		Slices: plan.MostSlices, Timeout: time.Minute, Seed: 1}, Sides: []plan.Side{{Name: "go", Toolchain: "go"}},
		Studies: []plan.Study{{Name: "unlike", Pkg: "unlike"}}}
	x := &Executor{Runner: &proc.Runner{}, Target: func(_ plan.Case, _, layout int) (Target, error) {
		return Target{Path: built.Paths[layout], Dir: cache, Env: os.Environ(), Turns: built.FloatAllocs}, nil
	}}
	if err := x.Discover(t.Context(), p, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	return &Engine{Plan: p, Sampler: sampler, Executor: x}, len(built.Paths)
}

// An unlikePair is two cases, with what was measured of them in the rounds that have both ways.
type unlikePair struct {
	name  string
	cases [2]int
	ways  [2]struct{ wall, cpu, took []float64 } // of processes alone, and of slices: ln of the ratio, seconds
	times [2]struct{ cpu, faults [2][]float64 }  // by way and case, of an operation
	lost  int                                    // rounds in which it was not taken in slices
}

// take measures the pair in both ways.
func (x *unlikePair) take(t *testing.T, e *Engine, rng *rand.Rand, round, layout int) {
	var ts []plan.Task
	for _, i := range rng.Perm(2) {
		c := x.cases[i]
		ts = append(ts, plan.Task{Round: round, Case: c, N: e.Plan.Cases[c].N, Layout: layout, Padding: rng.IntN(4096)})
	}
	var rs [2][]*benchfmt.Result
	var took [2]float64
	for _, way := range rng.Perm(2) {
		began := time.Now()
		var err error
		if way == 1 {
			if _, _, ok := e.sliceOf(ts); !ok { // a process that runs alone says how long an operation takes
				continue
			}
			rs[1], err = e.takeSliced(t.Context(), ts)
		} else {
			for _, task := range ts {
				r, failed := e.take(t.Context(), task)
				if err = failed; err != nil {
					break
				}
				rs[0] = append(rs[0], r)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		took[way] = time.Since(began).Seconds()
	}
	for i, task := range ts { // where other programs wait for the processor, its time says how long an operation takes
		known := e.ran[e.id(task)]
		known.sec = min(known.sec, value(rs[0][i], "cpu-sec/op"))
		e.ran[e.id(task)] = known
	}
	if rs[1] == nil || !(value(rs[1][0], "slices") > 0) {
		x.lost++
		return
	}
	for way := range rs {
		if ts[0].Case != x.cases[0] {
			slices.Reverse(rs[way])
		}
		ln := func(unit string) float64 { return math.Log(value(rs[way][0], unit) / value(rs[way][1], unit)) }
		w := &x.ways[way]
		w.wall, w.cpu, w.took = append(w.wall, ln("sec/op")), append(w.cpu, ln("cpu-sec/op")), append(w.took, took[way])
		for i, r := range rs[way] {
			of := &x.times[way]
			of.cpu[i] = append(of.cpu[i], value(r, "cpu-sec/op"))
			of.faults[i] = append(of.faults[i], value(r, "loop-faults")/float64(r.Iters))
		}
	}
}

func (x *unlikePair) print(t *testing.T) {
	alone, sliced := x.ways[0], x.ways[1]
	if n := len(alone.wall); n < 8 {
		t.Logf("%-42s %d rounds in slices, and %d not", x.name, n, x.lost)
		return
	}
	bias := func(of, than []float64) (estimate float64, iv stat.Interval) {
		var d []float64
		for i := range of {
			d = append(d, 100*(of[i]-than[i]))
		}
		return stat.HodgesLehmann(d), stat.Rounds{D: d}.At(len(d), 0.05)
	}
	wall, inWall := bias(sliced.wall, alone.wall)
	cpu, inCPU := bias(sliced.cpu, alone.cpu)
	_, before := stat.Spread(alone.wall)
	_, after := stat.Spread(sliced.wall)
	secs, secsSliced := stat.Median(alone.took), stat.Median(sliced.took)
	t.Logf("%-42s %3d rounds, %d not in slices; ln ratio changes by %+.1f%% [%.1f, %.1f], of CPU time by %+.2f%% [%.2f, %.2f]",
		x.name, len(alone.wall), x.lost, wall, inWall.Lo, inWall.Hi, cpu, inCPU.Lo, inCPU.Hi)
	t.Logf("%42s spread %.1f%% → %.1f%%, seconds %.2f → %.2f: variance × seconds is %.1f times as small", "", 100*before,
		100*after, secs, secsSliced, before*before*secs/(after*after*secsSliced))
	for i, side := range strings.Split(x.name, " / ") {
		t.Logf("%42s %s: CPU time × %.3f, page faults an operation %.2g → %.2g", "", side,
			stat.Median(x.times[1].cpu[i])/stat.Median(x.times[0].cpu[i]), stat.Median(x.times[0].faults[i]), stat.Median(x.times[1].faults[i]))
	}
}
