package series

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// When a round of a comparison is void. The rule sees what the rest of the
// machine did, never a result, and takes the worst of all samples of the
// comparison in that round: it cannot favour an arm. What the benchmark itself
// causes (its collector's threads crowding each other, say) does not count.
//
// The kernel counts steal and CPU time in ticks of 10 ms, so that a share alone
// would void a short sample for a single tick: both conditions must hold.
const (
	MaxStealShare   = 0.05 // of the sample's wall time
	MinStealSec     = 0.02
	MaxForeignShare = 0.25 // CPU seconds of others per second of wall time
	MinForeignSec   = 0.03
	MaxMemoryShare  = 0.05 // PSI: share of the time that someone waited for memory
	MinMemorySec    = 0.005

	// Above MaxVoidShare of disturbed rounds the machine is called unfit.
	MaxVoidShare = 0.20
)

type interference struct{ wall, steal, foreign, memory float64 }

func (x *interference) take(unit string, v float64) {
	switch unit {
	case UnitWall:
		x.wall = v
	case UnitSteal:
		x.steal = v
	case UnitForeign:
		x.foreign = v
	case UnitPSIMemory:
		x.memory = v
	}
}

// reason says why x voids its round, "" when it does not.
func (x interference) reason() string {
	over := func(sec, share, least float64) bool {
		return x.wall > 0 && sec >= least && sec > share*x.wall
	}
	percent := func(sec float64) float64 { return math.Round(100 * sec / x.wall) }
	switch {
	case over(x.steal, MaxStealShare, MinStealSec):
		return fmt.Sprintf("the hypervisor took %v%% of the time (steal)", percent(x.steal))
	case over(x.foreign, MaxForeignShare, MinForeignSec):
		return fmt.Sprintf("other processes used %v%% of a CPU", percent(x.foreign))
	case over(x.memory, MaxMemoryShare, MinMemorySec):
		return fmt.Sprintf("memory pressure for %v%% of the time", percent(x.memory))
	}
	return ""
}

// A Void is a disturbed round of a comparison, and what disturbed it.
type Void struct {
	Group  int    `json:"group"`
	Round  int    `json:"round"`
	Reason string `json:"reason"`
}

type voids struct {
	reasons   map[int]map[int32]string // by group and round: most groups have none
	disturbed int                      // group-rounds among them
	last      map[int]int              // group -> the round seen last
	seen      int                      // group-rounds
}

func (v *voids) init() {
	v.reasons, v.last = map[int]map[int32]string{}, map[int]int{}
}

func (v *voids) see(group, round int, x interference) {
	if last, ok := v.last[group]; !ok || last != round {
		v.last[group] = round
		v.seen++
	}
	if why := x.reason(); why != "" {
		if v.reasons[group] == nil {
			v.reasons[group] = map[int32]string{}
		}
		if _, known := v.reasons[group][int32(round)]; !known {
			v.disturbed++
		}
		v.reasons[group][int32(round)] = why
	}
}

// Unfit reports whether so many rounds were disturbed that disturbance is the
// normal state of the machine. No round is void then: what would be left is no
// better, and may be nothing. The verdicts stay sound, for the rule is as blind
// to the arm as that for a single round; the intervals are wide.
func (s *Set) Unfit() bool {
	return float64(s.voids.disturbed) > MaxVoidShare*float64(s.voids.seen)
}

// voidRounds are the rounds that do not count for the series of a group.
func (s *Set) voidRounds(group int) map[int32]string {
	if s.Unfit() {
		return nil
	}
	return s.voids.reasons[group]
}

// Disturbed lists the disturbed rounds by round, then group. They are void
// unless the machine was Unfit.
func (s *Set) Disturbed() []Void {
	var vs []Void
	for group, rounds := range s.voids.reasons {
		for round, why := range rounds {
			vs = append(vs, Void{group, int(round), why})
		}
	}
	slices.SortFunc(vs, func(a, b Void) int { return cmp.Or(a.Round-b.Round, a.Group-b.Group) })
	return vs
}

// DisturbedShare is the share of all rounds of all comparisons that was
// disturbed.
func (s *Set) DisturbedShare() float64 {
	if s.voids.seen == 0 {
		return 0
	}
	return float64(s.voids.disturbed) / float64(s.voids.seen)
}
