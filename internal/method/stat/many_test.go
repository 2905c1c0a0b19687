package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEBH(t *testing.T) {
	ln := func(e ...float64) (out []float64) {
		for _, x := range e {
			out = append(out, math.Log(x))
		}
		return out
	}
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		logE  []float64
		alpha float64
		want  []bool
	}{
		{"none asked", nil, 0.05, []bool{}},
		{"one is Ville's bound", ln(20.001), 0.05, []bool{true}},
		{"one below it", ln(19.999), 0.05, []bool{false}},
		// m = 4, α = 0.1: 40, 20, 13.3, 10 are needed.
		{"the second carries the first", ln(25, 1, 21, 0.1), 0.1, []bool{true, false, true, false}},
		{"all, through the last", ln(11, 11, 11, 11), 0.1, []bool{true, true, true, true}},
		{"a tie is selected whole", ln(21, 1, 21, 1), 0.1, []bool{true, false, true, false}},
		{"infinite", []float64{math.Inf(1), math.Inf(-1)}, 0.05, []bool{true, false}},
		{"NaN counts in m", []float64{math.Log(39), nan}, 0.05, []bool{false, false}},
		{"NaN is never selected", []float64{math.Log(41), nan}, 0.05, []bool{true, false}},
		{"no level", ln(1e9), 0, []bool{false}},
	} {
		got, k := EBH(c.logE, c.alpha)
		selected := 0
		for _, s := range got {
			selected += count(s)
		}
		if !slices.Equal(got, c.want) || k != selected {
			t.Errorf("%s: EBH = %v, %d; want %v", c.name, got, k, c.want)
		}
	}
}

// The false discovery rate on stopped processes, 15 of 20 comparisons identical,
// all sharing one machine state so that their errors depend on each other.
func TestEBHFalseDiscoveryRate(t *testing.T) {
	const runs, comparisons, rounds, real = 300, 20, 40, 5
	r := rand.New(rand.NewPCG(4, 4))
	rate, found, with, alone := 0.0, 0, 0, 0
	for range runs {
		best, highest := make([]float64, comparisons), make([]float64, comparisons)
		processes := make([]*EProcess, comparisons)
		for i := range processes {
			processes[i] = NewEProcess(0)
		}
		for range rounds {
			shared := r.NormFloat64()
			for i, p := range processes {
				d := 0.4*shared + 0.9*r.NormFloat64()
				if i < real {
					d += 1.5
				}
				// Every process stops as soon as it would be selected alone, or at the end.
				if best[i] < math.Log(comparisons/0.05) {
					p.Add(d)
					best[i] = p.LogE()
					highest[i] = max(highest[i], best[i])
				}
			}
		}
		selected, k := EBH(best, 0.05)
		wrong := 0
		for i, s := range selected {
			wrong += count(s && i >= real)
			found += count(s && i < real)
		}
		if k > 0 {
			rate += float64(wrong) / float64(k) / runs
		}
		with += count(wrong > 0)
		alone += count(slices.Max(highest[real:]) >= math.Log(20))
	}
	t.Logf("false discovery rate %.2f%%, false ones in %d of %d runs, by each test alone in %d; %d of %d found",
		100*rate, with, runs, alone, found, runs*real)
	// The rate is at most the share of runs with a false discovery; both are far below 5%
	// here, and each test alone errs in a run of three.
	if rate > 0.01 {
		t.Errorf("false discovery rate %.3f", rate)
	}
	atMost(t, "some discovery", with, runs, 0.05)
	if alone < runs/5 {
		t.Errorf("each test alone errs in %d of %d runs: there is nothing to correct", alone, runs)
	}
	if found < runs*real*9/10 {
		t.Errorf("%d of %d differences of 1.5 σ are found", found, runs*real)
	}
}

func TestClopperPearson(t *testing.T) {
	// Familiar values; for 0 of 10 it is 1 − (α/2)^(1/10).
	for _, c := range []struct {
		k, n   int
		alpha  float64
		lo, hi float64
	}{
		{0, 10, 0.05, 0, 0.3084971},
		{10, 10, 0.05, 0.6915029, 1},
		{3, 10, 0.05, 0.06673951, 0.6524529},
		{5, 10, 0.05, 0.1870860, 0.8129140},
		{0, 0, 0.05, 0, 1},
	} {
		got := ClopperPearson(c.k, c.n, c.alpha)
		if math.Abs(got.Lo-c.lo) > 1e-6 || math.Abs(got.Hi-c.hi) > 1e-6 {
			t.Errorf("ClopperPearson(%d, %d, %v) = %v, want [%v, %v]", c.k, c.n, c.alpha, got, c.lo, c.hi)
		}
	}
	// The definition: each end leaves α/2 in its tail of the binomial.
	const k, n, alpha = 33, 1000, 0.05
	iv := ClopperPearson(k, n, alpha)
	if tail := 1 - binomialCDF(k-1, n, iv.Lo); math.Abs(tail-alpha/2) > 1e-8 {
		t.Errorf("at the lower end P(X ≥ %d) = %v", k, tail)
	}
	if tail := binomialCDF(k, n, iv.Hi); math.Abs(tail-alpha/2) > 1e-8 {
		t.Errorf("at the upper end P(X ≤ %d) = %v", k, tail)
	}
	for _, bad := range []Interval{ClopperPearson(-1, 3, 0.05), ClopperPearson(4, 3, 0.05), ClopperPearson(1, 3, 0)} {
		if !math.IsNaN(bad.Lo) || !math.IsNaN(bad.Hi) {
			t.Errorf("an impossible question is answered %v", bad)
		}
	}
}

func binomialCDF(k, n int, p float64) float64 {
	sum := 0.0
	for i := range k + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// The sequence is where the e-process it inverts equals 1/α; see [TSequence].
func TestTSequence(t *testing.T) {
	logE := func(d []float64, mu, alpha float64) float64 {
		n := float64(len(d))
		c := 20 / (-2*math.Log(alpha) + math.Log(1-2*math.Log(alpha)))
		mean, sd := meanSD(d)
		a := n * (mean - mu) * (mean - mu) / (sd * sd * (n - 1))
		return math.Log(c/(n+c))/2 + n/2*math.Log((1+a)/(1+c/(n+c)*a))
	}
	for _, alpha := range []float64{0.05, 0.001} {
		for _, n := range []int{20, 100, 5000} {
			d := samplers[0].sample(rand.New(rand.NewPCG(9, uint64(n))), n)
			iv := TSequence(d, alpha)
			for _, end := range []float64{iv.Lo, iv.Hi} {
				if got := logE(d, end, alpha); math.Abs(got+math.Log(alpha)) > 1e-6 {
					t.Errorf("α = %v, n = %d: ln E at the end %v is %v", alpha, n, end, got)
				}
			}
		}
	}
	if got := TSequence([]float64{1, 2}, 0.05); got != Whole() {
		t.Errorf("two rounds give %v", got)
	}
	equal := slices.Repeat([]float64{0.1}, 30)
	if got := TSequence(equal, 0.05); got != (Interval{0.1, 0.1}) {
		t.Errorf("thirty equal rounds give %v", got)
	}
}
