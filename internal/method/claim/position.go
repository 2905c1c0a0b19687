package claim

import (
	"fmt"
	"math"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// positionMargin is the effect of position that is worth a word.
const positionMargin = 1.02

// position estimates how much longer a sample takes when it comes first of two, whichever of
// them it is. The coin decides which comes first, so that this does not bias their ratio; it
// widens its interval. Rounds is 0 where the order is not known.
func position(d *Data, a, b *series.Series) Estimate {
	firsts, seconds := byRound(a, series.UnitOrder), byRound(b, series.UnitOrder)
	as, bs := byRound(a, "sec/op"), byRound(b, "sec/op")
	var ds, signs []float64
	for _, r := range a.Rounds {
		x, y := as[r], bs[r]
		before := seconds[r] - firsts[r] // NaN where one of them is not known
		if !(math.Abs(before) > 0) || !(x > 0) || !(y > 0) || math.IsInf(x*y, 0) {
			continue
		}
		ds, signs = append(ds, math.Log(x)-math.Log(y)), append(signs, math.Copysign(1, before))
	}
	if len(ds) < d.Looks.MinRounds(d.Alpha) {
		return noEstimate()
	}
	return effectOfPosition(ds, signs, d)
}

func byRound(s *series.Series, unit string) map[int32]float64 {
	at := map[int32]float64{}
	for i, v := range s.Values(unit) {
		at[s.Rounds[i]] = v
	}
	return at
}

// effectOfPosition takes the ratio of the two sides out of the differences, as the mean of
// that with the one first and that with the other first, and estimates what is left.
func effectOfPosition(ds, signs []float64, d *Data) Estimate {
	var one, other []float64
	for i, s := range signs {
		if s > 0 {
			one = append(one, ds[i])
		} else {
			other = append(other, ds[i])
		}
	}
	if len(one) == 0 || len(other) == 0 {
		return noEstimate()
	}
	ratio := (stat.Median(one) + stat.Median(other)) / 2
	effects := make([]float64, len(ds))
	for i := range ds {
		effects[i] = signs[i] * (ds[i] - ratio)
	}
	iv := d.Looks.Interval(stat.Rounds{D: effects}, d.Alpha)
	return Estimate{Centre: math.Exp(stat.Median(effects)), Interval: expInterval(iv), Rounds: len(ds)}
}

// FlagPositions flags the cases whose figure depends on whether they come first, of those
// with which they are compared.
func FlagPositions(st *language.Study, d *Data) {
	if d.Flags == nil {
		d.Flags = map[string][]string{}
	}
	partner := map[*series.Series]*series.Series{}
	for _, p := range RatioPairs(st, d.Cases) {
		if partner[p.Num] == nil {
			partner[p.Num] = p.Den
		}
	}
	base := map[string]*series.Series{} // the case on the first arm
	for _, s := range d.Set.All() {
		if s.Role == "" && len(s.Rounds) > 0 && base[s.Study+" "+s.Case] == nil {
			base[s.Study+" "+s.Case] = s
		}
	}
	for _, c := range d.Cases {
		b := partner[c]
		if other := base[c.Study+" "+c.Case]; b == nil && other != c {
			b = other
		}
		if b == nil {
			continue
		}
		x := position(d, c, b)
		if x.Rounds == 0 || x.Interval.IsEmpty() || x.Interval.Lo < positionMargin && x.Interval.Hi > 1/positionMargin {
			continue
		}
		d.Flags[c.Case] = append(d.Flags[c.Case], fmt.Sprintf("whichever sample comes first in a round takes %s %s as "+
			"long: a coin decides which, so that the ratio stays right and its interval is wider",
			units.Ratio(x.Centre), units.Range(x.Interval.Lo, x.Interval.Hi)))
	}
}
