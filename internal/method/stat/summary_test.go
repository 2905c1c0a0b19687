package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func hasWarning(s Summary, part string) bool {
	return slices.ContainsFunc(s.Warnings, func(err error) bool { return strings.Contains(err.Error(), part) })
}

func TestSummarize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	quiet := samplers[0].sample(r, 60)
	s := Summarize(quiet, 0.05)
	if len(s.Warnings) != 0 {
		t.Errorf("independent normal rounds are doubted: %v", s.Warnings)
	}
	if s.N != 60 || s.Median != Median(quiet) || s.HL != HodgesLehmann(quiet) ||
		s.CS != ConfidenceSequence(quiet, 0.05) || s.T != TSequence(quiet, 0.05) {
		t.Errorf("the summary differs from its parts: %+v", s)
	}
	trend := make([]float64, 60)
	for i := range trend {
		trend[i] = quiet[i] + float64(i)/10
	}
	if s := Summarize(trend, 0.05); !hasWarning(s, "autocorrelated: lag-1 r = 0.") {
		t.Errorf("a trend is not noticed: %v", s.Warnings)
	}
	if s := Summarize(quiet[:7], 0.05); !hasWarning(s, "only 7 rounds") || s.CS != Whole() {
		t.Errorf("seven rounds: %+v", s)
	}
	if s := Summarize(nil, 0.05); !hasWarning(s, "only 0 rounds") || !math.IsNaN(s.HL) {
		t.Errorf("no rounds: %+v", s)
	}
	ties := append(slices.Repeat([]float64{0}, 40), 1, 2, 3)
	if s := Summarize(ties, 0.05); !hasWarning(s, "40 of 43 rounds differ by exactly 0") {
		t.Errorf("ties are not noticed: %v", s.Warnings)
	}
	if s := Summarize(slices.Repeat([]float64{1}, 40), 0.05); len(s.Warnings) != 0 || s.CS != (Interval{1, 1}) {
		t.Errorf("an exact metric: %+v", s)
	}
}

// An effect that changes for good half-way fits no constant.
func TestEffectChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	d := samplers[0].sample(r, 200)
	for i := range d[100:] {
		d[100+i] += 3
	}
	if s := Summarize(d, 0.05); !hasWarning(s, "the effect changed") {
		t.Errorf("a change is not noticed: %v", s.Warnings)
	}
	changed := 0
	const runs = 300
	for range runs {
		changed += count(hasWarning(Summarize(samplers[1].sample(r, 64), 0.05), "the effect changed"))
	}
	atMost(t, "the warning", changed, runs, 0.05)
}

// Independent rounds are called autocorrelated about as often as stated, 1%.
func TestSerialCorrelationRate(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	const runs = 4000
	for _, n := range []int{20, 100} {
		doubted := 0
		for range runs {
			_, doubtful := serialCorrelation(samplers[1].sample(r, n))
			doubted += count(doubtful)
		}
		t.Logf("n = %d: %.2f%%", n, 100*float64(doubted)/runs)
		atMost(t, "the warning", doubted, runs, 0.01)
		if doubted == 0 {
			t.Errorf("n = %d: never doubted", n)
		}
	}
}

// No input makes the package panic, and no interval it gives decides anything
// when a value could not be used.
func FuzzSummarize(f *testing.F) {
	f.Add(0.0, 1.0, -1.0, uint8(20), 0.05)
	f.Add(math.NaN(), 1.0, 2.0, uint8(9), 0.05)
	f.Add(math.Inf(1), 1.0, 2.0, uint8(9), 0.01)
	f.Add(1e300, -1e300, 1e308, uint8(30), 0.05)
	f.Add(5e-324, 0.0, -5e-324, uint8(12), 0.05)
	f.Add(1e150, -1e150, 1.0, uint8(40), 0.5)
	f.Add(1.0, 2.0, 3.0, uint8(40), 2.0)
	f.Add(1.0, 2.0, 3.0, uint8(40), math.NaN())
	f.Add(1.0, math.Nextafter(1, 2), 1.0, uint8(40), 1e-300)
	f.Fuzz(func(t *testing.T, a, b, c float64, n uint8, alpha float64) {
		r := rand.New(rand.NewPCG(uint64(n), 0))
		d := make([]float64, n)
		for i := range d {
			d[i] = []float64{a, b, c, a + b, c * r.Float64()}[r.IntN(5)]
		}
		s := Summarize(d, alpha)
		EBH([]float64{LogE(d, a), LogE(d, b), c}, alpha)
		ClopperPearson(int(n)-100, int(n), alpha)
		if math.IsNaN(s.CS.Lo) || math.IsNaN(s.CS.Hi) || math.IsNaN(s.T.Lo) || math.IsNaN(s.T.Hi) {
			t.Errorf("%v: NaN in an interval: %+v", d, s)
		}
		if Check(d) != nil && (len(s.Warnings) == 0 || s.CS != Whole() || s.T != Whole()) {
			t.Errorf("%v: unusable but used: %+v", d, s)
		}
	})
}
