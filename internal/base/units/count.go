package units

import (
	"fmt"
	"math"
	"strconv"
)

// Ratio formats a ratio: "2.35×".
func Ratio(v float64) string { return Digits(v) + "×" }

// Percent formats a share of 1 as a percentage with one decimal.
func Percent(share float64) string {
	if math.IsNaN(share) {
		return None
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// Share formats a share of 1 that someone chose as a percentage: "1%", "0.5%".
func Share(share float64) string {
	return strconv.FormatFloat(significant(100*share), 'g', -1, 64) + "%"
}

// Plural formats a count of things, whose plural ends with s: "1 case", "3 cases".
func Plural[N ~int | ~int64 | ~uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Thousands formats a count with commas between its thousands: "1,234,567".
func Thousands[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
