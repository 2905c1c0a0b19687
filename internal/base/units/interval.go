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
		return Ends(v, lo, hi, unit)
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

// Ends formats the ends of an interval in the unit that Quantity gives the figure, rounded as it is:
// "[20, 50]" beside "35 ns". Unlike Interval it shows an interval that reaches 0, too.
func Ends(v, lo, hi float64, unit string) string {
	size := sizeOf(v, unit)
	if strings.HasSuffix(unit, "-share") {
		return "[" + tenths(lo/size) + ", " + tenths(hi/size) + "]"
	}
	return Range(nearUnit(lo, unit)/size, nearUnit(hi, unit)/size)
}

// tenths formats an end beside a percentage, which has one decimal; a whole number has none.
func tenths(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// Brief formats a figure as Quantity does, with the two significant digits that a sentence
// has: "1.2 µs", "3.7" for a ratio, which has no sign of its own there.
func Brief(v float64, unit string) string {
	figure, _ := BriefWith(v, math.NaN(), math.NaN(), unit)
	return figure
}

// BriefWith formats a figure as Brief does, and the ends of its interval: "3.7" and "[3.2, 5.7]",
// "1.2 µs" and "[1.1, 1.3]"; "[≥ 3.2]" where it is bounded on one side, "" where on none. They are
// rounded alike, so that no figure is printed outside of its own interval.
func BriefWith(v, lo, hi float64, unit string) (figure, ends string) {
	if unit == "B/op" || InBytes(unit) || strings.HasSuffix(unit, "-share") { // 64 KiB is no round number of bytes
		if !Bounded(lo, hi) {
			return Quantity(v, unit), oneSided(lo, hi, sizeOf(v, unit), Digits)
		}
		return Quantity(v, unit), Ends(v, lo, hi, unit)
	}
	digits := twoSignificant
	end := func(v float64) string { return digits(v) }
	switch isRatio := unit == "" || unit == "ratio"; {
	case !isRatio:
		figure = shorter(Quantity(rounded(v), unit))
		size := sizeOf(rounded(v), unit)
		end = func(v float64) string { return digits(nearUnit(rounded(v), unit) / size) }
	case nearOne(v) || Bounded(lo, hi) && (nearOne(lo) || nearOne(hi)):
		digits = hundredths // the digits that matter are those of the difference
		fallthrough
	default:
		figure = digits(v)
	}
	if !Bounded(lo, hi) {
		return figure, oneSided(lo, hi, 1, end)
	}
	return figure, "[" + end(lo) + ", " + end(hi) + "]"
}

// rounded returns v with two significant digits, a large whole number as it is.
func rounded(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	return r
}

// twoSignificant formats a figure: "3.7", "15", "490".
func twoSignificant(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	r := rounded(v)
	if a := math.Abs(r); a != 0 && a < 10 {
		places := 1 - int(math.Floor(math.Log10(a)))
		return strconv.FormatFloat(r, 'f', places, 64)
	}
	return strconv.FormatFloat(r, 'f', 0, 64)
}

func nearOne(v float64) bool { return v > 0.9 && v < 1.1 }

// hundredths formats a ratio near 1: "1.04"; and what stands beside one.
func hundredths(v float64) string {
	if math.Abs(v) >= 10 || math.Abs(v) < 0.1 {
		return twoSignificant(v)
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
