package claim

import (
	"math"
	"slices"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// A basis holds the figures of a subject that its estimate is made of, one for each round,
// and what an interval may be made of.
type basis struct {
	each  []float64 // logarithms, one for each round that counts
	links []int     // the link of each
	at    []int32   // the round of each
	about Estimate  // what it rests on, without a figure
	own   bool      // a cost, and not a ratio
	// others is what the other ratios of the run say of how much links differ; nothing for costs,
	// which have a scatter of their own, and for ratios of the same code.
	others stat.Links
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
		b.at = append(b.at, round)
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
	if b.own = len(members) == 1; !b.own && !alike {
		b.others = d.Pool.others(members, unit, b.each, b.links)
	}
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
			out[i] = out[i].Hull(b.lent().Interval(b.each, b.links, alpha))
		}
		if b.own && len(b.each) >= stat.MinRounds(alpha) {
			out[i] = out[i].Intersect(stat.Interval{Lo: slices.Min(b.each), Hi: slices.Max(b.each)})
		}
	}
	return out
}

// first returns the basis of the first n rounds.
func (b basis) first(n int, d *Data, alike bool) basis {
	b = b.until(n)
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
		e = min(e, b.lent().LogE(b.each, b.links, 0, 0))
	}
	return e
}

// against returns ln of an e-value against the centre lying in [lo, hi].
func (b basis) against(lo, hi float64) float64 {
	e := stat.DependentLogEAgainst(b.each, lo, hi, b.about.Tau)
	if b.about.Layouts > 1 {
		e = min(e, b.lent().LogE(b.each, b.links, lo, hi))
	}
	return max(e, b.beyond(lo, hi))
}

// beyond is ln of the e-value against [lo, hi] of a cost all rounds of which lie on one side of
// it: see intervals. It is -Inf where they do not.
func (b basis) beyond(lo, hi float64) float64 {
	if !b.own || len(b.each) == 0 || slices.Min(b.each) <= hi && slices.Max(b.each) >= lo {
		return math.Inf(-1)
	}
	return stat.UnanimousLogE(len(b.each))
}

// until returns what the first n rounds say, with the dependence that all of them show.
func (b basis) until(n int) basis {
	b.each, b.links, b.at = b.each[:n], b.links[:n], b.at[:n]
	if b.about.Layouts > 1 {
		b.about.Layouts = distinct(b.links)
	}
	return b
}

// reached returns the number of rounds after which the e-value against [lo, hi] first was
// 1/alpha, 0 where it never was. What was decided then stays decided, but of a cost: it wanders
// with the state of the machine, and what its first rounds agree upon was true of them.
func (b basis) reached(lo, hi, alpha float64) int {
	most := b.most(lo, hi)
	for _, n := range b.looks() {
		if len(most) > 0 && most[n-1] >= -math.Log(alpha) && b.until(n).against(lo, hi) >= -math.Log(alpha) {
			return n
		}
	}
	return 0
}

// looks returns the numbers of rounds after which something can be decided.
func (b basis) looks() []int {
	if b.own && len(b.each) > 0 {
		return []int{len(b.each)}
	}
	return stat.Looks(len(b.each))
}

// most returns, for each number of rounds, what against does not exceed; nil where nothing can
// be said against [lo, hi].
func (b basis) most(lo, hi float64) []float64 {
	most := stat.AtMostLogEAgainst(b.each, lo, hi)
	if b.own && len(most) > 0 {
		last := len(most) - 1 // see looks
		most[last] = max(most[last], b.beyond(lo, hi))
	}
	return most
}

func (b basis) interval(alpha float64) stat.Interval { return b.intervals(alpha)[0] }

// lent returns what all comparisons of the run say of how much links differ.
func (b basis) lent() stat.Links {
	l := b.others
	l.Add(b.each, b.links)
	return l
}

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
		b.about.Tau = d.Pool.rounds.Tau(b.each)
	}
}
