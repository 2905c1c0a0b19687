package stat

import (
	"fmt"
	"math"
)

// An Interval is a closed set of values, Lo to Hi. An unbounded end is infinite. [Empty]
// is the interval without values.
type Interval struct{ Lo, Hi float64 }

// Whole returns (−Inf, +Inf), the interval of a value about which nothing is known.
func Whole() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

// Empty returns the interval that holds no value, written with its ends
// reversed: no constant effect fits the data.
func Empty() Interval { return Interval{math.Inf(1), math.Inf(-1)} }

// IsEmpty reports whether i holds no value.
func (i Interval) IsEmpty() bool { return i.Lo > i.Hi }

// Contains reports whether x is in i, ends included.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// Excludes reports whether x is outside i. An empty interval excludes
// everything; one with a NaN end neither contains nor excludes anything.
func (i Interval) Excludes(x float64) bool { return x < i.Lo || x > i.Hi }

// Width returns Hi − Lo: +Inf when an end is infinite, 0 when i is empty.
func (i Interval) Width() float64 {
	if i.IsEmpty() {
		return 0
	}
	return i.Hi - i.Lo
}

// Within reports whether i lies in [lo, hi]. An empty interval lies nowhere.
func (i Interval) Within(lo, hi float64) bool {
	return !i.IsEmpty() && lo <= i.Lo && i.Hi <= hi
}

// Intersect returns the values in both intervals.
func (i Interval) Intersect(other Interval) Interval {
	both := Interval{max(i.Lo, other.Lo), min(i.Hi, other.Hi)}
	if both.IsEmpty() {
		return Empty()
	}
	return both
}

// holding returns i, widened to hold x where it has values at all.
func (i Interval) holding(x float64) Interval {
	if i.IsEmpty() {
		return i
	}
	return Interval{min(i.Lo, x), max(i.Hi, x)}
}

// String returns "[lo, hi]" with four significant digits, or "empty".
func (i Interval) String() string {
	if i.IsEmpty() {
		return "empty"
	}
	return fmt.Sprintf("[%.4g, %.4g]", i.Lo, i.Hi)
}

// A Decision is the position of an interval relative to a margin.
type Decision int

const (
	Open    Decision = iota // both answers are still possible
	Inside                  // the interval lies within the margin
	Outside                 // the interval has no value in common with the margin
)

func (d Decision) String() string { return [...]string{"open", "inside", "outside"}[d] }

// Decide compares iv with the margin [lo, hi]; either end may be infinite. An empty
// interval is Open: no constant effect fits the data, which answers no question about
// its size, and the caller must report it as such.
func Decide(iv Interval, lo, hi float64) Decision {
	switch {
	case iv.IsEmpty():
		return Open
	case iv.Within(lo, hi):
		return Inside
	case iv.Hi < lo || iv.Lo > hi:
		return Outside
	}
	return Open
}

// Method is the version of the method: of how samples are taken, ordered and excluded, and
// of how intervals are made of them. It is raised whenever one of these changes what a
// comparison can say, so that a certificate of the instrument as it was is not taken for
// one of the instrument as it is (see package certificate).
const Method = 4
