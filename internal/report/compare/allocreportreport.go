// This part of the package says what a run of memcost alloc found: a verdict on each allocator, and one
// sentence, from what the comparison of its sides decided. It is pure.

package compare

import (
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Format is the version of the JSON form of a Report: see docs/format.md.
const Format = 1

// A Report is what a program does under several allocators.
type AllocReport struct {
	Format  int    `json:"format"`
	Label   string `json:"label,omitempty"`
	Dir     string `json:"run_folder"`
	Says    string `json:"says"` // the answer, from decided verdicts alone
	Program string `json:"program"`
	Command string `json:"command"`
	Own     string `json:"own_allocator"` // the baseline
	Until   string `json:"until,omitempty"`
	// CallsPerSec is how many calls of malloc and free it makes in a second of CPU time; 0 is not
	// known.
	CallsPerSec float64 `json:"calls_per_cpu_sec,omitempty"`
	// OutputVaries reports that what the program prints is not compared, for it varies by itself.
	OutputVaries bool               `json:"output_varies"`
	Margin       float64            `json:"margin"`
	Alpha        float64            `json:"alpha"`
	Rounds       int                `json:"rounds"`
	Allocators   []Allocator        `json:"allocators"` // the baseline first
	NotMeasured  []plan.NotMeasured `json:"not_measured"`
	NoiseFloor   []result.Noise     `json:"noise_floor"`
	Notes        []string           `json:"notes"`
	Warnings     []string           `json:"warnings"`
	Sides        *Report            `json:"-"` // the same in full
}

// An Allocator is a configuration that was measured.
type Allocator struct {
	Name    string `json:"name"`
	Invalid string `json:"invalid,omitempty"` // why it is in no verdict
	Says    string `json:"says"`              // its verdict: "less CPU time, more memory"
	// The figures of one process; the ratio of each is over that of the baseline.
	CPU    Figure `json:"cpu_time"`
	Wall   Figure `json:"wall_time"`
	Memory Figure `json:"peak_rss"`
	Minor  Figure `json:"minor_faults"`
	Major  Figure `json:"major_faults"`
	Own    Figure `json:"voluntary_switches"`
	Forced Figure `json:"involuntary_switches"`
}

// A Figure is one figure of an allocator, with its ratio.
type Figure struct {
	Value   figures.Figure   `json:"value"`
	Ratio   figures.Figure   `json:"ratio"`
	Verdict claim.Difference `json:"verdict,omitempty"` // changed, equivalent, undecided, invalid; "" without a figure
}

// Less reports whether the figure is known to be smaller than the baseline's.
func (f Figure) Less() bool { return f.Verdict == Changed && f.Ratio.Value < 1 }

// More reports whether it is known to be larger.
func (f Figure) More() bool {
	return f.Verdict == Changed && (f.Ratio.Value > 1 || f.Ratio.Note == FromZero)
}

// Decided reports whether it is known to be smaller, larger, or the same within the margin.
func (f Figure) Decided() bool {
	return f.Verdict == Changed || f.Verdict == Equivalent
}

// Is reports whether an answer is that of memcost alloc.
func Is(a *result.Answer) bool {
	return a.Question.OfHeld() == nil && a.Question != nil && a.Question.Comparison != nil && a.Question.Comparison.Alloc != nil
}

// What a figure can be, beside undecided.
const (
	less = "less"
	same = "same"
	more = "more"
)

// how says how a figure is to the baseline's, "" where there is none.
func (f Figure) how() string {
	switch {
	case f.Less():
		return less
	case f.More():
		return more
	case f.Decided():
		return same
	}
	return string(f.Verdict)
}
