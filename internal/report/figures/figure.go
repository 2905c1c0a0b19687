package figures

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/stat"
)

// A Number is a float64 that JSON can hold: what is not finite becomes null.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler: null is not a number.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// A Drawn number is one in the data of a picture, with five digits; what is not finite is null.
type Drawn float64

// MarshalJSON implements json.Marshaler.
func (n Drawn) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 5, 64), nil
}

// A Figure is an estimate with its interval, in base units.
type Figure struct {
	Value   Number `json:"value"`
	Lo      Number `json:"lo"` // null: not bounded, or a single figure
	Hi      Number `json:"hi"`
	Medians Number `json:"medians"` // the median, or the ratio of medians
	N       int    `json:"rounds"`
	Unit    string `json:"unit"` // "" for a ratio
	Note    string `json:"note,omitempty"`
}

// noFigure stands where there is nothing to show.
var noFigure = Figure{Value: Number(math.NaN()), Lo: Number(math.NaN()), Hi: Number(math.NaN()),
	Medians: Number(math.NaN())}

// NoFigure returns what stands where there is nothing to show.
func NoFigure() Figure { return noFigure }

// Single returns a figure without an interval, of so many rounds.
func Single(v float64, n int, unit string) Figure {
	return Figure{Value: Number(v), Lo: noFigure.Lo, Hi: noFigure.Hi, Medians: Number(v), N: n, Unit: unit}
}

// Between returns the figure with the bounds of an interval.
func (f Figure) Between(iv stat.Interval) Figure {
	f.Lo, f.Hi = Number(iv.Lo), Number(iv.Hi)
	return f
}

// Known reports whether the figure has a value.
func (f Figure) Known() bool { return !math.IsNaN(float64(f.Value)) }

// InColumn returns the figure as it stands under a header that says what it counts: without a unit
// that is none of time or bytes.
func (f Figure) InColumn() string {
	s := f.String()
	if before, after, ok := strings.Cut(s, " "+f.Unit); ok && f.Unit != "" {
		return before + after
	}
	return s
}

// String returns the figure with its interval and its note: "12.3 ns ±2%",
// "2.35× [2.12, 2.79]".
func (f Figure) String() string {
	if !f.Known() {
		if f.Note != "" {
			return f.Note
		}
		return units.None
	}
	s := f.Quantity()
	switch iv := f.IntervalText(); {
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

// Quantity returns the figure without its interval.
func (f Figure) Quantity() string { return units.Quantity(float64(f.Value), f.Unit) }

// IntervalText returns the bounds as they stand beside the figure, "" if it has none.
func (f Figure) IntervalText() string {
	return units.Interval(float64(f.Value), float64(f.Lo), float64(f.Hi), f.Unit)
}

// Times returns a ratio as a number with its interval, for a sentence: "2.35 [2.12, 2.79]".
func (f Figure) Times() string {
	return strings.TrimSpace(units.Digits(float64(f.Value)) + " " + f.IntervalText())
}

// Brief returns a figure with the two digits that a sentence has, and its interval: "3.7 [3.2, 5.7]".
func (f Figure) Brief() string {
	figure, ends := units.BriefWith(float64(f.Value), float64(f.Lo), float64(f.Hi), f.Unit)
	return strings.TrimSpace(figure + " " + ends)
}

// Bounded reports whether the figure has an interval that ends on both sides.
func (f Figure) Bounded() bool { return units.Bounded(float64(f.Lo), float64(f.Hi)) }

// Exact reports whether a figure is one that nothing blurs.
func (f Figure) Exact() bool {
	return !math.IsNaN(float64(f.Value)) && f.Unit != "" && f.Unit != "sec/op" && f.Unit != "B/sec" && !f.Bounded()
}

// Exactly formats a figure of which every digit counts, without its unit unless that is bytes.
func (f Figure) Exactly() string {
	switch v := float64(f.Value); {
	case f.Unit == "ratio":
		return units.Ratio(v)
	case units.InBytes(f.Unit):
		return units.ExactBytes(v)
	default:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
}

// Label formats a value of a table's key: sizes are byte counts.
func Label(by, value string) string {
	if row, busy, ok := strings.Cut(value, " busy="); ok {
		return Label(by, row) + ", " + besideBusy(busy)
	}
	if by == "size" {
		number, procs, several := strings.Cut(value, "-")
		if n, err := strconv.ParseFloat(number, 64); err == nil && !several {
			return units.Bytes(n)
		} else if err == nil {
			return units.Bytes(n) + "-" + procs
		}
	}
	return value
}

// CompareLabels puts numbers first, in numerical order (of the part before a load or a
// GOMAXPROCS suffix), and leaves other labels in the order in which they came.
func CompareLabels(a, b string) int {
	x, errX := labelNumber(a)
	y, errY := labelNumber(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return 0
}

func labelNumber(label string) (float64, error) {
	label, _, _ = strings.Cut(label, " busy=")
	if i := strings.LastIndexByte(label, '-'); i > 0 {
		label = label[:i]
	}
	return strconv.ParseFloat(label, 64)
}

// TrimProcs cuts the GOMAXPROCS suffix off.
func TrimProcs(s string) string {
	if i := strings.LastIndexByte(s, '-'); i > 0 {
		if _, err := strconv.Atoi(s[i+1:]); err == nil {
			return s[:i]
		}
	}
	return s
}

// Place prints an element's label in words: "64 KiB" for "size=65536", "cause interface-call",
// "64 KiB on 2 CPUs", "64 KiB beside 1 busy core"; "small, 64 KiB" for "/small size=65536".
func Place(label string) string {
	if first, busy, ok := strings.Cut(label, " busy="); ok && Place(first) != "" {
		return Place(first) + " " + besideBusy(busy)
	}
	if first, cpu, ok := strings.Cut(label, " cpu="); ok && Place(first) != "" {
		if n, err := strconv.Atoi(cpu); err == nil {
			cpu = units.Plural(n, "CPU")
		}
		return Place(first) + " on " + cpu
	}
	if parts, ok := strings.CutPrefix(label, "/"); ok { // those of a name that have no key
		parts, keys, _ := strings.Cut(parts, " ")
		for _, kv := range strings.Fields(keys) {
			parts += ", " + Place(kv)
		}
		return parts
	}
	key, value, ok := strings.Cut(label, "=")
	if !ok || strings.ContainsAny(key, "/ ") || strings.ContainsAny(value, "/ ") {
		return ""
	}
	if key == "size" {
		return Label(key, value)
	}
	return key + " " + value
}

// besideBusy says in words what a case was measured beside: "0", "1" or "all" busy cores.
func besideBusy(busy string) string {
	n, err := strconv.Atoi(busy)
	switch {
	case err != nil:
		return "with " + busy + " cores busy"
	case n == 0:
		return "with no core busy"
	}
	return "beside " + units.Plural(n, "busy core")
}

// ShortName returns a machine's name without what stands in brackets.
func ShortName(s string) string {
	s, _, _ = strings.Cut(s, " (")
	return s
}
