package series

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The limits above which a round of a comparison is disturbed. The rule reads what the
// rest of the machine did, never a result, and takes the largest value over all samples
// of the comparison in that round: it cannot favour a side.
//
// The kernel counts steal and CPU time in ticks of 10 ms, so that a share alone would
// exclude a short sample for a single tick: both conditions must hold, in a sample or in
// all samples of the comparison in that round together. With samples of 30 ms a neighbour
// that uses half of a CPU reaches the least time only in the sum.
const (
	MaxStealShare   = 0.05 // of the sample's wall time
	MinStealSec     = 0.02
	MaxForeignShare = 0.25 // CPU seconds of others per second of wall time
	MinForeignSec   = 0.03

	// twoTicks is the sample from which on the CPU time of others says something of the
	// whole run. What ticks take from one sample they give to the next, but no sample has
	// less than nothing recorded: of shorter ones the sum would be far too great.
	twoTicks = 0.02

	// MaxVoidShare is the share of disturbed rounds above which the machine is called
	// busy.
	MaxVoidShare = 0.20
	// firstExclusion is the number of rounds of comparisons before which none is excluded:
	// until then nobody knows what the normal state of the machine is, and a run of a few
	// rounds would be left without a figure.
	firstExclusion = 5
	// ownDoubt is the probability below which it is no chance that nearly all
	// disturbances fall on one side of a comparison: that side then causes them itself.
	ownDoubt = 0.01
)

type interference struct{ wall, steal, foreign float64 }

func (x *interference) take(unit string, v float64) {
	switch unit {
	case UnitWall:
		x.wall = v
	case UnitSteal:
		x.steal = v
	case UnitForeign:
		x.foreign = v
	}
}

// What disturbs a round. Memory pressure does not: the kernel's count of it includes the
// stalls of the benchmark itself, so that a side that needs much memory would lose its own
// slow rounds.
const (
	CPUStolen      = "CPU stolen by the hypervisor"
	OtherProcesses = "CPU used by other processes"
)

// disturbance returns why x disturbs its round; both are empty when x does not.
func (x interference) disturbance() (cause, reason string) {
	over := func(sec, share, least float64) bool {
		return x.wall > 0 && sec >= least && sec > share*x.wall
	}
	percent := func(sec float64) float64 { return math.Round(100 * sec / x.wall) }
	switch {
	case over(x.steal, MaxStealShare, MinStealSec):
		return CPUStolen, fmt.Sprintf("the hypervisor took %v%% of the time (steal)", percent(x.steal))
	case over(x.foreign, MaxForeignShare, MinForeignSec):
		return OtherProcesses, fmt.Sprintf("other processes used %v%% of a CPU", percent(x.foreign))
	}
	return "", ""
}

// A Void is a disturbed round of a comparison, with the reason.
type Void struct {
	Group  int    `json:"group"`
	Round  int    `json:"round"`
	Reason string `json:"reason"`
	// Side is what ran at that time: the case, with its configuration.
	Side string `json:"side,omitempty"`
	// Excluded reports that the round is left out of its comparison. It is not where
	// disturbance was the normal state of the machine by then, or where that side seems to
	// cause it itself (Own).
	Excluded bool   `json:"excluded"`
	Own      bool   `json:"own,omitempty"`
	Cause    string `json:"-"` // CPUStolen or OtherProcesses
}

// voids holds which rounds are disturbed. Whether a round is excluded is settled when its
// last sample is in, from the rounds before it, and never changed: a rule that looked
// ahead could choose the rounds by what they say.
type voids struct {
	groups    map[int]*groupVoids
	seen      int // rounds of comparisons
	disturbed int // by others than the side that ran

	wall, foreign float64 // seconds of the samples from twoTicks on, and CPU seconds of others beside them
}

type groupVoids struct {
	round  int32            // the one seen last
	sum    interference     // of its samples so far
	may    bool             // a disturbance excludes it: the machine was not busy before it
	rounds map[int32]Void   // the disturbed ones
	sides  map[*Series]int  // disturbed samples of each side in the rounds before
	now    map[*Series]bool // in this round
	wall   map[*Series]float64
}

func (v *voids) init() { v.groups = map[int]*groupVoids{} }

func (v *voids) see(sr *Series, round int, x interference) {
	g := v.groups[sr.Group]
	if g == nil {
		g = &groupVoids{round: -1, rounds: map[int32]Void{}, sides: map[*Series]int{}, now: map[*Series]bool{},
			wall: map[*Series]float64{}}
		v.groups[sr.Group] = g
	}
	if g.round != int32(round) {
		for side := range g.now {
			g.sides[side]++
		}
		clear(g.now)
		g.round, g.may = int32(round), v.seen >= firstExclusion && !v.busy()
		g.sum = interference{}
		v.seen++
	}
	own := g.own(sr)
	if usable(x.wall) {
		g.wall[sr] += x.wall
		if !own {
			g.sum.add(x)
			if x.wall >= twoTicks {
				v.wall, v.foreign = v.wall+x.wall, v.foreign+positive(x.foreign)
			}
		}
	}
	cause, reason := x.disturbance()
	if cause == "" && !own && (x.foreign > MaxForeignShare*x.wall || x.steal > MaxStealShare*x.wall) {
		cause, reason = g.sum.disturbance() // this sample is too short to say so, the round is not
	}
	if cause == "" {
		return
	}
	g.now[sr] = true
	before, known := g.rounds[int32(round)]
	if known && (!before.Own || own) {
		return // the first reason stands, unless it was the side's own doing and this one is not
	}
	if !own {
		v.disturbed++
	}
	g.rounds[int32(round)] = Void{Group: sr.Group, Round: round, Reason: reason, Side: sr.side(),
		Excluded: g.may && !own, Own: own, Cause: cause}
}

// add adds what the machine did during another sample.
func (x *interference) add(y interference) {
	x.wall, x.steal, x.foreign = x.wall+y.wall, x.steal+positive(y.steal), x.foreign+positive(y.foreign)
}

// positive returns v, and 0 for what is none.
func positive(v float64) float64 {
	if usable(v) {
		return v
	}
	return 0
}

// busy reports whether disturbance has been the normal state of the machine so far: in more
// than a fifth of the rounds, or over all of them together, where each is too short to tell.
func (v *voids) busy() bool {
	return float64(v.disturbed) > MaxVoidShare*float64(v.seen) ||
		v.foreign > MaxForeignShare*v.wall && v.foreign > firstExclusion*MinForeignSec
}

// own reports whether a side had so many of the disturbed samples of its comparison, in
// the rounds before this one, that it must be their cause: if others are, each side is hit
// in proportion to the time that it runs.
func (g *groupVoids) own(side *Series) bool {
	n, all, time := g.sides[side], 0, 0.0
	for _, k := range g.sides {
		all += k
	}
	for _, t := range g.wall {
		time += t
	}
	if len(g.wall) < 2 || n < 2 || time <= 0 {
		return false
	}
	return tail(all, n, g.wall[side]/time) < ownDoubt
}

// tail returns P(X >= k) of a binomial X of n trials with probability p.
func tail(n, k int, p float64) float64 {
	if p >= 1 {
		return 1
	}
	sum, term := 0.0, math.Pow(1-p, float64(n))
	for i := 0; i <= n; i++ {
		if i >= k {
			sum += term
		}
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return sum
}

func (sr *Series) side() string {
	s := sr.Case
	if sr.Side != "" {
		s += " on " + sr.Side
	}
	if sr.Role != "" {
		s += " (" + sr.Role + ")"
	}
	return s
}

// Unfit reports whether so many rounds were disturbed by other programs that this was the
// normal state of the machine. A ratio of different code is then one beside those
// programs, however narrow its interval is: the collector wants a free core, so that a
// neighbour can hit one side only.
func (s *Set) Unfit() bool { return s.voids.busy() }

// voidRounds returns the disturbed rounds of a group that are excluded.
func (s *Set) voidRounds(group int) map[int32]Void {
	g := s.voids.groups[group]
	if g == nil {
		return nil
	}
	return g.rounds
}

// Disturbed lists the disturbed rounds by round, then group.
func (s *Set) Disturbed() []Void {
	var vs []Void
	for _, g := range s.voids.groups {
		for _, v := range g.rounds {
			vs = append(vs, v)
		}
	}
	slices.SortFunc(vs, func(a, b Void) int { return cmp.Or(a.Round-b.Round, a.Group-b.Group) })
	return vs
}

// ComparisonRounds returns how many rounds all comparisons had together.
func (s *Set) ComparisonRounds() int { return s.voids.seen }

// ForeignShare returns how much of a CPU other programs used while the samples were taken.
func (s *Set) ForeignShare() float64 {
	if s.voids.wall == 0 {
		return 0
	}
	return s.voids.foreign / s.voids.wall
}

// DisturbedShare returns the share of the rounds of all comparisons that others than the
// benchmark itself disturbed.
func (s *Set) DisturbedShare() float64 {
	if s.voids.seen == 0 {
		return 0
	}
	return float64(s.voids.disturbed) / float64(s.voids.seen)
}
