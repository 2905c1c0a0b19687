package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// Where the hypothesis is true, at its end or inside, E reaches 20 at some look in at most
// 5% of the runs; at the end it does so at all. Where it is false it is found out.
func TestLogEAgainstErrorRate(t *testing.T) {
	runs := 200
	if os.Getenv("MEMCOST_LONG") == "1" {
		runs = 5000
	}
	looks := []int{5, 6, 7, 8, 10, 12, 15, 20, 30, 45, 70, 100}
	inf := math.Inf(1)
	for i, c := range []struct {
		name   string
		lo, hi float64
		truth  float64
		least  float64 // rate of E ≥ 20 at the least
	}{
		{"at the upper end", -inf, 0.3, 0.3, 0.01},
		{"at the lower end", 0.3, inf, 0.3, 0.01},
		{"one value", 0.3, 0.3, 0.3, 0.01},
		{"at the end of an interval", 0.3, 2, 0.3, 0.003},
		{"half a σ inside", -inf, 0.3, -0.2, 0},
		{"inside an interval", -0.2, 0.8, 0.3, 0},
		{"above", -inf, 0.3, 1.3, 0.95},
		{"below", 0.3, inf, -0.7, 0.95},
		{"outside an interval", -0.2, 0.8, 1.8, 0.95},
	} {
		for j, start := range []func(*rand.Rand) func() float64{normal, studentT3, withOutliers(0)} {
			r := rand.New(rand.NewPCG(19, uint64(10*i+j)))
			against := 0
			for range runs {
				next := start(r)
				d := make([]float64, 100)
				for k := range d {
					d[k] = c.truth + next()
				}
				for _, n := range looks {
					if LogEAgainst(d[:n], c.lo, c.hi) >= math.Log(20) {
						against++
						break
					}
				}
			}
			t.Logf("%s, noise %d: %.2f%%", c.name, j, 100*float64(against)/float64(runs))
			if c.least < 0.9 {
				atMost(t, c.name, against, runs, 0.05)
			}
			if iv := ClopperPearson(against, runs, 0.002); iv.Hi < c.least {
				t.Errorf("%s, noise %d: in %d of %d runs, less than %v", c.name, j, against, runs, c.least)
			}
		}
	}
}

// The e-value is the least over what the hypothesis allows.
func TestLogEAgainstIsTheLeast(t *testing.T) {
	inf := math.Inf(1)
	forSamples(t, []int{8, 30}, func(t *testing.T, d []float64) {
		for _, c := range [][2]float64{{-inf, -0.5}, {0.5, inf}, {-0.3, 0.4}, {1, 1}} {
			got := LogEAgainst(d, c[0], c[1])
			for i := range 400 {
				theta := max(c[0], -10) + (min(c[1], 10)-max(c[0], -10))*float64(i)/399
				if e := newRounds(d).mixture(theta).logAgainst(c[0], c[1], 1); e < got-0.1 {
					t.Errorf("n = %d: against %v it is %v, and %v at %v", len(d), c, got, e, theta)
					break
				}
			}
		}
	})
}

// It can decide from the 6th round on, and a wider hypothesis is never easier to refute
// on the same side.
func TestLogEAgainstDecidesEarly(t *testing.T) {
	inf := math.Inf(1)
	d := []float64{5, 5.01, 4.99, 5, 5.02, 4.98, 5, 5.01}
	for n := range len(d) + 1 {
		if got := LogEAgainst(d[:n], -inf, 0) >= math.Log(20); got != (n >= 6) {
			t.Errorf("decided after %d rounds: %v", n, got)
		}
		if LogEAgainst(d[:n], -inf, 0)+1e-3 < LogEAgainst(d[:n], -inf, 1) {
			t.Errorf("%d rounds: at most 1 is easier to refute than at most 0", n)
		}
		// The sides mirror each other.
		mirror := make([]float64, n)
		for i := range mirror {
			mirror[i] = -d[i]
		}
		if up, down := LogEAgainst(d[:n], -inf, 1), LogEAgainst(mirror, -1, inf); math.Abs(up-down) > 1e-12 {
			t.Errorf("%d rounds: %v against more, %v against less", n, up, down)
		}
	}
	if e := LogEAgainst(d, 5, inf); e > 0 {
		t.Errorf("what is true is refuted: %v", e)
	}
	for _, c := range []struct {
		d      []float64
		lo, hi float64
		want   float64
	}{
		{nil, 0, 1, 0}, {d, -inf, inf, 0}, {d, 2, 1, 0}, {d, inf, inf, 0}, {d, math.NaN(), 1, math.NaN()},
		{[]float64{1, inf}, 0, 1, math.NaN()},
	} {
		if got := LogEAgainst(c.d, c.lo, c.hi); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v against [%v, %v]: %v, want %v", c.d, c.lo, c.hi, got, c.want)
		}
	}
}

// Far from the data a dependence of rounds on each other makes no difference, near them it
// takes a root.
func TestDependentLogEAgainst(t *testing.T) {
	d := make([]float64, 30)
	for i := range d {
		d[i] = 1 + 0.1*float64(i%7-3)
	}
	for _, lo := range []float64{-3, 0.8} {
		plain, got := LogEAgainst(d, math.Inf(-1), lo), DependentLogEAgainst(d, math.Inf(-1), lo, 3)
		if far := lo < 0; (got == plain) != far || !far && !(got < plain) {
			t.Errorf("against at most %v: %v, and %v where rounds are independent", lo, got, plain)
		}
	}
}
