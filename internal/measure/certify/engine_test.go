package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// A simulated machine takes samples that cost nothing, with errors that are known.
type simulated struct {
	rng    *rand.Rand
	clock  time.Time
	step   time.Duration // of the clock, by sample
	noise  float64       // of a sample, as a share
	copies float64       // error of the copies: ln of a ratio
	slower float64       // error of the known slowdowns
	taken  int
	stopAt int // the sample before which it is interrupted; 0 is never
	cancel context.CancelFunc
	loads  map[string]int
	breaks int // the load that had ended before, from 1; 0 is none
	full   int // the sample from which the disk is full; 0 is never
}

func (s *simulated) take(_ context.Context, p *plan.Plan, pools [][]int,
	tasks []plan.Task) ([]*benchfmt.Result, error) {
	t := tasks[0]
	if s.taken++; s.stopAt > 0 && s.taken == s.stopAt {
		s.cancel()
		return nil, context.Canceled
	}
	if s.full > 0 && s.taken >= s.full {
		return nil, fmt.Errorf("writing: %w", syscall.ENOSPC)
	}
	s.clock = s.clock.Add(s.step)
	c := p.Cases[t.Case]
	if want := iterations(c.N, t.Side); t.N != want {
		return nil, fmt.Errorf("a sample of side %d has %d iterations, not %d", t.Side, t.N, want)
	}
	y := s.noise * s.rng.NormFloat64()
	switch {
	case t.Side == copied:
		y += s.copies
	case t.Side >= slower:
		y += s.slower
	}
	r := &benchfmt.Result{Name: benchfmt.Name(c.Name), Iters: int(t.N), Values: []benchfmt.Value{
		{Value: 1e-6 * math.Exp(y), Unit: "sec/op"}, {Value: 0.02, Unit: series.UnitWall},
		{Value: float64(t.Round), Unit: series.UnitRound}, {Value: float64(t.Layout), Unit: series.UnitLayout}}}
	side := p.Sides[t.Side]
	for _, kv := range [][2]string{{series.KeyStudy, studyName},
		{series.ToolchainKey(side.Name, side.Toolchain), side.Toolchain},
		{series.KeySide, series.SideSetting(side.Name, side.Toolchain)}} {
		r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	return []*benchfmt.Result{r}, nil
}

func (s *simulated) load(_ context.Context, condition string) (func() error, error) {
	s.loads[condition]++
	n := s.loads[condition]
	return func() error {
		if condition == certificate.CPU && n == s.breaks {
			return errors.New("it had ended before")
		}
		return nil
	}, nil
}

var here = machine.Identity{ID: "0011", CPUModel: "simulated", CPUs: 2, MemoryBytes: 1 << 30, System: "linux/amd64"}

// attempt begins an attempt with a budget for so many samples of 10 ms.
func attempt(t *testing.T, dir string, wanted, samples int) (*Engine, *simulated) {
	t.Helper()
	s := &simulated{rng: rand.New(rand.NewPCG(1, 2)), clock: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC),
		step: 10 * time.Millisecond, noise: 0.01, loads: map[string]int{}}
	a := &Attempt{Tool: "0.0.1", Created: s.clock, Machine: here, Go: "go1.26.8", Hash: "abc",
		Options: Fit(time.Duration(samples)*s.step, 7)}
	a.Options.Wanted = wanted
	for i := range 6 {
		a.Cases = append(a.Cases, plan.Case{Name: fmt.Sprintf("Case%d-2", i), N: 10000})
	}
	folder, err := Begin(dir, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return engine(a, folder, s), s
}

func engine(a *Attempt, folder *store.Folder, s *simulated) *Engine {
	return &Engine{Attempt: a, Folder: folder, Take: s.take, Load: s.load, Now: func() time.Time { return s.clock }}
}

func run(t *testing.T, e *Engine) *certificate.Certificate {
	t.Helper()
	c, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A sound instrument is certified, and every comparison stands in the counts.
func TestSoundInstrument(t *testing.T) {
	e, s := attempt(t, t.TempDir(), 612, 18000)
	c := run(t, e)
	if !c.Passed() || !e.Attempt.Ended {
		t.Errorf("not certified: %q", c.Because)
	}
	if all := c.All(); all.Comparisons != 612 || all.Alarms > 20 || all.Undecided != 0 {
		t.Errorf("identical copies: %+v", all)
	}
	for _, u := range c.Under {
		if u.Comparisons != 204 || s.loads[u.Name] != 34 {
			t.Errorf("%s: %d comparisons, %d times under it", u.Name, u.Comparisons, s.loads[u.Name])
		}
		ten := u.Known[len(u.Known)-1]
		if ten.By != 0.1 || ten.Comparisons < 34 || ten.Found != ten.Comparisons || ten.Rounds < 8 || ten.Seconds <= 0 {
			t.Errorf("%s: ten percent: %+v", u.Name, ten)
		}
	}
	if known := c.Known(); known.Comparisons < certificate.MinKnown || known.Covered > known.AtEnd {
		t.Errorf("known slowdowns: %+v", known)
	}
	perCase := 0
	for _, x := range c.Cases {
		perCase += x.Comparisons
	}
	if perCase != 612 {
		t.Errorf("the cases have %d comparisons", perCase)
	}
}

// An instrument that sees differences between copies is not certified.
func TestFalseAlarms(t *testing.T) {
	e, s := attempt(t, t.TempDir(), 612, 18000)
	s.copies = 0.02
	c := run(t, e)
	if c.Passed() || c.All().Alarms < 300 || !strings.Contains(strings.Join(c.Because, "\n"), "false alarms in 612") {
		t.Errorf("%d false alarms; %q", c.All().Alarms, c.Because)
	}
}

// One whose slowdowns are not what they should be has no coverage, and is not certified.
func TestBiasedSlowdowns(t *testing.T) {
	e, s := attempt(t, t.TempDir(), 612, 18000)
	s.slower = -0.03
	c := run(t, e)
	if known := c.Known(); c.Passed() || known.Covered > known.Comparisons/2 || len(c.Because) != 1 ||
		!strings.Contains(c.Because[0], "the truth was inside") {
		t.Errorf("covered %d of %d; %q", known.Covered, known.Comparisons, c.Because)
	}
}

// With a short budget there are figures, under all conditions, and no claim beyond them. A
// longer budget goes on.
func TestShortBudget(t *testing.T) {
	dir := t.TempDir()
	e, s := attempt(t, dir, 612, 1100)
	c := run(t, e)
	if all := c.All(); c.Passed() || c.Whole() || all.Comparisons < 18 || all.Comparisons > 60 || len(c.Under) != 3 {
		t.Errorf("%+v under %d conditions", all, len(c.Under))
	}
	if e.Attempt.Ended || e.Attempt.Spent > e.Attempt.Options.Budget*11/10 || s.taken > 1200 {
		t.Errorf("ended %v, %v of %v spent", e.Attempt.Ended, e.Attempt.Spent, e.Attempt.Options.Budget)
	}
	e.Folder.Close()
	a, folder, err := Unfinished(dir, here, "0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	a.Options.Budget *= 2
	before := c.All().Comparisons
	if c := run(t, engine(a, folder, s)); c.All().Comparisons <= before {
		t.Errorf("%d comparisons with the longer budget, %d before", c.All().Comparisons, before)
	}
}

// What is interrupted is gone on with, and comes to what it would have come to: with the same
// samples in the end.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	e, s := attempt(t, dir, 36, 6000)
	s.noise, s.stopAt = 0, 555
	ctx, cancel := context.WithCancel(t.Context())
	s.cancel = cancel
	c, err := e.Run(ctx)
	if !errors.As(err, new(*session.Interruption)) || c.All().Comparisons == 0 || c.All().Comparisons >= 36 {
		t.Fatalf("%v; %+v", err, c.All())
	}
	e.Folder.Close()
	a, folder, err := Unfinished(dir, here, "0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s.stopAt = 0
	if c = run(t, engine(a, folder, s)); c.All().Comparisons != 36 {
		t.Errorf("%+v", c.All())
	}
	seen := map[string]int{}
	_, err = store.ReadSamples(folder.Dir, func(r *benchfmt.Result) error {
		round, _ := r.Value(series.UnitRound)
		seen[fmt.Sprint(r.GetConfig(keyBatch), string(r.Name), r.GetConfig(series.KeySide), round)]++
		return nil
	})
	want := 0
	for _, b := range a.Batches {
		want += (12 + 5*len(b.Known)) * a.Options.Rounds
	}
	if err != nil || len(seen) != want {
		t.Errorf("%d different samples, want %d (%v)", len(seen), want, err)
	}
	for what, n := range seen {
		if n != 1 {
			t.Errorf("%s was taken %d times", what, n)
		}
	}
	Forget(dir, "")
	folder.Close()
	if _, _, err := Unfinished(dir, here, "0.0.1"); !hint.IsUsage(err) {
		t.Errorf("nothing to go on with: %v", err)
	}
}

// An attempt is gone on with where, and by what, it was begun.
func TestResumeIsRefused(t *testing.T) {
	dir := t.TempDir()
	e, _ := attempt(t, dir, 36, 10)
	e.Folder.Close()
	other := here
	other.ID = "2233"
	_, _, err := Unfinished(dir, other, "0.0.1")
	if err == nil || !strings.Contains(err.Error(), "another machine (simulated") {
		t.Errorf("on another machine: %v", err)
	}
	if _, _, err := Unfinished(dir, here, "0.0.2"); err == nil || !strings.Contains(err.Error(), "by memcost 0.0.1") {
		t.Errorf("by another version: %v", err)
	}
	rewrite(t, e, `"method": `, `"method": 9`)
	begun := fmt.Sprintf("begun by method 9%d", stat.Method)
	if _, _, err := Unfinished(dir, here, "0.0.1"); err == nil || !strings.Contains(err.Error(), begun) {
		t.Errorf("another method: %v", err)
	}
	rewrite(t, e, `"method": 9`, `"metho`)
	if _, _, err := Unfinished(dir, here, "0.0.1"); err == nil {
		t.Error("a damaged attempt is gone on with")
	}
}

func rewrite(t *testing.T, e *Engine, old, new string) {
	t.Helper()
	path := filepath.Join(e.Folder.Dir, store.QuestionFile)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A batch whose load ended before it did is measured anew, and counts once.
func TestBrokenLoad(t *testing.T) {
	e, s := attempt(t, t.TempDir(), 36, 6000)
	s.breaks = 1
	c := run(t, e)
	void := 0
	for _, b := range e.Attempt.Batches {
		if b.Void != "" {
			void++
		}
	}
	if void != 1 || c.All().Comparisons != 36 {
		t.Errorf("%d void batches, %+v", void, c.All())
	}
}

func TestFullDisk(t *testing.T) {
	e, s := attempt(t, t.TempDir(), 36, 6000)
	s.full = 700
	c, err := e.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "is full") || !strings.Contains(err.Error(), "certify --resume") {
		t.Errorf("%v", err)
	}
	if c.All().Comparisons == 0 {
		t.Error("what was reached is lost")
	}
}

// No link is on two sides of a comparison, and batches have different ones.
func TestPoolsAreDisjoint(t *testing.T) {
	if short := Fit(time.Minute, 3); short.Links < short.Layouts*(slower+len(Slowdowns())) {
		t.Errorf("%d links are too few for the sides of a batch", short.Links)
	}
	a := &Attempt{Options: Fit(QuickBudget, 3)}
	pools := map[string]bool{}
	for batch := range 50 {
		seen := map[int]bool{}
		for _, pool := range a.pools(batch) {
			for _, link := range pool {
				if seen[link] || link < 0 || link >= a.Options.Links {
					t.Fatalf("batch %d: link %d is in two pools", batch, link)
				}
				seen[link] = true
			}
		}
		pools[fmt.Sprint(a.pools(batch))] = true
	}
	if len(pools) != 50 || len(a.seeds()) != a.Options.Links {
		t.Errorf("%d different batches, %d seeds", len(pools), len(a.seeds()))
	}
}
