package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Link puts the cases of every pair into one group, and gives each case without a pair a
// group of its own. Pairs hold case indices: the two sides of a claim's or a table's
// ratio, which are then measured next to each other. Groups are numbered in case order.
func (p *Plan) Link(pairs [][2]int) {
	p.Pairs = nil
	seen := map[[2]int]bool{}
	for _, pr := range pairs {
		at := [2]int{min(pr[0], pr[1]), max(pr[0], pr[1])}
		if at[0] != at[1] && !seen[at] {
			seen[at] = true
			p.Pairs = append(p.Pairs, at)
		}
	}
	parent := make([]int, len(p.Cases))
	for i := range parent {
		parent[i] = i
	}
	var root func(int) int
	root = func(i int) int {
		if parent[i] != i {
			parent[i] = root(parent[i])
		}
		return parent[i]
	}
	for _, pr := range pairs {
		parent[root(pr[1])] = root(pr[0])
	}
	number := map[int]int{}
	for i := range p.Cases {
		r := root(i)
		if _, ok := number[r]; !ok {
			number[r] = len(number)
		}
		p.Cases[i].Group = number[r]
	}
}

// suspicion is the difference between a case's two calibration samples that
// makes it suspect: beyond what the noise of a shared machine does every day.
const suspicion = 0.15

// Suspicious reports whether two calibration samples of a case, in seconds per
// op, differ by more than noise usually does.
func Suspicious(short, full float64) bool {
	return short > 0 && full > 0 && math.Abs(math.Log(short/full)) > suspicion
}

// ChooseSuspects picks the cases whose cost per op seemed to depend on the
// number of iterations. It is a sieve; the guard rounds decide.
func (p *Plan) ChooseSuspects() {
	p.Suspects, p.Sieve = nil, true
	for i, c := range p.Cases {
		if p.Mine(c.Group) && Suspicious(c.Short, c.Estimate) {
			p.Suspects = append(p.Suspects, i)
		}
	}
}

// ChooseDoubles picks up to n cases at random to ride along twice (A′).
func (p *Plan) ChooseDoubles(n int) {
	rng := rand.New(rand.NewPCG(p.Options.Seed, 0xA))
	var mine []int
	for i, c := range p.Cases {
		if p.Mine(c.Group) {
			mine = append(mine, i)
		}
	}
	rng.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	p.Doubles = slices.Sorted(slices.Values(mine[:min(n, len(mine))]))
}

// Compared reports whether some case is measured with two configurations, or more.
func Compared(p *Plan) bool {
	for s := range p.Studies {
		if len(p.SidesOf(s)) > 1 {
			return true
		}
	}
	return false
}

// OnAll returns the cases that all of some sides have, as the first of them found them, and
// the benchmarks that only some have: found holds the cases of each side. What failed on a side
// is among the failures, and is not missing there.
func OnAll(p *Plan, study int, sides []int, found [][]Case) (both []Case, oneSided []OneSided) {
	on := map[string][]int{} // by name
	var names []string       // in the order in which they were found
	for i, cases := range found {
		for _, c := range cases {
			if on[c.Name] == nil {
				names = append(names, c.Name)
			}
			on[c.Name] = append(on[c.Name], sides[i])
		}
	}
	for _, c := range found[0] {
		if len(on[c.Name]) == len(sides) {
			both = append(both, c)
		}
	}
	base := map[string]string{}
	for _, c := range slices.Concat(found...) {
		base[c.Name] = c.Base
	}
	for _, name := range names {
		has := on[name]
		for _, side := range sides {
			if !slices.Contains(has, side) && failedOn(p, study, side, base[name]) {
				has = append(slices.Clone(has), side)
			}
		}
		x := OneSided{Study: p.Studies[study].Name, Name: base[name]}
		if len(has) == len(sides) {
			continue
		}
		for _, side := range on[name] {
			x.On = append(x.On, p.Sides[side].Name)
		}
		if !slices.ContainsFunc(oneSided, func(o OneSided) bool { return o.Name == x.Name }) { // --cpu 1,2
			oneSided = append(oneSided, x)
		}
	}
	return both, oneSided
}

// failedOn reports whether a benchmark, or the one of which it is a part, failed on a side.
func failedOn(p *Plan, study, side int, base string) bool {
	return slices.ContainsFunc(p.Failures, func(f Failure) bool {
		return f.Study == study && f.Side == p.Sides[side].Name &&
			(f.Name == base || strings.HasPrefix(base, f.Name+"/") || f.Name == p.Studies[study].Name)
	})
}
