package fronttext

import (
	"math"
	"strconv"
)

// bars has a step for each power of ten.
const bars = "▁▂▃▄▅▆▇█"

// bar returns the step for a time: the lowest up to 10 ns, the highest from 10 ms on.
func bar(seconds float64) string {
	steps := []rune(bars)
	at := int(math.Floor(math.Log10(two(seconds)) + 9 + 1e-9))
	return string(steps[min(max(at, 0), len(steps)-1)])
}

// two rounds to two significant digits.
func two(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// digits formats a number with two significant digits: "1.3", "280".
func digits(v float64) string {
	v = two(v)
	if a := math.Abs(v); a >= 1e6 || a < 1e-4 && a > 0 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	places := 0
	if v != 0 {
		places = max(1-int(math.Floor(math.Log10(math.Abs(v))+1e-9)), 0)
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// duration formats seconds with two significant digits: "1.3 ns", "280 µs".
func duration(seconds float64) string {
	scale, unit := 1.0, "s"
	for _, u := range []struct {
		scale float64
		unit  string
	}{{1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		if two(seconds) >= scale*(1-1e-9) {
			break
		}
		scale, unit = u.scale, u.unit
	}
	return digits(seconds/scale) + " " + unit
}
