package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A made-up run: its clock is the sum of what its rounds cost. It ends when its questions are
// answered or its budget is spent.
type made struct {
	cost   func(round int) float64 // of a round, in seconds
	rounds int                     // until the questions are answered
	// seems is how many more rounds it looks like after some.
	seems  func(round int) float64
	budget float64
}

// errors returns, for each forecast of a run, which part of the run was over and by which part of
// the whole the foretold end was wrong.
func (m made) errors() (over, wrong []float64) {
	var e End
	wall, all := 0.0, 0.0
	var at, ends []float64
	for round := range m.rounds {
		if m.budget > 0 && wall+m.cost(round)/2 > m.budget {
			break
		}
		if e.Due(wall) {
			e.Foretold(wall, m.seems(round)*m.cost(round), 0.01)
		}
		for _, share := range []float64{0, 0.5} {
			now := wall + share*m.cost(round)
			at, ends = append(at, now), append(ends, now+e.Left(now, m.budget, (1-share)*m.cost(round)))
		}
		wall += m.cost(round)
	}
	all = wall
	for i := range at {
		over, wrong = append(over, at[i]/all), append(wrong, math.Abs(ends[i]-all)/all)
	}
	return over, wrong
}

// From the middle on the foretold end is right within a fifth of the run: where the budget ends
// it, where the questions do, and where it is foretold badly at first.
func TestRightFromTheMiddleOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noisy := make([]float64, 1000)
	for i := range noisy {
		noisy[i] = 0.5 + 0.4*rng.Float64()
	}
	steady := func(round int) float64 { return noisy[round] }
	for name, m := range map[string]made{
		"no end in sight":   {steady, 1000, func(int) float64 { return math.Inf(1) }, 150},
		"answered":          {steady, 120, func(r int) float64 { return float64(120 - r) }, 150},
		"answered at once":  {steady, 4, func(r int) float64 { return float64(4 - r) }, 150},
		"too optimistic":    {steady, 100, func(r int) float64 { return math.Ceil(0.8 * float64(100-r)) }, 150},
		"too pessimistic":   {steady, 100, func(r int) float64 { return 1.2 * float64(100-r) }, 150},
		"unknown, then not": {steady, 90, func(r int) float64 { return cond(r < 40, math.Inf(1), float64(90-r)) }, 100},
		"cheaper in the end": {func(r int) float64 { return cond(r < 20, 2*noisy[r], noisy[r]) }, 100,
			func(r int) float64 { return float64(100 - r) }, 150},
		"without a budget": {steady, 50, func(r int) float64 { return float64(50 - r) }, 0},
	} {
		over, wrong := m.errors()
		late := 0
		for i := range over {
			if over[i] < 0.5 {
				continue
			}
			if late++; wrong[i] > 0.2 {
				t.Errorf("%s: after %.0f%% of the run its end is wrong by %.0f%% of it", name, 100*over[i],
					100*wrong[i])
			}
		}
		if late == 0 {
			t.Errorf("%s: there is no forecast in its second half", name)
		}
	}
}

func cond(is bool, a, b float64) float64 {
	if is {
		return a
	}
	return b
}

// A forecast costs little of the run, and is made anew when the run has gone on for some time.
func TestSeldom(t *testing.T) {
	var e End
	times, spent := 0, 0.0
	for wall := 1.0; wall < 300; wall += 0.1 {
		if e.Due(wall) {
			e.Foretold(wall, 10, 1)
			times, spent = times+1, spent+1
		}
	}
	if times < 5 || spent > 300/perForecast+1 {
		t.Errorf("%d forecasts took %.0f of 300 seconds", times, spent)
	}
}

// A round under way is finished in any case; of what nothing is known the round is all.
func TestRoundUnderWay(t *testing.T) {
	var e End
	if left := e.Left(3, 0, 2); left != 2 {
		t.Errorf("nothing is foretold, and the run takes %v more", left)
	}
	e.Foretold(3, 0, 0)
	if left := e.Left(3, 0, 2); left != 2 {
		t.Errorf("all is answered in the middle of a round, and the run takes %v more", left)
	}
}

// A number of rounds is foretold by what the rounds before took.
func TestRoundsLeft(t *testing.T) {
	for _, x := range []struct{ wall, begun, done, all, foretold, want float64 }{
		{5, 5, 0, 10, 2, 20},
		{11, 5, 2, 10, 2, 24},
		{6, 5, 0.5, 10, 2, 19},
		{35, 5, 10, 10, 2, 0},
	} {
		if got := RoundsLeft(x.wall, x.begun, x.done, x.all, x.foretold); math.Abs(got-x.want) > 1e-9 {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

// An interval shrinks with the root of the rounds.
func TestNarrowing(t *testing.T) {
	for _, x := range []struct {
		n            int
		half, wanted float64
		want         float64
	}{{8, 0.06, 0.03, 24}, {26, 0.03, 0.03, 0}, {26, 0.0301, 0.03, 1}, {8, 0.1, 0, math.Inf(1)}} {
		if got := Narrowing(x.n, x.half, x.wanted); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}
