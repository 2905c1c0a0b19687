package stat

import (
	"math"
	"math/rand/v2"
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

// A dependenceCase is a comparison of unlike code in a run of ten: the shares of those that exclude 0 at some look up to
// the last, without a correction, alone, and with what the others of the run lend, as 20,000 of them showed
// (MEMCOST_LONG=1).
type dependenceCase struct {
	name              string
	start             func(r *rand.Rand) func() float64
	links             int // 0: one
	share             float64
	upTo              int
	none, own, pooled float64
}

var dependenceCases = []dependenceCase{
	{"independent", wandering(0, 0, 0), 0, 0, 108, 0.0392, 0.0261, 0.0311},
	{"half AR(0.5)", wandering(0.5, 0.5, 0), 0, 0, 108, 0.2008, 0.0795, 0.0411},
	{"AR(0.5)", wandering(0.5, 1, 0), 0, 0, 108, 0.3785, 0.0754, 0.0109},
	{"AR(0.9)", wandering(0.9, 1, 0), 0, 0, 108, 0.9566, 0.2375, 0.0738},
	{"4 links, no effect", normal, 4, 0, 108, 0.0385, 0.0191, 0.0235},
	{"12 links, no effect", normal, 12, 0, 108, 0.0391, 0.0204, 0.0258},
	{"4 links, a tenth of the variance", normal, 4, 0.1, 108, 0.1977, 0.07, 0.0321},
	{"4 links, half of the variance", normal, 4, 0.5, 108, 0.538, 0.0838, 0.0511},
	{"12 links, half of the variance", normal, 12, 0.5, 108, 0.2934, 0.0382, 0.0405},
	{"16 links, half of the variance", normal, 16, 0.5, 108, 0.2454, 0.037, 0.0417},
	{"12 links, most of the variance", normal, 12, 0.8, 108, 0.3933, 0.0275, 0.0446},
	{"power at 1 σ by round 10", wandering(0, 0, 1), 0, 0, 10, 0.4045, 0.2534, 0.3035},
	{"power at 1 σ by round 22", wandering(0, 0, 1), 0, 0, 22, 0.942, 0.7834, 0.898},
	{"power at 1 σ by round 22, 12 links", wandering(0, 0, 1), 12, 0, 22, 0.9437, 0.7547, 0.8746},
}

// alarms returns how many of the comparisons of one run exclude 0 at some look.
func (c dependenceCase) alarms(r *rand.Rand, comparisons int) (none, own, pooled int) {
	d, links := make([][]float64, comparisons), make([][]int, comparisons)
	for i := range d {
		d[i] = take(c.start(r), c.upTo)
		if c.links == 0 {
			continue
		}
		effect := take(r.NormFloat64, c.links)
		for k := range d[i] {
			links[i] = append(links[i], r.IntN(c.links))
			d[i][k] = math.Sqrt(1-c.share)*d[i][k] + math.Sqrt(c.share)*effect[links[i][k]]
		}
	}
	found := make([][3]bool, comparisons)
	for _, look := range (Looks{}).Plan(0.05) {
		n := look.Rounds
		if n > c.upTo {
			break
		}
		upTo := func(i int) []int {
			if links[i] == nil {
				return nil
			}
			return links[i][:n]
		}
		var pool Pool
		for i := range d {
			pool.Add(d[i][:n], upTo(i))
		}
		for i := range d {
			for k, x := range []Rounds{{D: d[i][:n]}, Pool{}.Rounds(d[i][:n], upTo(i)), pool.Without(d[i][:n], upTo(i)).Rounds(d[i][:n], upTo(i))} {
				found[i][k] = found[i][k] || Looks{}.Interval(x, 0.05).Excludes(0)
			}
		}
	}
	for _, f := range found {
		none, own, pooled = none+count(f[0]), own+count(f[1]), pooled+count(f[2])
	}
	return none, own, pooled
}

func TestDependence(t *testing.T) {
	runs := 50
	if long() {
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
				t.Logf("%s, %s: %.2f%% of %d", c.name, what, 100*float64(got[k])/float64(n), n)
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
	drawn := func(phi, share float64, n int) []float64 {
		next, d := wandering(phi, share, 0)(r), make([]float64, n)
		for i := range d {
			d[i] = next()
		}
		return d
	}
	for _, c := range []struct{ phi, share, lo, hi float64 }{
		{0, 0, 1, 1.15}, {0.5, 0.5, 1.7, 2.6}, {0.5, 1, 2.6, 4}, {0.9, 1, 12, 26},
	} {
		if tau := (Pool{}).Rounds(drawn(c.phi, c.share, 5000), nil).Tau; tau < c.lo || tau > c.hi {
			t.Errorf("φ = %v, share %v: τ = %v", c.phi, c.share, tau)
		}
	}
	// Ten independent rounds among comparisons that wander, and the other way round.
	var calm, wild Pool
	for range 30 {
		calm.Add(drawn(0, 0, 10), nil)
		wild.Add(drawn(0.9, 1, 10), nil)
	}
	less, more := 0, 0
	for range 100 {
		d := drawn(0, 0, 10)
		less += count(calm.Rounds(d, nil).Tau <= max((Pool{}).Rounds(d, nil).Tau, 1.5))
		more += count(wild.Rounds(d, nil).Tau > 2)
	}
	if less < 95 || more < 95 {
		t.Errorf("among calm comparisons τ falls in %d of 100, among wild ones it rises above 2 in %d", less, more)
	}
	// A comparison is not its own neighbour.
	d := drawn(0.5, 1, 12)
	var only Pool
	only.Add(d, nil)
	if only.Without(d, nil).Rounds(d, nil).Tau != (Pool{}).Rounds(d, nil).Tau {
		t.Errorf("alone in its pool: %v, without a pool %v", only.Without(d, nil).Rounds(d, nil).Tau, (Pool{}).Rounds(d, nil).Tau)
	}
}
