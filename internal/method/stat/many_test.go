package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Of 20 comparisons 5 are real; all share one machine state, and each stops at the look that would select it alone. m = 1, 20
// and 120, and one real among all: the share of wrong ones among what is selected, and how many are found.
func TestDiscoveries(t *testing.T) {
	for _, c := range []struct {
		comparisons, real int
		shift             float64
		found             float64 // share of the real ones, at least
	}{{1, 0, 0, 0}, {1, 1, 1.5, 0.95}, {20, 0, 0, 0}, {20, 1, 1.5, 0.9}, {20, 5, 1.5, 0.95}, {120, 0, 0, 0},
		{120, 1, 1.5, 0.75}, {120, 30, 1.5, 0.95}} {
		const runs, rounds = 60, 38
		r := rand.New(rand.NewPCG(4, uint64(c.comparisons)))
		rate, found, with, alone := 0.0, 0, 0, 0
		for range runs {
			p, least := make([]float64, c.comparisons), make([]float64, c.comparisons)
			state := make([]float64, rounds)
			for i := range state {
				state[i] = r.NormFloat64()
			}
			for i := range p {
				p[i], least[i] = 1, 1
				d := make([]float64, rounds)
				for k := range d {
					d[k] = 0.4*state[k] + 0.9*r.NormFloat64()
					if i < c.real {
						d[k] += c.shift
					}
				}
				for _, look := range (Looks{}).Plan(0.05) {
					if look.Rounds > rounds || p[i] <= 0.05/float64(2*c.comparisons) {
						break
					}
					p[i] = Least(func(alpha float64) bool {
						return Looks{}.Interval(Rounds{D: d[:look.Rounds]}, alpha).Excludes(0)
					})
					least[i] = min(least[i], p[i])
				}
			}
			selected, level := Discoveries(p, 0.05)
			if level > 0.05 {
				t.Fatalf("level %v", level)
			}
			wrong, all := 0, 0
			for i, s := range selected {
				all += count(s)
				wrong += count(s && i >= c.real)
				found += count(s && i < c.real)
			}
			if all > 0 {
				rate += float64(wrong) / float64(all) / runs
			}
			with += count(wrong > 0)
			alone += count(c.real < c.comparisons && slices.Min(least[c.real:]) <= 0.05)
		}
		t.Logf("m = %d, %d real: false discovery rate %.1f%%, some false one in %d of %d runs, by each alone in %d; "+
			"%d of %d found", c.comparisons, c.real, 100*rate, with, runs, alone, found, runs*c.real)
		atMost(t, "some discovery", with, runs, 0.05)
		if c.comparisons >= 20 && alone < runs/5 {
			t.Errorf("each test alone errs in %d of %d runs: there is nothing to correct", alone, runs)
		}
		if float64(found) < c.found*float64(runs*c.real) {
			t.Errorf("m = %d: %d of %d are found", c.comparisons, found, runs*c.real)
		}
	}
}

func TestDiscoveriesByHand(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		p     []float64
		want  []bool
		level float64
	}{
		{nil, []bool{}, 0.05},
		{[]float64{0.05}, []bool{true}, 0.05},
		{[]float64{0.051}, []bool{false}, 0.05},
		{[]float64{0.02, 0.03}, []bool{true, false}, 0.025},
		{[]float64{0.01, nan, nan, nan}, []bool{true, false, false, false}, 0.0125},
		// One of five pays 1/2 · 200 + 1/4 · 320 + 1/4 · 80 = 200, which is 5/0.05 twice over.
		{[]float64{0.004, 1, 1, 1, 1}, []bool{true, false, false, false, false}, 0.01},
		{[]float64{0.006, 1, 1, 1, 1}, []bool{false, false, false, false, false}, 0.01},
		// All five at a quarter of α pay 20 each: 5/(0.05·5).
		{[]float64{0.012, 0.012, 0.012, 0.012, 0.012}, []bool{true, true, true, true, true}, 0.05},
		{[]float64{0.001, nan, 0.001, 0.5, nan}, []bool{true, false, true, false, false}, 0.02},
	} {
		got, level := Discoveries(c.p, 0.05)
		if !slices.Equal(got, c.want) || math.Abs(level-c.level) > 1e-12 {
			t.Errorf("%v: %v at %v, want %v at %v", c.p, got, level, c.want, c.level)
		}
	}
}

func TestClopperPearson(t *testing.T) {
	// Familiar values; for 0 of 10 it is 1 − (α/2)^(1/10).
	for _, c := range []struct {
		k, n   int
		alpha  float64
		lo, hi float64
	}{
		{0, 10, 0.05, 0, 0.3084971},
		{10, 10, 0.05, 0.6915029, 1},
		{3, 10, 0.05, 0.06673951, 0.6524529},
		{5, 10, 0.05, 0.1870860, 0.8129140},
		{0, 0, 0.05, 0, 1},
	} {
		got := ClopperPearson(c.k, c.n, c.alpha)
		if math.Abs(got.Lo-c.lo) > 1e-6 || math.Abs(got.Hi-c.hi) > 1e-6 {
			t.Errorf("ClopperPearson(%d, %d, %v) = %v, want [%v, %v]", c.k, c.n, c.alpha, got, c.lo, c.hi)
		}
	}
	// The definition: each end leaves α/2 in its tail of the binomial.
	const k, n, alpha = 33, 1000, 0.05
	iv := ClopperPearson(k, n, alpha)
	if tail := 1 - binomialCDF(k-1, n, iv.Lo); math.Abs(tail-alpha/2) > 1e-8 {
		t.Errorf("at the lower end P(X ≥ %d) = %v", k, tail)
	}
	if tail := binomialCDF(k, n, iv.Hi); math.Abs(tail-alpha/2) > 1e-8 {
		t.Errorf("at the upper end P(X ≤ %d) = %v", k, tail)
	}
	for _, bad := range []Interval{ClopperPearson(-1, 3, 0.05), ClopperPearson(4, 3, 0.05), ClopperPearson(1, 3, 0)} {
		if !math.IsNaN(bad.Lo) || !math.IsNaN(bad.Hi) {
			t.Errorf("an impossible question is answered %v", bad)
		}
	}
}

func binomialCDF(k, n int, p float64) float64 {
	sum := 0.0
	for i := range k + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}
