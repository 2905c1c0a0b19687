package compare

import (
	"fmt"
	"math"
	"slices"

	"memcost/internal/base/units"
)

// A Finding is something that closes the gate.
type Finding struct {
	Study, Benchmark, Side string // "" where it is about all of them
	Unit                   string
	Says                   string
	// Unmeasured reports that it is no regression: too little was measured to know of any.
	Unmeasured bool
}

// Check returns what closes the gate: a regression that stands when all comparisons are
// counted together, and whose whole interval lies beyond the margin; a benchmark that gives no
// figure on a side, or is invalid, for a gate that a broken benchmark opens is none. What is
// undecided closes it where that was asked for.
func (g *Gate) Check(r *Report) []Finding {
	var out []Finding
	compared, bounded := 0, 0
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		if f, broken := brokenFinding(b); broken {
			out = append(out, f)
			continue
		}
		for _, rule := range g.rules {
			for j := range b.Metrics {
				m := &b.Metrics[j]
				if !rule.of(m) {
					continue
				}
				for side := range m.Changes {
					compared++
					if known(m.Changes[side]) || len(b.Failed) > 0 { // what works again is no worse
						bounded++
					}
					if f, closes := g.finding(r, b, m, side+1, rule); closes {
						out = append(out, f)
					}
				}
			}
		}
	}
	switch {
	case len(out) > 0, r.nothing():
	case compared == 0:
		out = append(out, Finding{Unmeasured: true, Says: "nothing was compared that the gate asks for"})
	case bounded == 0:
		out = append(out, Finding{Unmeasured: true, Says: "nothing could be compared that the gate asks for: there are too few rounds " +
			"for any interval"})
	}
	return out
}

// Decided reports whether more rounds can change nothing of what the gate finds: each comparison that it asks
// for is decided, or known to lie within the gate's margin or beyond it.
func (g *Gate) Decided(r *Report) bool {
	some := false
	for i := range r.Benchmarks {
		for j := range r.Benchmarks[i].Metrics {
			m := &r.Benchmarks[i].Metrics[j]
			for _, rule := range g.rules {
				if !rule.of(m) || m.NoDirection {
					continue
				}
				margin := rule.margin
				if math.IsNaN(margin) {
					margin = r.Margin
				}
				for _, c := range m.Changes {
					some = true
					if c.Verdict == Undecided && !within(m, c, margin) && !(c.Stands && beyond(m, c, margin)) {
						return false
					}
				}
			}
		}
	}
	return some
}

// Times reports whether the gate asks for time, which each comparison goes on for until it is decided.
func (g *Gate) Times() bool {
	return slices.ContainsFunc(g.rules, func(r rule) bool { return r.unit == Time })
}

// known reports whether anything is known of a change.
func known(c Change) bool {
	hi := float64(c.Ratio.Hi)
	return c.Verdict != Undecided || !math.IsNaN(float64(c.Ratio.Lo)) && !math.IsNaN(hi) && !math.IsInf(hi, 1)
}

// brokenFinding says what keeps a benchmark from being compared: that it is invalid, or gives no
// figure on a further side.
func brokenFinding(b *Benchmark) (Finding, bool) {
	f := Finding{Study: b.Study, Benchmark: b.Name}
	if len(b.Invalid) > 0 {
		f.Says = fmt.Sprintf("%s is invalid on %s", b.Name, b.Invalid[0])
		return f, true
	}
	if len(b.Failed) == 0 {
		return f, false
	}
	f.Says = fmt.Sprintf("%s failed on %s", b.Name, b.Failed[0])
	m := b.Metric(Time)
	if m == nil {
		return f, true
	}
	for _, v := range m.Values[1:] {
		if !v.Known() {
			return f, true
		}
	}
	return f, false // it failed on the first side alone: what comes after it is no worse
}

// finding says what a change closes the gate with.
func (g *Gate) finding(r *Report, b *Benchmark, m *Metric, side int, of rule) (Finding, bool) {
	f := Finding{Study: b.Study, Benchmark: b.Name, Side: r.Sides[side].Name, Unit: m.Unit}
	margin := of.margin
	if math.IsNaN(margin) {
		margin = r.Margin
	}
	c := m.Changes[side-1]
	here, there, by := r.Where(side), r.Where(0), units.Share(margin)
	switch {
	case m.NoDirection:
		return f, false
	case c.Stands && beyond(m, c, margin):
		values := m.Values[side].Quantity() + " instead of " + m.Values[0].Quantity()
		switch {
		case m.Unit == Time:
			c.Verdict = Changed // by the gate's margin
			f.Says = fmt.Sprintf("%s takes %s as long %s as %s (%s): slower by more than %s", b.Name, RatioSays(c), here,
				there, values, by)
		case c.Ratio.Note == FromZero:
			f.Says = fmt.Sprintf("%s: %s is %s %s", b.Name, MetricName(m.Unit), values, here)
		default:
			f.Says = fmt.Sprintf("%s: %s %s is %s that %s (%s): worse by more than %s", b.Name,
				MetricName(m.Unit), here, RatioSays(c), there, values, by)
		}
		return f, true
	case g.undecided && c.Verdict == Undecided && !within(m, c, margin):
		f.Says = fmt.Sprintf("%s: it is undecided whether %s %s is worse than %s by more than %s: %s", b.Name,
			MetricName(m.Unit), here, there, by, RatioSays(c))
		return f, true
	}
	return f, false
}

// bounds returns the interval of a change, in the direction of the worse: of an exact one, its
// value.
func bounds(m *Metric, c Change) (lo, hi float64) {
	lo, hi = float64(c.Ratio.Lo), float64(c.Ratio.Hi)
	if c.Ratio.Note == FromZero {
		return math.Inf(1), math.Inf(1)
	}
	if math.IsNaN(lo) && (m.Exact || c.Verdict == Changed) {
		lo, hi = float64(c.Ratio.Value), float64(c.Ratio.Value)
	}
	if m.HigherIsBetter {
		lo, hi = 1/hi, 1/lo
	}
	return lo, hi
}

// beyond reports whether all of a change lies beyond the margin, for the worse.
func beyond(m *Metric, c Change, margin float64) bool {
	lo, _ := bounds(m, c)
	return lo > 1+margin
}

// within reports whether a change is known to lie within the margin, or to be for the better.
func within(m *Metric, c Change, margin float64) bool {
	_, hi := bounds(m, c)
	return hi <= 1+margin
}
