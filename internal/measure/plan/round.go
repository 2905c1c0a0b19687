package plan

import (
	"cmp"
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

// A State is what the rounds before one say of it. Its zero value is that of a first round in
// which every case is measured.
type State struct {
	// Live reports whether a case is measured on an arm; nil: it is.
	Live func(c, arm int) bool
	// Taken returns the number of rounds that a case has on an arm; nil: that of the round.
	Taken func(c, arm int) int
	// Suspect reports whether a case seemed, in the rounds of the sieve, to depend on N on an
	// arm; nil: none did.
	Suspect func(c, arm int) bool
}

func (s State) live(c, arm int) bool { return s.Live == nil || s.Live(c, arm) }

func (s State) taken(t Task) int {
	if s.Taken == nil {
		return t.Round
	}
	return s.Taken(t.Case, t.Arm)
}

func (s State) suspect(t Task) bool { return s.Suspect != nil && s.Suspect(t.Case, t.Arm) }

// Round returns the samples of one round, in the order in which they are taken.
//
// Groups come in a fresh random order. Inside a group the two sides of a ratio stand next
// to each other, or as near as their other ratios leave them (see sequence), and the arms of
// a case, with its A′ and quarter copies, are neighbours, in a fresh random order each: for
// each pair of samples a fair coin says which comes first.
//
// Of many arms a round has the first, with which the others are compared, and some of the
// others in turn: see Turns.
//
// The result depends on the plan, the round and the state alone, and the order of what is
// measured not on what else is.
func (p *Plan) Round(round int, s State) []Task {
	o := p.Options
	seed := cmp.Or(o.Draw, o.Seed)
	rng := stream(seed, "order", round)
	groups := p.Groups()
	order := rng.Perm(len(groups))
	draw := layouts
	if !o.FreshLayouts {
		draw = sharedLayouts
	}
	layout, double := draw(seed, o.Layouts, len(p.Arms), round)
	pairs := pairsOf(p)

	var tasks []Task
	for _, g := range order {
		// All is drawn for what is not measured, too: the order of the others must not depend
		// on it.
		var all []Task
		for _, c := range sequence(rng, groups[g], pairs[g]) {
			ts := members(p, round, g, c)
			rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
			all = append(all, ts...)
		}
		for i := range all {
			all[i].Padding = rng.IntN(maxPadding)
		}
		if !p.Mine(g) {
			continue
		}
		for _, t := range all {
			if !s.live(t.Case, t.Arm) || !inTurn(p, t) || t.Role == Quarter && !quarters(p, t, s) {
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

// members are the samples that a case may have in a round, whether or not they are taken.
func members(p *Plan, round, group, c int) []Task {
	t := Task{Round: round, Group: group, Case: c, N: p.Cases[c].N}
	arms := p.ArmsOf(p.Cases[c].Suite)
	var ts []Task
	for _, a := range arms {
		t.Arm = a
		ts = append(ts, t)
	}
	t.Arm = arms[0]
	if slices.Contains(p.Doubles, c) {
		t.Role = Double
		ts = append(ts, t)
	}
	if t.Role, t.N = Quarter, t.N/4; t.N == 0 || p.Options.NoGuards {
		return ts
	}
	for _, a := range arms {
		t.Arm = a
		ts = append(ts, t)
	}
	return ts
}

// quarters reports whether a sample with a quarter of the iterations is taken.
func quarters(p *Plan, t Task, s State) bool {
	taken := s.taken(t)
	if p.Cases[t.Case].Shown {
		taken -= FirstRounds // before those it decides nothing
	}
	switch {
	case taken < 0 || taken >= QuarterRounds:
		return false
	case !sieves(p, t.Case, t.Arm):
		return slices.Contains(p.Suspects, t.Case)
	case taken < SieveRounds:
		return true
	}
	return s.suspect(t)
}

// inTurn reports whether a sample's arm is measured in its round.
func inTurn(p *Plan, t Task) bool {
	suite := p.Cases[t.Case].Suite
	i, n := slices.Index(p.ArmsOf(suite), t.Arm), inRound(p, suite)
	return i == 0 || n < 2 || (i-1)/(n-1) == t.Round%turns(p, suite)
}
