package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// The interval of the slope covers the truth as often as stated, from 4 kinds on, whatever
// the errors of measurement are beside the spread between kinds; and the permutation's p
// is at most α as often as α says.
func TestRegressCovers(t *testing.T) {
	runs := 1000
	if os.Getenv("MEMCOST_LONG") == "1" {
		runs = 10_000
	}
	for k := 4; k <= 10; k++ {
		for _, between := range []float64{0, 0.1, 1} {
			t.Run(fmt.Sprintf("kinds=%d/between=%v", k, between), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(18, uint64(10*k)+uint64(5*between)))
				missed, below := 0, 0
				for i := range runs {
					reg, p := simulateKinds(r, k, between, i < 300 && k <= 8)
					missed += count(reg.Interval.Excludes(0.7))
					below += count(p <= 0.05)
				}
				t.Logf("the interval misses in %.2f%%", 100*float64(missed)/float64(runs))
				atMost(t, "the interval", missed, runs, 0.05)
				atMost(t, "the permutation", below, min(runs, 300), 0.05)
				// With errors small beside the spread the level is not given away.
				if iv := ClopperPearson(missed, runs, 0.002); between == 1 && iv.Hi < 0.03 {
					t.Errorf("it misses in %d of %d only", missed, runs)
				}
			})
		}
	}
}

// simulateKinds returns the regression of k kinds with slope 0.7, and, where asked, the p of
// one with slope 0.
func simulateKinds(r *rand.Rand, k int, between float64, permute bool) (reg Regression, p float64) {
	x, y, flat, v := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	for i := range x {
		x[i], v[i] = r.NormFloat64(), 0.01*(0.2+2*r.Float64())
		flat[i] = 2 + between*r.NormFloat64() + math.Sqrt(v[i])*r.NormFloat64()
		y[i] = flat[i] + 0.7*x[i]
	}
	p = 1
	if permute {
		// A claim states its direction beforehand: here that the slope is positive.
		if without := Regress(x, flat, v, 0.05); without.Slope > 0 {
			p = without.P
		}
	}
	tau2 := PauleMandel(v, func(w []float64) (float64, int) { return fitLine(x, y, w).squares, k - 2 })
	line := fitLine(x, y, weights(v, tau2))
	return Regression{Slope: line.slope, Interval: knappHartung(line, k, 0.05)}, p
}

// With exact figures the fit is ordinary least squares, its interval the textbook's.
func TestRegressIsLeastSquares(t *testing.T) {
	// Anscombe's first data set: slope 0.50009, standard error 0.11791, intercept 3.00009.
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	r := Regress(x, y, make([]float64, 11), 0.05)
	const half = 0.117905501 * 2.262157163
	if math.Abs(r.Slope-0.500090909) > 1e-8 || math.Abs(r.Intercept-3.000090909) > 1e-8 ||
		math.Abs(r.Interval.Width()/2-half) > 1e-6 || !r.Decides || r.Kinds != 11 {
		t.Errorf("%+v", r)
	}
	// s² is 1.52919.
	if math.Abs(r.Between*r.Between-1.52919) > 1e-3 {
		t.Errorf("between kinds: %v", r.Between*r.Between)
	}
	// The two-sided p of this slope is 0.00217; about half of it by permutation.
	if r.P < 0.0005 || r.P > 0.003 {
		t.Errorf("p = %v", r.P)
	}
}

// The errors of measurement are the least that the interval allows for, however well the
// kinds agree (max(1, q)), and one kind with a large error hardly counts.
func TestRegressKnowsItsErrors(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4}
	v := []float64{0.04, 0.04, 0.04, 0.04, 0.04}
	r := Regress(x, x, v, 0.05)
	if want := 3.182446305 * math.Sqrt(0.04/10); math.Abs(r.Interval.Width()/2-want) > 1e-6 || r.Between != 0 {
		t.Errorf("a perfect line: %+v, want a half-width of %v", r, want)
	}
	if r.P != 1.0/120 {
		t.Errorf("one order of 120 is as steep: p = %v", r.P)
	}
	off := Regress(x, []float64{0, 1, 2, 3, 9}, []float64{0.04, 0.04, 0.04, 0.04, 400}, 0.05)
	if math.Abs(off.Slope-1) > 0.01 {
		t.Errorf("a kind of which nothing is known has slope %v", off.Slope)
	}
	exact := Regress(x, []float64{1, 3, 5, 7, 9}, make([]float64, 5), 0.05)
	if math.Abs(exact.Slope-2) > 1e-9 || exact.Interval.Width() > 1e-6 {
		t.Errorf("an exact line: %+v", exact)
	}
}

// Fewer than four kinds decide nothing, and four can.
func TestRegressNeedsFourKinds(t *testing.T) {
	line := []float64{1, 2, 3, 4}
	small := []float64{1e-6, 1e-6, 1e-6, 1e-6}
	for n, why := range []string{"0 kinds", "1 kind", "2 kinds", "3 kinds", ""} {
		r := Regress(line[:n], line[:n], small[:n], 0.05)
		if r.Decides != (n == 4) || r.Why != why || r.Kinds != n || (r.Interval == Whole()) != (n < 4) {
			t.Errorf("%d kinds: %+v", n, r)
		}
		if n == 4 && (r.Interval.Contains(0) || r.P > 0.05 || r.P != 1.0/24) {
			t.Errorf("a line of four: %+v", r)
		}
	}
	for _, bad := range [][3][]float64{
		{{1, 1, 1, 1}, line, small}, {line, line, {0, 0, -1, 0}}, {line, {1, 2, math.NaN(), 4}, small},
		{line, line, nil},
	} {
		if r := Regress(bad[0], bad[1], bad[2], 0.05); r.Decides || r.Why == "" || r.Interval != Whole() {
			t.Errorf("%v: %+v", bad, r)
		}
	}
}

func TestPermuteVisitsEachOrder(t *testing.T) {
	for n, want := range []int{1, 1, 2, 6, 24, 120, 720} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i)
		}
		seen := map[string]bool{}
		permute(x, n, func(o []float64) { seen[fmt.Sprint(o)] = true })
		if len(seen) != want {
			t.Errorf("%d values: %d orders", n, len(seen))
		}
	}
}
