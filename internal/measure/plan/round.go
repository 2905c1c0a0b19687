package plan

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Role is the purpose of a sample.
type Role string

const (
	Main    Role = ""        // the figure itself
	Double  Role = "A'"      // a second copy of the same side, which measures the noise floor
	Quarter Role = "quarter" // a quarter of the iterations: is the cost per op constant?
	Whole   Role = "whole"   // what a quarter is compared with where the figure itself is one of slices
)

// A Task is one sample to take.
type Task struct {
	Round   int
	Order   int // position within the round, from 0
	Group   int
	Case    int
	Side    int
	Role    Role
	N       int64
	Layout  int // the number of the random link
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
	// Live reports whether a case is measured on a side; nil: it is.
	Live func(c, side int) bool
	// Taken returns the number of rounds that a case has on a side; nil: that of the round.
	Taken func(c, side int) int
	// Suspect reports whether a case seemed, in the rounds of the sieve, to depend on N on an
	// side; nil: none did.
	Suspect func(c, side int) bool
	// Link returns which of its links a study runs, where they are drawn as the run needs them; nil:
	// the first.
	Link func(study int) int
}

func (s State) live(c, side int) bool { return s.Live == nil || s.Live(c, side) }

func (s State) taken(t Task) int {
	if s.Taken == nil {
		return t.Round
	}
	return s.Taken(t.Case, t.Side)
}

func (s State) suspect(t Task) bool { return s.Suspect != nil && s.Suspect(t.Case, t.Side) }

// Round returns the samples of one round, in the order in which they are taken.
//
// Groups come in a fresh random order. Inside a group the two sides of a ratio stand next
// to each other, or as near as their other ratios leave them (see sequence), and the sides of
// a case, with its A′ and quarter copies, are neighbours, in a fresh random order each: for
// each pair of samples a fair coin says which comes first.
//
// Of many sides a round has the first, with which the others are compared, and some of the
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
	layout := p.layoutsOf(seed, round, s)
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
			if !s.live(t.Case, t.Side) || !inTurn(p, t) || t.Role == Quarter && !quarters(p, t, s) ||
				t.Role == Double && round%p.DoubleEvery(s.taken(t)) != 0 {
				continue
			}
			t.Order, t.Layout = len(tasks), layout(t)
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// members are the samples that a case may have in a round, whether or not they are taken.
func members(p *Plan, round, group, c int) []Task {
	t := Task{Round: round, Group: group, Case: c, N: p.Cases[c].N}
	sides := p.SidesOf(p.Cases[c].Study)
	var ts []Task
	for _, a := range sides {
		t.Side = a
		ts = append(ts, t)
	}
	t.Side = sides[0]
	if slices.Contains(p.Doubles, c) {
		t.Role = Double
		ts = append(ts, t)
	}
	if t.Role, t.N = Quarter, t.N/4; t.N == 0 || p.Options.NoGuards {
		return ts
	}
	for _, a := range sides {
		t.Side = a
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
	case !sieves(p, t.Case, t.Side):
		return slices.Contains(p.Suspects, t.Case)
	case taken < SieveRounds:
		return true
	}
	return s.suspect(t)
}

// laterDoubles is in how many rounds one has a second copy, once the noise floor has the rounds of an interval: all that
// it takes, with links of its own, is lost to the questions of the run.
const laterDoubles = 4

// DoubleEvery returns in how many rounds one has the second copy of a case that has so many rounds.
func (p *Plan) DoubleEvery(taken int) int {
	if taken < p.LeastRounds() {
		return 1
	}
	return laterDoubles
}

// inTurn reports whether a sample's side is measured in its round.
func inTurn(p *Plan, t Task) bool {
	study := p.Cases[t.Case].Study
	i, n := slices.Index(p.SidesOf(study), t.Side), inRound(p, study)
	return i == 0 || n < 2 || (i-1)/(n-1) == t.Round%turns(p, study)
}

// pairsOf returns the pairs of each group.
func pairsOf(p *Plan) map[int][][2]int {
	of := map[int][][2]int{}
	for _, pr := range p.Pairs {
		g := p.Cases[pr[0]].Group
		of[g] = append(of[g], pr)
	}
	return of
}

// sequence orders the cases of a group so that pairs stand next to each other. The pairs come
// in a random order. Of each, a case that has no place yet is put next to the other, on a side
// that a coin chooses, or both are put at the end; a case with several pairs has the
// others of them around it.
//
// Every choice is as likely as the one that gives the reverse order, so that of any two cases
// either is the first with the same probability.
func sequence(rng *rand.Rand, cases []int, pairs [][2]int) []int {
	order := slices.Clone(pairs)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	// Runs of cases that are next to each other; joined at the end, in any order.
	var runs [][]int
	at := map[int]int{} // the run of a case
	beside := func(c, partner int) {
		r := at[partner]
		i := slices.Index(runs[r], partner) + rng.IntN(2)
		runs[r], at[c] = slices.Insert(runs[r], i, c), r
	}
	for _, pr := range order {
		_, a := at[pr[0]]
		_, b := at[pr[1]]
		switch {
		case a && !b:
			beside(pr[1], pr[0])
		case b && !a:
			beside(pr[0], pr[1])
		case !a && !b:
			if rng.IntN(2) == 1 {
				pr[0], pr[1] = pr[1], pr[0]
			}
			at[pr[0]], at[pr[1]] = len(runs), len(runs)
			runs = append(runs, []int{pr[0], pr[1]})
		}
	}
	for _, c := range cases {
		if _, known := at[c]; !known {
			runs = append(runs, []int{c})
		}
	}
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return slices.Concat(runs...)
}

// Together is the number of sides that a run measures in one round: so that no more than three
// other samples stand between the two sides of a comparison.
const Together = 4

// inRound is the number of sides of a study that one round measures.
func inRound(p *Plan, study int) int {
	sides := len(p.SidesOf(study))
	if p.Options.Together > 1 {
		return min(sides, p.Options.Together)
	}
	return sides
}

// turns is the number of rounds after which each side of a study had its turn.
func turns(p *Plan, study int) int {
	n := inRound(p, study)
	if n < 2 {
		return 1
	}
	return (len(p.SidesOf(study)) - 1 + n - 2) / (n - 1)
}

// Turns returns the number of rounds after which every side had its turn. Of more than
// Options.Together a round has the first, with which the others are compared, and some of the
// others, those next to each other together.
func (p *Plan) Turns() int {
	most := 1
	for s := range p.Studies {
		most = max(most, turns(p, s))
	}
	return most
}

// The lengths of the slices of samples whose processes take turns; docs/decisions/0009-slices.md
// says how they were chosen.
const (
	// MostSlices is how many slices a sample has at most, and LeastSlices at least: a robust
	// centre of fewer is none. Processes and links differ by more than slices do, so that more
	// of them tell more than longer ones.
	MostSlices  = 30
	LeastSlices = 4
	// leastSlice is the least loop time of a slice. Between two slices stand a pass with N = 1
	// and two collections, which take half a millisecond.
	leastSlice = 2 * time.Millisecond
	// sliceCycles is how many cycles of the collector a slice holds, where there are any: with
	// fewer, the slices without the last one would be told from those with it, and a robust
	// centre would choose between them.
	sliceCycles = 2
	// longestSlice is the loop time beyond which slices are as long as samples.
	longestSlice = 40 * time.Millisecond
	// sliceShare is the part of a sample's loop time that all of its slices take together: they
	// tell more in it than a sample of a process that runs alone.
	sliceShare = 0.5
	// mostTurns is how many processes take turns at most: all of them are in memory at once.
	mostTurns = 8
)

// A Loop is what is known of the loop of a process that takes turns: the seconds of an operation, and
// the cycles of the collector in it, where it runs at all, else 0.
type Loop struct{ Sec, Cycles float64 }

// Slices returns how many slices the samples of processes have that take turns, and how many iterations
// each loop has in a slice: so many that all slices take about as long. It is not ok for what is better
// measured by processes that run alone.
func (p *Plan) Slices(study int, loops ...Loop) (n []int64, slices int, ok bool) {
	most := p.Options.Slices
	if most < LeastSlices {
		return nil, 0, false
	}
	whole := p.SampleOf(study).Seconds() * sliceShare
	slice := max(leastSlice.Seconds(), whole/float64(most))
	for _, l := range loops {
		if l.Cycles > 0 {
			slice = max(slice, sliceCycles/l.Cycles*l.Sec)
		}
	}
	longest := 0.0
	for _, l := range loops {
		times := math.Ceil(slice / l.Sec)
		if !(l.Sec > 0) || times < 2 {
			return nil, 0, false
		}
		n, longest = append(n, int64(times)), max(longest, times*l.Sec)
	}
	slices = min(max(int(math.Round(whole/longest)), LeastSlices), most)
	return n, slices, longest <= max(longestSlice.Seconds(), whole/float64(most))
}

// TakesTurns reports whether samples of some case may be taken in turns.
func (p *Plan) TakesTurns() bool {
	return p.Options.Slices > 0 && slices.ContainsFunc(p.Cases, p.InTurns)
}

// InTurns reports whether samples of a case may be taken in turns: those of a Go benchmark
// that runs with two configurations or more.
func (p *Plan) InTurns(c Case) bool {
	n := inRound(p, c.Study)
	return p.Kind(c) == GoTest && n >= 2 && n < mostTurns
}
