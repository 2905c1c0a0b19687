package units

import (
	"math"
	"strconv"
)

// None stands for a figure that is not known.
const None = "–"

// significant rounds to three significant digits.
func significant(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return r
}

// Digits formats a number with three significant digits, and a whole number with
// all of its digits.
func Digits(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return None
	case v == math.Trunc(v) && a < 1e6:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case a >= 1e6 || a < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 999.5:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(significant(v)))))
	return strconv.FormatFloat(v, 'f', max(places, 0), 64)
}
