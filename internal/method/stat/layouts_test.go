package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A layoutCase is a pool of links on either side, disjoint, a share of the variance of d
// between them, and a shift. The shares of runs that exclude θ = 0 at some look up to
// the last are those of 20,000 runs (MEMCOST_LONG=1): by rounds alone, and where the
// layouts' means exclude it too.
type layoutCase struct {
	name         string
	pool         int
	share, shift float64
	upTo         int
	alone, both  float64
}

var layoutCases = []layoutCase{
	{"4 links, no effect", 4, 0, 0, 100, 0.0314, 0.0132},
	{"16 links, no effect", 16, 0, 0, 100, 0.031, 0.0239},
	{"4 links, a tenth of the variance", 4, 0.1, 0, 100, 0.1413, 0.03},
	{"4 links, as much as processes", 4, 0.5, 0, 100, 0.4601, 0.0517},
	{"8 links, as much as processes", 8, 0.5, 0, 100, 0.2957, 0.0509},
	{"16 links, as much as processes", 16, 0.5, 0, 100, 0.1712, 0.0474},
	{"4 links, most of the variance", 4, 0.8, 0, 100, 0.578, 0.0591},
	{"power at 1 σ by round 15, 4 links", 4, 0, 1, 15, 0.698, 0.476},
	{"power at 1 σ by round 15, 8 links", 8, 0, 1, 15, 0.6975, 0.6194},
	{"power at 1 σ by round 15, 16 links", 16, 0, 1, 15, 0.7006, 0.677},
	{"power at 5 σ by round 10, 4 links", 4, 0.5, 5, 10, 1, 0.9938},
}

func TestLayouts(t *testing.T) {
	runs := 1000
	if os.Getenv("MEMCOST_LONG") == "1" {
		runs = 20_000
	}
	for i, c := range layoutCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(21, uint64(i)))
			alone, both := 0, 0
			for range runs {
				a, b := c.run(r)
				alone, both = alone+count(a), both+count(b)
			}
			t.Logf("rounds alone %.2f%%, with the layouts' means %.2f%% of %d", 100*float64(alone)/float64(runs),
				100*float64(both)/float64(runs), runs)
			agrees(t, "rounds alone", alone, runs, c.alone, 20_000)
			agrees(t, "with the layouts' means", both, runs, c.both, 20_000)
		})
	}
}

// run reports whether 0 is excluded at some look.
func (c layoutCase) run(r *rand.Rand) (alone, both bool) {
	a, b := make([]float64, c.pool), make([]float64, c.pool)
	for k := range a {
		a[k], b[k] = r.NormFloat64(), r.NormFloat64()
	}
	layout, process := math.Sqrt(c.share/2), math.Sqrt((1-c.share)/2)
	e := NewEProcess(0)
	var d []float64
	var label []int
	for round := 1; round <= c.upTo; round++ {
		k := r.IntN(c.pool)
		x := c.shift + layout*(b[k]-a[k]) + process*(r.NormFloat64()-r.NormFloat64())
		d, label = append(d, x), append(label, 100+k)
		e.Add(x)
		if round < 8 || e.LogE() < math.Log(20) {
			continue
		}
		alone = true
		if LayoutLogE(d, label, 0, 0) >= math.Log(20) {
			return true, true
		}
	}
	return alone, false
}

// The share is found, and the p-value of no share is uniform.
func TestBetween(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	const runs = 2000
	for _, share := range []float64{0, 0.3, 0.8} {
		sum, below := 0.0, 0
		for range runs {
			effects := make([]float64, 16)
			for k := range effects {
				effects[k] = math.Sqrt(share) * r.NormFloat64()
			}
			d, label := make([]float64, 80), make([]int, 80)
			for i := range d {
				label[i] = r.IntN(16)
				d[i] = 7 + effects[label[i]] + math.Sqrt(1-share)*r.NormFloat64()
			}
			got, p := Between(d, label)
			sum, below = sum+got/runs, below+count(p <= 0.05)
		}
		if share == 0 {
			agrees(t, "p ≤ 0.05 without an effect", below, runs, 0.05, 1e9)
			if sum > 0.05 {
				t.Errorf("no effect, and a share of %.3f", sum)
			}
			continue
		}
		if math.Abs(sum-share) > 0.03 || below < runs*8/10 {
			t.Errorf("a share of %v is estimated as %.3f on average, and found in %d of %d", share, sum, below, runs)
		}
	}
}

func TestLayoutsOfWhatCannotBeUsed(t *testing.T) {
	one, two := []int{1, 1, 1, 1}, []int{1, 2, 1, 2}
	for _, c := range []struct {
		d     []float64
		label []int
	}{{nil, nil}, {[]float64{1, 2, 3, 4}, one}, {[]float64{1, 2}, two}, {[]float64{1, math.NaN(), 3, 4}, two}} {
		if iv := LayoutInterval(c.d, c.label, 0.05); iv != Whole() {
			t.Errorf("%v: %v", c, iv)
		}
		if e := LayoutLogE(c.d, c.label, 9, 9); e != 0 {
			t.Errorf("%v: ln E %v", c, e)
		}
		if share, p := Between(c.d, c.label); !math.IsNaN(share) || !math.IsNaN(p) {
			t.Errorf("%v: share %v, p = %v", c, share, p)
		}
	}
	// An exact metric that differs between links, and one that does not.
	if share, p := Between([]float64{1, 2, 1, 2}, two); share != 1 || p != 0 {
		t.Errorf("all between links: %v, p = %v", share, p)
	}
	if share, p := Between([]float64{2, 2, 2, 2}, two); share != 0 || p != 1 {
		t.Errorf("all alike: %v, p = %v", share, p)
	}
	if iv := LayoutInterval([]float64{2, 2, 2, 2}, two, 0.05); iv != (Interval{2, 2}) {
		t.Errorf("all alike: %v", iv)
	}
}

// LayoutLogE and LayoutInterval say the same.
func TestLayoutIntervalIsItsTest(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	for range 200 {
		n := 8 + r.IntN(200)
		d, label := make([]float64, n), make([]int, n)
		for i := range d {
			d[i], label[i] = r.NormFloat64(), r.IntN(6)
		}
		iv := LayoutInterval(d, label, 0.05)
		for _, side := range []float64{iv.Lo, iv.Hi} {
			middle := (iv.Lo + iv.Hi) / 2
			for factor, excluded := range map[float64]bool{0.999: false, 1.001: true} {
				theta := middle + factor*(side-middle)
				if e := LayoutLogE(d, label, theta, theta); (e >= math.Log(20)) != excluded {
					t.Fatalf("%v: ln E at %v is %v", iv, theta, e)
				}
			}
		}
		// One-sided, at the end of an interval that the means lie above.
		p := LayoutLogE(d, label, math.Inf(-1), iv.Lo)
		if math.Abs(p-math.Log(40)) > 0.01 {
			t.Fatalf("one-sided at the end: %v, want ln 40", p)
		}
		if e := LayoutLogE(d, label, iv.Lo, iv.Hi); e != 0 {
			t.Fatalf("against the interval itself: %v", e)
		}
	}
}
