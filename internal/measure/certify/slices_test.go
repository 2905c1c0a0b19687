package certify

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// A way of taking samples.
type way struct {
	name   string
	sample time.Duration
	slices int
}

// ways are those that are compared, in the same rounds.
var ways = []way{
	{"processes of 30 ms", 30 * time.Millisecond, 0},
	{"processes of 235 ms", 235 * time.Millisecond, 0},
	{"slices for 30 ms", 30 * time.Millisecond, plan.MostSlices},
	{"slices for 235 ms", 235 * time.Millisecond, plan.MostSlices},
}

// tried is one comparison of a way: d is ln of the ratio that was measured, less the true one.
type tried struct{ d, wall float64 }

// What slices tell in the time, against processes that run alone: of each case the copy and the
// slowest side are compared with the original, in rounds, all ways in each round. It asserts that
// slices are not biased and prints what is left of the scatter after a minute.
func TestSlicesAgainstProcesses(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") == "" {
		t.Skip("MEMCOST_LONG=1 measures for five minutes and more")
	}
	rounds := 40
	if n, err := strconv.Atoi(os.Getenv("MEMCOST_ROUNDS")); err == nil {
		rounds = n
	}
	a := &Attempt{Options: Fit(time.Minute, 1)}
	a.Options.Sample = 100 * time.Millisecond
	x := instrument(t, a)
	got := map[string][]tried{}
	for round := range rounds {
		for i := range a.Cases {
			for _, by := range []int{copied, slower + 3} { // 5%
				for _, w := range ways {
					name := sideName(by)
					key := fmt.Sprintf("%-11s %-5s %s", a.Cases[i].Base, name[max(0, len(name)-5):], w.name)
					if r, ok := tryOnce(t, x, a, w, i, by, round); ok {
						got[key] = append(got[key], r)
					}
				}
			}
		}
	}
	for _, key := range sorted(got) {
		report(t, key, got[key])
	}
}

func report(t *testing.T, key string, all []tried) {
	var d, walls []float64
	for _, r := range all {
		d, walls = append(d, r.d), append(walls, r.wall)
	}
	middle, wall := stat.Median(d), stat.Median(walls)
	var off []float64
	for _, v := range d {
		off = append(off, math.Abs(v-middle))
	}
	s := 1.4826 * stat.Median(off)
	t.Logf("%-44s n %2d  off by %+.4f  s %.4f  %.0f ms  after 60 s %.5f", key, len(d),
		stat.HodgesLehmann(d), s, 1000*wall, s*math.Sqrt(wall/60))
}

func sorted(m map[string][]tried) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func instrument(t *testing.T, a *Attempt) *Instrument {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	env := proc.CleanEnv(os.Environ())
	x := &Instrument{Tools: &session.Tools{Runner: &proc.Runner{}, Env: env, Log: silent{},
		Finder:  &toolchain.Finder{Runner: &proc.Runner{}, Env: env},
		Builder: &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: cache, Env: env}}}
	t.Cleanup(x.Close)
	if err := x.Prepare(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	sampler, err := machine.NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	x.engine.Sampler = sampler
	return x
}

// silent is told how preparing goes, and tells nobody.
type silent struct{}

func (silent) Note(string)            {}
func (silent) Step(string)            {}
func (silent) Sample(sample.Progress) {}
func (silent) End()                   {}

// tryOnce compares a side with the original in one round. It is not ok where a way begins with
// processes that run alone.
func tryOnce(t *testing.T, x *Instrument, a *Attempt, w way, i, by, round int) (tried, bool) {
	t.Helper()
	a.Batches = []Batch{{Known: []int{i}}}
	p := a.plan(0)
	p.Options.Slices, p.Options.Sample = w.slices, w.sample
	c := &p.Cases[i]
	c.N = int64(w.sample.Seconds() / c.Estimate)
	pools := a.pools(0)
	ts := []plan.Task{{Round: round, Case: i, Side: original, N: c.N, Layout: round % a.Options.Layouts,
		Padding: round * 64 % 4096}, {Round: round, Case: i, Side: by, N: iterations(c.N, by),
		Layout: round % a.Options.Layouts, Padding: round * 96 % 4096}}
	if round%2 == 1 {
		ts[0], ts[1] = ts[1], ts[0]
	}
	began := time.Now()
	sec := map[string]float64{}
	sliced := 0
	for left := ts; len(left) > 0; {
		rs, err := x.Take(t.Context(), p, pools, left)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			sec[r.GetConfig(series.KeySide)] = value(r, "sec/op")
			if value(r, series.UnitSlices) > 0 {
				sliced++
			}
		}
		left = left[len(rs):]
	}
	d := math.Log(sec[sideName(by)] / sec[sideName(original)])
	return tried{d, time.Since(began).Seconds()}, (w.slices > 0) == (sliced == 2)
}

func value(r *benchfmt.Result, unit string) float64 {
	v, _ := r.Value(unit)
	return v
}
