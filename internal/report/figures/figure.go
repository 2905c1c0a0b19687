package figures

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"memcost/internal/base/units"
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

// A Figure is an estimate with its confidence sequence, in base units.
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
	v := float64(f.Value)
	return strings.TrimSpace(units.Brief(v, f.Unit) + " " + units.BriefEnds(v, float64(f.Lo), float64(f.Hi), f.Unit))
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
