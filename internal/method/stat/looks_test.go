package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func long() bool { return os.Getenv("MEMCOST_LONG") == "1" }

func TestLooksStand(t *testing.T) {
	for _, c := range []struct {
		rounds int
		want   []int
	}{
		{0, []int{8, 10, 13, 17, 22, 29, 38, 49, 64, 83, 108, 140, 182}},
		{5, []int{8, 10, 13, 17, 22, 29, 38, 49, 64, 83, 108, 140, 182}},
		{8, []int{8}}, {9, []int{8, 9}}, {10, []int{8, 10}}, {20, []int{8, 10, 13, 20}},
		{40, []int{8, 10, 13, 17, 22, 29, 40}},
	} {
		l := Looks{c.rounds}
		if got := l.stand(); !slices.Equal(got, c.want) {
			t.Errorf("%d rounds: %v, want %v", c.rounds, got, c.want)
		}
		for n := range 300 {
			at, next := l.At(n), l.Next(n)
			if at > n || next != 0 && next <= n || at != 0 && !slices.Contains(l.positions(), at) {
				t.Fatalf("%d rounds, at %d: %d, then %d", c.rounds, n, at, next)
			}
		}
	}
}

// What the levels spend together is α: of normal rounds, simulated by their sums alone.
func TestLevelsSpendAlpha(t *testing.T) {
	runs := 20_000
	if long() {
		runs = 1_000_000
	}
	for i, l := range []Looks{{}, {10}, {40}, {200}} {
		for _, alpha := range []float64{0.05, 0.1, 0.01} {
			r := rand.New(rand.NewPCG(3, uint64(i)))
			plan := l.Plan(alpha)
			planned, all := 0, 0
			for range runs {
				sum, n := 0.0, 0
				for k, look := range plan {
					sum += math.Sqrt(float64(look.Rounds-n)) * r.NormFloat64()
					n = look.Rounds
					if math.Abs(sum)/math.Sqrt(float64(n)) > critical(look.Level) {
						all++
						planned += count(k < len(l.stand()))
						break
					}
				}
			}
			t.Logf("%v, α = %v: %.3f%% at the planned looks, %.3f%% at all", l, alpha,
				100*float64(planned)/float64(runs), 100*float64(all)/float64(runs))
			atMost(t, "planned looks", planned, runs, plannedShare*alpha*1.02)
			atMost(t, "all looks", all, runs, alpha)
			if float64(all) < 0.7*alpha*float64(runs) {
				t.Errorf("%v, α = %v: %d of %d: α is not spent", l, alpha, all, runs)
			}
		}
	}
}

func TestMinRounds(t *testing.T) {
	for alpha, want := range map[float64]int{0.1: 8, 0.05: 8, 0.01: 13, 0.001: 17, 0: math.MaxInt, -1: math.MaxInt} {
		if got := MinRounds(alpha); got != want {
			t.Errorf("α = %v: %d, want %d", alpha, got, want)
		}
		if want < 100 {
			d := slices.Repeat([]float64{1}, want)
			if iv := (Looks{}).Interval(Rounds{D: d}, alpha); iv != (Interval{1, 1}) {
				t.Errorf("α = %v, %d rounds that are alike: %v", alpha, want, iv)
			}
			if iv := (Looks{}).Interval(Rounds{D: d[1:]}, alpha); iv != Whole() {
				t.Errorf("α = %v, one round less: %v", alpha, iv)
			}
		}
	}
	if got := (Looks{40}).MinRounds(0.05); got != 10 {
		t.Errorf("40 rounds asked for: %d", got)
	}
}

// Between two looks nothing changes, and a smaller α never narrows an interval.
func TestLooksAndLevels(t *testing.T) {
	forSamples(t, []int{8, 12, 20, 60, 130}, func(t *testing.T, d []float64) {
		for _, l := range []Looks{{}, {20}} {
			n := l.At(len(d))
			if a, b := l.Interval(Rounds{D: d}, 0.05), l.Interval(Rounds{D: d[:n]}, 0.05); a != b {
				t.Errorf("%d rounds: %v, at the look of %d %v", len(d), a, n, b)
			}
			last := Interval{math.Inf(1), math.Inf(-1)}
			for alpha := 0.3; alpha > 1e-7; alpha *= ladder {
				iv := l.Interval(Rounds{D: d}, alpha)
				if iv.Lo > last.Lo || iv.Hi < last.Hi {
					t.Errorf("%v of %d rounds at %v: %v, at the level before %v", l, len(d), alpha, iv, last)
				}
				last = iv
			}
			p := Least(func(alpha float64) bool { return l.Interval(Rounds{D: d}, alpha).Excludes(0) })
			if p < 1 && !l.Interval(Rounds{D: d}, p).Excludes(0) || p < 1 && p > 1e-12 && l.Interval(Rounds{D: d}, p*ladder).Excludes(0) {
				t.Errorf("p = %v", p)
			}
		}
	})
}

// A scenario is a kind of noise. Where the sides are identical an alarm is false.
type scenario struct {
	name  string
	null  bool
	start func(r *rand.Rand) func() float64
}

func normal(r *rand.Rand) func() float64 { return r.NormFloat64 }

func studentT3(r *rand.Rand) func() float64 {
	return func() float64 {
		chi := 0.0
		for range 3 {
			x := r.NormFloat64()
			chi += x * x
		}
		return r.NormFloat64() / math.Sqrt(chi/3)
	}
}

func withOutliers(shift float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		return func() float64 {
			if r.Float64() < 0.1 {
				return shift + 10*r.NormFloat64()
			}
			return shift + r.NormFloat64()
		}
	}
}

// machineState is a state of the machine that wanders from sample to sample; both sides share it, and a coin says which of
// them goes first.
func machineState(r *rand.Rand) func() float64 {
	sample := wandering(0.9, 1, 0)(r)
	return func() float64 {
		first, second := sample(), sample()
		if r.Uint64()&1 == 0 {
			return first - second
		}
		return second - first
	}
}

// calming is noise that falls to a tenth while a run goes on.
func calming(r *rand.Rand) func() float64 {
	sd := 1.0
	return func() float64 {
		sd = max(0.1, sd*0.96)
		return sd * r.NormFloat64()
	}
}

var scenarios = []scenario{
	{"normal", true, normal},
	{"Student t3", true, studentT3},
	{"10% outliers x10", true, withOutliers(0)},
	{"AR(0.9) machine state", true, machineState},
	{"noise that calms down", true, calming},
	{"two speeds", true, func(r *rand.Rand) func() float64 {
		return func() float64 { return math.Copysign(0.5, r.NormFloat64()) + 0.01*r.NormFloat64() }
	}},
	{"shift 0.5 with outliers", false, withOutliers(0.5)},
}

// Looked at at every planned look up to the 108th round, at most 5% of comparisons of identical sides alarm. Half-widths
// are printed in standard errors of normal rounds.
func TestErrorRates(t *testing.T) {
	runs := 3000
	if long() {
		runs = 100_000
	}
	for _, l := range []Looks{{}, {10}, {20}, {40}, {100}} {
		for i, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(20261121, uint64(i)))
				upTo, alarms := l.Rounds, 0
				if upTo == 0 {
					upTo = 108
				}
				for range runs {
					alarms += count(l.alarmed(take(s.start(r), upTo), 0.05))
				}
				t.Logf("%v: %.2f%% of %d runs", l, 100*float64(alarms)/float64(runs), runs)
				switch {
				case s.null:
					atMost(t, s.name, alarms, runs, 0.05)
				case l.Rounds == 0 && float64(alarms) < 0.75*float64(runs):
					t.Errorf("%s is found in %d of %d", s.name, alarms, runs)
				}
			})
		}
	}
}

func take(next func() float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = next()
	}
	return d
}

// alarmed reports whether some look excludes 0.
func (l Looks) alarmed(d []float64, alpha float64) bool {
	for _, look := range l.Plan(alpha) {
		if look.Rounds <= len(d) && SignedRanks(d[:look.Rounds]) <= look.Level {
			return true
		}
	}
	return false
}

// How wide the intervals of normal rounds are, in standard errors: the anytime e-process that they replace had 3.3 to 3.4.
func TestHalfWidths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		l       Looks
		n       int
		atMost  float64
		atLeast float64
	}{{Looks{10}, 10, 2.75, 2.2}, {Looks{20}, 20, 2.5, 2.1}, {Looks{40}, 40, 2.4, 2}, {Looks{}, 10, 3.9, 3},
		{Looks{}, 22, 3.2, 2.7}, {Looks{}, 49, 3.05, 2.6}, {Looks{}, 108, 3, 2.6}} {
		const runs = 2000
		sum := 0.0
		for range runs {
			iv := c.l.Interval(Rounds{D: take(normal(r), c.n)}, 0.05)
			sum += iv.Width() / 2 * math.Sqrt(float64(c.n)) / runs
		}
		t.Logf("%v at %d: %.2f", c.l, c.n, sum)
		if sum > c.atMost || sum < c.atLeast {
			t.Errorf("%v at %d rounds: %.2f standard errors", c.l, c.n, sum)
		}
	}
}

// A forecast is of the look at which most such comparisons are decided.
func TestUntil(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	for _, shift := range []float64{0.4, 1, 3} {
		const runs = 300
		decided, sooner := 0, 0
		for range runs {
			d := take(normal(r), 400)
			for i := range d {
				d[i] += shift
			}
			more := Looks{}.Until(Rounds{D: d[:13]}, shift, 0.05)
			if math.IsInf(more, 1) {
				t.Fatalf("shift %v: never", shift)
			}
			n := 13 + int(more)
			if n != (Looks{}).At(n) {
				t.Fatalf("%d is no look", n)
			}
			decided += count(Looks{}.Interval(Rounds{D: d[:n]}, 0.05).Excludes(0))
			sooner += count((Looks{}).alarmed(d[:max(13, n-1)], 0.05))
		}
		t.Logf("shift %v: decided at the foretold look %d of %d, before it %d", shift, decided, runs, sooner)
		if decided < runs/8 || shift >= 1 && decided < runs/3 {
			t.Errorf("shift %v: decided at the foretold look %d of %d", shift, decided, runs)
		}
	}
	flat := Rounds{D: []float64{1, 1, 1}}
	if got := (Looks{}).Until(flat, 1, 0.05); got != 5 {
		t.Errorf("rounds that are alike need %v more", got)
	}
	if got := (Looks{}).Until(flat, 0, 0.05); !math.IsInf(got, 1) {
		t.Errorf("on the bound itself: %v", got)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// atMost asserts that a rate is not above bound, by the exact binomial test: it fails when
// so many alarms, or more, would come in less than one of a thousand such tests if the
// rate were bound.
func atMost(t *testing.T, what string, alarms, runs int, bound float64) {
	t.Helper()
	if iv := ClopperPearson(alarms, runs, 0.002); iv.Lo > bound {
		t.Errorf("%s errs in %d of %d, %v: more than %.1f%%", what, alarms, runs, iv, 100*bound)
	}
}

// agrees asserts that alarms of runs are as many as a figure says that was found in theirs
// runs, within 4 standard errors of the difference.
func agrees(t *testing.T, what string, alarms, runs int, want float64, theirs int) {
	t.Helper()
	got := float64(alarms) / float64(runs)
	p := (float64(alarms) + want*float64(theirs)) / float64(runs+theirs)
	if se := math.Sqrt(p * (1 - p) * (1/float64(runs) + 1/float64(theirs))); math.Abs(got-want) > 4*se {
		t.Errorf("%s: %.2f%% of %d runs; stated is %.2f%%, 4 standard errors are %.2f%%", what, 100*got, runs, 100*want,
			400*se)
	}
}

// A comparison that ends at the look that decides it has an estimate that lies, on average, further from 0 than the truth: by
// how much is printed, in parts of the truth, and stands in docs/method.md.
func TestEarlyStopping(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct{ shift, atMost float64 }{{0.3, 0.45}, {0.5, 0.25}, {1, 0.1}, {3, 0.05}} {
		const runs = 2000
		sum, rounds, found := 0.0, 0.0, 0.0
		for range runs {
			d := take(wandering(0, 0, c.shift)(r), 182)
			for _, look := range (Looks{83}).Plan(0.05) {
				if look.Rounds <= len(d) && (Rounds{D: d}).At(look.Rounds, look.Level).Excludes(0) {
					sum, rounds, found = sum+HodgesLehmann(d[:look.Rounds]), rounds+float64(look.Rounds), found+1
					break
				}
			}
		}
		bias := sum/found/c.shift - 1
		t.Logf("an effect of %v σ: found in %.0f of %d, after %.0f rounds on average, %.1f%% too large", c.shift, found, runs,
			rounds/found, 100*bias)
		if bias > c.atMost || bias < -0.02 {
			t.Errorf("an effect of %v σ is estimated %.1f%% too large", c.shift, 100*bias)
		}
	}
}
