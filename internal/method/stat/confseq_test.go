package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The interval holds every θ that a scan far finer than its own accepts, and its
// ends are not farther out than the stated precision.
func TestConfidenceSequenceEqualsDenseScan(t *testing.T) {
	forSamples(t, []int{8, 10, 13, 30, 100}, func(t *testing.T, d []float64) {
		equalsDenseScan(t, d, 10_000)
	})
	// Under a trend d_1 is an end of the data, and E jumps at d_1 near the limit.
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		d := samplers[0].sample(r, 8+r.IntN(9))
		for i := range d {
			d[i] += 0.5 * float64(i)
		}
		equalsDenseScan(t, d, 2_000)
	}
}

func equalsDenseScan(t *testing.T, d []float64, steps int) {
	t.Helper()
	const alpha = 0.05
	iv, r := ConfidenceSequence(d, alpha), newRounds(d)
	dense := Empty()
	scan := func(from, to float64) {
		for i := range steps + 1 {
			theta := from + (to-from)*float64(i)/float64(steps)
			if r.mixture(theta).logE(1) < -math.Log(alpha) {
				dense = Interval{min(dense.Lo, theta), max(dense.Hi, theta)}
			}
		}
	}
	lowest, highest := slices.Min(d), slices.Max(d)
	scan(2*lowest-highest, 2*highest-lowest)
	scan(iv.Lo-iv.Width(), iv.Hi+iv.Width())
	slack := 5 * iv.Width() / float64(steps)
	if iv.Lo-dense.Lo > slack || dense.Hi-iv.Hi > slack {
		t.Errorf("n = %d: interval %v misses accepted values: they span %v", len(d), iv, dense)
	}
	if dense.Lo-iv.Lo > slack || iv.Hi-dense.Hi > slack {
		t.Errorf("n = %d: interval %v is wider than the accepted values %v", len(d), iv, dense)
	}
}

func TestBoundedFromMinRoundsOn(t *testing.T) {
	forSamples(t, []int{1, 7, 8, 9, 10, 13, 14}, func(t *testing.T, d []float64) {
		for _, alpha := range []float64{0.05, 0.01, 0.001} {
			iv := ConfidenceSequence(d, alpha)
			if bounded := !math.IsInf(iv.Width(), 1); bounded != (len(d) >= MinRounds(alpha)) {
				t.Errorf("α = %v, n = %d: %v", alpha, len(d), iv)
			}
		}
	})
}

func TestMonotoneInAlpha(t *testing.T) {
	alphas := []float64{0.2, 0.05, 0.0123, 0.01, 0.001, 1e-5}
	forSamples(t, []int{8, 14, 40, 150, 300}, func(t *testing.T, d []float64) {
		together := ConfidenceSequences(d, alphas...)
		for i, iv := range together {
			if alone := ConfidenceSequence(d, alphas[i]); alone != iv {
				t.Errorf("α = %v: %v together, %v alone", alphas[i], iv, alone)
			}
			if i > 0 && !together[i-1].Within(iv.Lo, iv.Hi) {
				t.Errorf("α = %v gives %v, outside %v of α = %v", alphas[i-1], together[i-1], iv, alphas[i])
			}
		}
	})
}

// Shifting by a power of two and scaling by one commute with rounding.
func TestEquivariance(t *testing.T) {
	forSamples(t, []int{8, 30, 150}, func(t *testing.T, d []float64) {
		iv := ConfidenceSequence(d, 0.05)
		tolerance := 2e-4 * iv.Width()
		for _, c := range []struct{ scale, shift float64 }{{1, 2}, {-1, 0}, {1024, 0}, {-0.25, 7.5}} {
			moved := make([]float64, len(d))
			for i, x := range d {
				moved[i] = c.scale*x + c.shift
			}
			want := Interval{c.scale*iv.Lo + c.shift, c.scale*iv.Hi + c.shift}
			if c.scale < 0 {
				want.Lo, want.Hi = want.Hi, want.Lo
			}
			got, slack := ConfidenceSequence(moved, 0.05), math.Abs(c.scale)*tolerance+1e-12
			if math.Abs(got.Lo-want.Lo) > slack || math.Abs(got.Hi-want.Hi) > slack {
				t.Errorf("d·%v + %v: %v, want %v", c.scale, c.shift, got, want)
			}
			wantHL := c.scale*HodgesLehmann(d) + c.shift
			if got := HodgesLehmann(moved); math.Abs(got-wantHL) > 1e-12*max(1, math.Abs(wantHL)) {
				t.Errorf("d·%v + %v: HodgesLehmann %v, want %v", c.scale, c.shift, got, wantHL)
			}
		}
	})
}

// Coverage at all looks together: the interval of some round misses the truth in
// at most 5% of runs, and in as many as 40,000 runs with another seed.
func TestCoverage(t *testing.T) {
	const truth, runs = 0.5, 300
	looks := []int{8, 9, 10, 12, 15, 20, 30, 45}
	for i, s := range []scenario{{name: "normal", start: normal}, {name: "Student t3", start: studentT3},
		{name: "outliers", start: withOutliers(0)}} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(31, uint64(i)))
			missed := 0
			for range runs {
				next := s.start(r)
				d := make([]float64, looks[len(looks)-1])
				for j := range d {
					d[j] = truth + next()
				}
				missed += count(slices.ContainsFunc(looks, func(n int) bool {
					return ConfidenceSequence(d[:n], 0.05).Excludes(truth)
				}))
			}
			t.Logf("%.1f%% of %d runs miss at some look", 100*float64(missed)/runs, runs)
			atMost(t, "the interval", missed, runs, 0.05)
			agrees(t, "the interval", missed, runs, 0.0203, 40_000)
		})
	}
}

func TestManyRounds(t *testing.T) {
	d := samplers[0].sample(rand.New(rand.NewPCG(2, 3)), 20_000)
	iv := ConfidenceSequence(d, 0.05)
	if !iv.Contains(0) || !iv.Contains(HodgesLehmann(d)) {
		t.Errorf("20,000 normal rounds: %v", iv)
	}
	for _, end := range []float64{iv.Lo, iv.Hi} {
		if e := LogE(d, end); math.Abs(e-math.Log(20)) > 0.05 {
			t.Errorf("ln E at the end %v is %v, want ln 20", end, e)
		}
	}
}

// The width does not stop falling: it goes as √(ln n / n), and from 1,000 to 17,000 rounds
// it falls to a quarter.
func TestWidthFallsForEver(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	d := samplers[0].sample(r, 17_000)
	var widths []float64
	for _, n := range []int{100, 1000, 17_000} {
		iv := ConfidenceSequence(d[:n], 0.05)
		widths = append(widths, iv.Width()/2)
		if half, rate := iv.Width()/2, math.Sqrt(math.Log(float64(n))/float64(n)); half > 2*rate || half < rate {
			t.Errorf("%d normal rounds: half of the width is %.4f, and √(ln n / n) %.4f", n, half, rate)
		}
	}
	t.Logf("half-widths at 100, 1,000 and 17,000: %.4f", widths)
	if !(widths[2] < widths[1]/3.5 && widths[1] < widths[0]/2.5) {
		t.Errorf("half-widths %.4f", widths)
	}
}

func BenchmarkConfidenceSequence(b *testing.B) {
	for _, s := range []sampler{samplers[0], samplers[6]} {
		for _, n := range []int{10, 100, 1000, 20_000} {
			b.Run(fmt.Sprintf("data=%s/rounds=%d", strings.ReplaceAll(s.name, " ", "-"), n), func(b *testing.B) {
				d := s.sample(rand.New(rand.NewPCG(1, 1)), n)
				for b.Loop() {
					ConfidenceSequences(d, 0.05, 0.001)
				}
			})
		}
	}
}

func BenchmarkHodgesLehmann(b *testing.B) {
	d := samplers[0].sample(rand.New(rand.NewPCG(1, 1)), 20_000)
	for b.Loop() {
		HodgesLehmann(d)
	}
}
