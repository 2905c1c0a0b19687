package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// wandering is noise of variance 1, of which share is an AR(1) process with coefficient
// phi, around shift.
func wandering(phi, share, shift float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		state := r.NormFloat64()
		return func() float64 {
			now := state
			state = phi*state + math.Sqrt(1-phi*phi)*r.NormFloat64()
			return shift + math.Sqrt(share)*now + math.Sqrt(1-share)*r.NormFloat64()
		}
	}
}

// A dependenceCase is a way in which the rounds of all comparisons of a run depend on each
// other, with the share of comparisons that exclude θ = 0 by some round: without a
// correction, with one for each comparison alone, and with one that knows all 10
// comparisons of the run. The shares are those of 20,000 comparisons with another seed.
type dependenceCase struct {
	name              string
	start             func(r *rand.Rand) func() float64
	upTo              int
	none, own, pooled float64
}

var dependenceCases = []dependenceCase{
	{"independent", wandering(0, 0, 0), 100, 0.031, 0.0186, 0.0254},
	{"half AR(0.5)", wandering(0.5, 0.5, 0), 100, 0.1657, 0.0788, 0.0494},
	{"AR(0.5)", wandering(0.5, 1, 0), 100, 0.3329, 0.0967, 0.0242},
	{"AR(0.9)", wandering(0.9, 1, 0), 100, 0.9322, 0.2491, 0.0796},
	{"power at 1 σ by round 10", wandering(0, 0, 1), 10, 0.3826, 0.248, 0.2975},
	{"power at 1 σ by round 15", wandering(0, 0, 1), 15, 0.6995, 0.5144, 0.6345},
	{"power at 1 σ by round 20", wandering(0, 0, 1), 20, 0.8642, 0.6903, 0.8256},
	{"power at 3 σ by round 10", wandering(0, 0, 3), 10, 0.9983, 0.6938, 0.8961},
	{"power at 3 σ by round 12", wandering(0, 0, 3), 12, 1, 0.7141, 0.975},
	{"power at 10 σ by round 8", wandering(0, 0, 10), 8, 1, 0.9406, 0.9978},
}

// alarms returns how many of the comparisons of one run exclude 0 at some look.
func (c dependenceCase) alarms(r *rand.Rand, comparisons int) (none, own, pooled int) {
	next, alone := make([]func() float64, comparisons), make([]*EProcess, comparisons)
	for i := range next {
		next[i], alone[i] = c.start(r), NewEProcess(0)
	}
	d, found := make([][]float64, comparisons), make([][3]bool, comparisons)
	for round := 1; round <= c.upTo; round++ {
		candidate := false
		for i := range d {
			x := next[i]()
			d[i] = append(d[i], x)
			alone[i].Add(x)
			candidate = candidate || !found[i][2] && alone[i].LogE() >= math.Log(20)
		}
		if round < 8 || !candidate {
			continue
		}
		var pool Pool
		for i := range d {
			pool.Add(d[i])
		}
		for i := range d {
			if alone[i].LogE() < math.Log(20) {
				continue
			}
			found[i][0] = true
			for k, p := range []Pool{{}, pool} {
				found[i][1+k] = found[i][1+k] || DependentLogE(d[i], 0, p.Tau(d[i])) >= math.Log(20)
			}
		}
	}
	for _, f := range found {
		none, own, pooled = none+count(f[0]), own+count(f[1]), pooled+count(f[2])
	}
	return none, own, pooled
}

func TestDependence(t *testing.T) {
	runs := 100
	if os.Getenv("MEMCOST_LONG") == "1" {
		runs = 2000
	}
	const comparisons = 10
	for i, c := range dependenceCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(12, uint64(i)))
			var got [3]int
			for range runs {
				none, own, pooled := c.alarms(r, comparisons)
				got[0], got[1], got[2] = got[0]+none, got[1]+own, got[2]+pooled
			}
			n := runs * comparisons
			for k, want := range []float64{c.none, c.own, c.pooled} {
				what := []string{"without a correction", "alone", "with the others"}[k]
				t.Logf("%s: %.2f%% of %d", what, 100*float64(got[k])/float64(n), n)
				agrees(t, what, got[k], n, want, 20_000)
			}
		})
	}
}

// Lag1 is right on average, and an outlier changes nothing.
func TestLag1(t *testing.T) {
	for i, c := range []struct{ phi, share, want, slack float64 }{
		{0, 0, 0, 0.02}, {0.5, 0.5, 0.25, 0.03}, {0.5, 1, 0.5, 0.05}, {-0.5, 1, -0.5, 0.05},
	} {
		for _, n := range []int{10, 20, 100} {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			sum, spoilt := 0.0, 0.0
			const runs = 3000
			for range runs {
				next := wandering(c.phi, c.share, 3)(r)
				d := make([]float64, n)
				for i := range d {
					d[i] = next()
				}
				sum += Lag1(d) / runs
				d[n/2] = 1e6
				spoilt += Lag1(d) / runs
			}
			if math.Abs(sum-c.want) > c.slack+0.5/float64(n) {
				t.Errorf("φ = %v, share %v, n = %d: %.3f, want %.3f", c.phi, c.share, n, sum, c.want)
			}
			if n > 10 && math.Abs(spoilt-c.want) > c.slack+4/float64(n) {
				t.Errorf("φ = %v, share %v, n = %d with an outlier: %.3f, want %.3f", c.phi, c.share, n, spoilt, c.want)
			}
		}
	}
	for _, d := range [][]float64{nil, {1}, {1, 2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 2, math.NaN(), 4, 5, 6}} {
		if r := Lag1(d); r != 0 {
			t.Errorf("%v: %v", d, r)
		}
	}
}

func TestTau(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 77))
	take := func(phi, share float64, n int) []float64 {
		next, d := wandering(phi, share, 0)(r), make([]float64, n)
		for i := range d {
			d[i] = next()
		}
		return d
	}
	for _, c := range []struct{ phi, share, lo, hi float64 }{
		{0, 0, 1, 1.15}, {0.5, 0.5, 1.7, 2.3}, {0.5, 1, 2.6, 3.4}, {0.9, 1, 12, 26},
	} {
		if tau := (Pool{}).Tau(take(c.phi, c.share, 5000)); tau < c.lo || tau > c.hi {
			t.Errorf("φ = %v, share %v: τ = %v", c.phi, c.share, tau)
		}
	}
	// Ten independent rounds among comparisons that wander, and the other way round.
	var calm, wild Pool
	for range 30 {
		calm.Add(take(0, 0, 10))
		wild.Add(take(0.9, 1, 10))
	}
	less, more := 0, 0
	for range 100 {
		d := take(0, 0, 10)
		less += count(calm.Tau(d) <= max((Pool{}).Tau(d), 1.5))
		more += count(wild.Tau(d) > 2)
	}
	if less < 95 || more < 95 {
		t.Errorf("among calm comparisons τ falls in %d of 100, among wild ones it rises above 2 in %d", less, more)
	}
	// A comparison is not its own neighbour.
	d := take(0.5, 1, 12)
	var only Pool
	only.Add(d)
	if only.Tau(d) != (Pool{}).Tau(d) {
		t.Errorf("alone in its pool: %v, without a pool %v", only.Tau(d), (Pool{}).Tau(d))
	}
}

// Tempering never makes a bet win that had lost, and costs the more the larger τ is.
func TestTempered(t *testing.T) {
	forSamples(t, []int{1, 8, 12, 30, 300}, func(t *testing.T, d []float64) {
		for _, theta := range []float64{-3, -0.5, 0, 0.2, 1} {
			m := newRounds(d).mixture(theta)
			for what, e := range map[string]func(tau float64) float64{
				"both": m.logE, "up": func(tau float64) float64 { return m.logSided(1, tau) },
				"down": func(tau float64) float64 { return m.logSided(-1, tau) },
			} {
				for _, tau := range []float64{1.01, 2, 19, 39} {
					// The mean of roots is at most the root of the mean.
					if got := e(tau); got > e(1)/tau+1e-9 {
						t.Errorf("%s, τ = %v: ln E of %v makes %v", what, tau, e(1), got)
					}
					// The root of the largest share of it is a part of it.
					if got := e(tau); e(1) > 0 && got < (e(1)-math.Log(40))/tau-math.Log(40) {
						t.Errorf("%s, τ = %v: ln E of %v leaves %v", what, tau, e(1), got)
					}
				}
			}
			for _, tau := range []float64{-1, 0, 1, math.NaN()} {
				if got := DependentLogE(d, theta, tau); got != LogE(d, theta) {
					t.Errorf("τ = %v: %v, want %v", tau, got, LogE(d, theta))
				}
			}
		}
	})
}

// Rounds that are far too few for their τ decide nothing near them.
func TestLeastRounds(t *testing.T) {
	for _, c := range []struct {
		alpha, tau float64
		want       int
	}{{0.05, 1, 8}, {0.05, 1.5, 11}, {0.05, 2, 15}, {0.05, 19, 134}, {0.05, math.Inf(1), math.MaxInt}} {
		if got := leastRounds(c.alpha, c.tau); got != c.want {
			t.Errorf("α = %v, τ = %v: %d, want %d", c.alpha, c.tau, got, c.want)
		}
	}
}

// The interval is what DependentLogE does not exclude.
func TestDependentSequences(t *testing.T) {
	forSamples(t, []int{8, 12, 20, 60}, func(t *testing.T, d []float64) {
		for _, tau := range []float64{1, 1.3, 2, 5} {
			iv := DependentSequences(d, tau, 0.05, 0.01)
			if !iv[0].Within(iv[1].Lo, iv[1].Hi) {
				t.Errorf("τ = %v: %v at 0.05, %v at 0.01", tau, iv[0], iv[1])
			}
			if alone := ConfidenceSequence(d, 0.05); alone.Lo < iv[0].Lo || alone.Hi > iv[0].Hi {
				t.Errorf("τ = %v: %v, of independent rounds %v", tau, iv[0], alone)
			}
			if math.IsInf(iv[0].Width(), 1) || iv[0].Width() == 0 {
				continue
			}
			step := iv[0].Width() / 200
			for _, out := range []float64{iv[0].Lo - step, iv[0].Hi + step, iv[0].Lo - 20*step} {
				if e := DependentLogE(d, out, tau); e < math.Log(20) {
					t.Errorf("τ = %v, n = %d: %v is outside %v, and ln E there is %v", tau, len(d), out, iv[0], e)
				}
			}
			inside := 0
			for i := range 200 {
				inside += count(DependentLogE(d, iv[0].Lo+(float64(i)+0.5)*step, tau) < math.Log(20))
			}
			if inside < 100 {
				t.Errorf("τ = %v, n = %d: %d of 200 values in %v are not excluded", tau, len(d), inside, iv[0])
			}
		}
	})
	if iv := DependentSequences(slices.Repeat([]float64{1, 2, 3, math.NaN()}, 5), 2, 0.05)[0]; iv != Whole() {
		t.Errorf("an unusable value: %v", iv)
	}
	if iv := DependentSequences(nil, 2, 0.05)[0]; iv != Whole() {
		t.Errorf("no rounds: %v", iv)
	}
}
