// Package evidence gathers what a run's figures rest on, as data to be drawn: how
// steady the machine was, how the processes of a case scatter, and how the intervals
// narrowed.
package evidence

import (
	"math"
	"slices"

	"memcost/internal/claim"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/stat"
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
}

const (
	maxMoments   = 200  // points of a timeline
	maxDots      = 100  // of a strip
	maxStrips    = 40   // of a page's picture
	maxNarrowing = 24   // ratios
	lookPoints   = 16   // of a ratio's narrowing
	maxLook      = 1024 // rounds: what came later is only looked at once, at the end
)

// Of gathers what a suite's figures rest on.
func Of(s claim.Suite, set *series.Set, q *plan.Question, judged []*claim.Judged) *Evidence {
	e := &Evidence{}
	var mine []*series.Series
	for _, j := range judged {
		mine = append(mine, j.Cases...)
	}
	e.Timeline = timeline(s.Name, set, q, mine)
	e.Strips, e.MoreCases = strips(set, mine)
	e.Narrowing = narrowings(s.Study, judged, q.Plan.Options.Alpha)
	return e
}

func timeline(suite string, set *series.Set, q *plan.Question, cases []*series.Series) Timeline {
	t := Timeline{PerPoint: 1 + (set.Rounds()-1)/maxMoments}
	if set.Rounds() == 0 {
		return t
	}
	at := make([][]float64, 1+(set.Rounds()-1)/t.PerPoint)
	for _, c := range cases {
		m := stat.Median(set.Valid(c, "sec/op"))
		for i, v := range c.Values("sec/op") {
			if x := v / m; drawable(x) {
				b := int(c.Rounds[i]) / t.PerPoint
				at[b] = append(at[b], x)
			}
		}
	}
	for b, xs := range at {
		if len(xs) > 0 {
			slices.Sort(xs)
			t.Points = append(t.Points, Moment{b * t.PerPoint, sortedQuantile(xs, 0.1), sortedQuantile(xs, 0.5), sortedQuantile(xs, 0.9)})
		}
	}
	t.Doubles = doubles(suite, set, t.PerPoint)
	t.Disturbed = disturbances(suite, set, q, t.PerPoint)
	return t
}

// drawable reports whether a ratio to a median can be an effect and not damage.
func drawable(ratio float64) bool { return ratio > 1e-9 && ratio < 1e9 }

func sortedQuantile(sorted []float64, q float64) float64 {
	return sorted[int(math.Round(q*float64(len(sorted)-1)))]
}

// doubles are the ratios of each case to its own copy; of a point that stands
// for several rounds, the last one.
func doubles(suite string, set *series.Set, perPoint int) []Line {
	var out []Line
	for _, s := range set.All() {
		if s.Suite != suite || s.Role != string(plan.Double) {
			continue
		}
		id := s.ID
		id.Role = ""
		main := set.Get(id)
		if main == nil {
			continue
		}
		l := Line{Case: s.Case}
		if len(s.Arm) > 0 {
			l.Case += " · " + s.Arm
		}
		values, own := main.Values("sec/op"), s.Values("sec/op")
		for i, round := range s.Rounds {
			j, ok := slices.BinarySearch(main.Rounds, round)
			if !ok || i >= len(own) || j >= len(values) {
				continue
			}
			x := own[i] / values[j]
			if !drawable(x) {
				continue
			}
			b := int(round) / perPoint * perPoint
			if n := len(l.Rounds); n > 0 && l.Rounds[n-1] == b {
				l.Ratios[n-1] = x
				continue
			}
			l.Rounds, l.Ratios = append(l.Rounds, b), append(l.Ratios, x)
		}
		if len(l.Rounds) > 0 {
			out = append(out, l)
		}
	}
	return out
}

func disturbances(suite string, set *series.Set, q *plan.Question, perPoint int) []Disturbance {
	mine := map[int]bool{}
	for _, c := range q.Plan.Cases {
		if q.Plan.Suites[c.Suite].Name == suite {
			mine[c.Group] = true
		}
	}
	var out []Disturbance
	for _, v := range set.Disturbed() {
		if !mine[v.Group] {
			continue
		}
		b := v.Round / perPoint * perPoint
		if n := len(out); n > 0 && out[n-1].Round == b {
			out[n-1].Count++
			continue
		}
		out = append(out, Disturbance{b, v.Reason, 1})
	}
	return out
}
