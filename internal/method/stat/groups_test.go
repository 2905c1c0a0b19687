package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTwoGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, fn func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = fn(i)
		}
		return x
	}
	// One group, whatever its shape: rarely called two.
	for _, c := range []struct { // in order: all draw from one generator
		name string
		fn   func(int) float64
	}{
		{"normal", func(int) float64 { return rng.NormFloat64() }},
		{"uniform", func(int) float64 { return rng.Float64() }},
		{"10% outliers", func(int) float64 {
			if rng.IntN(10) == 0 {
				return 10 * rng.NormFloat64()
			}
			return rng.NormFloat64()
		}},
	} {
		for _, n := range []int{12, 30, 200} {
			wrong := 0
			for range 1000 {
				if _, _, ok := TwoGroups(draw(n, c.fn)); ok {
					wrong++
				}
			}
			if wrong > 10 {
				t.Errorf("%s, %d values: %d of 1000 samples called two groups", c.name, n, wrong)
			}
		}
	}
	// Two: 30% of the processes run 20% slower, within 2%.
	found := 0
	for range 1000 {
		low, centres, ok := TwoGroups(draw(40, func(i int) float64 {
			return map[bool]float64{true: math.Log(1.2)}[i%10 < 3] + 0.02*rng.NormFloat64()
		}))
		if ok && low == 28 && math.Abs(centres[1]-centres[0]-math.Log(1.2)) < 0.03 {
			found++
		}
	}
	if found < 980 {
		t.Errorf("two groups found in %d of 1000", found)
	}
	for _, x := range [][]float64{nil, draw(11, func(i int) float64 {
		return float64(i % 2)
	}), draw(20, func(int) float64 { return 5 }), {math.NaN()}} {
		if _, _, ok := TwoGroups(x); ok {
			t.Errorf("%v: two groups", x)
		}
	}
	if low, c, ok := TwoGroups(draw(20, func(i int) float64 { return 1e9 + float64(i%2) })); !ok || low != 10 ||
		c != [2]float64{1e9, 1e9 + 1} {
		t.Errorf("exact groups: %d, %v, %v", low, c, ok)
	}
}
