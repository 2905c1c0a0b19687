package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

func benchmathP(a, b []float64) float64 {
	th := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a), &th),
		benchmath.NewSample(slices.Clone(b), &th)).P
}

// The same p as benchstat's: exactly as far as both are exact, and where benchstat still counts
// the orders with ties and this does not, within a hundredth of the p or 0.005.
func TestMannWhitneyAgainstBenchmath(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	approximate := 0
	for i := range 1500 {
		m, n := 1+rng.IntN(30), 1+rng.IntN(30)
		levels := []int{0, 3, 10, 40}[i%4] // of ties; 0 has none
		draw := func(k int, shift float64) []float64 {
			out := make([]float64, k)
			for j := range out {
				out[j] = math.Exp(shift + 0.1*rng.NormFloat64())
				if levels > 0 {
					out[j] = math.Round(out[j] * float64(levels))
				}
			}
			return out
		}
		a, b := draw(m, 0), draw(n, float64(i%3)*0.05)
		got, want := MannWhitney(a, b), benchmathP(a, b)
		ranks, _ := doubleRanks(a, b)
		tolerance := 1e-9
		if tieTerm(ranks) > 0 && m+n > exactTies && max(m, n) <= 25 {
			if ranks[0] == ranks[len(ranks)-1] {
				continue // benchmath has no test of figures that are all equal
			}
			tolerance = 0.005 + 0.1*want
			approximate++
		}
		if math.Abs(got-want) > tolerance {
			t.Errorf("%d and %d with %d levels: p = %v, benchmath has %v", m, n, levels, got, want)
		}
	}
	if approximate < 100 {
		t.Errorf("only %d approximations were tried", approximate)
	}
}

// With ties, at sizes where this takes the normal approximation and benchmath counts the orders,
// both find the same differences but for p-values at the edge.
func TestMannWhitneyDecidesAsBenchmath(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	differ := 0
	const trials = 300
	for range trials {
		a, b := make([]float64, 13+rng.IntN(13)), make([]float64, 13+rng.IntN(13))
		for i := range a {
			a[i] = math.Round(100 + 5*rng.NormFloat64())
		}
		for i := range b {
			b[i] = math.Round(103 + 5*rng.NormFloat64())
		}
		got, want := MannWhitney(a, b), benchmathP(a, b)
		if (got <= 0.05) != (want <= 0.05) {
			differ++
			if math.Abs(want-0.05) > 0.004 {
				t.Errorf("p = %v, benchmath has %v", got, want)
			}
		}
	}
	if differ > trials/20 {
		t.Errorf("%d of %d decisions differ", differ, trials)
	}
}

func TestMannWhitneyOfWhatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		a, b []float64
		want float64
	}{
		{nil, []float64{1}, math.NaN()}, {[]float64{1}, nil, math.NaN()}, {[]float64{math.NaN()}, []float64{1}, math.NaN()},
		{[]float64{1}, []float64{2}, 1}, {[]float64{3, 3, 3}, []float64{3, 3}, 1},
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, 2.0 / 70},
		{[]float64{math.Inf(1), 5}, []float64{1, 2}, 1.0 / 3},
	} {
		if got := MannWhitney(tt.a, tt.b); fmt.Sprintf("%.6f", got) != fmt.Sprintf("%.6f", tt.want) {
			t.Errorf("%v and %v: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// The example of Benjamini and Hochberg (1995), section 4: of 15 p-values at 0.05 the first four
// stand.
func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
		0.6528, 0.7590, 1.000}
	got := BenjaminiHochberg(p, 0.05)
	for i, is := range got {
		if is != (i < 4) {
			t.Errorf("p = %v: %v", p[i], is)
		}
	}
	if got := BenjaminiHochberg([]float64{math.NaN(), 0.04}, 0.05); got[0] || !got[1] {
		t.Errorf("%v", got)
	}
	if got := BenjaminiHochberg(nil, 0.05); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func BenchmarkMannWhitney(b *testing.B) {
	rng := rand.New(rand.NewPCG(14, 3))
	for _, tt := range []struct {
		name string
		n    int
		ties bool
	}{{"n=12/ties=true", 12, true}, {"n=25/ties=true", 25, true}, {"n=30/ties=false", 30, false}} {
		x, y := make([]float64, tt.n), make([]float64, tt.n)
		for _, s := range [][]float64{x, y} {
			for i := range s {
				if s[i] = 100 + 10*rng.NormFloat64(); tt.ties {
					s[i] = math.Round(s[i])
				}
			}
		}
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				MannWhitney(x, y)
			}
		})
	}
}
