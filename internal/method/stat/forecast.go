package stat

import (
	"math"
)

// Narrowing returns how many more rounds it should take until an interval of half the width half after n rounds has the one
// that is wanted: it shrinks with the square root of the rounds.
func Narrowing(n int, half, wanted float64) float64 {
	switch {
	case half <= wanted:
		return 0
	case !(wanted > 0):
		return math.Inf(1)
	}
	return max(math.Ceil(float64(n)*(half*half/(wanted*wanted)-1)), 1)
}

// An End is when the questions of a run will be answered, as it was foretold last. The zero
// value is of a run of which nothing was foretold yet.
type End struct {
	at   float64 // when they are answered; +Inf: not to be expected
	next float64 // when it is worth asking again
}

const (
	// later is how much longer a run must have gone on until a forecast from its figures is made
	// again: intervals shrink with the root of the time.
	later = 0.1
	// perForecast is how many times as long as a forecast took it is not made again.
	perForecast = 30
)

// Due reports whether a forecast should be made now.
func (e *End) Due(wall float64) bool { return wall >= e.next }

// Foretold records a forecast: after wall seconds the questions need so many more, +Inf where no
// end is to be expected. To find that out took so long.
func (e *End) Foretold(wall, need, took float64) {
	e.at, e.next = wall+need, wall+max(later*wall, perForecast*took)
}

// Left returns how long a run still takes that measures until its questions are answered, and no
// longer than its budget; 0 is none. round is what is left of the round under way, which is
// finished in any case.
func (e *End) Left(wall, budget, round float64) float64 {
	left := math.Inf(1)
	if e.next > 0 {
		left = e.at - wall
	}
	if budget > 0 {
		left = min(left, budget-wall)
	}
	if math.IsInf(left, 1) { // neither an end of the questions is in sight, nor one of the time
		return max(round, 0)
	}
	return max(left, round, 0)
}

// RoundsLeft returns how long a run still takes that has done so many of all its rounds, with a part
// of the one under way, and began to measure at begun. Until one is over it is as long as
// foretold.
func RoundsLeft(wall, begun, done, all, foretold float64) float64 {
	each := foretold
	if done >= 1 && wall > begun {
		each = (wall - begun) / done
	}
	return max(all-done, 0) * each
}
