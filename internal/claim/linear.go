package claim

import (
	"cmp"
	"math"

	"memcost/internal/catalog"
	"memcost/internal/series"
)

// linear judges the exponent of the unit against the key: one for each
// GOMAXPROCS.
func (v *Verdict) linear(c catalog.Claim, d *Data) {
	picked, bad := d.pick(c.Num)
	v.leftOut(bad)
	byProcs := map[string][]*series.Series{}
	var order []string
	for _, s := range d.only(picked, c.Unit) {
		p := procs(s)
		if byProcs[p] == nil {
			order = append(order, p)
		}
		byProcs[p] = append(byProcs[p], s)
	}
	for _, p := range order {
		e := Element{Label: Exponent}
		if len(order) > 1 {
			e.Label += " cpu=" + cmp.Or(p, "1")
		}
		v.exponent(c, d, e, byProcs[p], len(order))
	}
}

// Exponent is the label of an element that is a scaling exponent.
const Exponent = "exponent"

func (v *Verdict) exponent(c catalog.Claim, d *Data, e Element, cases []*series.Series, m int) {
	var x []float64
	at := map[float64]*series.Series{}
	for _, s := range cases {
		k, err := number(s, c.LinearKey)
		if err != nil {
			v.note("%v", err)
			return
		}
		if other := at[k]; other != nil {
			v.note("%s and %s stand at the same %s: a slope needs one case at each", other.Case, s.Case, c.LinearKey)
			return
		}
		at[k] = s
		x = append(x, math.Log(k))
		e.Cases = append(e.Cases, s.Case)
		e.groups = append(e.groups, s.Group)
	}
	if len(cases) < 3 {
		v.note("a slope needs three values of %s or more, there are %d", c.LinearKey, len(cases))
		return
	}
	var slopes []float64
	d.Set.Join(cases, c.Unit, func(y []float64) { slopes = append(slopes, slope(x, y)) })
	a, err := allowedBy(c.Cond, cases[0], false)
	if err != nil {
		v.note("%v", err)
		return
	}
	v.Elements = append(v.Elements, linElement(d, e, slopes, a, m))
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
