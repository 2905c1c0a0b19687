// This part of the package gathers what a run's figures rest on, as data to be drawn: how
// steady the machine was, how the processes of a case scatter, and how the intervals
// narrowed.

package result

import (
	"math"

	"memcost/internal/report/figures"
)

// Evidence is what a run's figures rest on, made small enough to be drawn: a
// page must not grow with the number of samples.
type Evidence struct {
	Timeline  Timeline
	Strips    []Strip
	MoreCases int // cases without a strip: those that scatter least
	Narrowing []Narrowing
}

// A Timeline shows how steady the machine was from round to round.
type Timeline struct {
	PerPoint  int           `json:"perPoint"` // rounds that one point stands for
	Points    []Moment      `json:"points"`
	Doubles   []Line        `json:"doubles"` // A′ over A
	Disturbed []Disturbance `json:"disturbed"`
}

// A Moment is all cases together, each sample over its case's median: the round, and the 10%, 50% and
// 90% quantile.
type Moment [4]figures.Drawn

// A Line is a case's ratio to its own copy: round and ratio.
type Line struct {
	Case   string             `json:"case"`
	Points [][2]figures.Drawn `json:"points"`
}

// A Disturbance is a round in which some comparison was disturbed.
type Disturbance struct {
	Round  int    `json:"round"`
	Reason string `json:"reason"` // the first one, with what ran at that time
	Count  int    `json:"-"`      // comparisons
}

// A Strip is the processes of one case on one side.
type Strip struct {
	Case   string        `json:"case"`
	Side   string        `json:"config"`
	Median figures.Drawn `json:"median"` // sec/op
	N      int           `json:"n"`      // processes
	// Ratios are each over the median, ascending; evenly spaced quantiles where there are more than maxDots.
	Ratios []figures.Drawn `json:"ratios"`
	// Groups are the two speeds that the processes run at, over the median; nil: one group.
	Groups []figures.Drawn `json:"groups,omitempty"`
	Low    int             `json:"-"` // processes in the faster group
}

// A Narrowing is a ratio's interval, as it was at some of the
// rounds.
type Narrowing struct {
	Label  string             `json:"label"`
	Side   string             `json:"config"`
	Points [][3]figures.Drawn `json:"points"` // rounds, and the interval after them
	Rests  *Rests             `json:"-"`      // what the last one rests on
}

const (
	maxMoments   = 200 // points of a timeline
	maxDots      = 100 // of a strip
	maxStrips    = 40  // of a page's picture
	maxNarrowing = 24  // ratios
)

// drawable reports whether a ratio to a median can be an effect and not damage.
func drawable(ratio float64) bool { return ratio > 1e-9 && ratio < 1e9 }

func sortedQuantile(sorted []float64, q float64) figures.Drawn {
	return figures.Drawn(sorted[int(math.Round(q*float64(len(sorted)-1)))])
}
