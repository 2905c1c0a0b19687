package units

import (
	"fmt"
	"math"
	"strconv"
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
		return oneSided(lo, hi, sizeOf(v, unit), Digits)
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

// oneSided formats a bound on one side: "[≥ 1.9]", "[≤ 2.2]"; "" where there is none, or two.
func oneSided(lo, hi, size float64, digits func(float64) string) string {
	switch {
	case lo > 0 && math.IsInf(hi, 1):
		return "[≥ " + digits(lo/size) + "]"
	case hi > 0 && !math.IsInf(hi, 1) && (lo == 0 || math.IsInf(lo, -1)):
		return "[≤ " + digits(hi/size) + "]"
	}
	return ""
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

// Brief formats a figure as Quantity does, with the two significant digits that a sentence
// has: "1.2 µs", "3.7" for a ratio, which has no sign of its own there.
func Brief(v float64, unit string) string {
	if unit == "" || unit == "ratio" {
		return twoDigits(v)
	}
	if unit == "B/op" || InBytes(unit) { // 64 KiB is no round number of bytes
		return Quantity(v, unit)
	}
	return shorter(Quantity(rounded(v), unit))
}

// BriefEnds formats the ends of an interval as Brief does the figure: "[3.2, 5.7]", "[1.1, 1.3]"
// beside "1.2 µs"; "[≥ 3.2]" where it is bounded on one side, "" where on none.
func BriefEnds(v, lo, hi float64, unit string) string {
	if !Bounded(lo, hi) {
		return oneSided(lo, hi, sizeOf(rounded(v), unit), twoDigits)
	}
	if unit == "" || unit == "ratio" {
		if nearOne(v) || nearOne(lo) || nearOne(hi) { // one end has two digits behind the point, and the other the same
			return "[" + hundredths(lo) + ", " + hundredths(hi) + "]"
		}
		return "[" + twoDigits(lo) + ", " + twoDigits(hi) + "]"
	}
	if unit == "B/op" || InBytes(unit) {
		return Ends(v, lo, hi, unit)
	}
	size := sizeOf(rounded(v), unit)
	return "[" + twoDigits(lo/size) + ", " + twoDigits(hi/size) + "]"
}

// rounded returns v with two significant digits, a large whole number as it is.
func rounded(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	return r
}

// twoDigits formats a ratio: "3.7", "15", "490". Near 1 the digits that matter are those of the
// difference: "1.04".
func twoDigits(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	if nearOne(v) {
		return hundredths(v)
	}
	r := rounded(v)
	if a := math.Abs(r); a != 0 && a < 10 {
		places := 1 - int(math.Floor(math.Log10(a)))
		return strconv.FormatFloat(r, 'f', places, 64)
	}
	return strconv.FormatFloat(r, 'f', 0, 64)
}

func nearOne(v float64) bool { return v > 0.9 && v < 1.1 }

func hundredths(v float64) string {
	if math.Abs(v) >= 10 || math.Abs(v) < 0.1 {
		return twoDigits(v)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// shorter cuts the digit that rounding made 0: "1.20 µs" becomes "1.2 µs".
func shorter(s string) string {
	number, unit, found := strings.Cut(s, " ")
	if strings.Contains(number, ".") {
		if cut, ok := strings.CutSuffix(number, "0"); ok {
			number = strings.TrimSuffix(cut, ".")
		}
	}
	if !found {
		return number
	}
	return number + " " + unit
}
