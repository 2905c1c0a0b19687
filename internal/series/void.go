package series

import (
	"fmt"
	"math"
)

// The limits above which a round of a comparison is excluded. The rule reads what the
// rest of the machine did, never a result, and takes the largest value over all samples
// of the comparison in that round: it cannot favour an arm. What the benchmark itself
// causes (its collector's threads competing with each other, say) does not count.
//
// The kernel counts steal and CPU time in ticks of 10 ms, so that a share alone would
// exclude a short sample for a single tick: both conditions must hold.
const (
	MaxStealShare   = 0.05 // of the sample's wall time
	MinStealSec     = 0.02
	MaxForeignShare = 0.25 // CPU seconds of others per second of wall time
	MinForeignSec   = 0.03
	MaxMemoryShare  = 0.05 // PSI: share of the time that someone waited for memory
	MinMemorySec    = 0.005

	// MaxVoidShare is the share of disturbed rounds above which the machine is called
	// unfit.
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

// What excludes a round.
const (
	CPUStolen      = "CPU stolen by the hypervisor"
	OtherProcesses = "CPU used by other processes"
	MemoryPressure = "memory pressure"
)

// An exclusion is why a round of a comparison is excluded.
type exclusion struct{ cause, reason string }

// exclusion returns why x excludes its round; it is empty when x does not.
func (x interference) exclusion() exclusion {
	over := func(sec, share, least float64) bool {
		return x.wall > 0 && sec >= least && sec > share*x.wall
	}
	percent := func(sec float64) float64 { return math.Round(100 * sec / x.wall) }
	switch {
	case over(x.steal, MaxStealShare, MinStealSec):
		return exclusion{CPUStolen, fmt.Sprintf("the hypervisor took %v%% of the time (steal)", percent(x.steal))}
	case over(x.foreign, MaxForeignShare, MinForeignSec):
		return exclusion{OtherProcesses, fmt.Sprintf("other processes used %v%% of a CPU", percent(x.foreign))}
	case over(x.memory, MaxMemoryShare, MinMemorySec):
		return exclusion{MemoryPressure, fmt.Sprintf("memory pressure for %v%% of the time", percent(x.memory))}
	}
	return exclusion{}
}

// A Void is a disturbed round of a comparison, with the reason.
type Void struct {
	Group  int    `json:"group"`
	Round  int    `json:"round"`
	Reason string `json:"reason"`
	Cause  string `json:"-"` // CPUStolen, OtherProcesses or MemoryPressure
}

type voids struct {
	reasons   map[int]map[int32]exclusion // by group and round: most groups have none
	disturbed int                         // group-rounds among them
	last      map[int]int                 // group -> the round seen last
	seen      int                         // group-rounds
}

func (v *voids) init() {
	v.reasons, v.last = map[int]map[int32]exclusion{}, map[int]int{}
}

func (v *voids) see(group, round int, x interference) {
	if last, ok := v.last[group]; !ok || last != round {
		v.last[group] = round
		v.seen++
	}
	if why := x.exclusion(); why.cause != "" {
		if v.reasons[group] == nil {
			v.reasons[group] = map[int32]exclusion{}
		}
		if _, known := v.reasons[group][int32(round)]; !known {
			v.disturbed++
		}
		v.reasons[group][int32(round)] = why
	}
}
