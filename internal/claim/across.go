package claim

import (
	"math"

	"memcost/internal/catalog"
	"memcost/internal/stat"
)

// machineFigures are what a claim across machines compares: how strong a
// machine's memory is, and how great the loss is on it.
type machineFigures struct {
	data     *Data
	strength float64
	loss     float64
	interval stat.Interval
	groups   []int
	cases    []string
	n        int
}

// Across judges "the ratio falls with the strength of the machine" for one data
// set against each of the others.
func Across(c catalog.Claim, d *Data, others []*Data) Verdict {
	v := Verdict{Claim: c.ID, Data: d.Name, Deciding: -1}
	if mine, ok := figuresOf(c, d); ok {
		for _, o := range others {
			if f, ok := figuresOf(c, o); ok {
				v.Elements = append(v.Elements, against(mine, f))
			}
		}
	}
	if len(v.Elements) == 0 {
		v.note("no other machine to compare with")
	}
	v.conclude()
	return v
}

// figuresOf averages (geometrically) over the sizes that both sides have.
func figuresOf(c catalog.Claim, d *Data) (machineFigures, bool) {
	f := machineFigures{data: d}
	num, _ := d.pick(c.Num)
	den, _ := d.pick(c.Den)
	weak, _ := d.pick(c.Weak)
	every := c.Every
	if len(every) == 0 {
		every = []string{c.WeakKey}
	}
	pairs, err := Match(d.only(num, c.Unit), d.only(den, c.Unit), every)
	if err != nil || len(pairs) == 0 {
		return f, false
	}
	var rounds []float64 // mean log ratio per round
	for i, p := range pairs {
		f.groups = append(f.groups, p.Num.Group, p.Den.Group)
		f.cases = append(f.cases, p.Num.Case, p.Den.Case)
		logs := d.Set.Paired(p.Num, p.Den, c.Unit)
		if i == 0 {
			rounds = make([]float64, len(logs))
		}
		rounds = rounds[:min(len(rounds), len(logs))]
		for r := range rounds {
			rounds[r] += logs[r] / float64(len(pairs))
		}
	}
	var strengths []float64
	for _, s := range weak {
		if logs, err := d.logs(s, "sec/op", c.WeakKey); err == nil && len(logs) > 0 {
			strengths = append(strengths, stat.Median(logs))
		}
	}
	if len(rounds) == 0 || len(strengths) == 0 {
		return f, false
	}
	mean := 0.0
	for _, s := range strengths {
		mean += s / float64(len(strengths))
	}
	f.strength = math.Exp(mean)
	e := d.estimate(rounds)
	f.loss, f.interval, f.n = e.Centre, e.Interval, e.Rounds
	return f, true
}

// against compares two machines: the one with the weaker memory should have the
// greater loss. The figure is the ratio of the losses, weaker over stronger.
func against(a, b machineFigures) Element {
	e := Element{Label: "against " + b.data.Name, Cases: a.cases, N: a.n, groups: a.groups}
	iv := a.interval
	figure := a.loss / b.loss
	lo, hi := iv.Lo/b.loss, iv.Hi/b.loss
	if a.strength > b.strength { // b is the weaker one
		figure, lo, hi = 1/figure, 1/hi, 1/lo
	}
	want := allowed{lo: 1, hi: math.Inf(1), loOpen: true}
	e.allowed = want
	if a.data.Published {
		return single(e, figure, want)
	}
	e.Figure, e.Interval = figure, stat.Interval{Lo: lo, Hi: hi}
	e.Strict = e.Interval
	return decide(e, want)
}
