package compare

import (
	"math"
	"slices"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// rounds are the ratios of two sides, as logarithms, one for each round that counts, with the
// links that ran in them. Where a figure is 0 in some rounds, which has no logarithm, they
// hold the figures of both sides instead.
type rounds struct {
	each     []float64
	links    []int // −1: not known
	num, den []float64
}

// pair returns the rounds in which both sides have a figure of the unit.
func pair(set *series.Set, num, den *series.Series, unit string) rounds {
	var r rounds
	a, b := set.Counts(num, den, unit)
	if slices.Contains(a, 0) || slices.Contains(b, 0) {
		r.num, r.den = a, b
		return r
	}
	set.Join([]*series.Series{num, den}, unit, func(round int32, v []float64) {
		r.each = append(r.each, math.Log(v[0])-math.Log(v[1]))
		r.links = append(r.links, linkOf(num, den, round))
	})
	return r
}

// linkOf numbers the links that two sides ran in a round; −1 where one is not known.
func linkOf(num, den *series.Series, round int32) int {
	a, knownA := num.Link(round)
	b, knownB := den.Link(round)
	if !knownA || !knownB {
		return -1
	}
	return a*1024 + b
}

// len returns the number of rounds.
func (r rounds) len() int { return max(len(r.each), len(r.num)) }

// linked returns what is known of the links, and whether there are several.
func (r rounds) linked() (stat.Links, bool) {
	var l stat.Links
	if len(r.links) == 0 || slices.Contains(r.links, -1) || slices.Max(r.links) == slices.Min(r.links) {
		return l, false
	}
	l.Add(r.each, r.links)
	return l, true
}

// logE returns ln of the e-value against no difference. The coin that decides which side
// comes first makes it one, whatever the machine does meanwhile.
func (r rounds) logE() float64 {
	if len(r.num) > 0 {
		d := make([]float64, len(r.num))
		for i := range d {
			d[i] = r.num[i] - r.den[i]
		}
		return stat.LogE(d, 0)
	}
	e := stat.LogE(r.each, 0)
	if l, several := r.linked(); several {
		e = min(e, l.LogE(r.each, r.links, 0, 0))
	}
	return e
}

// ratio returns the estimate, and its interval at level 1 − alpha.
func (r rounds) ratio(alpha float64) (float64, stat.Interval) {
	switch {
	case r.len() == 0:
		return math.NaN(), stat.Interval{Lo: 0, Hi: math.Inf(1)}
	case len(r.num) > 0:
		return stat.RatioOfSums(r.num, r.den, alpha)
	}
	iv := stat.ConfidenceSequence(r.each, alpha)
	if l, several := r.linked(); several {
		iv = iv.Hull(l.Interval(r.each, r.links, alpha))
	}
	if !iv.IsEmpty() {
		iv = stat.Interval{Lo: math.Exp(iv.Lo), Hi: math.Exp(iv.Hi)}
	}
	return math.Exp(stat.HodgesLehmann(r.each)), iv
}
