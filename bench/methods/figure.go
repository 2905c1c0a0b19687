package methods

import (
	"cmp"
	"slices"
)

// A Figure is how often a method found a difference: of one kind of benchmark, at one
// true change, with so many seconds.
type Figure struct {
	Method    Method  `json:"method"`
	Kind      string  `json:"kind"`
	Rate      int     `json:"rate"`    // percent; 0: the sides are identical
	Seconds   float64 `json:"seconds"` // that the method had
	Found     int     `json:"found"`   // the change; of identical sides: any difference
	Wrong     int     `json:"wrong"`   // a difference of the wrong sign
	Of        int     `json:"of"`      // blocks
	Intervals int     `json:"intervals"`
	Covered   int     `json:"covered"` // intervals that hold the truth
}

// Count adds the findings up.
func Count(all []Finding) []Figure {
	type key struct {
		m    Method
		kind string
		rate int
		t    float64
	}
	sums := map[key]*Figure{}
	for _, f := range all {
		k := key{f.Method, f.Kind, f.Rate, f.Seconds}
		s := sums[k]
		if s == nil {
			s = &Figure{Method: f.Method, Kind: f.Kind, Rate: f.Rate, Seconds: f.Seconds}
			sums[k] = s
		}
		s.Of++
		s.Found += one(f.Sign > 0 || f.Rate == 0 && f.Sign != 0)
		s.Wrong += one(f.Rate > 0 && f.Sign < 0)
		s.Intervals += one(f.Interval)
		s.Covered += one(f.Interval && f.Covers)
	}
	var out []Figure
	for _, s := range sums {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Figure) int {
		return cmp.Or(cmp.Compare(slices.Index(All, a.Method), slices.Index(All, b.Method)),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Seconds, b.Seconds))
	})
	return out
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Sum adds up the figures that pass, as those of one kind.
func Sum(figures []Figure, pass func(Figure) bool) Figure {
	var sum Figure
	for _, f := range figures {
		if pass(f) {
			sum.Method, sum.Rate, sum.Seconds = f.Method, f.Rate, f.Seconds
			sum.Found += f.Found
			sum.Wrong += f.Wrong
			sum.Of += f.Of
			sum.Intervals += f.Intervals
			sum.Covered += f.Covered
		}
	}
	return sum
}

// Power returns the share that was found, 0 of nothing.
func (f Figure) Power() float64 { return float64(f.Found) / float64(max(f.Of, 1)) }

// Enough returns the least seconds with which a method found at least the share of a
// change, and with all more seconds, too; false where it did not with the most.
func Enough(figures []Figure, m Method, kind string, rate int, share float64) (seconds float64, ok bool) {
	bySeconds := map[float64]*Figure{}
	var ts []float64
	for _, f := range figures {
		if f.Method != m || f.Rate != rate || kind != "" && f.Kind != kind {
			continue
		}
		if bySeconds[f.Seconds] == nil {
			bySeconds[f.Seconds] = &Figure{}
			ts = append(ts, f.Seconds)
		}
		bySeconds[f.Seconds].Found += f.Found
		bySeconds[f.Seconds].Of += f.Of
	}
	slices.Sort(ts)
	for _, t := range slices.Backward(ts) {
		if bySeconds[t].Power() < share {
			break
		}
		seconds, ok = t, true
	}
	return seconds, ok
}

// Distinct returns the different values of the figures in ascending order.
func Distinct[T cmp.Ordered](figures []Figure, of func(Figure) T) []T {
	var out []T
	for _, f := range figures {
		out = append(out, of(f))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
