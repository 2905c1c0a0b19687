package series

import (
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// An ID names a series.
type ID struct{ Suite, Case, Arm, Role string }

// A Series is the samples of one case on one arm in one role, one per round.
type Series struct {
	ID
	// Result is the first sample: its name and configuration. Where samples are some of slices and
	// some not, its iterations are the mean of theirs, as the counts of Totals are.
	Result   *benchfmt.Result
	Group    int               // the comparison that it belongs to; -1 if unknown
	Rounds   []int32           // ascending; see Values
	Totals   map[string]*Total // units of which only the total is kept
	Failures []Failure
	Loop     float64 // seconds inside the benchmark loop, all samples together
	Wall     float64 // seconds of the processes, all samples together

	iters  float64 // of all samples
	sliced bool    // some of them are of slices
	values map[string]*[]float64
	slots  []slot // by position in a sample
}

// Named returns a series without samples, which stands for a case that has none.
func Named(name string) *Series {
	return &Series{ID: ID{Case: name}, Result: &benchfmt.Result{Name: benchfmt.Name(name)}}
}

// A Failure is a process that gave no result.
type Failure struct {
	Round  int
	Reason string
}

// A Total sums up a unit.
type Total struct {
	N        int
	Sum      float64
	Min, Max float64
}

// Mean returns the arithmetic mean, NaN when there are no values.
func (t *Total) Mean() float64 {
	if t == nil || t.N == 0 {
		return math.NaN()
	}
	return t.Sum / float64(t.N)
}

func (t *Total) add(v float64) {
	if t.N == 0 {
		t.Min, t.Max = v, v
	}
	t.N, t.Sum = t.N+1, t.Sum+v
	t.Min, t.Max = min(t.Min, v), max(t.Max, v)
}

// maxRound bounds the round numbers that are accepted from a file.
const maxRound = 1 << 30

// A slot holds where the values of one unit of a series are appended.
type slot struct {
	unit   string
	values *[]float64
	total  *Total
}

// take stores the value at position i of its sample. The units of a series come in the
// same order in every sample, so the slot that served this position before is nearly
// always the right one.
func (sr *Series) take(keep func(unit string) bool, i int, unit string, v float64) {
	for len(sr.slots) <= i {
		sr.slots = append(sr.slots, slot{})
	}
	at := &sr.slots[i]
	if at.unit != unit || at.total == nil && at.values == nil {
		*at = sr.slot(keep, unit)
	}
	if at.total != nil {
		at.total.add(v)
		return
	}
	// A unit that was missing from earlier samples is padded, so that the slices stay
	// parallel to Rounds; one that occurs twice in a sample counts once.
	vs := *at.values
	if len(vs) >= len(sr.Rounds) {
		return
	}
	for len(vs) < len(sr.Rounds)-1 {
		vs = append(vs, math.NaN())
	}
	*at.values = append(vs, v)
}

func (sr *Series) slot(keep func(unit string) bool, unit string) slot {
	if keep(unit) {
		if sr.values[unit] == nil {
			sr.values[unit] = new([]float64)
		}
		return slot{unit: unit, values: sr.values[unit]}
	}
	if sr.Totals[unit] == nil {
		sr.Totals[unit] = &Total{}
	}
	return slot{unit: unit, total: sr.Totals[unit]}
}

// Values returns the kept values of a unit, parallel to Rounds as far as it
// goes, with NaN for samples without one; nil when the unit is not kept.
func (sr *Series) Values(unit string) []float64 {
	if vs := sr.values[unit]; vs != nil {
		return *vs
	}
	return nil
}

// Derive keeps the sum of some kept units as another one, unless that is kept already.
func (sr *Series) Derive(unit string, of ...string) {
	if len(of) == 0 || sr.values[unit] != nil {
		return
	}
	sum := slices.Clone(sr.Values(of[0]))
	for _, u := range of[1:] {
		vs := sr.Values(u)
		sum = sum[:min(len(sum), len(vs))]
		for i := range sum {
			sum[i] += vs[i]
		}
	}
	if len(sum) > 0 {
		sr.values[unit] = &sum
	}
}

// Units returns the units of which every value is kept, sorted.
func (sr *Series) Units() []string { return slices.Sorted(maps.Keys(sr.values)) }

// MeanOf returns the mean of a unit over a series, from its values or from its total;
// NaN when it has none.
func (sr *Series) MeanOf(unit string) float64 {
	vs := sr.Values(unit)
	if vs == nil {
		return sr.Totals[unit].Mean()
	}
	sum, n := 0.0, 0
	for _, v := range vs {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// usable reports whether a figure can be a time: damage must not spread into
// sums.
func usable(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
