package claim

import (
	"math"
	"slices"

	"memcost/internal/catalog"
	"memcost/internal/series"
	"memcost/internal/stat"
)

// alike is the ratio of two machines' memory within which neither is the weaker.
const alike = 1.05

// Across judges "the ratio falls with the strength of the machine" for one data
// set against each of the others.
func Across(c catalog.Claim, d *Data, others []*Data) Verdict {
	v := Verdict{Claim: c.ID, Data: d.Name, Deciding: -1}
	here := v.sides(c, d)
	var there []*sides
	for _, o := range others {
		// What the other data set leaves out is said where its own verdict is.
		if s := new(Verdict).sides(c, o); len(here.common(s)) > 0 {
			there = append(there, s)
		}
	}
	for _, s := range there {
		e := against(here, s, c.WeakKey, len(there))
		if e.Status == Untested {
			v.note("%s: %s", e.Label, e.Note)
			continue
		}
		v.Elements = append(v.Elements, e)
	}
	if len(there) == 0 {
		v.note(noOtherMachine)
	}
	v.conclude()
	return v
}

// sides holds the cases that a claim across machines compares in one data set, by the
// values of their keys.
type sides struct {
	data  *Data
	pairs []Pair
	weak  map[string]*series.Series
}

func (v *Verdict) sides(c catalog.Claim, d *Data) *sides {
	s := &sides{data: d}
	num, badNum := d.pick(c.Num)
	den, badDen := d.pick(c.Den)
	v.leftOut(append(badNum, badDen...))
	every := []string{c.WeakKey}
	pairs, _, err := Match(d.only(num, c.Unit), d.only(den, c.Unit), every)
	if err != nil {
		v.note("%v", err)
		return s
	}
	weak, _ := d.pick(c.Weak)
	s.weak, err = places(d.only(weak, "sec/op"), every)
	if err != nil {
		v.note("%v", err)
		return s
	}
	// GOMAXPROCS differs between machines, so cases are identified by the key alone; two
	// cases with the same value in one data set are as ambiguous as two candidates.
	seen := map[string]bool{}
	for _, p := range pairs {
		at := label(p.Num, every)
		if seen[at] {
			v.note("%s was measured with several GOMAXPROCS, and the first one is used", at)
			continue
		}
		seen[at] = true
		if s.weak[place(p.Num, every)] != nil {
			s.pairs = append(s.pairs, Pair{at, p.Num, p.Den})
		}
	}
	return s
}

// common returns the labels of the places that both have.
func (s *sides) common(o *sides) []string {
	var at []string
	for _, p := range s.pairs {
		if slices.ContainsFunc(o.pairs, func(q Pair) bool { return q.Label == p.Label }) {
			at = append(at, p.Label)
		}
	}
	return at
}

// at returns the pairs with the given labels, in their order.
func (s *sides) at(labels []string) []Pair {
	var ps []Pair
	for _, l := range labels {
		i := slices.IndexFunc(s.pairs, func(p Pair) bool { return p.Label == l })
		ps = append(ps, s.pairs[i])
	}
	return ps
}

// loss returns the geometric mean of the ratios, one per round in which every value has
// both figures.
func (s *sides) loss(pairs []Pair) Estimate {
	var members []*series.Series
	for _, p := range pairs {
		members = append(members, p.Num, p.Den)
	}
	var rounds []float64
	s.data.Set.Join(members, "sec/op", func(y []float64) {
		mean := 0.0
		for i := 0; i < len(y); i += 2 {
			mean += (math.Log(y[i]) - math.Log(y[i+1])) / float64(len(pairs))
		}
		rounds = append(rounds, mean)
	})
	return s.data.estimateLogs(rounds)
}

// strength returns the geometric mean of the throughputs of the machine's memory.
func (s *sides) strength(pairs []Pair, key string) float64 {
	mean := 0.0
	for _, p := range pairs {
		c := s.weak[place(p.Num, []string{key})]
		amount, err := number(c, key)
		if err != nil {
			return math.NaN()
		}
		cost := stat.Median(s.data.logs(subject{c, nil, "sec/op"}))
		mean += (math.Log(amount) - cost) / float64(len(pairs))
	}
	return math.Exp(mean)
}

// against compares two machines: the one with the weaker memory should have the
// greater loss. The figure is the ratio of the losses, weaker over stronger, over
// the places that both have.
func against(a, b *sides, key string, m int) Element {
	e := Element{Label: "against " + b.data.Name}
	common := a.common(b)
	mine, theirs := a.at(common), b.at(common)
	for _, p := range mine {
		e.groups = append(e.groups, p.Num.Group, p.Den.Group)
		e.Cases = append(e.Cases, p.Num.Case, p.Den.Case)
	}
	here, there := a.loss(mine), b.loss(theirs)
	e.N = here.Rounds
	weaker := b.strength(theirs, key) / a.strength(mine, key) // > 1: a is the weaker
	switch {
	case here.Rounds == 0 || there.Rounds == 0 || math.IsNaN(weaker):
		return e.untested(noCommonRound)
	case weaker < alike && weaker > 1/alike:
		return e.untested("its memory is as strong as the other's, within 5%")
	}
	figure := func(loss float64) float64 { return loss / there.Centre }
	if weaker < 1 {
		figure = func(loss float64) float64 { return there.Centre / loss }
	}
	e.allowed = allowed{lo: 1, hi: math.Inf(1), loOpen: true, hiOpen: true}
	if a.data.Single {
		return single(e, figure(here.Centre), e.allowed)
	}
	over := func(iv stat.Interval) stat.Interval {
		if iv.IsEmpty() {
			return iv
		}
		x, y := figure(iv.Lo), figure(iv.Hi)
		return stat.Interval{Lo: min(x, y), Hi: max(x, y)}
	}
	e.Figure, e.Interval = figure(here.Centre), over(here.Interval)
	e.Strict = e.Interval
	if m > 1 {
		e.Strict = over(a.atLevel(mine, a.data.Alpha/float64(m)).Interval)
	}
	return decide(e, e.allowed)
}

// atLevel returns loss at another level than the data's.
func (s *sides) atLevel(pairs []Pair, alpha float64) Estimate {
	d := *s.data
	d.Alpha = alpha
	return (&sides{data: &d}).loss(pairs)
}
