package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/report/figures"
)

// geomeans adds the geometric means over the benchmarks.
func (b *builder) geomeans() {
	for _, unit := range common {
		if g, ok := b.geomean(unit); ok {
			b.Geomeans = append(b.Geomeans, g)
		}
	}
}

// geomean returns the geometric mean of one unit; false where fewer than two benchmarks
// have it.
//
// Its rounds are of its own: round k is the mean over the benchmarks of the ln ratios of
// their k-th rounds, up to the rounds that all of them have. For identical sides each of
// those is as likely positive as negative given its size, and so is their mean.
func (b *builder) geomean(unit string) (Geomean, bool) {
	g := Geomean{Unit: unit, Values: make([]figures.Figure, len(b.Sides)), Changes: make([]Change, len(b.Sides)-1)}
	of := b.complete(unit)
	if len(of) < 2 {
		return g, false
	}
	for side := range b.Sides {
		sum := 0.0
		for _, i := range of {
			sum += math.Log(float64(b.metricOf(i, unit).Values[side].Value))
		}
		g.Values[side] = figures.Single(math.Exp(sum/float64(len(of))), len(of), unit)
		if side > 0 {
			g.Changes[side-1] = b.geomeanChange(unit, side, of)
		}
	}
	return g, true
}

// geomeanChange compares one side with the first, over the benchmarks of the given indices.
func (b *builder) geomeanChange(unit string, side int, of []int) Change {
	least := b.looks.MinRounds(b.alpha)
	var all []rounds
	short, failed := 0, false
	for _, i := range of {
		num, den := b.pairs[i][side], b.pairs[i][0]
		r := b.pair(num, den, unit)
		failed = failed || len(num.Failures)+len(den.Failures) > 0
		if len(r.each) < least {
			short++
			continue
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return Change{Ratio: figures.NoFigure(), Verdict: Undecided}
	}
	mean := meanOf(all)
	value, iv := mean.ratio(b.alpha)
	c := Change{Ratio: ratioFigure(value, iv, mean.looked()), Rounds: mean.looked()}
	doubt := ""
	if failed {
		doubt = "samples failed"
	}
	c.Verdict = verdictOf(iv, b.margin, mean.looked(), doubt)
	if short > 0 {
		c.Ratio.Note = fmt.Sprintf("of %d of %d", len(all), len(of))
	}
	return c
}

// meanOf returns the means of the k-th rounds.
func meanOf(all []rounds) rounds {
	n := len(all[0].each)
	for _, r := range all {
		n = min(n, len(r.each))
	}
	out := rounds{looks: all[0].looks}
	number := map[string]int{} // of each set of links
	for k := range n {
		sum, known := 0.0, true
		var links strings.Builder
		for _, r := range all {
			sum += r.each[k]
			known = known && r.links[k] >= 0
			fmt.Fprint(&links, r.links[k], " ")
		}
		link := -1
		if known {
			at, seen := number[links.String()]
			if !seen {
				at = len(number)
				number[links.String()] = at
			}
			link = at
		}
		out.each, out.links = append(out.each, sum/float64(len(all))), append(out.links, link)
	}
	return out
}

// complete returns the benchmarks that count, and have a positive figure of the unit on every
// side: 0 has no logarithm.
func (b *builder) complete(unit string) []int {
	var out []int
	for i, x := range b.Benchmarks {
		m := b.metricOf(i, unit)
		on := b.pairs[i]
		if m == nil || len(x.Invalid) > 0 || len(on) == 0 || slices.Contains(on, (*series.Series)(nil)) {
			continue
		}
		if !slices.ContainsFunc(m.Values, func(f figures.Figure) bool { return !(f.Value > 0) }) {
			out = append(out, i)
		}
	}
	return out
}
