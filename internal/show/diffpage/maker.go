package diffpage

import (
	"fmt"
	"math"
	"path"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/show/difftext"
	"memcost/internal/sites"
	"memcost/internal/sites/diff"
)

// A maker makes the part of a comparison.
type maker struct {
	d      *diff.Diff
	prefix string // of anchors
}

// bench names a benchmark: with its package where there are several.
func (m *maker) bench(i int) string {
	b := m.d.Benchmarks[i]
	several := slices.ContainsFunc(m.d.Benchmarks, func(o diff.Benchmark) bool { return o.Package != b.Package })
	if several && b.Package != "" {
		return path.Base(b.Package) + "." + b.Name
	}
	return b.Name
}

// kindWords are what became of a site. Of those that changed, it says how.
var kindWords = map[string]string{"gone": "gone", "new": "new", "more": "costs more", "less": "costs less",
	"mixed": "costs more and less"}

func kindOf(c diff.Change) string {
	if c.Kind != diff.Changed {
		return string(c.Kind)
	}
	switch c.Direction() {
	case 1:
		return "more"
	case -1:
		return "less"
	}
	return "mixed"
}

// pair formats a figure of both sides: "5 → 3" where it changed.
func pair(p diff.Pair, unit string) string { return difftext.Figure(diff.Changed, p, unit) }

// signed formats a difference: "-2".
func signed(delta float64, unit string) string {
	return diff.Signed(delta, units.Quantity(math.Abs(delta), unit))
}

// interval formats a figure with its interval.
func interval(i sites.Interval, unit string) string {
	if i.Runs == 0 {
		return "not measured"
	}
	return difftext.WithEnds(i, unit)
}

func causeWords(c sites.Cause) string {
	if c.Words == "" {
		return "no known cause"
	}
	return c.Words
}

func place(p *diff.Place) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}
