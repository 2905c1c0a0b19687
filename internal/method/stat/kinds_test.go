package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A world is made-up machines: boards nested in kinds, with known differences.
type world struct {
	kinds, boards, sets        int // boards of a kind: one to so many, the first kinds have most
	slope                      float64
	ofKinds, ofBoards, ofError float64
	heavy                      bool // what a kind has of its own has Student's t with 3 degrees
}

func (w world) draw(rng *rand.Rand) []Board {
	var out []Board
	for k := range w.kinds {
		x := 2 * float64(k) / float64(w.kinds-1)
		own := rng.NormFloat64()
		if w.heavy {
			own /= math.Sqrt((sq(rng.NormFloat64()) + sq(rng.NormFloat64()) + sq(rng.NormFloat64())) / 3)
		}
		for b := range max(1, w.boards-k) {
			board := w.ofBoards * rng.NormFloat64()
			for range w.sets {
				out = append(out, Board{Kind: fmt.Sprint("kind ", k), Machine: fmt.Sprint(k, "/", b), X: x,
					Y: w.slope*x + w.ofKinds*own + board + w.ofError*rng.NormFloat64(), V: w.ofError * w.ofError})
			}
		}
	}
	return out
}

func sq(x float64) float64 { return x * x }

// verdicts counts what is said of n worlds.
func verdicts(w world, n int) map[string]int {
	rng := rand.New(rand.NewPCG(11, uint64(w.kinds)))
	out := map[string]int{}
	for range n {
		out[RegressKinds(w.draw(rng), 0.05).Falls(0.05)]++
	}
	return out
}

// With no influence of the strength a claim is decided, in whichever direction, in at most 5% of the worlds, however
// many boards a kind has. The boards alone would give many more: see TestBoardsAreNotKinds.
func TestRegressFalseAlarms(t *testing.T) {
	n := 1000
	if os.Getenv("MEMCOST_LONG") != "" {
		n = 20_000
	}
	for _, w := range []world{
		{kinds: 4, boards: 1, sets: 1, ofKinds: 0.3, ofBoards: 0.05, ofError: 0.02},
		{kinds: 4, boards: 10, sets: 1, ofKinds: 0.3, ofBoards: 0.05, ofError: 0.02},
		{kinds: 5, boards: 6, sets: 2, ofKinds: 0.3, ofBoards: 0.3, ofError: 0.02},
		{kinds: 6, boards: 4, sets: 1, ofKinds: 0, ofBoards: 0.3, ofError: 0.02},
		{kinds: 6, boards: 3, sets: 1, ofKinds: 0.3, ofBoards: 0.05, ofError: 0.02, heavy: true},
	} {
		got := verdicts(w, n)
		alarms := got[Holds] + got[Fails]
		t.Logf("%+v: %d of %d decided", w, alarms, n)
		if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(n)); float64(alarms) > limit*float64(n) {
			t.Errorf("%+v: %d of %d decided without an effect", w, alarms, n)
		}
	}
}

// Were each board a kind of its own, differences of kinds would be taken for an influence of the strength.
func TestBoardsAreNotKinds(t *testing.T) {
	w := world{kinds: 4, boards: 10, sets: 1, ofKinds: 0.3, ofBoards: 0.02, ofError: 0.02}
	rng := rand.New(rand.NewPCG(3, 3))
	alarms := 0
	const n = 8
	for range n {
		boards := w.draw(rng)
		for i := range boards {
			boards[i].Kind = boards[i].Machine
		}
		if RegressKinds(boards, 0.05).Falls(0.05) != Undecided {
			alarms++
		}
	}
	if alarms < n/2 {
		t.Errorf("%d of %d: the simulation of nested boards shows nothing", alarms, n)
	}
}

// A planted influence is found, in its direction; with three kinds nothing is, however plain.
func TestRegressPower(t *testing.T) {
	const n = 300
	for _, tt := range []struct {
		world
		want  string
		least float64
	}{
		{world{kinds: 6, boards: 3, sets: 1, slope: -0.5, ofKinds: 0.1, ofBoards: 0.05, ofError: 0.02}, Holds, 0.95},
		{world{kinds: 6, boards: 3, sets: 1, slope: 0.5, ofKinds: 0.1, ofBoards: 0.05, ofError: 0.02}, Fails, 0.95},
		{world{kinds: 4, boards: 2, sets: 1, slope: -0.5, ofKinds: 0.05, ofBoards: 0.02, ofError: 0.02}, Holds, 0.7},
		{world{kinds: 3, boards: 10, sets: 1, slope: -2, ofKinds: 0.01, ofBoards: 0.01, ofError: 0.01}, Undecided, 1},
	} {
		got := verdicts(tt.world, n)
		t.Logf("%+v: %v", tt.world, got)
		if float64(got[tt.want]) < tt.least*n {
			t.Errorf("%+v: %v, want %s in %.0f%%", tt.world, got, tt.want, 100*tt.least)
		}
	}
}

func TestRegressThreeKinds(t *testing.T) {
	w := world{kinds: 3, boards: 10, sets: 1, slope: -2, ofKinds: 0.01, ofBoards: 0.01, ofError: 0.01}
	f := RegressKinds(w.draw(rand.New(rand.NewPCG(1, 1))), 0.05)
	if f.Decides || f.Why != "3 kinds" || f.Kinds != 3 || f.Boards != 27 {
		t.Errorf("%+v", f)
	}
	if band := f.Band(1); !math.IsInf(band.Lo, -1) || !math.IsInf(band.Hi, 1) {
		t.Errorf("a band %v of three kinds", band)
	}
}

// The band has the truth in it as often as it says, at a place that is fixed beforehand.
func TestRegressBand(t *testing.T) {
	w := world{kinds: 5, boards: 3, sets: 1, slope: -0.5, ofKinds: 0.2, ofBoards: 0.05, ofError: 0.02}
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 1000
	in := map[float64]int{}
	for range n {
		f := RegressKinds(w.draw(rng), 0.05)
		for _, x := range []float64{0, 1, 2} {
			if f.Band(x).Contains(w.slope * x) {
				in[x]++
			}
		}
	}
	for x, got := range in {
		if float64(got) < (0.95-3*math.Sqrt(0.05*0.95/n))*n {
			t.Errorf("at %v the band has the truth in it %d times of %d", x, got, n)
		}
	}
}

// Kinds, boards and errors are told apart, on average over many worlds.
func TestApart(t *testing.T) {
	w := world{kinds: 8, boards: 8, sets: 1, ofKinds: 0.3, ofBoards: 0.1, ofError: 0.05}
	rng := rand.New(rand.NewPCG(7, 7))
	var kinds, boards float64
	const n = 200
	for range n {
		s := Apart(w.draw(rng))
		kinds, boards = kinds+sq(s.OfKinds)/n, boards+sq(s.OfBoards)/n
	}
	if k, b := math.Sqrt(kinds), math.Sqrt(boards); math.Abs(k-0.3) > 0.03 || math.Abs(b-0.1) > 0.01 {
		t.Errorf("kinds %v, boards %v, want 0.3 and 0.1", k, b)
	}
	if s := Apart(w.draw(rng)[:1]); !math.IsNaN(s.OfKinds) || !math.IsNaN(s.OfBoards) || s.Kinds != 1 || s.Boards != 1 {
		t.Errorf("of one board: %+v", s)
	}
	same := world{kinds: 3, boards: 1, sets: 4, ofKinds: 0.3, ofError: 0.05}
	if s := Apart(same.draw(rng)); s.Boards != 3 || !math.IsNaN(s.OfBoards) {
		t.Errorf("data sets of one machine are taken for boards: %+v", s)
	}
}
