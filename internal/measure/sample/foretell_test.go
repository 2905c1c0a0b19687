package sample

import (
	"math"
	"testing"
	"time"
)

// The end of a run is foretold within a fifth of it from its middle on. A sample takes a second by
// the clock of these runs; they end when all is decided and precise, or with their budget. When a
// claim is decided that is nearly false, nobody can foretell.
func TestEndIsForetold(t *testing.T) {
	cost := func(name string) float64 { return map[string]float64{"A": 1, "B": 2, "C": 1.02}[name] }
	for name, x := range map[string]struct {
		budget time.Duration
		noise  float64 // of a sample; the precision that is wanted is 3%
		cases  []string
		decide bool // the run ends when all is decided
	}{
		"precise soon":  {3000 * time.Second, 0.04, []string{"A", "B"}, false},
		"precise later": {3000 * time.Second, 0.1, []string{"A", "B"}, false},
		"out of budget": {100 * time.Second, 0.3, []string{"A", "B"}, false},
		"never decided": {100 * time.Second, 0.3, []string{"A", "B", "C"}, true},
	} {
		claims := []string{".name:B / .name:A > 1.5"}
		if len(x.cases) > 2 {
			claims = append(claims, ".name:C / .name:A > 1")
		}
		b := newBench(t, x.budget, x.cases, claims...)
		b.Plan.Options.StopWhenDecided = x.decide
		var at, ends []float64
		for round := 0; ; round++ {
			b.open = b.questions()
			b.foretell(func() time.Time { return time.Time{} })
			if b.enough(round) != "" {
				break
			}
			at, ends = append(at, b.wall), append(ends, b.wall+b.left(round, 0, 1).Seconds())
			for i, c := range b.Plan.Cases {
				if b.open.live[cell{i, 0}] {
					b.add(c.Name, "a", round, cost(c.Name)*math.Exp(x.noise*b.rng.NormFloat64()))
				}
			}
		}
		for i := range at {
			wrong := math.Abs(ends[i]-b.wall) / b.wall
			if at[i] >= b.wall/2 && wrong > 0.45 { // it falls on a look, and may be two of them off
				t.Errorf("%s: after %.0f of %.0f s the end is foretold for %.0f", name, at[i], b.wall, ends[i])
			}
		}
	}
}
