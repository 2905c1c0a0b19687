package compare

import (
	"cmp"
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
	looks    stat.Looks
}

// pair returns the rounds in which both sides have a figure of the unit.
func (in *builder) pair(num, den *series.Series, unit string) rounds {
	set, r := in.answer.Set, rounds{looks: in.looks}
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

// looked returns the number of rounds of the last look; before the first, all.
func (r rounds) looked() int { return cmp.Or(r.looks.At(r.len()), r.len()) }

// rests returns the ratios with what is known of their links.
func (r rounds) rests() stat.Rounds {
	if len(r.links) == 0 || slices.Contains(r.links, -1) {
		return stat.Rounds{D: r.each}
	}
	x := stat.Pool{}.Rounds(r.each, r.links)
	x.Tau = 1 // sides of the same code: the coin makes the signs fair
	return x
}

// p returns the p-value of no difference. The coin that decides which side comes first makes it
// exact, whatever the machine does meanwhile.
func (r rounds) p() float64 {
	x := stat.Rounds{D: make([]float64, len(r.num))}
	for i := range r.num {
		x.D[i] = r.num[i] - r.den[i]
	}
	if len(r.num) == 0 {
		x = r.rests()
	}
	return stat.Least(func(alpha float64) bool { return r.looks.Interval(x, alpha).Excludes(0) })
}

// ratio returns the estimate at the last look, and its interval at level 1 − alpha.
func (r rounds) ratio(alpha float64) (float64, stat.Interval) {
	switch {
	case r.len() == 0:
		return math.NaN(), stat.Interval{Lo: 0, Hi: math.Inf(1)}
	case len(r.num) > 0:
		return r.looks.RatioOfSums(r.num, r.den, alpha)
	}
	iv := r.looks.Interval(r.rests(), alpha)
	return math.Exp(stat.HodgesLehmann(r.each[:r.looked()])), stat.Interval{Lo: math.Exp(iv.Lo), Hi: math.Exp(iv.Hi)}
}
