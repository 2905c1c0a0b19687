package claim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// The limits of the guards that look at each case by itself.
const (
	// leastLoop is the loop time below which the clock's own steps, a page fault or an
	// interrupt show in a figure.
	leastLoop = time.Millisecond
	// rooflineMargin is how much faster than a plain copy in the first cache something real
	// may be. A copy reads and writes; a loop that only reads with the widest loads reads four
	// times as much in the same time.
	rooflineMargin = 6
	// faultShare is the share of the time above which first touches are worth a word.
	faultShare = 0.1
	// busyLeft is the number of CPUs from which goroutines that were left over disturb what
	// is timed. Waking up to look costs some percent of one.
	busyLeft = 0.2
	// debtShare and leastDebt are what the collector must have freed beyond what the loop
	// allocated.
	debtShare = 0.1
	leastDebt = 1 << 20
	// littleLeft and littleTime tell operations of which hardly anything is left: below so
	// many empty loops, and below so much time.
	littleLeft = 3
	littleTime = time.Nanosecond
	// ownFloorMargin is how much more than memcost's own empty loop a case must cost. The
	// loops lie at different places in different programs, which alone makes some percent.
	ownFloorMargin = 1.2
)

// A guard looks at one case. It returns why the case does not count, or what is to be known
// of it, or neither.
type guard func(d *Data, c *series.Series) (invalid, flag string)

// guardSamples applies the guards that need no word of the study.
func guardSamples(st *language.Study, d *Data) {
	drifts := map[string]Drift{}
	for _, x := range Drifts(d) {
		drifts[x.Case] = x
	}
	guards := []guard{guardLoop, guardLeftOver, guardDebt, guardTimer,
		func(d *Data, c *series.Series) (string, string) { return "", guardFaults(st, d, c) },
		func(d *Data, c *series.Series) (string, string) { return guardRoofline(st, d, c), "" },
		func(d *Data, c *series.Series) (string, string) { return "", guardFraction(st, d, c) },
		func(d *Data, c *series.Series) (string, string) { return guardEmpty(st, d, c) },
		func(d *Data, c *series.Series) (string, string) { return drifting(c, drifts) },
	}
	if d.Flags == nil {
		d.Flags = map[string][]string{}
	}
	for _, c := range d.Cases {
		for _, g := range guards {
			invalid, flag := g(d, c)
			if invalid != "" {
				d.Invalid[c.Case] = append(d.Invalid[c.Case], invalid)
			}
			if flag != "" {
				d.Flags[c.Case] = append(d.Flags[c.Case], flag)
			}
		}
	}
}

// loopTime is the usual time that a sample of a case spends in its loop; NaN when it is not
// known.
func loopTime(d *Data, c *series.Series) time.Duration {
	vs := d.values(c, "sec/op")
	if len(vs) == 0 {
		return 0
	}
	return time.Duration(stat.Median(vs) * float64(c.Result.Iters) * float64(time.Second))
}

// guardLoop refuses a case whose loop is too short on this arm. N was found on another.
func guardLoop(d *Data, c *series.Series) (string, string) {
	if d.Setup.Loop == nil || c.Result.Iters <= 1 {
		return "", ""
	}
	asked, got := d.Setup.Loop(c.Case), loopTime(d, c)
	if got <= 0 || got >= leastLoop || got >= asked/10 {
		return "", ""
	}
	return fmt.Sprintf("its loop takes %s here, and %s where its iterations were chosen: raise --sample",
		units.Seconds(got.Seconds()), units.Seconds(asked.Seconds())), ""
}

// guardLeftOver looks for goroutines that the pass with N = 1 left over.
func guardLeftOver(d *Data, c *series.Series) (string, string) {
	left := mean(c, series.UnitGoroutinesLeft)
	if left < 0.5 {
		return "", ""
	}
	said := fmt.Sprintf("the pass with N = 1 left %s over", units.Plural(int(math.Round(left)), "goroutine"))
	if cpus := mean(c, series.UnitGoroutinesLeftCPU); cpus > busyLeft {
		return fmt.Sprintf("%s, and it keeps %.2g CPUs busy beside what is timed: end it before the benchmark returns",
			said, cpus), ""
	}
	return "", said + ": end it before the benchmark returns"
}

// guardDebt compares what the collector freed in the timed part with what the loop made.
func guardDebt(d *Data, c *series.Series) (string, string) {
	made := mean(c, "B/op") * float64(c.Result.Iters)
	freed, cycles, goal := mean(c, series.UnitGCFreed), mean(c, series.UnitGCCycles), c.MeanOf(series.UnitHeapGoal)
	switch {
	case math.IsNaN(goal):
		return "", "" // its testing package does not say
	case freed-made > math.Max(leastDebt, debtShare*made):
		return "", fmt.Sprintf("the timed part freed at least %s that were allocated before it: collect them first "+
			"(runtime.GC before b.ResetTimer)", units.Bytes(freed-made))
	case goal > 0 && made >= leastGarbage && cycles < 0.5 && d.Setup.Users:
		return "", fmt.Sprintf("its samples allocate %s each, and no collection ran in them: the figure is without "+
			"its share of one (--sample takes longer ones)", units.Bytes(made))
	}
	return "", ""
}

// expects reports whether the study says itself what a unit of a case is to be.
func expects(st *language.Study, c *series.Series, unit string) bool {
	return slices.ContainsFunc(st.Expects, func(e language.Expect) bool {
		return e.Unit == unit && e.Sel.Match(c.Result)
	})
}

// guardFaults estimates from below what first touches take.
func guardFaults(st *language.Study, d *Data, c *series.Series) string {
	faults, loop := mean(c, series.UnitLoopFaults), loopTime(d, c)
	if cpu := d.values(c, series.UnitCPU); len(cpu) > 0 { // what others take of the time is no touch of its own
		loop = min(loop, time.Duration(stat.Median(cpu)*float64(c.Result.Iters)*float64(time.Second)))
	}
	share := faults * float64(faultCost) / float64(loop)
	if loop <= 0 || !(share > faultShare) || expects(st, c, series.UnitLoopFaults) {
		return ""
	}
	return fmt.Sprintf("first touches of memory: %.0f page faults in a sample's loop, at least %.0f%% of its time",
		faults, 100*min(share, 1))
}

// guardTimer looks for a timer that is stopped in the loop.
func guardTimer(d *Data, c *series.Series) (string, string) {
	starts, loop := mean(c, series.UnitTimerStarts), loopTime(d, c)
	if starts < 1.5 || loop <= 0 {
		return "", ""
	}
	said := fmt.Sprintf("the timer is started %.0f times in a sample", starts)
	if timer := own(d, series.FloorTimer); timer != nil {
		share := stat.Median(d.Set.Valid(timer, "sec/op")) * starts / loop.Seconds()
		said += fmt.Sprintf(": about %.2g%% of the time is the timer's own, and each start stops the program",
			100*min(share, 1))
	}
	return "", said + ": time batches instead"
}

// own returns memcost's own figure on this arm, nil when there is none.
func own(d *Data, name string) *series.Series {
	s := d.Set.Get(series.ID{Suite: series.FloorSuite, Case: name, Arm: d.Name, Role: series.RoleFloor})
	if s == nil || len(d.Set.Valid(s, "sec/op")) == 0 {
		return nil
	}
	return s
}

// guardRoofline refuses what moves bytes faster than the machine can.
func guardRoofline(st *language.Study, d *Data, c *series.Series) string {
	plain := own(d, series.FloorCopy)
	rate := moved(st, d, c)
	if plain == nil || !(rate > 0) {
		return ""
	}
	copied := d.Set.Valid(plain, "sec/op")
	best := copied[0]
	for _, v := range copied {
		best = min(best, v)
	}
	cpus, err := Number(c, "gomaxprocs")
	if err != nil {
		cpus = 1
	}
	most := rooflineMargin * series.FloorCopySize / best * cpus
	if rate <= most {
		return ""
	}
	return fmt.Sprintf("faster than memory: %s/s, and a plain copy in the first cache moves %s/s: the compiler "+
		"removed or hoisted it", units.Bytes(rate), units.Bytes(series.FloorCopySize/best))
}

// moved is the rate at which a case says that it moves bytes: by b.SetBytes, or by a claim or
// a column of its study in size/sec. NaN when it says nothing.
func moved(st *language.Study, d *Data, c *series.Series) float64 {
	if rate := c.MeanOf("B/s"); rate > 0 {
		return rate
	}
	per := func(key string, sel language.Selector) float64 {
		if key == "" || sel.IsZero() || !sel.Match(c.Result) {
			return math.NaN()
		}
		amount, err := Number(c, key)
		if err != nil {
			return math.NaN()
		}
		return amount / medianOf(d, c, "sec/op")
	}
	for _, x := range st.Claims {
		if rate := per(x.PerKey, x.Num); rate > 0 {
			return rate
		}
	}
	for _, t := range st.Tables {
		for _, col := range t.Columns {
			if rate := per(col.PerKey, col.Num); rate > 0 && col.Den.IsZero() {
				return rate
			}
		}
	}
	return math.NaN()
}

// guardFraction looks for cases that allocate in some operations and not in others, where
// the study does not say that they do.
func guardFraction(st *language.Study, d *Data, c *series.Series) string {
	n := mean(c, "allocs/op")
	few := 0.02 + RuntimeObjects(c.Result.Iters, c.MeanOf(series.UnitGCCycles))
	if !d.Setup.Users || n <= few || n >= 0.98 || expects(st, c, "allocs/op") {
		return ""
	}
	return fmt.Sprintf("it allocates in one operation of %.3g: two different operations are averaged", 1/n)
}

// guardEmpty compares with memcost's own empty loop, where the study has none.
func guardEmpty(st *language.Study, d *Data, c *series.Series) (invalid, flag string) {
	name := series.FloorEmpty
	if c.MeanOf(series.UnitBLoop) > 0 {
		name = series.FloorLoop
	}
	empty := own(d, name)
	if empty == nil || st.Floor != "" || math.IsNaN(c.MeanOf(series.UnitTimerStarts)) {
		return "", ""
	}
	x := cost(d, c, empty)
	sec := min(medianOf(d, c, "sec/op"), x.Centre*medianOf(d, empty, "sec/op"))
	switch {
	case x.Rounds == 0 || x.Interval.IsEmpty():
		return "", ""
	case x.Interval.Hi < ownFloorMargin:
		return fmt.Sprintf("optimised away: it costs %.3g× an empty loop", x.Centre), ""
	case x.Centre < littleLeft && sec < littleTime.Seconds():
		return "", fmt.Sprintf("%s: %.2g times an empty loop; hardly anything is left of it",
			units.Seconds(sec), x.Centre)
	}
	return "", ""
}

// drifting refuses a case whose cost per op depends much on N, and names the likely cause. A
// case whose cost depends on it less is flagged, and so is one whose samples are too short for
// the collector: longer samples would tell.
func drifting(c *series.Series, drifts map[string]Drift) (invalid, flag string) {
	x, ok := drifts[c.Case]
	if !ok {
		return "", ""
	}
	said := "the cost per operation depends on the number of iterations: with a quarter of them an operation costs " +
		units.Ratio(x.Centre) + " as much "
	switch {
	case math.Abs(math.Log(x.Centre)) < math.Log(driftRefused) && !x.few:
		return "", said + "(" + x.Cause + ")"
	case x.few:
		return "", fmt.Sprintf("%s(%.2g collections in a sample: --sample takes longer ones)", said,
			mean(c, series.UnitGCCycles))
	}
	return said + "(" + x.Cause + ")", ""
}
