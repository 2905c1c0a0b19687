package latency

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
)

// The situations in which a setting is judged. A setting that is fit in one can fail in the
// others: blocks that are used for the first time fault, a free list that was warmed up by one
// block has no second one, and a second thread has an arena of its own.
const (
	FirstUse = "first"   // no warm-up, one block alive
	OneBlock = "one"     // after warm-up, one block alive
	Filling  = "filling" // no warm-up, the live set grows and is freed in random order
	LiveSet  = "live"    // after warm-up, the live set is freed and allocated in random order
	Threads  = "threads" // as LiveSet, in several threads
)

// Situations are all situations, in the order in which they are shown.
func Situations() []string { return []string{FirstUse, OneBlock, Filling, LiveSet, Threads} }

// DefaultUse is how blocks are used unless the user says otherwise. A live set of 64 MiB is one
// that no cache of a processor holds.
func DefaultUse() plan.Use {
	return plan.Use{Live: 64 << 20, Threads: 2, Warmup: -1, Situations: Situations()}
}

// SituationName names a situation in a table's header.
func SituationName(s string) string {
	switch s {
	case FirstUse:
		return "first use"
	case OneBlock:
		return "one block"
	case Filling:
		return "live set fills"
	case LiveSet:
		return "live set"
	}
	return s
}

// SituationSays says in words what a program does in a situation.
func SituationSays(s string, u *plan.Use) string {
	alive := "blocks alive, freed in random order"
	if u != nil {
		alive = fmt.Sprintf("up to %s in at most %s %s", units.Bytes(u.Live), units.Thousands(mostBlocks), alive)
	}
	switch s {
	case FirstUse:
		return "no warm-up, one block alive"
	case OneBlock:
		return "after warm-up, one block alive"
	case Filling:
		return "no warm-up, " + alive
	case LiveSet:
		return "after warm-up, " + alive
	case Threads:
		return fmt.Sprintf("as live set, in %d threads", u.Threads)
	}
	return s
}

// mostBlocks is how many blocks a live set has at most: of 64 B, four MiB of them. More take
// longer and show the same.
const mostBlocks = 65_536

// CheckSituations returns what is wrong with a list of situations, or "".
func CheckSituations(names []string) string {
	for _, n := range names {
		if !slices.Contains(Situations(), n) {
			return n
		}
	}
	return ""
}

// cut takes a record's name apart: a setting (allocator=NAME/setting=NAME), a situation and a
// block size in bytes.
func cut(name string) (setting, situation, size string, ok bool) {
	if keys, of := strings.CutPrefix(name, "RealTime/"); of {
		setting, size, ok = strings.Cut(keys, "/size=")
		return setting, OneBlock, size, ok
	}
	keys, of := strings.CutPrefix(name, "Situation/")
	setting, rest, has := strings.Cut(keys, "/situation=")
	situation, size, ok = strings.Cut(rest, "/size=")
	return setting, situation, size, of && has && ok
}
