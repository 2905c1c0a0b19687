package compare

import (
	"slices"
	"strings"

	"memcost/internal/method/series"
)

// Time is the unit of the first metric of every benchmark.
const Time = "sec/op"

// common are the metrics that stand before a benchmark's own, in this order.
var common = []string{Time, "B/op", "allocs/op", series.UnitCPU}

// processes are the metrics of commands: figures of the whole process.
var processes = []string{series.UnitRSS, series.UnitMinorFaults, series.UnitMajorFaults, series.UnitVoluntary,
	series.UnitInvoluntary}

// direction says whether more of a unit is better, and whether that is known.
func direction(unit string) (higher, known bool) {
	switch {
	case strings.HasSuffix(unit, "/s"), strings.HasSuffix(unit, "/sec"):
		return true, true
	case strings.HasSuffix(unit, "-bytes"), unit == "bytes", strings.Contains(unit, "sec"), unit == "B/op",
		unit == "allocs/op", slices.Contains(processes, unit):
		return false, true
	}
	return false, false
}

// FromZero stands for the ratio to a count that was 0.
const FromZero = "from 0"

// judge says which direction is better, and which changes are for the worse.
func (m *Metric) judge() {
	higher, known := direction(m.Unit)
	m.HigherIsBetter, m.NoDirection = higher, !known
	for i := range m.Changes {
		c := &m.Changes[i]
		up := c.Ratio.Value > 1 || c.Ratio.Note == FromZero
		c.Stands = c.Stands || c.Verdict == Changed
		c.Regression = c.Verdict == Changed && known && up != higher
	}
}

// alone notes whether only the count of all comparisons keeps a change from having changed.
func (c *Change) alone(margin float64) {
	c.Alone = c.Verdict == Undecided && c.Doubt == "" && c.Ratio.Bounded() &&
		(float64(c.Ratio.Lo) > 1+margin || float64(c.Ratio.Hi) < 1/(1+margin))
}
