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
	each   []float64 // logarithms, one for each round that counts
	values []float64 // those of rounds, or one for each link
	about  Estimate  // what it rests on, without a figure
	own    bool      // a cost, and not a ratio
}

// basis returns the figures of a subject as logarithms.
func (d *Data) basis(x subject) basis {
	members := []*series.Series{x.num}
	if x.den != nil {
		members = append(members, x.den)
	}
	return d.join(members, x.unit, d.sameCode(x), func(v []float64) float64 {
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
	var links []int
	d.Set.Join(members, unit, func(round int32, v []float64) {
		b.each = append(b.each, value(v))
		links = append(links, linkOf(members, round))
	})
	b.values, b.about = b.each, crashes(members...)
	b.about.Rounds, b.about.Tau = len(b.each), 1
	if d.Single {
		b.about.Doubt = ""
		return b
	}
	if b.about.Doubt == "" && d.Busy && !alike {
		b.about.Doubt = BusyCPU
	}
	b.own = len(members) == 1
	b.dependence(d, links, alike)
	return b
}

// intervals returns the intervals of the centre at levels 1 − alpha.
//
// Rounds of a cost depend on each other as the machine's state does, often so much that
// nothing can be said of its centre. But between the least and the greatest of its rounds
// it was, while the machine wandered through its states: no interval of a cost is wider.
func (b basis) intervals(alphas ...float64) []stat.Interval {
	out := stat.DependentSequences(b.values, b.about.Tau, alphas...)
	if b.own {
		for i, alpha := range alphas {
			if len(b.each) >= stat.MinRounds(alpha) {
				out[i] = out[i].Intersect(stat.Interval{Lo: slices.Min(b.each), Hi: slices.Max(b.each)})
			}
		}
	}
	return out
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

// dependence finds out how many rounds tell as much as one independent round, and whether
// the links decide what they show. Of the same code neither rounds nor their number matter:
// the coin makes the signs fair, whatever state the machine is in.
func (b *basis) dependence(d *Data, links []int, alike bool) {
	b.about.Lag1, b.about.Tau = stat.Lag1(b.each), 1
	b.about.Layouts = distinct(links)
	if b.about.Layouts > 1 {
		b.about.LayoutShare, _ = stat.Between(b.each, links)
	}
	switch {
	case b.about.Layouts > 1 && stat.LayoutsMatter(b.each, links):
		b.values = stat.ByLabel(b.each, links)
		if len(b.values) < stat.MinRounds(d.Alpha) && b.about.Doubt == "" {
			b.about.Doubt = FewLinks
		}
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
