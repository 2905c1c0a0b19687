package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

func poisson(mean float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if mean > 50 {
			return mean // as good as constant
		}
		limit, product, k := math.Exp(-mean), 1.0, 0.0
		for product *= r.Float64(); product > limit; product *= r.Float64() {
			k++
		}
		return k
	}
}

// seldom is 0 in three rounds of four.
func seldom(mean float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.IntN(4) > 0 {
			return 0
		}
		return poisson(4 * mean)(r)
	}
}

// Poisson 2 against 1 centres on 2, where ratios per round, of those that have any, give
// 1.4.
func TestRatioOfSumsCentres(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	const runs, rounds = 2000, 40
	sum, dropped, perRound := 0.0, 0.0, 0
	for range runs {
		a, b := make([]float64, rounds), make([]float64, rounds)
		for i := range a {
			a[i], b[i] = poisson(2)(r), poisson(1)(r)
			if a[i] > 0 && b[i] > 0 {
				dropped += math.Log(a[i] / b[i])
				perRound++
			}
		}
		ratio, iv := (Looks{}).RatioOfSums(a, b, 0.05)
		sum += math.Log(ratio)
		if !iv.Contains(ratio) {
			t.Errorf("%v is outside %v", ratio, iv)
		}
	}
	if got := math.Exp(sum / runs); math.Abs(got/2-1) > 0.03 {
		t.Errorf("2 is estimated as %.3f on average", got)
	}
	if got := math.Exp(dropped / float64(perRound)); math.Abs(got-1.5) > 0.15 {
		t.Errorf("without the zeros it is %.3f: the test has lost its point", got)
	}
}

// The true ratio is excluded at some look in at most 5% of the runs, or as often as
// stated.
func TestRatioOfSumsCovers(t *testing.T) {
	runs := 300
	if os.Getenv("MEMCOST_LONG") == "1" {
		runs = 10_000
	}
	for i, c := range []struct {
		name         string
		a, b         func(*rand.Rand) float64
		ratio, error float64
	}{
		{"20 against 10", poisson(20), poisson(10), 2, 0.05},
		{"2 against 1", poisson(2), poisson(1), 2, 0.05},
		{"1 against 1", poisson(1), poisson(1), 1, 0.05},
		{"0.4 against 0.2", poisson(0.4), poisson(0.2), 2, 0.05},
		{"1 against 0.05", poisson(1), poisson(0.05), 20, 0.05},
		{"0.2 against a constant", poisson(0.2), poisson(1000), 0.0002, 0.05},
		{"seldom 2 against seldom 1", seldom(2), seldom(1), 2, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(16, uint64(i)))
			missed := 0
			for range runs {
				missed += count(ratioExcluded(c.a, c.b, c.ratio, r))
			}
			t.Logf("%.2f%% of %d runs miss at some look", 100*float64(missed)/float64(runs), runs)
			atMost(t, "the interval", missed, runs, c.error)
		})
	}
}

// ratioExcluded reports whether some look of 108 rounds excludes the ratio. It asks the
// scan about the ratio alone; TestRatioOfSumsIsItsScan says that this is the interval.
func ratioExcluded(a, b func(*rand.Rand) float64, ratio float64, r *rand.Rand) bool {
	var x, y []float64
	for round := 1; round <= 108; round++ {
		x, y = append(x, a(r)), append(y, b(r))
		if (Looks{}).At(round) == round && excludesRatio(x, y, ratio) {
			return true
		}
	}
	return false
}

func excludesRatio(x, y []float64, ratio float64) bool {
	sumX, sumY := total(x), total(y)
	size := (Looks{}).blockOf(x, y, 0.05)
	if size == 0 {
		_, iv := (Looks{}).RatioOfSums(x, y, 0.05)
		return iv.Excludes(ratio)
	}
	s := (Looks{}).ratioScan(x, y, sumX, sumY, size, 0.05)
	return !s.accepts(math.Atan(ratio / s.scale))
}

// Ratios inside the interval are accepted, and those outside are not, but for slivers.
func TestRatioOfSumsIsItsScan(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	wrong, all := 0, 0
	for range 100 {
		n := 10 + r.IntN(90)
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = poisson(3)(r), poisson(2)(r)
		}
		_, iv := (Looks{}).RatioOfSums(a, b, 0.05)
		for ratio := 0.1; ratio < 10; ratio *= 1.07 {
			all++
			excluded := excludesRatio(a, b, ratio)
			if iv.Excludes(ratio) && !excluded {
				t.Fatalf("%v is accepted, outside %v", ratio, iv)
			}
			wrong += count(iv.Contains(ratio) && excluded)
		}
	}
	if wrong > all/50 {
		t.Errorf("%d of %d ratios inside the intervals are excluded", wrong, all)
	}
}

func TestRatioOfSumsAtTheEdges(t *testing.T) {
	ones, zeros := make([]float64, 40), make([]float64, 40)
	for i := range ones {
		ones[i] = 1
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		name  string
		a, b  []float64
		ratio float64
		iv    Interval
	}{
		{"nothing", nil, nil, math.NaN(), Interval{0, inf}},
		{"zeros", zeros, zeros, math.NaN(), Interval{0, inf}},
		{"another length", ones, ones[:39], math.NaN(), Interval{0, inf}},
		{"a negative value", []float64{-1, 2}, []float64{1, 1}, math.NaN(), Interval{0, inf}},
		{"not a number", []float64{1, math.NaN()}, []float64{1, 1}, math.NaN(), Interval{0, inf}},
		{"never against always", zeros, ones, 0, Interval{0, 1}},
		{"always against never", ones, zeros, inf, Interval{1, inf}},
		{"seven rounds", ones[:7], ones[:7], 1, Interval{0, inf}},
	} {
		ratio, iv := (Looks{}).RatioOfSums(c.a, c.b, 0.05)
		if (ratio != c.ratio && !(math.IsNaN(ratio) && math.IsNaN(c.ratio))) || iv != c.iv {
			t.Errorf("%s: %v %v, want %v %v", c.name, ratio, iv, c.ratio, c.iv)
		}
	}
	if ratio, iv := (Looks{}).RatioOfSums(ones, ones, 0.05); ratio != 1 || math.Abs(iv.Lo-1) > 1e-6 || math.Abs(iv.Hi-1) > 1e-6 {
		t.Errorf("constants: %v %v", ratio, iv)
	}
}

// Of rounds that are alike but for one, the ranks know the ratio 1 alone: the figure, of the sums, lies inside its interval.
func TestRatioOfSumsInsideItsInterval(t *testing.T) {
	a, b := make([]float64, 40), make([]float64, 40)
	for i := range a {
		a[i], b[i] = 10, 10
	}
	a[3], b[3], b[7] = 0, 0, 12
	ratio, iv := Looks{}.RatioOfSums(a, b, 0.05)
	if !(ratio < 0.9999) || !iv.Contains(ratio) || !iv.Contains(1) {
		t.Errorf("%v outside of %v, which holds 1 %v", ratio, iv, iv.Contains(1))
	}
}
