package stat

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A linksCase is a run of 40 comparisons, each with a pool of links that its rounds use up in
// a fresh order before one comes again. In one of every comparisons the links' spread is so
// large as a share of the variance of d; in the others links make no difference. The shares
// of comparisons that exclude θ = 0 at some look up to the last are those of 20,000
// (MEMCOST_LONG=1): by rounds alone, where the links' means exclude it too, and with what
// the other comparisons lend; and with that, of those whose links make a difference.
type linksCase struct {
	name                      string
	pool, every               int
	share, shift              float64
	upTo                      int
	sided                     bool // against "at most 0", by one-sided bets
	alone, own, lent, affects float64
}

var linksCases = []linksCase{
	{"no effect", 4, 1, 0, 0, 60, false, 0.0283, 0.011, 0.0213, 0},
	{"a quarter of the spread of processes", 4, 1, 1. / 17, 0, 60, false, 0.0574, 0.0179, 0.0267, 0},
	{"half of it", 4, 1, 0.2, 0, 60, false, 0.157, 0.0346, 0.0313, 0},
	{"as much", 4, 1, 0.5, 0, 60, false, 0.3277, 0.0486, 0.0315, 0},
	{"as much, 12 links", 12, 1, 0.5, 0, 60, false, 0.103, 0.0338, 0.0337, 0},
	{"as much, 16 links", 16, 1, 0.5, 0, 60, false, 0.0722, 0.0344, 0.0328, 0},
	{"as much, in half of the comparisons", 4, 2, 0.5, 0, 60, false, 0.1789, 0.0292, 0.0267, 0.045},
	{"as much, in one of ten", 4, 10, 0.5, 0, 60, false, 0.0559, 0.0145, 0.023, 0.085},
	{"one-sided, no effect", 4, 1, 0, 0, 60, true, 0.0308, 0.0196, 0.0275, 0},
	{"one-sided, a quarter", 4, 1, 1. / 17, 0, 60, true, 0.053, 0.0288, 0.0355, 0},
	{"one-sided, half", 4, 1, 0.2, 0, 60, true, 0.106, 0.0398, 0.0388, 0},
	{"one-sided, as much", 4, 1, 0.5, 0, 60, true, 0.1878, 0.0521, 0.0408, 0},
	{"one-sided, as much, in one of ten", 4, 10, 0.5, 0, 60, true, 0.0487, 0.0248, 0.0306, 0.0695},
	{"power at 1 σ by round 10", 4, 1, 0, 1, 10, false, 0.3793, 0.3002, 0.3594, 0},
	{"power at 1 σ by round 15", 4, 1, 0, 1, 15, false, 0.6967, 0.5248, 0.6597, 0},
	{"power at 2 σ by round 10", 4, 1, 0, 2, 10, false, 0.9492, 0.9088, 0.9409, 0},
	{"one-sided power at 1 σ by round 10", 4, 1, 0, 1, 10, true, 0.577, 0.534, 0.5667, 0},
	{"one-sided power at 1 σ by round 15", 4, 1, 0, 1, 15, true, 0.8077, 0.7222, 0.7909, 0},
}

// A linked is one comparison of a run of linksCase.
type linked struct {
	affected bool
	links    []float64
	order    []int
	process  *EProcess
	d        []float64
	label    []int
	found    [3]bool // by rounds alone, with its own links, with what others lend
}

func (c linksCase) logE(x *linked) float64 {
	if c.sided {
		return x.process.mix.logSided(1, 1)
	}
	return x.process.LogE()
}

func (c linksCase) run(r *rand.Rand) []linked {
	xs := make([]linked, 40)
	for i := range xs {
		xs[i] = linked{affected: i%c.every == 0 && c.share > 0, process: NewEProcess(0)}
		for range c.pool {
			xs[i].links = append(xs[i].links, r.NormFloat64())
		}
	}
	lo, from := 0.0, 8
	if c.sided {
		lo, from = math.Inf(-1), 6
	}
	for round := 1; round <= c.upTo; round++ {
		candidate := false
		for i := range xs {
			x := &xs[i]
			x.take(r, c)
			candidate = candidate || !x.found[2] && c.logE(x) >= math.Log(20)
		}
		if round < from || !candidate {
			continue
		}
		var pool Links
		for i := range xs {
			pool.Add(xs[i].d, xs[i].label)
		}
		for i := range xs {
			x := &xs[i]
			if c.logE(x) < math.Log(20) {
				continue
			}
			x.found[0] = true
			x.found[1] = x.found[1] || LayoutLogE(x.d, x.label, lo, 0) >= math.Log(20)
			x.found[2] = x.found[2] || pool.LogE(x.d, x.label, lo, 0) >= math.Log(20)
		}
	}
	return xs
}

// take measures one more round.
func (x *linked) take(r *rand.Rand, c linksCase) {
	if len(x.order) == 0 {
		x.order = r.Perm(c.pool)
	}
	k := x.order[0]
	x.order = x.order[1:]
	share := 0.0
	if x.affected {
		share = c.share
	}
	d := c.shift + math.Sqrt(share)*x.links[k] + math.Sqrt(1-share)*r.NormFloat64()
	x.d, x.label = append(x.d, d), append(x.label, k)
	x.process.Add(d)
}

func TestLinks(t *testing.T) {
	runs := 25
	if os.Getenv("MEMCOST_LONG") == "1" {
		runs = 500
	}
	for i, c := range linksCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(23, uint64(i)))
			var found [3]int
			all, affected, ofAffected := 0, 0, 0
			for range runs {
				for _, x := range c.run(r) {
					for k := range found {
						found[k] += count(x.found[k])
					}
					all, affected = all+1, affected+count(x.affected)
					ofAffected += count(x.affected && x.found[2])
				}
			}
			for k, want := range []float64{c.alone, c.own, c.lent} {
				what := []string{"rounds alone", "own links", "with what others lend"}[k]
				t.Logf("%s: %.2f%% of %d", what, 100*float64(found[k])/float64(all), all)
				agrees(t, what, found[k], all, want, 20_000)
			}
			if c.shift == 0 {
				atMost(t, "with what others lend", found[2], all, 0.05)
			}
			if affected > 0 && affected < all {
				t.Logf("of those with an effect: %.2f%% of %d", 100*float64(ofAffected)/float64(affected), affected)
				agrees(t, "of those with an effect", ofAffected, affected, c.affects, 20_000/c.every)
			}
		})
	}
}

// Where nothing can be lent the interval is that of the comparison alone.
func TestLinksThatSayNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 99))
	take := func(n, links int) (d []float64, label []int) {
		for i := range n {
			d, label = append(d, r.NormFloat64()), append(label, i%links)
		}
		return d, label
	}
	var few, many Links
	for i := range 40 {
		d, label := take(12, 4)
		many.Add(d, label)
		if i < leastPooled {
			few.Add(d, label)
		}
		if i == leastPooled-1 { // taken out of the pool it leaves one too few
			if got, want := few.Interval(d, label, 0.05), LayoutInterval(d, label, 0.05); got != want {
				t.Errorf("of %d others: %v, want %v", leastPooled-1, got, want)
			}
		}
	}
	for _, c := range []struct{ n, links int }{{12, 12}, {8, 1}, {0, 4}} {
		d, label := take(c.n, c.links)
		if got, want := many.Interval(d, label, 0.05), LayoutInterval(d, label, 0.05); got != want {
			t.Errorf("%d rounds of %d links: %v, want %v", c.n, c.links, got, want)
		}
	}
	exact := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	before := many
	many.Add(exact, []int{0, 1, 2, 3, 0, 1, 2, 3})
	if many != before || many.Interval(exact, []int{0, 1, 2, 3, 0, 1, 2, 3}, 0.05) != (Interval{1, 1}) {
		t.Errorf("rounds that are all alike: %+v after %+v", many, before)
	}
	// Four values that agree exactly link by link, and nothing within.
	d, label := []float64{1, 2, 3, 4, 1, 2, 3, 4}, []int{0, 1, 2, 3, 0, 1, 2, 3}
	if got, want := many.Interval(d, label, 0.05), LayoutInterval(d, label, 0.05); got != want {
		t.Errorf("rounds that are all alike within links: %v, want %v", got, want)
	}
	// Links whose means happen to agree exactly are lent what is usual.
	d = []float64{1, -1, 1, -1, -1, 1, -1, 1}
	if got := many.Interval(d, label, 0.05); !(got.Width() > 0.5) || math.IsNaN(got.Lo) {
		t.Errorf("means that agree exactly: %v", got)
	}
}

// A comparison whose links differ far more than is usual keeps nearly its own interval, and one
// whose links differ as is usual has a narrower one.
func TestLinksThatStandOut(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 100))
	var pool Links
	label := []int{0, 1, 2, 3, 3, 2, 1, 0, 2, 3, 0, 1}
	take := func(spread float64) []float64 {
		var d []float64
		effect := []float64{-1, 0.5, 1, -0.5}
		for _, l := range label {
			d = append(d, spread*effect[l]+r.NormFloat64())
		}
		return d
	}
	for range 60 {
		pool.Add(take(0), label)
	}
	narrower := 0
	for range 200 {
		d := take(0)
		narrower += count(pool.Interval(d, label, 0.05).Width() < LayoutInterval(d, label, 0.05).Width())
		d = take(8)
		got, want := pool.Interval(d, label, 0.05), LayoutInterval(d, label, 0.05)
		if got.Width() < 0.9*want.Width() {
			t.Errorf("links that stand out: %v, alone %v", got, want)
		}
	}
	if narrower < 150 {
		t.Errorf("%d of 200 intervals are narrower", narrower)
	}
}
