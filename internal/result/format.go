package result

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// quantity prints a figure in base units with three significant digits and a
// unit that suits its size.
func quantity(v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	switch unit {
	case "":
		return ratio(v)
	case "sec/op", "sec":
		return scaled(v, []scale{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}})
	case "B/sec", "B/s":
		return scaled(v, []scale{{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}})
	case "ops/s":
		return scaled(v, []scale{{1, "op/s"}, {1e3, "kop/s"}, {1e6, "Mop/s"}, {1e9, "Gop/s"}})
	case "B/op":
		return Bytes(nearCount(v, 0.05))
	case "allocs/op":
		return digits(nearCount(v, 0.001))
	case "ratio":
		return ratio(v)
	}
	switch {
	case unit == "bytes" || strings.HasSuffix(unit, "-bytes") || strings.HasSuffix(unit, "-B"):
		return Bytes(v)
	case strings.HasSuffix(unit, "-sec") || strings.HasSuffix(unit, "-sec/op"):
		return quantity(v, "sec")
	case strings.HasSuffix(unit, "-share"):
		return percent(v)
	}
	return digits(v) + " " + unit
}

// scaledSuffixes end the units that quantity prints with a scale of its own.
var scaledSuffixes = []string{"-bytes", "-B", "-sec/op", "-sec", "-share"}

// nearCount rounds a count per op that is whole but for what the runtime itself
// allocated in a whole process. The JSON has it as it is.
func nearCount(v, tolerance float64) float64 {
	if r := math.Round(v); math.Abs(v-r) < tolerance {
		return r
	}
	return v
}

type scale struct {
	size float64
	unit string
}

func scaled(v float64, scales []scale) string {
	v3 := significant(v)
	s := scales[0]
	for _, next := range scales[1:] {
		if math.Abs(v3) >= next.size*(1-1e-9) { // 999.6 ns are 1.00 µs
			s = next
		}
	}
	return digits(v/s.size) + " " + s.unit
}

// significant rounds to three significant digits.
func significant(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return r
}

// digits prints three significant digits, and whole numbers whole.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
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

func ratio(v float64) string { return digits(v) + "×" }

// Bytes prints a byte count with a binary unit where it is a whole number of it.
func Bytes(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for i < len(units)-1 && math.Abs(v) >= 1023.5 { // what would be printed as 1024 is 1 of the next
		v /= 1024
		i++
	}
	return digits(v) + " " + units[i]
}

// rowLabel prints the value of a table's key; sizes are byte counts.
func rowLabel(by, value string) string {
	if by == "size" {
		number, procs, several := strings.Cut(value, "-")
		if n, err := strconv.ParseFloat(number, 64); err == nil && !several {
			return Bytes(n)
		} else if err == nil {
			return Bytes(n) + "-" + procs
		}
	}
	return value
}

// interval prints the bounds of a figure beside it: "[1.9×, 2.2×]", or "±2%"
// when short is asked for and the bounds are close.
func interval(f Figure) string {
	lo, hi := float64(f.Lo), float64(f.Hi)
	if !bounded(f) {
		return ""
	}
	if f.Unit == "" {
		return fmt.Sprintf("[%s, %s]", digits(lo), digits(hi))
	}
	return plusMinus(float64(f.Value), lo, hi)
}

func bounded(f Figure) bool {
	lo, hi := float64(f.Lo), float64(f.Hi)
	return !math.IsNaN(lo) && !math.IsNaN(hi) && !math.IsInf(hi, 0) && !math.IsInf(lo, 0) && lo > 0
}

func plusMinus(v, lo, hi float64) string {
	p := 100 * math.Max(hi/v-1, 1-lo/v)
	if !(p < 1000) { // nothing is known but that it is finite
		return "±?"
	}
	if p < 1 {
		return fmt.Sprintf("±%.1f%%", p)
	}
	return fmt.Sprintf("±%.0f%%", p)
}

// cell prints a figure with its interval.
func cell(f Figure) string {
	if math.IsNaN(float64(f.Value)) {
		if f.Note != "" {
			return f.Note
		}
		return "–"
	}
	s := quantity(float64(f.Value), f.Unit)
	switch iv := interval(f); {
	case iv != "":
		s += " " + iv
	case f.Note != "":
	case math.IsInf(float64(f.Hi), 1) && f.Unit != "allocs/op" && f.Unit != "B/op":
		s += " ±?"
	}
	if f.Note != "" {
		s += " (" + f.Note + ")"
	}
	return s
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*v)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
