package certificate

import (
	"fmt"
	"math"

	"memcost/internal/base/units"
)

// Judge writes down what a certificate lacks.
func (c *Certificate) Judge() {
	c.Because = nil
	lacks := func(format string, args ...any) { c.Because = append(c.Because, fmt.Sprintf(format, args...)) }
	all, known := c.All(), c.Known()
	if all.Comparisons < MinComparisons {
		lacks("%d comparisons of identical copies, and a certificate takes %d: there was not enough time",
			all.Comparisons, MinComparisons)
	}
	if known.Comparisons < MinKnown {
		lacks("%d comparisons with a known slowdown, and a certificate takes %d: there was not enough time",
			known.Comparisons, MinKnown)
	}
	high := all.Bounds().Hi
	if all.Comparisons > 0 && high > MaxFalseAlarms && (c.Whole() || all.rate() > MaxFalseAlarms) {
		lacks("%s in %d comparisons: the rate may be %s, and a certificate takes at most %s",
			units.Plural(all.Alarms, "false alarm"), all.Comparisons, percent(high), percent(MaxFalseAlarms))
	}
	for _, u := range c.Under {
		if u.Name == Quiet && u.Disturbed > MaxDisturbed {
			lacks("the machine was not quiet: other programs ran in %s of the rounds of that condition",
				percent(u.Disturbed))
		}
		if low := u.Bounds().Lo; u.Comparisons > 0 && low > MaxFalseAlarms {
			lacks("%s: at least %s of the comparisons of identical copies are false alarms", u.Name, percent(low))
		}
	}
	if known.Comparisons > 0 && float64(known.Covered) < MinCovered*float64(known.Comparisons) {
		lacks("the truth was inside %s of the intervals of known slowdowns, and a certificate takes at least %s",
			percent(known.covered()), percent(MinCovered))
	}
	if lost := all.Undecided + known.Undecided; lost > (all.Comparisons+known.Comparisons)/20 {
		lacks("%d of %d comparisons had no result: their processes failed", lost,
			lost+all.Comparisons+known.Comparisons)
	}
}

func (c Count) rate() float64 { return float64(c.Alarms) / float64(c.Comparisons) }

func (s Slowdown) covered() float64 { return float64(s.Covered) / float64(s.Comparisons) }

// percent is a share with two digits, but never rounded to all or nothing.
func percent(share float64) string {
	switch {
	case share <= 0 || share >= 1:
		return fmt.Sprintf("%.0f%%", 100*share)
	case share > 0.995:
		return fmt.Sprintf("%.2f%%", min(100*share, 99.99))
	case share >= 0.0995 && share != math.Trunc(100*share)/100:
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}
