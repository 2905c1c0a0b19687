package claim

import (
	"cmp"
	"math"
	"slices"
	"time"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

const (
	// faultCost is the least time that a minor page fault takes, zeroing its page included
	// (measured: 0.25 µs without a hypervisor, 0.5 µs to 0.7 µs under one).
	faultCost = 250 * time.Nanosecond
	// leastGarbage is the garbage below which a collection is not to be expected: the
	// smallest heap at which one begins is 4 MiB.
	leastGarbage = 1 << 20
)

// A Drift is a case whose cost per op depends on the number of iterations.
type Drift struct {
	Case     string
	Estimate // cost per op at N/4 over that at N
	Cause    string
	few      bool // see fewCollections
}

// driftMargin is the dependence on N that is worth a word, and driftRefused that with which a
// case decides nothing. A quarter-length sample pays relatively more for first touches and a
// cold cache; beside other programs, which leave a cold cache behind, 13% of it were seen. Of
// something that is done once and costs a quarter more at N/4, 8% are left at N.
const (
	driftMargin  = 1.15
	driftRefused = 1.25
)

// leastWork is the share of its time below which a case waits rather than works: its CPU
// time then says little of its cost.
const leastWork = 0.1

// cost is the ratio of the costs of two cases: of their CPU times where both are known, else
// of their wall times. On a busy machine wall time depends on how long a loop is, whatever
// is in it: a short one may end before the scheduler gives its CPU to another program.
func cost(d *Data, num, den *series.Series) Estimate {
	for _, c := range []*series.Series{num, den} {
		cpu, wall := d.values(c, series.UnitCPU), d.values(c, "sec/op")
		if len(cpu) == 0 || len(wall) == 0 {
			return d.Ratio(num, den, "sec/op")
		}
		share := stat.Median(cpu) / stat.Median(wall)
		// In C++ the time may be a part of what an iteration does (UseManualTime).
		manual := math.IsNaN(c.MeanOf(series.UnitTimerStarts)) && share > 1.5
		if share < leastWork || manual {
			return d.Ratio(num, den, "sec/op")
		}
	}
	return d.Ratio(num, den, series.UnitCPU)
}

// Drifts compares the quarter samples of the leading rounds with the full ones.
//
// A program that takes its time around a set of blocks says how many they are. With fewer
// iterations than blocks the set is a smaller one, and its cost another experiment's.
func Drifts(d *Data) []Drift {
	var out []Drift
	for _, c := range d.Cases {
		id := c.ID
		id.Role = "quarter"
		quarter := d.Set.Get(id)
		if quarter == nil || quarter.MeanOf(unitBlocks) != c.MeanOf(unitBlocks) && quarter.MeanOf(unitBlocks) > 0 {
			continue
		}
		full := fullOf(d, c, quarter)
		e := cost(d, quarter, full)
		if iv := e.Interval; !iv.IsEmpty() && (iv.Lo > driftMargin || iv.Hi < 1/driftMargin) {
			out = append(out, Drift{c.Case, e, causeOf(quarter, full, e.Centre), fewCollections(quarter, full)})
		}
	}
	slices.SortFunc(out, func(a, b Drift) int {
		return cmp.Compare(math.Abs(math.Log(b.Centre)), math.Abs(math.Log(a.Centre)))
	})
	return out
}

// fullOf returns the samples that those with a quarter of the iterations are compared with: where
// a case's figures are those of slices, full ones that were taken beside the quarters.
func fullOf(d *Data, c, quarter *series.Series) *series.Series {
	id := c.ID
	id.Role = "whole"
	if whole := d.Set.Get(id); whole != nil && 2*len(whole.Rounds) > len(quarter.Rounds) {
		return whole
	}
	return c
}

// unitBlocks is the number of blocks that a C++ program has at a time.
const unitBlocks = "blocks"

// The likely causes of a drift.
const (
	firstTouch = "page faults: memory is touched for the first time"
	growing    = "allocations: something grows, like a slice that is appended to"
	oneOff     = "work that is done once is timed too: it belongs before b.ResetTimer"
	grows      = "the work grows with the iterations"
)

// causeOf compares what else differs between the samples of N/4 and of N.
func causeOf(quarter, full *series.Series, ratio float64) string {
	cost := func(s *series.Series) (faults, bytes float64) {
		n := float64(max(s.Result.Iters, 1))
		return mean(s, series.UnitLoopFaults) * faultCost.Seconds() / n, mean(s, "B/op")
	}
	faultsShort, bytesShort := cost(quarter)
	faultsLong, bytesLong := cost(full)
	differs := (ratio - 1) * full.MeanOf("sec/op")
	switch {
	case math.Abs(faultsShort-faultsLong) > math.Abs(differs)/4:
		return firstTouch
	case math.Abs(bytesShort-bytesLong) > 0.1*max(bytesShort, bytesLong) && max(bytesShort, bytesLong) >= 1:
		return growing
	case ratio > 1:
		return oneOff
	}
	return grows
}

// fewCollections reports whether the samples of a case that allocates have so few collections
// that one more or less makes the difference between N and N/4.
func fewCollections(quarter, full *series.Series) bool {
	const least = 4
	made := mean(full, "B/op") * float64(full.Result.Iters)
	return made >= leastGarbage && mean(full, series.UnitHeapGoal) > 0 && mean(quarter, series.UnitGCCycles) < least
}

// mean is the mean of a unit, 0 where a case does not have it.
func mean(c *series.Series, unit string) float64 {
	if v := c.MeanOf(unit); !math.IsNaN(v) {
		return v
	}
	return 0
}
