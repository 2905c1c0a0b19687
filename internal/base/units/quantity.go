package units

import (
	"math"
	"strings"
	"time"
)

// The units that figures are printed in, smallest first.
var (
	seconds             = []scale{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}
	bytesPerSecond      = []scale{{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}}
	operationsPerSecond = []scale{{1, "op/s"}, {1e3, "kop/s"}, {1e6, "Mop/s"}, {1e9, "Gop/s"}}
)

// Quantity formats a figure in base units, whose unit is one of the Go benchmark
// format, with three significant digits: "12.3 ns" for "sec/op", "2.35×" for "".
// Metrics of a benchmark's own are known by the end of their unit: "-bytes", "-B",
// "-sec", "-sec/op" and "-share".
func Quantity(v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	switch unit {
	case "", "ratio":
		return Ratio(v)
	case "sec/op", "sec":
		return Seconds(v)
	case "B/sec", "B/s":
		return scaled(v, bytesPerSecond)
	case "ops/s":
		return scaled(v, operationsPerSecond)
	case "B/op":
		return Bytes(nearUnit(v, unit))
	case "allocs/op":
		return Digits(nearUnit(v, unit))
	}
	switch {
	case InBytes(unit):
		return Bytes(v)
	case strings.HasSuffix(unit, "-sec") || strings.HasSuffix(unit, "-sec/op"):
		return Seconds(v)
	case strings.HasSuffix(unit, "-share"):
		return Percent(v)
	}
	return Digits(v) + " " + unit
}

// Metric formats a figure of a benchmark's own metric with the metric's name:
// "12 hits" for "hits", "p50 1.20 µs" for "p50-sec".
func Metric(v float64, unit string) string {
	for _, suffix := range []string{"-bytes", "-B", "-sec/op", "-sec", "-share"} {
		if name, ok := strings.CutSuffix(unit, suffix); ok {
			return name + " " + Quantity(v, unit)
		}
	}
	return Quantity(v, unit)
}

// InBytes reports whether a metric of a benchmark's own counts bytes.
func InBytes(unit string) bool {
	return unit == "bytes" || strings.HasSuffix(unit, "-bytes") || strings.HasSuffix(unit, "-B")
}

// nearUnit rounds a figure and the ends of its interval alike, where they are counts per op.
func nearUnit(v float64, unit string) float64 {
	switch unit {
	case "B/op":
		return nearCount(v, 0.05)
	case "allocs/op":
		return nearCount(v, 0.001)
	}
	return v
}

// nearCount rounds a count per op that is whole but for what the runtime itself
// allocated in a whole process. The JSON has it as it is.
func nearCount(v, tolerance float64) float64 {
	if r := math.Round(v); math.Abs(v-r) < tolerance {
		return r
	}
	return v
}

// Seconds formats a time with three significant digits.
func Seconds(v float64) string {
	return scaled(v, seconds)
}

// Duration formats a duration as Seconds does.
func Duration(d time.Duration) string {
	// Division by the power of ten keeps whole numbers of a unit whole.
	return scaled(float64(d), []scale{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}})
}

// A scale is a unit that figures are printed in, and how much of the base unit it is.
type scale struct {
	size float64
	unit string
}

func scaled(v float64, scales []scale) string {
	s := suits(v, scales)
	return Digits(v/s.size) + " " + s.unit
}

// suits returns the largest scale in which the figure is at least 1.
func suits(v float64, scales []scale) scale {
	v3 := significant(v)
	s := scales[0]
	for _, next := range scales[1:] {
		if math.Abs(v3) >= next.size*(1-1e-9) { // 999.6 ns are 1.00 µs
			s = next
		}
	}
	return s
}

// sizeOf returns how much of the base unit Quantity takes as one for a figure: 1e-9
// for "12.3 ns", 1024 for "1.50 KiB", 0.01 for "36.0%".
func sizeOf(v float64, unit string) float64 {
	switch {
	case unit == "sec/op" || unit == "sec" || strings.HasSuffix(unit, "-sec") || strings.HasSuffix(unit, "-sec/op"):
		return suits(v, seconds).size
	case unit == "B/sec" || unit == "B/s":
		return suits(v, bytesPerSecond).size
	case unit == "ops/s":
		return suits(v, operationsPerSecond).size
	case unit == "B/op" || InBytes(unit):
		size := 1.0
		for math.Abs(v/size) >= 1023.5 && size < 1<<40 {
			size *= 1024
		}
		return size
	case strings.HasSuffix(unit, "-share"):
		return 0.01
	}
	return 1
}
