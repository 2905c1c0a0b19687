package claim

import (
	"cmp"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// Margin is the difference between two arms that is worth knowing by default: 1%.
const Margin = 0.01

// A Difference is the result of comparing one arm with another.
type Difference string

// What can be known.
const (
	Changed    Difference = "changed"    // the interval lies outside of the margin
	Equivalent Difference = "equivalent" // it lies inside
	Open       Difference = "undecided"  // neither
)

// Compare classifies an estimated ratio of two arms: margin is the difference that is worth
// knowing, as a share.
func Compare(x Estimate, margin float64) Difference {
	if x.Rounds == 0 || x.Doubt != "" {
		return Open
	}
	switch stat.Decide(x.Interval, 1/(1+margin), 1+margin) {
	case stat.Inside:
		return Equivalent
	case stat.Outside:
		return Changed
	}
	return Open
}

// A Change is one case on an arm against the first arm.
type Change struct {
	Case string
	Estimate
	Difference Difference
	// Discovery reports whether the case belongs to those that e-BH selects among all
	// that the run reports: their false discovery rate is at most α.
	Discovery bool

	basis  basis // what the interval is made of
	margin float64
	need   float64 // ln of the e-value with which it would stand, as far as the others have come
}

// changes estimates every case of d against the same case of base: see Discover.
func changes(d, base *Data) []Change {
	var out []Change
	for _, c := range d.Cases {
		b := base.Find(c.Case)
		if b == nil || len(d.Invalid[c.Case]) > 0 || len(base.Invalid[c.Case]) > 0 {
			continue
		}
		if x := d.basis(subject{c, b, "sec/op"}); len(x.each) > 0 {
			out = append(out, Change{Case: c.Case, Estimate: d.Ratio(c, b, "sec/op"), basis: x,
				margin: cmp.Or(d.Margin, Margin)})
		}
	}
	return out
}

// Find returns the samples of a case, nil where there are none.
func (d *Data) Find(name string) *series.Series {
	for _, c := range d.Cases {
		if c.Case == name {
			return c
		}
	}
	return nil
}
