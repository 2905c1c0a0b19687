package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// alike is the ratio of two machines' memory within which neither is the weaker.
const alike = 1.05

// Across judges "the ratio falls with the strength of the machine": by a regression of the
// ratio on the strength of the memory, in logarithms, over the kinds of machines (the model
// of the CPU) of one data set and the others. What one kind has besides its memory is a
// random effect, so that fewer than four kinds decide nothing, however well each is
// measured. Beside it stand the comparisons with each of the others.
func Across(c language.Claim, d *Data, others []*Data) Verdict {
	v := Verdict{Claim: c.ID, Data: d.Name, Deciding: -1}
	here := v.sides(c, d)
	var there []*sides
	for _, o := range others {
		// What the other data set leaves out is said where its own verdict is.
		if s := new(Verdict).sides(c, o); len(here.common(s)) > 0 {
			there = append(there, s)
		}
	}
	var against []Element
	for _, s := range there {
		e := here.against(s, c.WeakKey)
		if e.Status == Untested {
			v.note("%s: %s", e.Label, e.Note)
			continue
		}
		against = append(against, e)
	}
	if len(there) == 0 {
		v.note(noOtherMachine)
	}
	if len(against) > 0 {
		v.Elements = append(v.Elements, overKinds(append([]*sides{here}, there...), c.WeakKey))
	}
	v.conclude(d.Alpha)
	v.Elements = append(v.Elements, against...)
	return v
}

// A Point is what a claim across machines takes of one data set: the strength of the memory, and the ratio,
// by the places that all of the data sets have.
type Point struct {
	Data     *Data
	Strength float64 // amount of the claim's key per second
	Ratio    Estimate
	Cases    []string
}

// Points returns a point of each data set that has the claim's cases. A machine that was busy has none: a ratio
// of different code is true of the load under which it was taken.
func Points(c language.Claim, all []*Data) []Point {
	var machines []*sides
	for _, d := range all {
		if s := new(Verdict).sides(c, d); !d.Busy && len(s.pairs) > 0 {
			machines = append(machines, s)
		}
	}
	return points(machines, c.WeakKey)
}

func points(machines []*sides, key string) []Point {
	if len(machines) == 0 {
		return nil
	}
	common := machines[0].labels()
	for _, m := range machines[1:] {
		common = slices.DeleteFunc(common, func(l string) bool { return !slices.Contains(m.labels(), l) })
	}
	var out []Point
	for _, m := range machines {
		if len(common) == 0 {
			break
		}
		pairs := m.at(common)
		p := Point{Data: m.data, Strength: m.strength(pairs, key), Ratio: m.loss(pairs)}
		if p.Ratio.Rounds == 0 || !(p.Strength > 0) {
			continue
		}
		for _, x := range pairs {
			p.Cases = append(p.Cases, x.Num.Case, x.Den.Case)
		}
		out = append(out, p)
	}
	return out
}

// Board returns the point as a board of a kind of machines; what has no interval counts as exact.
func (p Point) Board(kind, machine string) stat.Board {
	b := stat.Board{Kind: kind, Machine: machine, X: math.Log(p.Strength), Y: math.Log(p.Ratio.Centre)}
	if half := p.Ratio.Half(); !math.IsInf(half, 1) && !math.IsNaN(half) {
		b.V = half * half / 4 // the half-width of a 95% interval is about two standard errors
	}
	return b
}

// overKinds judges the slope of the ratio over the strength of the memory, by the places
// that all machines have.
func overKinds(machines []*sides, key string) Element {
	e := Element{N: math.MaxInt}
	var boards []stat.Board
	for i, p := range points(machines, key) {
		if p.Data == machines[0].data {
			e.Cases = p.Cases
		}
		// Which data sets are of one board is not known here: each stands for one.
		boards = append(boards, p.Board(cmp.Or(p.Data.Machine, p.Data.Name), fmt.Sprint(i)))
		if !p.Data.Single {
			e.N = min(e.N, p.Ratio.Rounds)
		}
	}
	f := stat.RegressKinds(boards, machines[0].data.Alpha)
	e.Label = fmt.Sprintf("%s over %s", Exponent, ofKinds(f.Kinds))
	if e.N == math.MaxInt {
		e.N, e.Single = 1, true
	}
	if f.Kinds < 2 {
		return e.untested(noCommonRound)
	}
	e.Figure, e.Interval = f.Slope, f.Interval
	e.allowed = allowed{lo: math.Inf(-1), hi: 0, loOpen: true, hiOpen: true}
	e.Status = Status(f.Falls(machines[0].data.Alpha))
	if !f.Decides {
		e.Doubt = Doubt(ofKinds(f.Kinds))
		e.Note = "fewer than four kinds of machines decide nothing"
		return e
	}
	e.Single = false
	e.Note = fmt.Sprintf("p = %.2g by permutation", f.P)
	return e
}

func ofKinds(n int) string { return fmt.Sprintf("%d kinds of machines", n) }

// sides holds the cases that a claim across machines compares in one data set, by the
// values of their keys.
type sides struct {
	data  *Data
	pairs []Pair
	weak  map[string]*series.Series
}

func (v *Verdict) sides(c language.Claim, d *Data) *sides {
	s := &sides{data: d}
	num, badNum := d.pick(c.Num)
	den, badDen := d.pick(c.Den)
	v.leftOut(append(badNum, badDen...))
	every := []string{c.WeakKey}
	pairs, _, err := Match(d.only(num, c.Unit), d.only(den, c.Unit), every, PairingNamed(c.Num, c.Den)...)
	if err != nil {
		v.note("%v", err)
		return s
	}
	weak, _ := d.pick(c.Weak)
	s.weak, err = byKeys(every).places(d.only(weak, "sec/op"), Conditions())
	if err != nil {
		v.note("%v", err)
		return s
	}
	// GOMAXPROCS differs between machines, so cases are identified by the key alone; two
	// cases with the same value in one data set are as ambiguous as two candidates.
	seen := map[string]bool{}
	for _, p := range pairs {
		at := Label(p.Num, every)
		if seen[at] {
			v.note("%s was measured with several GOMAXPROCS or loads, and the first one is used", at)
			continue
		}
		seen[at] = true
		if s.weak[Place(p.Num, every, Conditions())] != nil {
			s.pairs = append(s.pairs, Pair{Label: at, Num: p.Num, Den: p.Den})
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

func (s *sides) labels() []string { return LabelsOfPairs(s.pairs) }

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
	return estimateOf(s.data, s.data.join(members, "sec/op", false, func(y []float64) float64 {
		mean := 0.0
		for i := 0; i < len(y); i += 2 {
			mean += (math.Log(y[i]) - math.Log(y[i+1])) / float64(len(pairs))
		}
		return mean
	}))
}

// strength returns the geometric mean of the throughputs of the machine's memory.
func (s *sides) strength(pairs []Pair, key string) float64 {
	mean := 0.0
	for _, p := range pairs {
		c := s.weak[Place(p.Num, []string{key}, Conditions())]
		amount, err := Number(c, key)
		if err != nil {
			return math.NaN()
		}
		cost := stat.Median(s.data.basis(subject{c, nil, "sec/op"}).each)
		mean += (math.Log(amount) - cost) / float64(len(pairs))
	}
	return math.Exp(mean)
}

// against compares two machines: the one with the weaker memory should have the greater
// loss. The figure is the ratio of the losses, weaker over stronger, over the places that
// both have. Both sides carry their error, each at half of α; a published figure has one
// that nobody printed, so that the ratio then has no interval.
func (a *sides) against(b *sides, key string) Element {
	e := Element{Label: "against " + b.data.Name}
	common := a.common(b)
	mine, theirs := a.at(common), b.at(common)
	for _, p := range mine {
		e.Cases = append(e.Cases, p.Num.Case, p.Den.Case)
	}
	here, there := a.atLevel(mine), b.atLevel(theirs)
	e.N = here.Rounds
	weaker := b.strength(theirs, key) / a.strength(mine, key) // > 1: a is the weaker
	switch {
	case here.Rounds == 0 || there.Rounds == 0 || math.IsNaN(weaker):
		return e.untested(noCommonRound)
	case weaker < alike && weaker > 1/alike:
		return e.untested("its memory is as strong as the other's, within 5%")
	}
	top, bottom := here, there
	if weaker < 1 {
		top, bottom = there, here
	}
	e.allowed = allowed{lo: 1, hi: math.Inf(1), loOpen: true, hiOpen: true}
	e = single(e, top.Centre/bottom.Centre, e.allowed)
	if e.Single = a.data.Single || b.data.Single; !e.Single {
		e.Interval = stat.Interval{Lo: top.Interval.Lo / bottom.Interval.Hi, Hi: top.Interval.Hi / bottom.Interval.Lo}
		e = decide(e)
	}
	return e
}

// atLevel returns loss at half of the data's level.
func (s *sides) atLevel(pairs []Pair) Estimate {
	d := *s.data
	d.Alpha /= 2
	return (&sides{data: &d}).loss(pairs)
}
