package claim

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/document"
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
	// Incomparable is what is compared with a side that did not do what it says.
	Incomparable Difference = "invalid"
)

// Verdict returns the difference as it is shown; worse says that what changed costs more.
func (d Difference) Verdict(worse bool) document.Verdict {
	switch {
	case d == Incomparable:
		return document.Invalid
	case d == Changed && worse:
		return document.Worse
	case d == Changed:
		return document.Better
	case d == Equivalent:
		return document.Equivalent
	}
	return document.Undecided
}

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
	// Discovery reports whether the case belongs to those that are selected among all
	// that the run reports: their false discovery rate is at most α.
	Discovery bool

	basis  basis // what the interval is made of
	margin float64
	need   float64 // the level of the interval with which it would stand, as far as the others have come
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

// Discover compares the arms of every study with its first one, and selects what stands
// when all that a run reports is counted together: the changes, and the verdicts that rest
// on an interval (see stat.Discoveries): of what it selects at most
// the share alpha is expected to be wrong. studies holds, for each study, its arms.
//
// The intervals of the selected changes are those of the level that goes with the selection, and it is those
// that must lie outside the margin for a case to have changed. A case that is equivalent is so at
// level α, without this correction.
//
// A claim is two hypotheses, that it holds and that it does not, of which one is true: the
// lesser of the two p-values stands for it, and it counts once.
func Discover(studies [][]*Judged, alpha float64) {
	var p []float64
	var found []func(selected bool, level float64)
	add := func(x float64, fn func(selected bool, level float64)) {
		p, found = append(p, x), append(found, fn)
	}
	for _, arms := range studies {
		for i, j := range arms {
			if i > 0 {
				j.Changes = changes(j.Data, arms[0].Data)
			}
			for k := range j.Changes {
				c := &j.Changes[k]
				add(c.basis.p(excludesNone), c.discovered)
			}
			for k := range j.Verdicts {
				v := &j.Verdicts[k]
				if x, ok := v.p(alpha); ok {
					v.Counted = true
					add(x, func(selected bool, _ float64) { v.Selected = selected })
				}
			}
		}
	}
	selected, level := stat.Discoveries(p, alpha)
	for i, fn := range found {
		fn(selected[i], level)
	}
}

func excludesNone(iv stat.Interval) bool { return iv.Excludes(0) }

// discovered takes what was found of a change, and the level of the intervals of those
// that are selected.
func (c *Change) discovered(selected bool, level float64) {
	c.need = level
	if c.Discovery = selected && c.Doubt == ""; c.Discovery {
		c.Interval = expInterval(c.basis.interval(level))
	}
	c.Difference = Compare(c.Estimate, c.margin)
	if !c.Discovery && c.Difference == Changed {
		c.Difference = Open // not among all that is reported
	}
}

// p returns the p-value of what the verdict says; of an undecided one the
// lesser of both answers. It is false where nothing rests on an interval.
func (v *Verdict) p(alpha float64) (float64, bool) {
	var holds, fails, near []float64 // near: it holds, or is at its bound
	for _, e := range v.Elements {
		if e.basis == nil {
			continue
		}
		h, f, n := e.says()
		holds, fails, near = append(holds, h), append(fails, f), append(near, min(h, n))
	}
	if len(holds) == 0 {
		return 0, false
	}
	// It holds where it holds at every place, and fails where it does at all or at one: see refute.
	all, one := shares(alpha, len(fails))
	every, some := slices.Max(holds), alpha*min(slices.Max(fails)/all, slices.Min(fails)/one)
	switch {
	case v.Status == Holds:
		return every, true
	case v.Status == Fails:
		return min(some, 1), true
	case v.Status == AtBound:
		return slices.Max(near), true
	case slices.ContainsFunc(v.Elements, func(e Element) bool { return e.Doubt != "" }):
		return math.NaN(), true // it counts, and is never selected
	}
	return min(slices.Max(near), some, 1), true
}
