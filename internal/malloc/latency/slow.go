package latency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// slowCalls counts those of the longest calls that are truly slow.
type slowCalls struct {
	Slow      float64 `json:"slow"`
	Explained float64 `json:"explained"`  // by a counter or by a control
	Counted   float64 `json:"by_counter"` // by what a counter saw
	Own       float64 `json:"own"`        // slow when repeated, too: the allocator's work
	Misses    float64 `json:"misses"`     // too short for anything but the processor's caches
}

// fewSlow is the number of slow calls from which on shares are shown: below it, one call
// is more than a twentieth.
const fewSlow = 20

func (s *slowCalls) add(t slowCalls) {
	s.Slow += t.Slow
	s.Explained += t.Explained
	s.Counted += t.Counted
	s.Own += t.Own
	s.Misses += t.Misses
}

// values returns the figures, none where no call is slow.
func (s slowCalls) values() []benchfmt.Value {
	if s.Slow == 0 {
		return nil
	}
	return []benchfmt.Value{{Value: s.Slow, Unit: "slow-calls"}, {Value: (s.Explained + s.Own + s.Misses) / s.Slow,
		Unit: "caused-share"},
		{Value: s.Explained / s.Slow, Unit: "explained-share"}, {Value: s.Counted / s.Slow, Unit: "counted-share"}}
}

// A background holds the interruptions of an empty loop that ran beside the calls.
type background struct {
	Seconds     float64 `json:"seconds"` // watched; 0: not at all
	Read        bool    `json:"interrupts_read"`
	Counted     int64   `json:"counted"`     // stops in which a counter moved
	Interrupted int64   `json:"interrupted"` // in which only /proc/interrupts did
	Unseen      int64   `json:"unseen"`      // without a counter that moved
	Longest     float64 `json:"unseen_longest"`
}

// String returns the text for a reader, "" where it has no consequence.
func (b background) String() string {
	if b.Seconds <= 0 || !b.Read {
		return ""
	}
	out := fmt.Sprintf("an empty loop was stopped %d times in %.2g s by what a counter saw, %d by other interrupts, "+
		"%d by nothing that this system saw", b.Counted, b.Seconds, b.Interrupted, b.Unseen)
	if b.Unseen > 0 {
		out += fmt.Sprintf(" (up to %v)", time.Duration(b.Longest))
	}
	return out
}

// A violation is a call that breaks the real-time limit.
type violation struct {
	What  string  `json:"what"` // fault, latency
	Call  string  `json:"call"`
	Index int64   `json:"index"`
	NS    float64 `json:"ns"`
	Cause string  `json:"cause"`
}

func (v *violation) String() string {
	what := map[string]string{"fault": "a page fault", "latency": "too long"}[v.What]
	return fmt.Sprintf("%s in %s at operation %d (%v, %s)", cmp.Or(what, v.What), v.Call, v.Index, time.Duration(v.NS),
		v.Cause)
}

// causes lists how often each was seen, the most frequent first.
func causes(n map[string]int64) string {
	var names []string
	for name := range n {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(n[b] - n[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}
