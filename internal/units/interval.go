package units

import (
	"fmt"
	"math"
)

// Interval formats the bounds of a figure as they stand beside it: "[1.9, 2.2]"
// beside a ratio, whose unit is "", "±2%" beside a quantity; "" if the figure is
// not bounded on both sides.
func Interval(v, lo, hi float64, unit string) string {
	switch {
	case !Bounded(lo, hi):
		return ""
	case unit == "":
		return Range(lo, hi)
	}
	return PlusMinus(v, lo, hi)
}

// Range formats the ends of an interval: "[1.9, 2.2]".
func Range(lo, hi float64) string { return fmt.Sprintf("[%s, %s]", Digits(lo), Digits(hi)) }

// Bounded reports whether an interval of a positive figure bounds it on both sides.
func Bounded(lo, hi float64) bool {
	return !math.IsNaN(lo) && !math.IsNaN(hi) && !math.IsInf(hi, 0) && !math.IsInf(lo, 0) && lo > 0
}

// PlusMinus formats the larger distance of a bound from the figure as a percentage
// of the figure: "±2%".
func PlusMinus(v, lo, hi float64) string {
	p := 100 * math.Max(hi/v-1, 1-lo/v)
	if !(p < 1000) { // nothing is known but that it is finite
		return "±?"
	}
	if p < 1 {
		return fmt.Sprintf("±%.1f%%", p)
	}
	return fmt.Sprintf("±%.0f%%", p)
}
