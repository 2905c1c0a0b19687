package stat

import (
	"fmt"
	"math"
	"math/bits"
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

// Without ties the p is benchstat's. With ties benchstat takes twice one tail, which is above 1
// at times and differs where the ties are not symmetric; both are as near as that allows.
func TestMannWhitneyAgainstBenchmath(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	tied := 0
	for i := range 1500 {
		m, n := 5+rng.IntN(26), 5+rng.IntN(26)
		ties := i%2 == 1
		draw := func(k int, shift float64) []float64 {
			out := make([]float64, k)
			for j := range out {
				out[j] = math.Exp(shift + 0.1*rng.NormFloat64())
				if ties {
					out[j] = math.Round(out[j]*200) / 200
				}
			}
			return out
		}
		a, b := draw(m, 0), draw(n, float64(i%3)*0.05)
		got, want := MannWhitney(a, b), min(1, benchmathP(a, b))
		tolerance := 1e-9
		if ranks, _ := doubleRanks(a, b); tieTerm(ranks) > 0 {
			tolerance = 0.003 + 0.08*want
			tied++
		}
		if math.Abs(got-want) > tolerance {
			t.Errorf("%d and %d: p = %v, benchmath has %v", m, n, got, want)
		}
	}
	if tied < 300 {
		t.Errorf("only %d pairs had ties", tied)
	}
}

// The share of all orders, counted one by one, ties and all.
func TestMannWhitneyByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	for range 300 {
		m, n := 1+rng.IntN(5), 1+rng.IntN(5)
		all := make([]float64, m+n)
		for i := range all {
			all[i] = float64(rng.IntN(6))
		}
		ranks := make([]float64, len(all))
		for i, x := range all {
			for _, y := range all {
				if y < x {
					ranks[i]++
				} else if y == x {
					ranks[i] += 0.5
				}
			}
		}
		off := func(subset int) float64 { // of the rank sum from its mean
			sum := 0.0
			for i, r := range ranks {
				if subset>>i&1 == 1 {
					sum += r
				}
			}
			return math.Abs(sum - float64(m*(m+n))/2)
		}
		far, count := 0, 0
		for subset := range 1 << (m + n) {
			if bits.OnesCount(uint(subset)) == m {
				if count++; off(subset) >= off(1<<m-1)-1e-9 {
					far++
				}
			}
		}
		if got, want := MannWhitney(all[:m], all[m:]), float64(far)/float64(count); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v and %v: p = %v, want %v", all[:m], all[m:], got, want)
		}
	}
}

func TestMannWhitneyOfWhatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		a, b []float64
		want float64
	}{
		{nil, []float64{1}, math.NaN()}, {[]float64{1}, nil, math.NaN()},
		{[]float64{math.NaN()}, []float64{1}, math.NaN()},
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
