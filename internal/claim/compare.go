package claim

import (
	"memcost/internal/series"
	"memcost/internal/stat"
)

// Margin is the difference between two arms that is worth knowing: 1%.
const Margin = 0.01

// A Difference is the result of comparing one arm with another.
type Difference string

// What can be known.
const (
	Changed    Difference = "changed"    // the interval lies outside ±1%
	Equivalent Difference = "equivalent" // it lies inside
	Open       Difference = "undecided"  // neither
)

// Compare classifies an estimated ratio of two arms.
func Compare(x Estimate) Difference {
	if x.Rounds == 0 {
		return Open
	}
	switch stat.Decide(x.Interval, 1/(1+Margin), 1+Margin) {
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
	// Discovery reports whether the case belongs to those that e-BH selects
	// among all cases of the arm: their false discovery rate is at most α.
	Discovery bool
}

// Changes compares every case of d with the same case of base. Differences are
// discoveries by e-BH (Wang and Ramdas, "False discovery rate control with e-values",
// JRSS B 84, 2022), which holds under any dependence between cases; the intervals of the
// selected are widened to level 1 − α k/m, and it is those that must lie outside ±1% for
// a case to have changed. A case that is equivalent is so at level α, without this
// correction.
func Changes(d, base *Data) []Change {
	var out []Change
	var logE []float64
	var logs [][]float64
	for _, c := range d.Cases {
		b := find(base, c.Case)
		if b == nil || len(d.Invalid[c.Case]) > 0 || len(base.Invalid[c.Case]) > 0 {
			continue
		}
		x := d.Set.Paired(c, b, "sec/op")
		if len(x) == 0 {
			continue
		}
		out = append(out, Change{Case: c.Case, Estimate: d.Ratio(c, b, "sec/op")})
		logE = append(logE, stat.LogE(x, 0))
		logs = append(logs, x)
	}
	selected, k := stat.EBH(logE, d.Alpha)
	for i := range out {
		c := &out[i]
		if c.Discovery = selected[i]; c.Discovery {
			c.Interval = expInterval(stat.ConfidenceSequence(logs[i], d.Alpha*float64(k)/float64(len(out))))
		}
		c.Difference = Compare(c.Estimate)
		if !c.Discovery && c.Difference == Changed {
			c.Difference = Open // not after correction for the number of cases
		}
	}
	return out
}

func find(d *Data, name string) *series.Series {
	for _, c := range d.Cases {
		if c.Case == name {
			return c
		}
	}
	return nil
}
