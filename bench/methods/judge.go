package methods

import (
	"math"

	"golang.org/x/perf/benchmath"
)

// Alpha is the error rate of every method that has one.
const Alpha = 0.05

// A Method is a way to decide.
type Method string

// The methods, in the order in which they are shown.
const (
	Changed       Method = "memcost, changed by more than 1%"
	Differs       Method = "memcost, interval excludes 1"
	Interleaved   Method = "benchstat, interleaved"
	Sequential    Method = "benchstat, one side after the other"
	TangoRule     Method = "tango's rule on memcost's pairs"
	Wilcoxon      Method = "Wilcoxon on memcost's pairs"
	WilcoxonLooks Method = "Wilcoxon, looked at after every round"
)

// All are the methods in the order in which they are shown.
var All = []Method{Changed, Differs, Interleaved, Sequential, TangoRule, Wilcoxon, WilcoxonLooks}

// A Finding is what a method said of one block.
type Finding struct {
	Method   Method
	Kind     string
	Rate     int     // percent, by construction
	Seconds  float64 // that the method had
	Sign     int     // 1: it calls the candidate slower, −1: faster, 0: it calls nothing different
	Interval bool    // it gave an interval
	Covers   bool    // which holds the truth
}

// Benchstat returns the sign of the difference that benchstat would report: its test is
// that of Mann and Whitney at 0.05, from the same package.
func Benchstat(base, cand []float64) int {
	if len(base) == 0 || len(cand) == 0 {
		return 0
	}
	limits := &benchmath.Thresholds{CompareAlpha: Alpha}
	a, b := benchmath.NewSample(base, limits), benchmath.NewSample(cand, limits)
	if c := benchmath.AssumeNothing.Compare(a, b); !(c.P <= Alpha) {
		return 0
	}
	return sign(benchmath.AssumeNothing.Summary(b, 1-Alpha).Center -
		benchmath.AssumeNothing.Summary(a, 1-Alpha).Center)
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func logRatios(base, cand []float64) []float64 {
	d := make([]float64, len(base))
	for i := range d {
		d[i] = math.Log(cand[i] / base[i])
	}
	return d
}

// bySignedRank returns the sign of the difference at one look, 0 for none.
func bySignedRank(d []float64) int {
	if SignedRank(d) > Alpha {
		return 0
	}
	ranks, positive := doubledRanks(d)
	total := 0
	for _, r := range ranks {
		total += r
	}
	return sign(float64(2*positive - total))
}

// OfPairs judges the pairs of memcost's rounds by the methods that take pairs.
func OfPairs(r *Recording, kind string, b Block, seconds float64) []Finding {
	base, cand := r.Of(kind, b)
	d := logRatios(base, cand)
	say := func(m Method, s int) Finding {
		return Finding{Method: m, Kind: kind, Rate: r.Rate, Seconds: seconds, Sign: s}
	}
	once := say(Wilcoxon, bySignedRank(d))
	lo, hi := SignedRankInterval(d, Alpha)
	once.Interval = len(d) > 0 && !math.IsInf(lo, -1)
	once.Covers = covers(math.Exp(lo), math.Exp(hi), r.Rate)
	often := say(WilcoxonLooks, 0)
	for n := 1; n <= len(d) && often.Sign == 0; n++ {
		often.Sign = bySignedRank(d[:n])
	}
	return []Finding{say(TangoRule, Tango(times(base, 1e9), times(cand, 1e9))), once, often}
}

func times(x []float64, factor float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * factor
	}
	return out
}

func covers(lo, hi float64, rate int) bool {
	truth := 1 + float64(rate)/100
	return lo <= truth && truth <= hi
}

// OfLooks judges a block by what memcost said at its looks. What it called changed stays
// changed: its intervals may be looked at after every round. The interval is that of the
// last look.
func OfLooks(looks []Look, kind string, b Block, rate int, seconds float64) []Finding {
	changed := Finding{Method: Changed, Kind: kind, Rate: rate, Seconds: seconds}
	differs := changed
	differs.Method = Differs
	for _, l := range looks {
		if l.Kind != kind || l.First != b.First || l.Last > b.Last {
			continue
		}
		if changed.Sign == 0 {
			changed.Sign = l.Changed
		}
		if differs.Sign == 0 {
			differs.Sign = l.Differs
		}
		if l.Last == b.Last {
			differs.Interval, differs.Covers = l.Interval, l.Interval && covers(l.Lo, l.Hi, rate)
		}
	}
	return []Finding{changed, differs}
}

// OfSides judges unpaired samples as benchstat does.
func OfSides(m Method, kind string, base, cand []float64, rate int, seconds float64) Finding {
	return Finding{Method: m, Kind: kind, Rate: rate, Seconds: seconds, Sign: Benchstat(base, cand)}
}
