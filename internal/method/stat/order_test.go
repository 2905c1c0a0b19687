package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A sampler draws one difference; samplers are the kinds of data that the
// property tests run on.
type sampler struct {
	name string
	draw func(r *rand.Rand) float64
}

var samplers = []sampler{
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"cauchy", func(r *rand.Rand) float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) }},
	{"outliers", func(r *rand.Rand) float64 { return r.NormFloat64() * []float64{1, 10}[r.IntN(10)/9] }},
	{"skewed", func(r *rand.Rand) float64 { return math.Exp(2 * r.NormFloat64()) }},
	{"two modes", func(r *rand.Rand) float64 { return r.NormFloat64()*0.1 + 5*float64(r.IntN(2)) }},
	{"rounded", func(r *rand.Rand) float64 { return math.Round(r.NormFloat64()) }},
	{"mostly tied", func(r *rand.Rand) float64 { return math.Round(3*r.NormFloat64()) * float64(r.IntN(2)) / 3 }},
}

func (s sampler) sample(r *rand.Rand, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = s.draw(r)
	}
	return d
}

// forSamples runs test on data of every kind and of each size given.
func forSamples(t *testing.T, sizes []int, test func(t *testing.T, d []float64)) {
	for k, s := range samplers {
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%s/n=%d", s.name, n), func(t *testing.T) {
				test(t, s.sample(rand.New(rand.NewPCG(uint64(k), uint64(n))), n))
			})
		}
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{9, 1, 4, 16}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.25, 3.25}, {0.5, 6.5}, {1, 16}, {1.0 / 3, 4}} {
		if got := Quantile(x, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Quantile(%v, %v) = %v, want %v", x, c.q, got, c.want)
		}
	}
	if !slices.Equal(x, []float64{9, 1, 4, 16}) {
		t.Errorf("the input was modified: %v", x)
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		x    []float64
		q    float64
		want float64
	}{
		{[]float64{7}, 0.3, 7},
		{[]float64{-inf, 0, inf}, 0.5, 0},
		{[]float64{inf, inf, 0}, 0.9, inf},
		{nil, 0.5, math.NaN()},
		{[]float64{1, math.NaN()}, 0, math.NaN()},
		{x, -0.1, math.NaN()},
		{x, math.NaN(), math.NaN()},
	} {
		if got := Quantile(c.x, c.q); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Quantile(%v, %v) = %v, want %v", c.x, c.q, got, c.want)
		}
	}
}

func TestMedianAbsEqualsSorting(t *testing.T) {
	forSamples(t, []int{1, 2, 3, 4, 9, 50, 51}, func(t *testing.T, d []float64) {
		sorted := slices.Sorted(slices.Values(d))
		for _, theta := range append(slices.Clone(d), sorted[0]-3, sorted[len(d)-1]+3, 0, 0.1) {
			distances := make([]float64, len(d))
			for i, x := range d {
				distances[i] = math.Abs(x - theta)
			}
			slices.Sort(distances)
			if got, want := medianAbs(sorted, theta), middle(distances); got != want {
				t.Errorf("medianAbs around %v = %v, want %v", theta, got, want)
			}
		}
	})
}

func TestHodgesLehmannEqualsBruteForce(t *testing.T) {
	forSamples(t, []int{1, 2, 3, 4, 5, 8, 31, 64}, func(t *testing.T, d []float64) {
		before := slices.Clone(d)
		var walsh []float64
		for i := range d {
			for j := range i + 1 {
				walsh = append(walsh, (d[i]+d[j])/2)
			}
		}
		slices.Sort(walsh)
		if got, want := HodgesLehmann(d), middle(walsh); got != want {
			t.Errorf("HodgesLehmann = %v, want %v", got, want)
		}
		if !slices.Equal(d, before) {
			t.Error("the input was modified")
		}
	})
}

func TestHodgesLehmannLarge(t *testing.T) {
	// 20,000 values symmetric about 3: the estimate is 3 up to the rounding of d.
	d := make([]float64, 0, 20_000)
	r := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		z := r.NormFloat64()
		d = append(d, 3+z, 3-z)
	}
	if got := HodgesLehmann(d); math.Abs(got-3) > 1e-12 {
		t.Errorf("HodgesLehmann = %v, want 3", got)
	}
}

func TestUnusableValues(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200} {
		d := []float64{1, 2, 3, 4, 5, bad, 7, 8, 9, 10}
		if Check(d) == nil {
			t.Errorf("Check accepts %v", bad)
		}
		if got := HodgesLehmann(d); !math.IsNaN(got) {
			t.Errorf("HodgesLehmann with %v = %v, want NaN", bad, got)
		}
		if got := (Rounds{D: d}).At(10, 0.05); got != Whole() || Decide(got, -1, 1) != Open {
			t.Errorf("the interval with %v = %v, want the whole line", bad, got)
		}
		if got := SignedRanks(d); got != 1 {
			t.Errorf("the p-value with %v = %v", bad, got)
		}
	}
}
