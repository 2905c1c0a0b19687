package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

func exps(v ...float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.Exp(x)
	}
	return out
}

// The permeability constants of Hollander, Wolfe and Chicken, Table 4.1, as R
// has them in example(wilcox.test):
//
//	wilcox.test(x, y, conf.int = TRUE)
//	95 percent confidence interval: -0.15  0.76
//	difference in location: 0.305
func TestShiftAgainstR(t *testing.T) {
	x := exps(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
	y := exps(1.15, 0.88, 0.90, 0.74, 1.21)
	ratio, iv := Shift(y, x, 0.05)
	for _, c := range []struct{ got, want float64 }{{math.Log(ratio), 0.305}, {math.Log(iv.Lo), -0.15},
		{math.Log(iv.Hi), 0.76}} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if back, other := Shift(x, y, 0.05); math.Abs(back*ratio-1) > 1e-12 || math.Abs(other.Lo*iv.Hi-1) > 1e-12 {
		t.Errorf("the other way round: %v %v", back, other)
	}
}

// The first seven by counting every order (R: qwilcox(alpha/2, m, n)), the rest
// by another recurrence in whole numbers. The normal approximation of the last
// two may be smaller, which widens the interval by a rank or two of 900 and more.
func TestCriticalRank(t *testing.T) {
	alphas := [3]float64{0.1, 0.05, 0.01}
	for _, tt := range []struct {
		m, n int
		want [3]int
	}{
		{1, 1, [3]int{0, 0, 0}}, {3, 3, [3]int{1, 0, 0}}, {4, 4, [3]int{2, 1, 0}}, {5, 5, [3]int{5, 3, 1}},
		{6, 4, [3]int{4, 3, 1}}, {4, 6, [3]int{4, 3, 1}}, {10, 10, [3]int{28, 24, 17}},
		{20, 20, [3]int{139, 128, 106}}, {26, 26, [3]int{248, 231, 199}}, {27, 27, [3]int{269, 251, 217}},
		{5, 60, [3]int{83, 71, 50}}, {100, 3, [3]int{65, 51, 29}},
		{30, 30, [3]int{339, 318, 277}}, {40, 50, [3]int{797, 759, 685}},
	} {
		for i, alpha := range alphas {
			slack := 0
			if tt.m > 27 && tt.n > 27 {
				slack = 2
			}
			if got := criticalRank(tt.m, tt.n, alpha); got > tt.want[i] || got < tt.want[i]-slack {
				t.Errorf("criticalRank(%d, %d, %g) = %d, want %d", tt.m, tt.n, alpha, got, tt.want[i])
			}
		}
	}
	for _, alpha := range []float64{0, 1, -1, 2, math.NaN()} {
		if got := criticalRank(10, 10, alpha); got != 0 {
			t.Errorf("alpha %v: %d", alpha, got)
		}
	}
}

// Ranks by bisection are those of the sorted differences, ties and all.
func TestShiftByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		a, b := make([]float64, 1+rng.IntN(12)), make([]float64, 1+rng.IntN(12))
		for _, s := range [][]float64{a, b} {
			for i := range s {
				s[i] = float64(1 + rng.IntN(8))
			}
		}
		var all []float64
		for _, x := range a {
			for _, y := range b {
				all = append(all, math.Log(y)-math.Log(x))
			}
		}
		slices.Sort(all)
		ratio, iv := Shift(a, b, 0.05)
		if want := math.Exp(middle(all)); ratio != want {
			t.Fatalf("%v against %v: ratio %v, want %v", b, a, ratio, want)
		}
		want := Interval{0, math.Inf(1)}
		if k := criticalRank(len(a), len(b), 0.05); k > 0 {
			want = Interval{math.Exp(all[k-1]), math.Exp(all[len(all)-k])}
		}
		if iv != want {
			t.Fatalf("%v against %v: %v, want %v", b, a, iv, want)
		}
	}
}

// Without ties the interval excludes 1 exactly where benchstat's p is at most
// alpha.
func TestShiftAgreesWithBenchstat(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	excluded := 0
	for i := range 600 {
		n := 2 + i%20
		a, b := lognormal(rng, n, 0), lognormal(rng, n+i%3, float64(i%4)*0.5)
		_, iv := Shift(a, b, 0.05)
		th := benchmath.DefaultThresholds
		p := benchmath.AssumeNothing.Compare(benchmath.NewSample(a, &th), benchmath.NewSample(b, &th)).P
		if iv.Excludes(1) != (p <= 0.05) {
			t.Errorf("n = %d+%d: interval %v, p = %v", len(a), len(b), iv, p)
		}
		if iv.Excludes(1) {
			excluded++
		}
	}
	if excluded < 60 || excluded > 540 {
		t.Errorf("%d of 600 excluded: the test has seen one side only", excluded)
	}
}

func lognormal(rng *rand.Rand, n int, shift float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(shift + rng.NormFloat64())
	}
	return out
}

// The true ratio is inside in 95% of the cases or more, whatever the tails.
func TestShiftCovers(t *testing.T) {
	draws := map[string]func(*rand.Rand) float64{
		"normal":   func(r *rand.Rand) float64 { return r.NormFloat64() },
		"outliers": func(r *rand.Rand) float64 { return r.NormFloat64() * []float64{1, 10}[r.IntN(10)/9] },
		"skewed":   func(r *rand.Rand) float64 { return r.ExpFloat64() },
	}
	for name, draw := range draws {
		for _, n := range []int{4, 10, 40, 400} {
			trials := min(4000, 200_000/n)
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			const truth = 1.3
			inside := 0
			for range trials {
				a, b := make([]float64, n), make([]float64, n+2)
				for i := range a {
					a[i] = math.Exp(draw(rng))
				}
				for i := range b {
					b[i] = truth * math.Exp(draw(rng))
				}
				if _, iv := Shift(a, b, 0.05); iv.Contains(truth) {
					inside++
				}
			}
			got := ClopperPearson(inside, trials, 0.001)
			if got.Hi < 0.95 || got.Lo > 0.985 {
				t.Errorf("%s, n = %d: inside in %d of %d", name, n, inside, trials)
			}
		}
	}
}

func TestShiftOfWhatCannotBeUsed(t *testing.T) {
	good := []float64{1, 2, 3, 4, 5}
	for _, bad := range [][]float64{nil, {}, {1, 0}, {-1}, {math.NaN(), 1}, {math.Inf(1)}} {
		for _, pair := range [][2][]float64{{bad, good}, {good, bad}} {
			if ratio, iv := Shift(pair[0], pair[1], 0.05); !math.IsNaN(ratio) || iv.Lo != 0 || !math.IsInf(iv.Hi, 1) {
				t.Errorf("%v: %v %v", pair, ratio, iv)
			}
		}
	}
	// The ends of what a float64 holds.
	a, b := []float64{5e-324, 5e-324, 5e-324, 5e-324}, []float64{1e308, 1e308, 1e308, 1e308}
	if ratio, iv := Shift(b, a, 0.05); ratio != 0 || iv.Hi != 0 {
		t.Errorf("%v %v", ratio, iv)
	}
	if ratio, iv := Shift(a, b, 0.05); !math.IsInf(ratio, 1) || !math.IsInf(iv.Lo, 1) {
		t.Errorf("%v %v", ratio, iv)
	}
}

// A million figures a side are taken whole.
func TestShiftOfManyFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	a, b := make([]float64, 300_000), make([]float64, 200_000)
	for i := range a {
		a[i] = math.Exp(0.1 * rng.NormFloat64())
	}
	for i := range b {
		b[i] = 1.001 * math.Exp(0.1*rng.NormFloat64())
	}
	ratio, iv := Shift(a, b, 0.05)
	// The shift's standard error is about 0.1 √(1/m + 1/n) √(π/3) = 0.0003.
	if math.Abs(ratio-1.001) > 0.0015 || iv.Width() > 0.002 || !iv.Contains(1.001) || iv.Contains(1.003) {
		t.Errorf("%v %v", ratio, iv)
	}
}
