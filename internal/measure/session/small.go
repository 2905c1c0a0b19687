package session

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
)

// aboutTime says, in one line, which commands are over soon.
func (r *CommandRun) aboutTime(sides []side) {
	var names []string
	var least, most float64
	for _, s := range sides {
		if s.samples == 0 {
			continue
		}
		mean := s.sec / float64(s.samples)
		if mean >= short.Seconds() {
			continue
		}
		if names = append(names, s.name); len(names) == 1 {
			least, most = mean, mean
		}
		least, most = min(least, mean), max(most, mean)
	}
	took := units.Seconds(least)
	if to := units.Seconds(most); to != took {
		took += " to " + to
	}
	if len(names) > 0 {
		r.warn("%s %s: starting a process is a large part of that", several(names, "takes", "take"), took)
	}
}

// aboutMemory says, in one line, which commands need little memory.
func (r *CommandRun) aboutMemory(sides []side) {
	var names []string
	small, all := 0, 0
	for _, s := range sides {
		if s.memory < s.samples && r.floor > 0 {
			names, small, all = append(names, s.name), small+s.samples-s.memory, all+s.samples
		}
	}
	if len(names) > 0 {
		r.Log.Note(fmt.Sprintf("note: %s at most %s of memory, in %d of %s: a peak below that is not told apart from "+
			"that of the process that starts it", several(names, "needs", "need"), units.Bytes(r.floor), small,
			units.Plural(all, "sample")))
	}
}

// several returns names with their verb: "a takes", "a and b take", "a, b and 4 more take".
func several(names []string, one, many string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + one
	case n > most:
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:most-1], ", "), n-most+1, many)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " " + many
	}
}
