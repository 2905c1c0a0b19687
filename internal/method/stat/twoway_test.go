package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A two-way fit finds the sides' effects, whatever some of the slices have lost.
func TestTwoWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	truth := []float64{1e-6, 1.05e-6, 0.5e-6}
	times := make([][]float64, len(truth))
	for range 30 {
		state := math.Exp(0.1 * rng.NormFloat64()) // of the machine, for all sides
		for i, v := range truth {
			x := v * state * math.Exp(0.01*rng.NormFloat64())
			if rng.IntN(10) == 0 {
				x *= 10
			}
			times[i] = append(times[i], x)
		}
	}
	got := TwoWay(times)
	for i := range truth {
		for j := range truth {
			if d := math.Log(got[i]/got[j]) - math.Log(truth[i]/truth[j]); math.Abs(d) > 0.02 {
				t.Errorf("side %d over side %d is off by %.3f", i, j, d)
			}
		}
	}
	one := TwoWay([][]float64{{2, 3, 4, 100}, {2, 3, 4, 100}})
	if math.Abs(one[0]/one[1]-1) > 1e-12 || one[0] < 2 || one[0] > 20 {
		t.Errorf("identical sides have %v", one)
	}
}
