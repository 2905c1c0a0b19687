package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// linear judges the exponent of the unit against the key, one for each GOMAXPROCS and load, and
// that between each value of the key and the next: a line through a curve has a slope too.
func (v *Verdict) linear(c language.Claim, d *Data) {
	picked, bad := d.pick(c.Num)
	v.leftOut(bad)
	cases := d.only(picked, c.Unit)
	v.Scope.Noun = c.LinearKey
	v.Scope.count(d, LabelsOf(cases, c.LinearKey), func(extra []*series.Series) []string {
		return LabelsOf(chosen(extra, c.Num), c.LinearKey)
	})
	under := map[string][]*series.Series{}
	var order []string
	for _, s := range cases {
		p := Place(s, nil, Conditions())
		if under[p] == nil {
			order = append(order, p)
		}
		under[p] = append(under[p], s)
	}
	for _, p := range order {
		suffix := ""
		for _, u := range Conditions() {
			if slices.ContainsFunc(cases, func(s *series.Series) bool { return u.Of(s) != u.Of(cases[0]) }) {
				suffix += u.Suffix(under[p][0])
			}
		}
		v.exponents(c, d, suffix, under[p])
	}
}

// localMargin is how much further from the claim's bounds a slope between two neighbours
// may lie than that over all values: one of 1.2 from one value to the next, over a doubling,
// is a cost per byte that has grown by 15%.
const localMargin = 0.1

// A point is a case and its value of the key, as a logarithm.
type point struct {
	x float64
	*series.Series
}

func (v *Verdict) exponents(c language.Claim, d *Data, suffix string, cases []*series.Series) {
	var at []point
	for _, s := range cases {
		k, err := Number(s, c.LinearKey)
		if err != nil {
			v.note("%v", err)
			return
		}
		at = append(at, point{math.Log(k), s})
	}
	slices.SortFunc(at, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	for i := range at[1:] {
		if at[i].x == at[i+1].x {
			v.note("%s and %s stand at the same %s: a slope needs one case at each", at[i].Case, at[i+1].Case,
				c.LinearKey)
			return
		}
	}
	if len(at) < 3 {
		v.note("a slope needs three values of %s or more, there are %d", c.LinearKey, len(at))
		return
	}
	a, err := allowedBy(c, at[0].Series, false)
	if err != nil {
		v.note("%v", err)
		return
	}
	all := v.exponent(c, d, Exponent+suffix, at, a)
	a.lo, a.hi = a.lo-localMargin, a.hi+localMargin
	for i := range at[1:] {
		name := fmt.Sprintf("%s %s=%s..%s%s", Exponent, c.LinearKey, Value(at[i].Series, c.LinearKey),
			Value(at[i+1].Series, c.LinearKey), suffix)
		v.exponent(c, d, name, at[i:i+2], a)
	}
	if g := growth(d, at, c.Unit); all.Status != Untested && math.Abs(math.Log(g)) > math.Log(worthSaying) {
		from, per := at[0].named(c.LinearKey)
		to, _ := at[len(at)-1].named(c.LinearKey)
		v.note("from %s to %s the %s per %s becomes %.3g times what it was%s", from, to, quantityOf(c.Unit), per, g,
			suffix)
	}
}

// named returns where a point stands, in words, and what its key counts.
func (p point) named(key string) (at, counts string) {
	if key == "size" {
		return units.Bytes(math.Round(math.Exp(p.x))), "byte"
	}
	return key + " " + Value(p.Series, key), key
}

// worthSaying is the growth of the cost per unit of the key over all its values from which
// on the verdict notes it: small slopes add up over many values.
const worthSaying = 1.25

// quantityOf is what a unit measures, for a sentence.
func quantityOf(unit string) string {
	if unit == "sec/op" {
		return "time"
	}
	return unit
}

// growth is how many times as much a unit of the key costs at the last point as at the
// first: 1 where the figure is in proportion to the key.
func growth(d *Data, at []point, unit string) float64 {
	first, last := at[0], at[len(at)-1]
	return d.Ratio(last.Series, first.Series, unit).Centre / math.Exp(last.x-first.x)
}

// exponent judges the slope over some points.
func (v *Verdict) exponent(c language.Claim, d *Data, name string, at []point, a allowed) Element {
	e := Element{Label: name}
	var x []float64
	var cases []*series.Series
	for _, p := range at {
		x, cases = append(x, p.x), append(cases, p.Series)
		e.Cases = append(e.Cases, p.Case)
	}
	slopes := d.join(cases, c.Unit, false, func(y []float64) float64 { return slope(x, y) })
	e = linElement(d, e, slopes, a)
	v.Elements = append(v.Elements, e)
	return e
}

// slope returns the least-squares slope of ln y against x.
func slope(x, y []float64) float64 {
	var mx, my float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += math.Log(y[i]) / float64(len(x))
	}
	var sxy, sxx float64
	for i := range x {
		sxy += (x[i] - mx) * (math.Log(y[i]) - my)
		sxx += (x[i] - mx) * (x[i] - mx)
	}
	return sxy / sxx
}
