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

// Discover compares the arms of every study with its first one, and selects what stands
// when all that a run reports is counted together: the changes, and the verdicts that rest
// on an interval. It is one e-BH (Wang and Ramdas, "False discovery rate control with
// e-values", JRSS B 84, 2022), which holds under any dependence: of what it selects at most
// the share alpha is expected to be wrong. studies holds, for each study, its arms.
//
// The intervals of the selected changes are widened to level 1 − α k/m, and it is those
// that must lie outside the margin for a case to have changed. A case that is equivalent is so at
// level α, without this correction.
//
// A claim is two hypotheses, that it holds and that it does not, of which one is true: the
// greater of the two e-values stands for it, and m counts it once.
func Discover(studies [][]*Judged, alpha float64) {
	var logE []float64
	var found []func(selected bool, level float64)
	need := 0.0 // with one more
	add := func(e float64, fn func(selected bool, level float64)) {
		logE, found = append(logE, e), append(found, fn)
	}
	for _, arms := range studies {
		for i, j := range arms {
			if i > 0 {
				j.Changes = changes(j.Data, arms[0].Data)
			}
			for k := range j.Changes {
				c := &j.Changes[k]
				add(c.basis.apart(), func(selected bool, level float64) { c.discovered(selected, level, need) })
			}
			for k := range j.Verdicts {
				v := &j.Verdicts[k]
				if e, ok := v.logE(); ok {
					v.Counted = true
					add(e, func(selected bool, _ float64) { v.Selected = selected })
				}
			}
		}
	}
	selected, k := stat.EBH(logE, alpha)
	need = math.Log(float64(len(logE)) / (alpha * float64(k+1)))
	for i, fn := range found {
		fn(selected[i], alpha*float64(k)/float64(len(logE)))
	}
}

// discovered takes what e-BH found of a change, and the level of the intervals of those
// that it selects.
func (c *Change) discovered(selected bool, level, need float64) {
	c.need = need
	if c.Discovery = selected && c.Doubt == ""; c.Discovery {
		c.Interval = expInterval(c.basis.interval(level))
	}
	c.Difference = Compare(c.Estimate, c.margin)
	if !c.Discovery && c.Difference == Changed {
		c.Difference = Open // not among all that is reported
	}
}

// logE returns ln of the e-value for what the verdict says; of an undecided one the
// greater of both answers. It is false where nothing rests on an interval.
func (v *Verdict) logE() (float64, bool) {
	var holds, fails []float64
	for _, e := range v.Elements {
		if e.basis == nil {
			continue
		}
		holds = append(holds, e.outside())
		from, to := e.denied()
		fails = append(fails, e.basis.against(from, to))
	}
	if len(holds) == 0 {
		return 0, false
	}
	// It holds where it holds at every place; the mean is an e-value against that under
	// any dependence between the places.
	all, some := slices.Min(holds), logMean(fails)
	switch v.Status {
	case Holds:
		return all, true
	case Fails:
		return some, true
	}
	if slices.ContainsFunc(v.Elements, func(e Element) bool { return e.Doubt != "" }) {
		return math.NaN(), true // it counts, and is never selected
	}
	return max(all, some), true
}
