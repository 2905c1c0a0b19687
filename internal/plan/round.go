package plan

import (
	"slices"
)

// A Role is the purpose of a sample.
type Role string

const (
	Main    Role = ""        // the figure itself
	Double  Role = "A'"      // a second copy of the same arm, which measures the noise floor
	Quarter Role = "quarter" // a quarter of the iterations: is the cost per op constant?
	Whole   Role = "whole"   // what a quarter is compared with where the figure itself is one of slices
)

// A Task is one sample to take.
type Task struct {
	Round   int
	Order   int // position within the round, from 0
	Group   int
	Case    int
	Arm     int
	Role    Role
	N       int64
	Layout  int // index into the pool of random links
	Padding int // bytes of random environment padding, 0 … 4095
}

// maxPadding covers one page: beyond it the stack's start repeats modulo the
// page, as far as caches and store-to-load aliasing are concerned
// (Mytkowicz et al., "Producing wrong data without doing anything obviously
// wrong", ASPLOS 2009).
const maxPadding = 4096

// Round returns the samples of one round, in the order in which they are taken.
//
// Groups come in a fresh random order; inside a group every member (case × arm, with its
// A′ and quarter copies) is placed by a fresh random permutation, so that for each pair
// of them the order is decided by a fair coin. live reports which groups are still
// undecided; suspect, which cases seemed to depend on N on an arm in the rounds of the sieve
// (nil: none).
//
// The result depends on the plan, the round, live and suspect alone.
func (p *Plan) Round(round int, live func(group int) bool, suspect func(c, arm int) bool) []Task {
	o := p.Options
	rng := stream(o.Seed, "order", round)
	groups := p.Groups()
	order := rng.Perm(len(groups))
	draw := layouts
	if !o.FreshLayouts {
		draw = sharedLayouts
	}
	layout, double := draw(o.Seed, o.Layouts, len(p.Arms), round)

	var tasks []Task
	for _, g := range order {
		members := p.members(round, g, groups[g])
		// The permutation is drawn for groups that have stopped too: the order of the
		// others must not depend on which have stopped.
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for i := range members {
			members[i].Padding = rng.IntN(maxPadding)
		}
		if !p.Mine(g) || !live(g) {
			continue
		}
		for _, t := range members {
			if t.Role == Quarter && !quarters(p, t, suspect) {
				continue
			}
			t.Order = len(tasks)
			if t.Layout = layout[t.Arm]; t.Role == Double {
				t.Layout = double
			}
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func (p *Plan) members(round, group int, cases []int) []Task {
	var ts []Task
	for _, c := range cases {
		t := Task{Round: round, Group: group, Case: c, N: p.Cases[c].N}
		arms := p.ArmsOf(p.Cases[c].Suite)
		for _, a := range arms {
			t.Arm = a
			ts = append(ts, t)
		}
		t.Arm = arms[0]
		if slices.Contains(p.Doubles, c) {
			t.Role = Double
			ts = append(ts, t)
		}
		if t.Role, t.N = Quarter, t.N/4; round >= QuarterRounds || t.N == 0 || p.Options.NoGuards {
			continue
		}
		for _, a := range arms { // also those that quarters drops: the order of the others is not to depend on it
			t.Arm = a
			ts = append(ts, t)
		}
	}
	return ts
}

// quarters reports whether a sample with a quarter of the iterations is taken.
func quarters(p *Plan, t Task, suspect func(c, arm int) bool) bool {
	switch {
	case !p.sieves(t.Case, t.Arm):
		return slices.Contains(p.Suspects, t.Case)
	case t.Round < SieveRounds:
		return true
	}
	return suspect != nil && suspect(t.Case, t.Arm)
}
