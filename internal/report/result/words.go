package result

import (
	"fmt"
	"strings"

	"memcost/internal/document"
	"memcost/internal/method/claim"
)

// A Problem is a case that does not count, or counts with a reservation.
type Problem struct{ Kind, Case, Side, Why string }

// The kinds of problems.
const (
	Invalid = claim.InvalidNote
	Failed  = "failed"
	Flagged = "flagged"
	Skipped = "skipped" // the benchmark skipped itself, which is no failure
)

// Problems lists what does not count and why.
func (s *Study) Problems() []Problem {
	var all []Problem
	for _, c := range s.Cases {
		for _, why := range c.Invalid {
			all = append(all, Problem{Invalid, c.Name, c.Side, why})
		}
		if c.Failed != "" {
			all = append(all, Problem{Failed, c.Name, c.Side, c.Failed})
		}
		for _, why := range c.Flags {
			all = append(all, Problem{Flagged, c.Name, c.Side, why})
		}
	}
	for _, f := range s.Failures {
		why := f.Reason
		if f.Log != "" {
			why += " (" + f.Log + ")"
		}
		if rest, ok := strings.CutPrefix(why, Invalid+": "); ok {
			all = append(all, Problem{Invalid, f.Name, f.Side, rest})
			continue
		}
		kind := Failed
		if f.Skipped || strings.HasPrefix(why, skippedItself) {
			kind = Skipped
		}
		all = append(all, Problem{kind, f.Name, f.Side, strings.TrimPrefix(why, skippedItself)})
	}
	return all
}

// skippedItself began the reason of a benchmark that skipped itself, before run.json said so.
const skippedItself = "skipped by the benchmark itself: "

// Verdict returns what a problem makes of its case: one with a reservation counts, and decides nothing.
func (x Problem) Verdict() document.Verdict {
	switch x.Kind {
	case Invalid:
		return document.Invalid
	case Failed:
		return document.Failed
	}
	return document.Undecided
}

func (x Problem) String() string { return fmt.Sprintf("%s on %s: %s", x.Case, x.Side, x.Why) }

// Why a claim was not tested whose cases the run did not choose.
const (
	leftOutByBench = "left out by -b"
	leftToFull     = "left to --full"
	leftToResume   = "left to --resume"
)
