// This part of the package gathers what a run's figures rest on, as data to be drawn: how
// steady the machine was, how the processes of a case scatter, and how the intervals
// narrowed.

package result

import (
	"math"

	"memcost/internal/method/claim"
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
	PerPoint  int // rounds that one point stands for
	Points    []Moment
	Doubles   []Line // A′ over A
	Disturbed []Disturbance
}

// A Moment is all cases together: each sample over its case's median.
type Moment struct {
	Round         int
	Lo, Mid, High float64 // 10%, 50% and 90% quantile
}

// A Line is a case's ratio to its own copy, by round.
type Line struct {
	Case   string
	Rounds []int
	Ratios []float64
}

// A Disturbance is a round in which some comparison was disturbed.
type Disturbance struct {
	Round  int
	Reason string // the first one
	Side   string // what ran at that time
	Count  int    // comparisons
}

// A Strip is the processes of one case on one arm.
type Strip struct {
	Case, Arm string
	Median    float64   // sec/op
	N         int       // processes
	Ratios    []float64 // each over the median, ascending; evenly spaced quantiles where there are more than maxDots
	Groups    *Groups   // nil: one group
}

// Groups are the two speeds that the processes of a case run at.
type Groups struct {
	Low     int        // processes in the faster group
	Centres [2]float64 // sec/op
}

// A Narrowing is a ratio's confidence sequence, as it was after some of the
// rounds.
type Narrowing struct {
	Label, Arm string
	Rounds     []int
	Lo, Hi     []float64
	Rests      claim.Estimate // what the last one rests on
}

const (
	maxMoments   = 200  // points of a timeline
	maxDots      = 100  // of a strip
	maxStrips    = 40   // of a page's picture
	maxNarrowing = 24   // ratios
	lookPoints   = 16   // of a ratio's narrowing
	maxLook      = 1024 // rounds: what came later is only looked at once, at the end
)

// drawable reports whether a ratio to a median can be an effect and not damage.
func drawable(ratio float64) bool { return ratio > 1e-9 && ratio < 1e9 }

func sortedQuantile(sorted []float64, q float64) float64 {
	return sorted[int(math.Round(q*float64(len(sorted)-1)))]
}
