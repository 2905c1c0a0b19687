package sample

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A fakeLinker makes links that take no time and say that they took two rounds, and runs processes whose figures are made up: the
// links differ by so much, and the processes by 1%.
type fakeLinker struct {
	differ float64
	made   []int // the links, by their numbers, as they were made
	rng    *rand.Rand
	kill   int // after so many processes; 0: never
	cancel context.CancelFunc
}

func (f *fakeLinker) ready(_ context.Context, tasks []plan.Task) (links int, took time.Duration, err error) {
	for _, t := range tasks {
		if t.Layout > 0 && t.Side == 0 && !slices.Contains(f.made, t.Layout) {
			f.made = append(f.made, t.Layout)
			links += 2
		}
	}
	return links, time.Duration(links) * 200 * time.Millisecond, nil
}

// launch takes the place of a process that says that it took 0.1 s.
func (f *fakeLinker) launch(_ context.Context, _ plan.Role, cmd proc.Cmd) (proc.Result, []benchfmt.Value, error) {
	side, link, _ := strings.Cut(cmd.Path, "/")
	layout, err := strconv.Atoi(link)
	if err != nil {
		return proc.Result{}, nil, err
	}
	if f.kill--; f.kill == 0 {
		f.cancel()
	}
	time.Sleep(25 * time.Millisecond) // what is to be found out is asked again after 15 times as long as asking takes
	own := rand.New(rand.NewPCG(uint64(layout), uint64(side[0])))
	ns := 1000 * math.Exp(f.differ*own.NormFloat64()+0.01*f.rng.NormFloat64())
	return proc.Result{Wall: 100 * time.Millisecond,
		Stdout: fmt.Appendf(nil, "BenchmarkWork \t 100\t %.3f ns/op\nPASS\n", ns)}, nil, nil
}

// run takes so many rounds of two sides of the same code in a folder, and returns the layouts of the samples in
// their order. fixed is the size of the pool, 0 draws links as they are needed.
func (f *fakeLinker) run(t *testing.T, folder *store.Folder, rounds, fixed int) (e *Engine, layouts []int) {
	t.Helper()
	st, err := language.Parse("s", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Options: plan.Options{Seed: 3, Alpha: 0.05, Precision: 0.001, Rounds: rounds, Timeout: time.Minute,
		NoGuards: true, Layouts: fixed, FreshLayouts: true}, Sides: []plan.Side{{Name: "a"}, {Name: "b"}},
		Studies: []plan.Study{{Name: "s"}}, Cases: []plan.Case{{Name: "Work", Base: "Work", Procs: 1, N: 100, Estimate: 1e-6}}}
	p.Link(nil)
	sampler, err := machine.NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	defer sampler.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.cancel, f.rng = cancel, rand.New(rand.NewPCG(5, 6))
	e = &Engine{Plan: p, Studies: []claim.Study{{Name: "s", Written: st}}, Folder: folder, Sampler: sampler,
		Executor: &Executor{Runner: &proc.Runner{}, Ready: f.ready, Draws: func(int) bool { return fixed == 0 }, Launch: f.launch,
			Target: func(_ plan.Case, side, layout int) (Target, error) {
				return Target{Path: fmt.Sprintf("%c/%d", 'a'+side, layout)}, nil
			}}}
	if _, err := e.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := store.ReadSamples(folder.Dir, func(r *benchfmt.Result) error {
		v, _ := r.Value(series.UnitLayout)
		layouts = append(layouts, int(v))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return e, layouts
}

func newFolder(t *testing.T) *store.Folder {
	t.Helper()
	folder, err := store.Create(t.TempDir() + "/run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return folder
}

func distinct(layouts []int) int {
	layouts = slices.Clone(layouts)
	slices.Sort(layouts)
	return len(slices.Compact(layouts))
}

// Between rounds further links are made where they differ, and none where they do not; their time is
// recorded with the samples, and none is made beyond a pool that was asked for.
func TestLinksAreMadeWhereTheyDiffer(t *testing.T) {
	const rounds = 48
	alike, differ, pool := &fakeLinker{}, &fakeLinker{differ: 0.1}, &fakeLinker{differ: 0.1}
	_, same := alike.run(t, newFolder(t), rounds, 0)
	e, other := differ.run(t, newFolder(t), rounds, 0)
	_, asked := pool.run(t, newFolder(t), rounds, 5)
	if a, b := distinct(same), distinct(other); a > plan.FirstLinks+4 || b < 2*rounds/3 {
		t.Errorf("in %d rounds %d links that are alike, and %d that differ", rounds, a, b)
	}
	if n := distinct(asked); n != 5 {
		t.Errorf("%d links of a pool of 5", n)
	}
	sec, links := 0.0, 0
	if _, err := store.ReadSamples(e.Folder.Dir, func(r *benchfmt.Result) error {
		if v, ok := r.Value(series.UnitLink); ok {
			sec, links = sec+v, links+1
		}
		return nil
	}); err != nil || math.Abs(sec-0.4*float64(len(differ.made))) > 1e-6 || links != len(differ.made) {
		t.Errorf("%v s of %d times are recorded, want 0.4 s of each of %d: %v", sec, links, len(differ.made), err)
	}
	// Whoever goes on with it counts them: samples of 0.1 s, and links.
	again := &Engine{Plan: e.Plan, Studies: e.Studies, Folder: e.Folder, Executor: e.Executor}
	if err := again.replay(); err != nil {
		t.Fatal(err)
	}
	if want := 0.2*rounds + sec; math.Abs(again.wall-want) > 1e-6 {
		t.Errorf("a run that goes on has spent %v s, want %v s", again.wall, want)
	}
	if len(again.links.of(0).used) != distinct(other) {
		t.Errorf("a run that goes on knows %v, and ran %d", again.links.of(0).used, distinct(other))
	}
}

// A round that was interrupted goes on with the link that it had, and the links with their numbers; those that
// are needed are made once more.
func TestLinksGoOnWhereTheyWere(t *testing.T) {
	for _, kill := range []int{7, 30} {
		folder := newFolder(t)
		first := &fakeLinker{differ: 0.1, kill: kill}
		_, before := first.run(t, folder, 24, 0)
		if len(before) > kill {
			t.Fatalf("%d samples before it ended", len(before))
		}
		second := &fakeLinker{differ: 0.1}
		_, all := second.run(t, folder, 24, 0)
		if len(all) != 48 || !slices.Equal(all[:len(before)], before) {
			t.Fatalf("%d samples, after %d", len(all), len(before))
		}
		seen := map[int]bool{}
		for i := 0; i < len(all); i += 2 {
			if all[i] != all[i+1] {
				t.Errorf("ended after %d: a round runs links %d and %d", kill, all[i], all[i+1])
			}
			if next := 2 * len(seen); !seen[all[i]] && all[i] != next {
				t.Errorf("ended after %d: link %d is the next new one after %d", kill, all[i], len(seen))
			}
			seen[all[i]] = true
		}
	}
}
