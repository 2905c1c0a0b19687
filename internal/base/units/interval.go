package units

import (
	"fmt"
	"math"
	"strings"
)

// Interval formats the bounds of a figure as they stand beside it: "[1.9, 2.2]"
// beside a ratio, whose unit is "", "±2%" beside a quantity. Where the interval is
// wider than that can say, and beside every share, it shows its ends in the unit of
// the figure: "[9, 64]" beside "36.0%". It is "" if the figure is not bounded on both
// sides.
func Interval(v, lo, hi float64, unit string) string {
	switch {
	case !Bounded(lo, hi):
		return ""
	case unit == "" || unit == "ratio":
		return Range(lo, hi)
	case strings.HasSuffix(unit, "-share") || halfWidth(v, lo, hi) > widestPlusMinus:
		size := sizeOf(v, unit)
		return Range(lo/size, hi/size)
	}
	return PlusMinus(v, lo, hi)
}

// widestPlusMinus is the share of a figure up to which its interval is written as
// one distance on both sides; a wider one is not symmetric.
const widestPlusMinus = 0.5

// Range formats the ends of an interval: "[1.9, 2.2]".
func Range(lo, hi float64) string { return fmt.Sprintf("[%s, %s]", Digits(lo), Digits(hi)) }

// Bounded reports whether an interval of a positive figure bounds it on both sides.
func Bounded(lo, hi float64) bool {
	return !math.IsNaN(lo) && !math.IsNaN(hi) && !math.IsInf(hi, 0) && !math.IsInf(lo, 0) && lo > 0
}

// PlusMinus formats the larger distance of a bound from the figure as a percentage
// of the figure: "±2%".
func PlusMinus(v, lo, hi float64) string {
	p := 100 * halfWidth(v, lo, hi)
	if p < 1 {
		return fmt.Sprintf("±%.1f%%", p)
	}
	return fmt.Sprintf("±%.0f%%", p)
}

// halfWidth returns the larger distance of a bound from the figure, as a share of it.
func halfWidth(v, lo, hi float64) float64 { return math.Max(hi/v-1, 1-lo/v) }

// Ends formats the ends of an interval in the unit that Quantity gives the figure:
// "[20, 50]" beside "35 ns". Unlike Interval it shows an interval that reaches 0, too.
func Ends(v, lo, hi float64, unit string) string {
	size := sizeOf(v, unit)
	return Range(lo/size, hi/size)
}
