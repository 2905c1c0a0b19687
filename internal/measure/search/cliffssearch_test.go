package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A planted malloc: from each size on, a change.
type planted struct {
	from   int64
	change func(*Probe)
}

func ask(plants []planted, noise float64) func(context.Context, int64) (Probe, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	return func(_ context.Context, size int64) (Probe, error) {
		p := Probe{Size: size, TimerNS: 10, Mechanism: "heap", First: First{Mechanism: "heap"}, MallocNS: 100,
			TouchNS: 50 + float64(size)/100, FreeNS: 100, Kept: true}
		for _, x := range plants {
			if size >= x.from {
				x.change(&p)
			}
		}
		stray := 1 + noise*rng.Float64()
		if noise > 0 && rng.IntN(8) == 0 {
			stray *= 20 // a process that was disturbed
		}
		p.MallocNS, p.TouchNS, p.FreeNS = p.MallocNS*stray, p.TouchNS*stray, p.FreeNS*stray
		return p, nil
	}
}

func newCliffSearch(f func(context.Context, int64) (Probe, error)) *cliffSearch {
	return &cliffSearch{log: func(string, float64) {}, ctx: context.Background(), ask: f, glibc: true, cache: map[int64][]Probe{}, failed: map[int64]bool{}}
}

func mmapped(p *Probe) {
	p.Mechanism, p.First.Mechanism, p.Mmap, p.Munmap, p.MallocFault, p.TouchFault, p.Kept = "mmap", "mmap", 1, 1, 1, 9,
		false
}

func TestSearchFindsWhatIsPlanted(t *testing.T) {
	plants := []planted{
		{0, func(p *Probe) { p.Mechanism, p.First.Mechanism = "tcache", "tcache" }},
		{1033, func(p *Probe) { p.Mechanism, p.First.Mechanism = "heap", "heap" }},
		{20000, func(p *Probe) { p.MallocNS *= 5 }},
		{61000, func(p *Probe) { p.Brk, p.MallocFault, p.Mechanism = 2, 1, "brk" }},
		{131049, func(p *Probe) { p.Brk = 0; mmapped(p) }},
		{5 << 20, func(p *Probe) { *p = Probe{Size: p.Size, Null: "Cannot allocate memory"} }},
	}
	want := []struct {
		cause string
		at    int64
	}{{causeTcache, 1033}, {causeCost, 20000}, {causeTrim, 61000}, {causeMmap, 131049}, {causeNull, 5 << 20}}
	for _, noise := range []float64{0, 0.5} {
		s := newCliffSearch(ask(plants, noise))
		if err := s.run(8, 64<<20); err != nil {
			t.Fatal(err)
		}
		if len(s.cliffs) != len(want) {
			t.Fatalf("noise %g: %d cliffs, want %d: %+v", noise, len(s.cliffs), len(want), s.cliffs)
		}
		for i, c := range s.cliffs {
			most := int64(fine)
			if c.Cause == causeCost {
				most = page
			}
			if c.Cause != want[i].cause || c.Below >= want[i].at || c.At < want[i].at || c.At-c.Below > most {
				t.Errorf("noise %g: %s between %d and %d, want %s at %d", noise, c.Cause, c.Below, c.At, want[i].cause,
					want[i].at)
			}
		}
	}
}

// Two changes between neighbours of the scan, and one that is undone.
func TestSearchSeparatesNeighbours(t *testing.T) {
	s := newCliffSearch(ask([]planted{
		{33000, func(p *Probe) { p.First.Mechanism = "brk" }},
		{34000, mmapped},
		{60000, func(p *Probe) {
			p.Mechanism, p.First.Mechanism, p.Mmap, p.Munmap, p.MallocFault, p.TouchFault = "heap", "heap", 0, 0, 0, 0
		}},
		{70000, mmapped},
	}, 0))
	if err := s.run(8, 1<<20); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.cliffs {
		got = append(got, c.Cause)
	}
	if want := []string{causeGrow, causeMmap, causeHeap, causeMmap + "-2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Costs that stray, that climb, and that differ by less than the timer can tell are no
// cliffs; neither are counters that differ from process to process.
func TestNoiseMakesNoCliff(t *testing.T) {
	flicker := rand.New(rand.NewPCG(3, 4))
	for name, f := range map[string]func(context.Context, int64) (Probe, error){
		"stray": ask(nil, 1),
		"climb": ask([]planted{{0, func(p *Probe) { p.MallocNS = float64(p.Size) * float64(p.Size) / 1e6 }}}, 0.1),
		"timer": ask([]planted{{5000, func(p *Probe) {
			p.MallocNS, p.FreeNS = 20, 20
		}}, {50000, func(p *Probe) {
			p.MallocNS, p.FreeNS = 40, 40
		}}, {0, func(p *Probe) { p.MallocNS, p.FreeNS = 20, 20 }}}, 0),
		"flicker": ask([]planted{{0, func(p *Probe) {
			if flicker.IntN(10) == 0 {
				p.Brk = 1
			}
		}}}, 0),
	} {
		s := newCliffSearch(f)
		if name == "timer" {
			s.ask = func(ctx context.Context, n int64) (Probe, error) {
				p, err := f(ctx, n)
				if n < 50000 {
					p.MallocNS, p.FreeNS = 10, 10
				}
				return p, err
			}
		}
		if err := s.run(8, 64<<20); err != nil {
			t.Fatal(err)
		}
		for _, c := range s.cliffs {
			t.Errorf("%s: a cliff %s between %d and %d: %s; %s", name, c.Cause, c.Below, c.At, c.Before, c.After)
		}
	}
}

// A size that fails is passed over, and what is around it is found; too many are an
// error; a size without memory ends the scan.
func TestSearchSurvivesFailures(t *testing.T) {
	good := ask([]planted{{131049, mmapped}}, 0)
	s := newCliffSearch(func(ctx context.Context, n int64) (Probe, error) {
		if n == 131072 || n == 12 {
			return Probe{}, fmt.Errorf("size %d died", n)
		}
		if n > 1<<20 {
			return Probe{}, errSkipped
		}
		return good(ctx, n)
	})
	if err := s.run(8, 64<<20); err != nil {
		t.Fatal(err)
	}
	if len(s.cliffs) != 1 || s.cliffs[0].At-s.cliffs[0].Below > fine || s.largest != 1<<20 {
		t.Errorf("largest %d, cliffs %+v", s.largest, s.cliffs)
	}
	if notes := strings.Join(s.notes, "\n"); !strings.Contains(notes, "size 131072 died") ||
		!strings.Contains(notes, "too little memory") {
		t.Errorf("notes: %s", notes)
	}

	calls := 0
	s = newCliffSearch(func(context.Context, int64) (Probe, error) { calls++; return Probe{}, errors.New("it is broken") })
	if err := s.run(8, 64<<20); err == nil || calls != mostFailed {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// With another malloc than glibc's, "tcache" is not told apart from "heap".
func TestOtherMalloc(t *testing.T) {
	s := newCliffSearch(ask([]planted{{2000, func(p *Probe) {
		p.Mechanism = "tcache"
	}}, {1 << 20, func(p *Probe) { p.Madvise = 1 }}}, 0))
	s.glibc = false
	if err := s.run(8, 4<<20); err != nil {
		t.Fatal(err)
	}
	if len(s.cliffs) != 1 || s.cliffs[0].Cause != causeMadvise {
		t.Errorf("%+v", s.cliffs)
	}
}

// A size from which on the calls cannot be counted is no cliff; what they say there is.
func TestUncountedIsNoCliff(t *testing.T) {
	s := newCliffSearch(ask([]planted{{300000, func(p *Probe) { p.Uncounted, p.Kept = "no memory", true }}}, 0))
	if err := s.run(8, 1<<20); err != nil {
		t.Fatal(err)
	}
	if len(s.cliffs) != 0 {
		t.Errorf("%+v", s.cliffs)
	}
	s = newCliffSearch(ask([]planted{{0, func(p *Probe) {
		p.Uncounted = "no ptrace"
	}}, {300000, func(p *Probe) { p.Kept = false }}}, 0))
	if err := s.run(8, 1<<20); err != nil {
		t.Fatal(err)
	}
	if len(s.cliffs) != 1 || s.cliffs[0].At-300000 > fine {
		t.Errorf("%+v", s.cliffs)
	}
}
