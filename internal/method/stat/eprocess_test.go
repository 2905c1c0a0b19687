package stat

import (
	"math"
	"slices"
	"testing"
)

// plainStakes is the definition in the package comment, word by word and in O(n² log n),
// with the scale renewed at every round: ln of the stakes of those who bet on d > θ and on
// d < θ, with the weights of the five bets and of the normal part.
func plainStakes(d []float64, theta float64, weights []float64, normal float64) (up, down float64) {
	lambdas := []float64{0.3, 0.6, 1, 1.6, 2.5}
	var us []float64
	var sum, squares float64
	for i, x := range d {
		var distances []float64
		for _, y := range d[:i+1] {
			distances = append(distances, math.Abs(y-theta))
		}
		slices.Sort(distances)
		u := (x - theta) / (1.4826 * Median(distances))
		if x == theta {
			u = 0
		}
		u = max(-2.5, min(u, 2.5)) // ±Inf at a scale of 0
		us, sum, squares = append(us, u), sum+u, squares+u*u
	}
	stake := func(sign float64) float64 {
		var logs, shares []float64
		for k, lambda := range lambdas {
			log := 0.0
			for _, u := range us {
				log += math.Log1p(math.Tanh(sign * lambda * u))
			}
			logs, shares = append(logs, log), append(shares, weights[k])
		}
		const step = 1e-4
		for lambda := step / 2; lambda < 16*0.15; lambda += step {
			log := sign*lambda*sum - lambda*lambda*squares/2
			density := 2 * math.Exp(-lambda*lambda/(2*0.15*0.15)) / (0.15 * math.Sqrt(2*math.Pi))
			logs, shares = append(logs, log), append(shares, normal*density*step)
		}
		top, all := slices.Max(logs), 0.0
		for i, log := range logs {
			all += shares[i] * math.Exp(log-top)
		}
		return top + math.Log(all)
	}
	return stake(1), stake(-1)
}

// plainLogE is the mean of the two stakes.
func plainLogE(d []float64, theta float64) float64 {
	up, down := plainStakes(d, theta, []float64{0.13, 0.17, 0.19, 0.19, 0.2}, 0.12)
	top := max(up, down)
	return top + math.Log((math.Exp(up-top)+math.Exp(down-top))/2)
}

func TestLogEEqualsDefinition(t *testing.T) {
	forSamples(t, []int{0, 1, 2, 8, 60, 256}, func(t *testing.T, d []float64) {
		for _, theta := range []float64{0, 0.3, -2, 50} {
			got, want := LogE(d, theta), plainLogE(d, theta)
			// The table understates, by at most its bound; 1e-6 is for the steps of the integral.
			if got > want+1e-6 || got < want-float64(len(d))*tableError-1e-6 {
				t.Errorf("LogE at %v = %v, want %v (n = %d)", theta, got, want, len(d))
			}
		}
	})
}

func TestStakesEqualDefinition(t *testing.T) {
	forSamples(t, []int{0, 1, 2, 8, 60, 256}, func(t *testing.T, d []float64) {
		for _, theta := range []float64{0, 0.3, -2, 50} {
			up, down := plainStakes(d, theta, []float64{0.1, 0.15, 0.2, 0.2, 0.3}, 0.05)
			m := newRounds(d).mixture(theta)
			for _, c := range []struct{ got, want float64 }{{m.logSided(1, 1), up}, {m.logSided(-1, 1), down}} {
				// 5e-4 and 2e-3 are for the steps of the integral, where it falls steeply, and the series of
				// erfcx.
				if c.got > c.want+5e-4 || c.got < c.want-float64(len(d))*tableError-2e-3 {
					t.Errorf("against %v: %v and %v, want %v and %v (n = %d)", theta, m.logSided(1, 1),
						m.logSided(-1, 1), up, down, len(d))
				}
			}
		}
	})
}

// The shares of the stake add up to 1: more would double α.
func TestSharesAreOne(t *testing.T) {
	for _, s := range []shares{both, oneSided} {
		sum := s.normal
		for _, share := range s.bets {
			sum += share
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%v: %v", s, sum)
		}
	}
}

// The normal part never stakes more than the bets that it stands for, and hardly less for
// the λ that decide long runs.
func TestNormalPartIsBelowItsBets(t *testing.T) {
	for lambda := 0.01; lambda < 1; lambda *= 1.3 {
		for u := -2.5; u <= 2.5; u += 0.1 {
			plain, normal := math.Log1p(math.Tanh(lambda*u)), lambda*u-lambda*lambda*u*u/2
			if normal > plain+1e-15 || lambda < 0.06 && plain-normal > 5e-5 {
				t.Errorf("λ = %v, u = %v: %v, of the bet %v", lambda, u, normal, plain)
			}
		}
	}
	for _, x := range []float64{-20, -1, 0, 1, 4.99, 5, 7, 20} {
		got, want := logErfcx(x), x*x+math.Log(math.Erfc(x))
		if got > want+1e-9 || got < want-2e-3 {
			t.Errorf("ln erfcx(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestScanEvaluatesLogE(t *testing.T) {
	forSamples(t, []int{1, 2, 9, 255, 256, 257, 281, 282, 283, 1000}, func(t *testing.T, d []float64) {
		r := newRounds(d)
		for _, theta := range append([]float64{0, 0.3, -2, 50}, d[:min(len(d), 10)]...) {
			if got, want := r.mixture(theta).logE(1), LogE(d, theta); got != want {
				t.Errorf("at %v the scan finds %v, LogE %v", theta, got, want)
			}
		}
	})
}

// A scale that is renewed only as the rounds grow by a tenth costs little.
func TestKeptScaleHardlyMatters(t *testing.T) {
	forSamples(t, []int{1000}, func(t *testing.T, d []float64) {
		for _, theta := range []float64{-0.05, 0, 0.05} {
			if got, want := LogE(d, theta), plainLogE(d, theta); math.Abs(got-want) > 0.05*math.Abs(want)+0.5 {
				t.Errorf("LogE at %v = %v; with a scale renewed every round %v", theta, got, want)
			}
		}
	})
}

func TestTableError(t *testing.T) {
	exact := func(u float64) (sum [len(lambdas)]float64) {
		for k, lambda := range lambdas {
			sum[k] = logCosh(lambda * u)
		}
		return sum
	}
	largest := 0.0
	for i := range 100_000 {
		u := clipAt * (2*float64(i)/99_999 - 1)
		var got [len(lambdas)]float64
		table().add(&got, u)
		for k, want := range exact(u) {
			if got[k] < want-1e-15 {
				t.Fatalf("table at u = %v, λ = %v is %v, below ln cosh = %v", u, lambdas[k], got[k], want)
			}
			largest = max(largest, got[k]-want)
		}
	}
	if largest > tableError || largest < tableError/2 {
		t.Errorf("worst error is %g, stated bound %g", largest, tableError)
	}
	for _, x := range []float64{0, 1e-9, 0.5, -3, 700} {
		if want := math.Log(math.Cosh(x)); math.Abs(logCosh(x)-want) > 1e-15*max(1, math.Abs(x)) {
			t.Errorf("logCosh(%v) = %v, want %v", x, logCosh(x), want)
		}
	}
}

func TestMinRounds(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		want  int
	}{{0.05, 8}, {0.01, 10}, {0.001, 14}, {0, math.MaxInt}, {-1, math.MaxInt}, {math.NaN(), math.MaxInt}} {
		if got := MinRounds(c.alpha); got != c.want {
			t.Errorf("MinRounds(%v) = %d, want %d", c.alpha, got, c.want)
		}
	}
}

// The remark in MinRounds: data that grow severalfold each round pass 1/α at one
// θ before any interval can be bounded, by two rounds at most.
func TestGrowingDataPassEarly(t *testing.T) {
	var grow []float64
	for i := range 14 {
		grow = append(grow, math.Pow(1000, float64(i)))
	}
	for _, c := range []struct {
		alpha  float64
		passes int
	}{{0.05, 7}, {0.01, 9}, {0.001, 12}} {
		limit := -math.Log(c.alpha)
		if e := LogE(grow[:c.passes], 0); e < limit {
			t.Errorf("α = %v: after %d rounds ln E = %v, want at least %v", c.alpha, c.passes, e, limit)
		}
		if e := LogE(grow[:c.passes-1], 0); e >= limit {
			t.Errorf("α = %v: after %d rounds ln E = %v, want less than %v", c.alpha, c.passes-1, e, limit)
		}
	}
}

func TestExactMetrics(t *testing.T) {
	same := func(c float64, n int) []float64 { return slices.Repeat([]float64{c}, n) }
	for _, c := range []float64{0, 1, -0.25, math.Log(2), 1e-9, 4096} {
		if got := LogE(same(c, 50), c); got != 0 {
			t.Errorf("all d = θ = %v: ln E = %v, want 0", c, got)
		}
		if got := ConfidenceSequence(same(c, 7), 0.05); got != Whole() {
			t.Errorf("7 rounds of %v: %v, want the whole line", c, got)
		}
		if got := ConfidenceSequence(same(c, 8), 0.05); got != (Interval{c, c}) {
			t.Errorf("8 rounds of %v: %v, want that point", c, got)
		}
		if c != 0 && (LogE(same(c, 7), 0) >= math.Log(20) || LogE(same(c, 8), 0) < math.Log(20)) {
			t.Errorf("rounds of %v decide against 0 at another n than 8", c)
		}
	}
	// One stray among exact rounds: θ = 0 has s = 0, every other θ is excluded.
	stray := same(0, 40)
	stray[20] = 3
	if got := ConfidenceSequence(stray, 0.05); got != (Interval{0, 0}) {
		t.Errorf("39 zeros and a 3: %v, want [0, 0]", got)
	}
	if got := standardize(-1e-300, 0); got != -clipAt {
		t.Errorf("a deviation at scale 0 counts as %v, want %v", got, -clipAt)
	}
}

func TestSignSymmetryOfE(t *testing.T) {
	forSamples(t, []int{5, 100, 400}, func(t *testing.T, d []float64) {
		flipped := make([]float64, len(d))
		for i, x := range d {
			flipped[i] = -x
		}
		for _, theta := range []float64{0, 0.7} {
			if got, want := LogE(flipped, -theta), LogE(d, theta); got != want {
				t.Errorf("LogE(−d, −θ) = %v, LogE(d, θ) = %v", got, want)
			}
		}
	})
}
