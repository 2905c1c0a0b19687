package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The simulation behind the figures that memcost states about itself: one run is
// 100 rounds, looked at after every round from the 8th; a run alarms if any look
// does. MEMCOST_LONG=1 makes it 200,000 runs instead of 10,000.
const lastRound = 100

func simulatedRuns() int {
	if os.Getenv("MEMCOST_LONG") == "1" {
		return 200_000
	}
	return 10_000
}

// A scenario is a kind of noise, with the share of runs in which each test alarms, as
// 1,000,000 runs of this file with another seed found it. (The figures in the method as it was asked for are
// rounded ones of an unknown number of runs; ours agree with them to within a percent.)
type scenario struct {
	name string
	null bool // arms are identical: an alarm is false
	// start returns a source of the differences of one run.
	start func(r *rand.Rand) func() float64
	// of the e-process, the t sequence, and a t-test at each look from the 8th and from the
	// 5th round on
	e, t, naive, naive5 float64
}

func normal(r *rand.Rand) func() float64 { return r.NormFloat64 }

func studentT3(r *rand.Rand) func() float64 {
	return func() float64 {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		return r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
	}
}

// withOutliers is normal noise, one round in ten of it ten times as large, around shift.
func withOutliers(shift float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		return func() float64 {
			z := r.NormFloat64()
			if r.Float64() < 0.1 {
				z *= 10
			}
			return z + shift
		}
	}
}

// machineState is a machine whose speed drifts as an AR(1) process from sample
// to sample; both arms share it, and a coin says which of them goes first.
func machineState(r *rand.Rand) func() float64 {
	state := r.NormFloat64()
	sample := func() float64 {
		now := state
		state = 0.9*state + math.Sqrt(1-0.9*0.9)*r.NormFloat64()
		return now
	}
	return func() float64 {
		first, second := sample(), sample()
		if r.Uint64()&1 == 0 {
			return first - second
		}
		return second - first
	}
}

var scenarios = []scenario{
	{name: "normal", null: true, start: normal,
		e: 0.0312, t: 0.0261, naive: 0.3017, naive5: 0.3326},
	{name: "Student t3", null: true, start: studentT3,
		e: 0.0321, t: 0.0167, naive: 0.2761, naive5: 0.3012},
	{name: "10% outliers x10", null: true, start: withOutliers(0),
		e: 0.0317, t: 0.0068, naive: 0.2157, naive5: 0.2417},
	{name: "AR(0.9) machine state", null: true, start: machineState,
		e: 0.0314, t: 0.0263, naive: 0.3020, naive5: 0.3328},
	{name: "shift 0.5 with outliers", start: withOutliers(0.5),
		e: 0.6937, t: 0.2651, naive: 0.7030, naive5: 0.7190},
}

// A looker looks at one run after every round, with each of the tests.
type looker struct {
	process    *EProcess
	n          int
	sum, sumSq float64
	e, t       bool // alarmed at some look from the 8th round on
	naive      bool // the same for an ordinary t-test at p ≤ 0.05
	naive5     bool // the t-test looked at from the 5th round on
}

// Critical values by number of rounds: of |mean|/sd for the sequence and of t.
var tFactors, tQuantiles = criticalValues()

func criticalValues() (sequence, student [lastRound + 1]float64) {
	for n := 2; n <= lastRound; n++ {
		sequence[n] = tFactor(n, 0.05)
		student[n] = distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	}
	return sequence, student
}

func (l *looker) look(d float64) {
	l.process.Add(d)
	l.n++
	l.sum += d
	l.sumSq += d * d
	if l.n < 5 {
		return
	}
	n := float64(l.n)
	mean := l.sum / n
	sd := math.Sqrt((l.sumSq - n*mean*mean) / (n - 1))
	significant := math.Abs(mean)*math.Sqrt(n) >= tQuantiles[l.n]*sd
	l.naive5 = l.naive5 || significant
	if l.n < 8 {
		return
	}
	l.naive = l.naive || significant
	l.t = l.t || math.Abs(mean) >= tFactors[l.n]*sd
	l.e = l.e || l.process.LogE() >= math.Log(20)
}

func TestErrorRates(t *testing.T) {
	runs := simulatedRuns()
	for i, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(20261121, uint64(i)))
			var e, tt, naive, naive5 int
			for range runs {
				l := looker{process: NewEProcess(0)}
				next := s.start(r)
				for range lastRound {
					l.look(next())
				}
				e, tt = e+count(l.e), tt+count(l.t)
				naive, naive5 = naive+count(l.naive), naive5+count(l.naive5)
			}
			for _, c := range []struct {
				what   string
				alarms int
				want   float64
			}{{"e-process", e, s.e}, {"t sequence", tt, s.t}, {"naive t-test from round 8", naive, s.naive},
				{"naive t-test from round 5", naive5, s.naive5}} {
				t.Logf("%s: %.2f%% of %d runs", c.what, 100*float64(c.alarms)/float64(runs), runs)
				agrees(t, c.what, c.alarms, runs, c.want, 1_000_000)
			}
			if s.null {
				atMost(t, "e-process", e, runs, 0.05)
			}
		})
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
