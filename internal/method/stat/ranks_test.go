package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The distribution of the sum of ranks, by every outcome of the coins.
func TestSumShares(t *testing.T) {
	for n := 1; n <= 12; n++ {
		counts := make([]int, n*(n+1)/2+1)
		for signs := range 1 << n {
			sum := 0
			for rank := 1; rank <= n; rank++ {
				sum += rank * (signs >> (rank - 1) & 1)
			}
			counts[sum]++
		}
		upTo := 0
		for sum, c := range counts {
			upTo += c
			if got, want := sumShare(n, sum), float64(upTo)/math.Exp2(float64(n)); math.Abs(got-want) > 1e-12 {
				t.Fatalf("n = %d, sum %d: %v, want %v", n, sum, got, want)
			}
		}
	}
	// The normal approximation goes on where counting ends.
	exact := sumShares(exactRanks)
	mean, sd := sumOfRanks(exactRanks)
	for sum, want := range exact {
		got := upperTail((mean - float64(sum) - 0.5) / sd)
		if want > 1e-3 && want < 0.5 && (got < 0.99*want || got > 1.2*want) {
			t.Errorf("sum %d of %d: %v by approximation, %v", sum, exactRanks, got, want)
		}
	}
}

// An interval holds the values that the signed ranks do not exclude.
func TestIntervalInvertsSignedRanks(t *testing.T) {
	forSamples(t, []int{8, 9, 12, 20, 60, 75}, func(t *testing.T, d []float64) {
		for _, level := range []float64{0.2, 0.05, 0.0078125} {
			if level < rarest(len(d)) {
				continue
			}
			iv := Rounds{D: d}.At(len(d), level)
			excluded := func(theta float64) bool {
				shifted := make([]float64, len(d))
				for i := range d {
					shifted[i] = d[i] - theta
				}
				return SignedRanks(shifted) <= level
			}
			step := max(iv.Width(), 1e-9*math.Abs(iv.Lo)) / 100
			if step == 0 {
				continue
			}
			for k := -50; k <= 150; k++ {
				theta := iv.Lo + (float64(k)+0.5)*step
				if !iv.Contains(theta) != excluded(theta) {
					t.Fatalf("n = %d, level %v: %v is in %v, and excluded: %v", len(d), level, theta, iv, excluded(theta))
				}
			}
		}
	})
}

func TestSignedRanksAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		d    []float64
		want float64
	}{
		{nil, 1}, {[]float64{0, 0, 0, 0}, 1}, {[]float64{1, -1, 1, -1}, 1}, {[]float64{math.NaN()}, 1},
		{slices.Repeat([]float64{1}, 8), rarest(8)}, {slices.Repeat([]float64{-1}, 10), rarest(10)},
	} {
		if got := SignedRanks(c.d); got != c.want {
			t.Errorf("%v: %v, want %v", c.d, got, c.want)
		}
	}
	for _, n := range []int{0, 3, 9} {
		if iv := (Rounds{D: slices.Repeat([]float64{1}, 8)}).At(n, 0.05); n == 0 && iv != Whole() || n == 9 && iv != Whole() {
			t.Errorf("%d of 8 rounds: %v", n, iv)
		}
	}
	if iv := (Rounds{D: []float64{1, 2, 3, math.NaN(), 5, 6, 7, 8}}).At(8, 0.05); iv != Whole() {
		t.Errorf("an unusable value: %v", iv)
	}
}

// Dependence and links only widen, around the estimate.
func TestWidening(t *testing.T) {
	forSamples(t, []int{12, 20, 60}, func(t *testing.T, d []float64) {
		links := make([]int, len(d))
		for i := range links {
			links[i] = i % 4
		}
		alone, centre := Rounds{D: d}.At(len(d), 0.01), HodgesLehmann(d)
		last := alone
		for _, r := range []Rounds{{D: d, Tau: 1.2}, {D: d, Tau: 2}, {D: d, Tau: 5}} {
			iv := r.At(len(d), 0.01)
			if !last.Within(iv.Lo, iv.Hi) || !iv.Contains(centre) {
				t.Errorf("τ = %v: %v, before %v", r.Tau, iv, last)
			}
			last = iv
		}
		last = alone
		for _, share := range []float64{0.1, 0.5, 1} {
			iv := Rounds{D: d, Links: links, Share: share, Freedom: 6}.At(len(d), 0.01)
			if !last.Within(iv.Lo, iv.Hi) {
				t.Errorf("share %v: %v, before %v", share, iv, last)
			}
			last = iv
		}
	})
	// Eight rounds that count as less than one leave whatever is not far away.
	if iv := (Rounds{D: []float64{1, 2, 3, 4, 5, 6, 7, 8}, Tau: 9}).At(8, 0.05); iv.Width() < 60 || math.IsInf(iv.Width(), 1) {
		t.Errorf("8 rounds that count as less than one: %v", iv)
	}
}

// What lies far from rounds that agree is excluded at levels which their signs alone cannot reach, and no more often than
// that, where what they scatter by has one peak.
func TestOnePeak(t *testing.T) {
	near := []float64{1.50, 1.52, 1.47, 1.55, 1.49, 1.51, 1.53, 1.46}
	for _, level := range []float64{1e-3, 1e-5} {
		r := Rounds{D: near}
		if iv := r.At(8, level); iv != Whole() {
			t.Errorf("by signs alone at %v: %v", level, iv)
		}
		r.OnePeak = true
		if iv := r.At(8, level); iv.Contains(0) || iv.Width() < 0.2 {
			t.Errorf("with one peak at %v: %v", level, iv)
		}
	}
	r := rand.New(rand.NewPCG(7, 1))
	const runs = 30_000
	for name, start := range map[string]func(r *rand.Rand) func() float64{"normal": normal, "t3": studentT3,
		"uniform": func(r *rand.Rand) func() float64 { return func() float64 { return 2*r.Float64() - 1 } }} {
		for _, level := range []float64{1e-3, 1e-4} {
			wrong := 0
			for range runs {
				d := take(start(r), 8)
				wrong += count(Rounds{D: d, OnePeak: true}.At(8, level).Excludes(0))
			}
			t.Logf("%s at %v: %d of %d", name, level, wrong, runs)
			atMost(t, name, wrong, runs, level)
		}
	}
}
