package claim

import (
	"fmt"
	"math"

	"memcost/internal/catalog"
	"memcost/internal/series"
)

// A Verdict is what one data set says of a claim.
type Verdict struct {
	Claim    string
	Data     string // name of the data set
	Status   Status
	Elements []Element
	Deciding int // index of the element that decided it, −1 when there is none
	Notes    []string
}

// Judge applies a claim to a data set. Claims across machines need several data
// sets: see Across.
func Judge(c catalog.Claim, d *Data) Verdict {
	v := Verdict{Claim: c.ID, Data: d.Name, Deciding: -1}
	switch c.Kind {
	case catalog.Ratio:
		v.ratio(c, d)
	case catalog.Value:
		v.value(c, d)
	case catalog.Linear:
		v.linear(c, d)
	default:
		v.Status, v.Notes = Untested, []string{"it compares machines"}
		return v
	}
	v.conclude()
	return v
}

func (v *Verdict) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

func (v *Verdict) leftOut(invalid []*series.Series) {
	switch len(invalid) {
	case 0:
	case 1:
		v.note("without %s: INVALID", invalid[0].Case)
	default:
		v.note("without %d INVALID cases, %s among them", len(invalid), invalid[0].Case)
	}
}

func (v *Verdict) ratio(c catalog.Claim, d *Data) {
	num, badNum := d.pick(c.Num)
	den, badDen := d.pick(c.Den)
	v.leftOut(append(badNum, badDen...))
	pairs, err := Match(d.only(num, c.Unit), d.only(den, c.Unit), c.Every)
	if err != nil {
		v.note("%v", err)
		return
	}
	for _, p := range pairs {
		e := Element{Label: p.Label, Cases: []string{p.Num.Case, p.Den.Case}, groups: []int{p.Num.Group, p.Den.Group}}
		a, err := allowedBy(c.Cond, p.Num)
		if err != nil {
			v.note("%v", err)
			continue
		}
		v.Elements = append(v.Elements, d.logElement(e, d.Set.Paired(p.Num, p.Den, c.Unit), a, len(pairs)))
	}
}

func (v *Verdict) value(c catalog.Claim, d *Data) {
	unit := c.Unit
	if c.PerKey != "" {
		unit = "sec/op"
	}
	picked, bad := d.pick(c.Num)
	v.leftOut(bad)
	cases := d.only(picked, unit)
	for _, s := range cases {
		e := Element{Label: label(s, c.Every), Cases: []string{s.Case}, groups: []int{s.Group}}
		a, err := allowedBy(c.Cond, s)
		if err != nil {
			v.note("%v", err)
			continue
		}
		if Exact(unit) {
			v.Elements = append(v.Elements, d.exactElement(e, s, unit, a))
			continue
		}
		logs, err := d.logs(s, unit, c.PerKey)
		if err != nil {
			v.note("%v", err)
			continue
		}
		v.Elements = append(v.Elements, d.logElement(e, logs, a, len(cases)))
	}
}

// logs returns the logarithm of a case's figures; with perKey, of the key's
// value per figure (throughput).
func (d *Data) logs(s *series.Series, unit, perKey string) ([]float64, error) {
	amount := 1.0
	if perKey != "" {
		var err error
		if amount, err = number(s, perKey); err != nil {
			return nil, err
		}
	}
	var logs []float64
	for _, y := range d.values(s, unit) {
		if y <= 0 {
			continue
		}
		if perKey != "" {
			y = amount / y
		}
		logs = append(logs, math.Log(y))
	}
	return logs, nil
}

func (v *Verdict) linear(c catalog.Claim, d *Data) {
	picked, bad := d.pick(c.Num)
	v.leftOut(bad)
	cases := d.only(picked, c.Unit)
	e := Element{Label: "exponent"}
	var x []float64
	for _, s := range cases {
		k, err := number(s, c.LinearKey)
		if err != nil {
			v.note("%v", err)
			return
		}
		x = append(x, math.Log(k))
		e.Cases = append(e.Cases, s.Case)
		e.groups = append(e.groups, s.Group)
	}
	if len(cases) < 3 {
		v.note("a slope needs three sizes or more, there are %d", len(cases))
		return
	}
	var slopes []float64
	d.Set.Join(cases, c.Unit, func(y []float64) { slopes = append(slopes, slope(x, y)) })
	a, err := allowedBy(c.Cond, cases[0])
	if err != nil {
		v.note("%v", err)
		return
	}
	v.Elements = append(v.Elements, d.linElement(e, slopes, a))
}

// slope is the least-squares slope of ln y against x.
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

// conclude draws the verdict from the elements and names the one that decided.
func (v *Verdict) conclude() {
	count := map[Status]int{}
	for _, e := range v.Elements {
		count[e.Status]++
	}
	judged := count[Holds] + count[Fails] + count[Undecided]
	switch {
	case judged == 0:
		v.Status = Untested
		if len(v.Notes) == 0 {
			v.note("no figures of its cases")
		}
	case count[Fails] > 0:
		v.Status = Fails
	case count[Undecided] > 0:
		v.Status = Undecided
	default:
		v.Status = Holds
	}
	best := math.Inf(1)
	for i, e := range v.Elements {
		if e.Status != v.Status {
			continue
		}
		// A claim fails where it first fails; it holds, or is open, where it
		// is nearest to its bound.
		if v.Status == Fails {
			v.Deciding = i
			return
		}
		if m := e.margin(); m < best || v.Deciding < 0 {
			v.Deciding, best = i, m
		}
	}
}

// margin is how far an element is inside its bounds, in logarithms: of the
// interval where there is one, of the figure elsewhere.
func (e Element) margin() float64 {
	lo, hi := e.Figure, e.Figure
	if !e.Single && !e.Interval.IsEmpty() {
		lo, hi = e.Interval.Lo, e.Interval.Hi
	}
	m := math.Inf(1)
	if e.allowed.lo > 0 {
		m = min(m, math.Log(lo/e.allowed.lo))
	}
	if e.allowed.hi > 0 && !math.IsInf(e.allowed.hi, 1) {
		m = min(m, math.Log(e.allowed.hi/hi))
	}
	return m
}

// OpenGroups returns the comparisons whose further rounds could still change an
// undecided verdict.
func (v Verdict) OpenGroups() []int {
	if v.Status != Undecided {
		return nil
	}
	var gs []int
	for _, e := range v.Elements {
		if e.Status == Undecided && !e.Single {
			gs = append(gs, e.groups...)
		}
	}
	return gs
}
