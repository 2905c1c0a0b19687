package series

import (
	"maps"
	"math"
	"slices"
)

// A slot is where the values of one unit of a series go.
type slot struct {
	unit   string
	values *[]float64
	total  *Total
}

// take stores the value that stands at position i of its sample. The units of a
// series come in the same order in every sample, so that the slot is nearly
// always the one that served this position before.
func (sr *Series) take(keep map[string]bool, i int, unit string, v float64) {
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
	// A unit that was missing from earlier samples is padded, so that the
	// slices stay parallel to Rounds; one that stands twice in a sample counts
	// once.
	vs := *at.values
	if len(vs) >= len(sr.Rounds) {
		return
	}
	for len(vs) < len(sr.Rounds)-1 {
		vs = append(vs, math.NaN())
	}
	*at.values = append(vs, v)
}

func (sr *Series) slot(keep map[string]bool, unit string) slot {
	if keep[unit] {
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

// Units returns the units of which every value is kept, sorted.
func (sr *Series) Units() []string { return slices.Sorted(maps.Keys(sr.values)) }
