package claim

import (
	"math"
	"slices"

	"memcost/internal/series"
	"memcost/internal/stat"
)

// A basis holds the figures of a subject that its estimate is made of, one for each round,
// and what an interval may be made of.
type basis struct {
	each  []float64 // logarithms, one for each round that counts
	links []int     // the link of each
	about Estimate  // what it rests on, without a figure
	own   bool      // a cost, and not a ratio
}

// basis returns the figures of a subject as logarithms.
func (d *Data) basis(x subject) basis {
	members := []*series.Series{x.num}
	if x.den != nil {
		members = append(members, x.den)
	}
	return d.join(members, x.unit, sameCode(d, x), func(v []float64) float64 {
		y := math.Log(v[0])
		if len(v) == 2 {
			y -= math.Log(v[1])
		}
		return y
	})
}

// join makes a basis of what value makes of the figures of several series in each round.
// With alike the members are the same code: the coin alone then makes the test of no
// difference exact, however the rounds depend on each other.
func (d *Data) join(members []*series.Series, unit string, alike bool, value func(v []float64) float64) basis {
	var b basis
	d.Set.Join(members, unit, func(round int32, v []float64) {
		b.each = append(b.each, value(v))
		b.links = append(b.links, linkOf(members, round))
	})
	b.about = crashes(members...)
	b.about.Rounds, b.about.Tau = len(b.each), 1
	if d.Single {
		b.about.Doubt = ""
		return b
	}
	if b.about.Doubt == "" && d.Busy && !alike {
		b.about.Doubt = BusyCPU
	}
	b.own = len(members) == 1
	b.dependence(d, alike)
	return b
}

// intervals returns the intervals of the centre at levels 1 − alpha: of what both the rounds
// and the links leave open. A single link tells of that link alone.
//
// Rounds of a cost depend on each other as the machine's state does, often so much that
// nothing can be said of its centre. But between the least and the greatest of its rounds
// it was, while the machine wandered through its states: no interval of a cost is wider.
func (b basis) intervals(alphas ...float64) []stat.Interval {
	out := stat.DependentSequences(b.each, b.about.Tau, alphas...)
	for i, alpha := range alphas {
		if b.about.Layouts > 1 {
			out[i] = out[i].Hull(stat.LayoutInterval(b.each, b.links, alpha))
		}
		if b.own && len(b.each) >= stat.MinRounds(alpha) {
			out[i] = out[i].Intersect(stat.Interval{Lo: slices.Min(b.each), Hi: slices.Max(b.each)})
		}
	}
	return out
}

// first returns the basis of the first n rounds.
func (b basis) first(n int, d *Data, alike bool) basis {
	b.each, b.links = b.each[:n], b.links[:n]
	b.dependence(d, alike)
	return b
}

// Rounds returns the logarithms of a ratio, one for each round that counts, and a function
// that returns the interval which the first n of them gave.
func (d *Data) Rounds(num, den *series.Series, unit string) (logs []float64, after func(n int) stat.Interval) {
	x := subject{num, den, unit}
	b := d.basis(x)
	return b.each, func(n int) stat.Interval { return b.first(n, d, sameCode(d, x)).interval(d.Alpha) }
}

// apart returns ln of the e-value against no difference, which the coin makes exact for the
// same code.
func (b basis) apart() float64 {
	e := stat.LogE(b.each, 0)
	if b.about.Layouts > 1 {
		e = min(e, stat.LayoutLogE(b.each, b.links, 0, 0))
	}
	return e
}

// against returns ln of an e-value against the centre lying in [lo, hi].
func (b basis) against(lo, hi float64) float64 {
	e := stat.DependentLogEAgainst(b.each, lo, hi, b.about.Tau)
	if b.about.Layouts > 1 {
		e = min(e, stat.LayoutLogE(b.each, b.links, lo, hi))
	}
	return e
}

func (b basis) interval(alpha float64) stat.Interval { return b.intervals(alpha)[0] }

// crashes counts the samples without a result among those of series that have some. Such
// a sample is not missing at random: the slowest crash and time out.
func crashes(members ...*series.Series) Estimate {
	e := noEstimate()
	for _, m := range members {
		e.Crashed += len(m.Failures)
		e.Samples += len(m.Failures) + len(m.Rounds)
	}
	if e.Crashed > 0 {
		e.Doubt = Crashes
	}
	return e
}

// dependence finds out how many rounds tell as much as one independent round, and how much
// of their variance lies between links. Rounds of the same code need not be independent:
// the coin makes the signs fair, whatever state the machine is in.
func (b *basis) dependence(d *Data, alike bool) {
	b.about.Lag1, b.about.Tau = stat.Lag1(b.each), 1
	if b.about.Layouts = distinct(b.links); b.about.Layouts > 1 {
		b.about.LayoutShare, b.about.LayoutP = stat.Between(b.each, b.links)
	}
	switch {
	case alike:
	case b.own: // costs depend on each other in another way than ratios do
		b.about.Tau = stat.Pool{}.Tau(b.each)
	default:
		b.about.Tau = d.Pool.Tau(b.each)
	}
}

// distinct counts the links; 0 when one is not known.
func distinct(links []int) int {
	seen := map[int]bool{}
	for _, l := range links {
		if l < 0 {
			return 0
		}
		seen[l] = true
	}
	return len(seen)
}

// linkOf numbers the links that the members ran in a round; −1 where one is not known. The
// members of one comparison draw their links together, so that the number of one tells
// those of the others, but for a second copy.
func linkOf(members []*series.Series, round int32) int {
	number := 0
	for _, m := range members {
		l, ok := m.Link(round)
		if !ok {
			return -1
		}
		number = number*1024 + l
	}
	return number
}
