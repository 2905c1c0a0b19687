package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// HeapUse says, for a function, what the compiler moved or let escape to the
// heap in it: "bilbo.go:12: moved to heap: x". It is nil when the compiler's
// diagnostics are not at hand.
type HeapUse func(function string) []string

// Guard checks every case of d against the study's expectations and against the
// empty loop, and records in d.Invalid why a case does not count.
func Guard(st *language.Study, d *Data, heap HeapUse) {
	if d.Invalid == nil {
		d.Invalid = map[string]Reasons{}
	}
	for _, c := range d.Cases {
		for _, e := range st.Expects {
			if !e.Sel.Match(c.Result) {
				continue
			}
			if why := unexpected(d, e, c, heap); why != "" {
				d.Invalid[c.Case] = append(d.Invalid[c.Case], why)
			}
		}
	}
	if !d.Single {
		guardFloor(d, st.Floor)
		guardSamples(st, d)
	}
}

func unexpected(d *Data, e language.Expect, c *series.Series, heap HeapUse) string {
	if len(e.Funcs) > 0 {
		if heap == nil {
			return ""
		}
		for _, fn := range e.Funcs {
			if lines := heap(fn); len(lines) > 0 {
				return fmt.Sprintf("the compiler put something of %s on the heap (%s)", fn, lines[0])
			}
		}
		return ""
	}
	vs := d.values(c, e.Unit)
	if len(vs) == 0 {
		return ""
	}
	counted := exact(d, e.Unit)
	a, err := allowedBy(language.Claim{Cond: e.Cond}, c, counted)
	if err != nil {
		return err.Error()
	}
	if counted {
		a = a.widen(Slack(e.Unit, c))
	}
	if m := stat.Median(vs); !a.has(m) {
		return fmt.Sprintf("it has %.6g %s, expected %s (%s)", m, e.Unit, e.Cond, e.Pos)
	}
	if counted {
		return strays(vs, a, e)
	}
	return ""
}

// maxStray is the share of samples that may miss an exact expectation. One
// process in ten may be disturbed (by the runtime's own objects, in a sample of
// few iterations); a case that behaves otherwise more often than that is not the
// case that it says it is.
const maxStray = 0.1

func strays(vs []float64, a allowed, e language.Expect) string {
	var off []float64
	for _, v := range vs {
		if !a.has(v) {
			off = append(off, v)
		}
	}
	if float64(len(off)) <= maxStray*float64(len(vs)) {
		return ""
	}
	return fmt.Sprintf("it has %.6g %s in %d of %d samples, expected %s (%s)", stat.Median(off), e.Unit, len(off),
		len(vs), e.Cond, e.Pos)
}

// floorMargin is how much a case must cost over the empty loop to be believed.
const floorMargin = 1.05

// guardFloor marks the cases that cost no more than the empty loop (on the same
// GOMAXPROCS): what they were meant to do has been optimised away. A case whose
// interval reaches down to the floor is given the benefit of the doubt until it
// is decided, and stands among AtFloor when its estimate lies there; an empty
// loop that is INVALID itself is no measure.
func guardFloor(d *Data, floor string) {
	if floor == "" {
		return
	}
	empty := map[string]*series.Series{}
	for _, c := range d.Cases {
		if string(c.Result.Name.Base()) == floor && len(d.Invalid[c.Case]) == 0 {
			empty[Procs(c)] = c
		}
	}
	for _, c := range d.Cases {
		e := empty[Procs(c)]
		if e == nil || c == e || string(c.Result.Name.Base()) == floor || aboveFloor(d, c, e) {
			continue
		}
		switch x := d.Ratio(c, e, "sec/op"); {
		case x.Rounds == 0 || x.Interval.IsEmpty():
		case x.Interval.Hi < floorMargin:
			d.Invalid[c.Case] = append(d.Invalid[c.Case],
				fmt.Sprintf("optimised away: it costs %.3g× the empty loop", x.Centre))
		case x.Centre < floorMargin:
			d.AtFloor = append(d.AtFloor, Pair{Label: c.Case, Num: c, Den: e})
		}
	}
}

// aboveFloor reports whether a case cost more than the margin over the floor in
// nine rounds of ten or more. Its interval then reaches above the margin, and
// need not be computed: with s the scale of METHOD's u = clip((d − θ)/s, ±2.5), half
// of the rounds have |u| ≥ 1/1.4826, so that those above bring Σu at least
// 0.4/1.4826 per round and the one in ten below takes at most 0.25 away; a
// positive Σu at θ puts the balance, which is always accepted, above θ.
func aboveFloor(d *Data, c, floor *series.Series) bool {
	above, n := 0, 0
	d.Set.Join([]*series.Series{c, floor}, "sec/op", func(_ int32, v []float64) {
		n++
		if v[0] > floorMargin*v[1] {
			above++
		}
	})
	return float64(above) >= 0.9*float64(n)
}

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
type guard func(st *language.Study, d *Data, c *series.Series) (invalid, flag string)

// guardSamples applies the guards that need no word of the study.
func guardSamples(st *language.Study, d *Data) {
	guards := []guard{guardLoop, guardLeftOver, guardDebt, guardTimer, guardFaults, guardRoofline, guardFraction,
		guardEmpty, driftGuard(d)}
	if d.Flags == nil {
		d.Flags = map[string][]string{}
	}
	for _, c := range d.Cases {
		for _, g := range guards {
			invalid, flag := g(st, d, c)
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
func guardLoop(_ *language.Study, d *Data, c *series.Series) (string, string) {
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
func guardLeftOver(_ *language.Study, d *Data, c *series.Series) (string, string) {
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
func guardDebt(_ *language.Study, d *Data, c *series.Series) (string, string) {
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
func guardFaults(st *language.Study, d *Data, c *series.Series) (string, string) {
	faults, loop := mean(c, series.UnitLoopFaults), loopTime(d, c)
	if cpu := d.values(c, series.UnitCPU); len(cpu) > 0 { // what others take of the time is no touch of its own
		loop = min(loop, time.Duration(stat.Median(cpu)*float64(c.Result.Iters)*float64(time.Second)))
	}
	share := faults * float64(faultCost) / float64(loop)
	if loop <= 0 || !(share > faultShare) || expects(st, c, series.UnitLoopFaults) {
		return "", ""
	}
	return "", fmt.Sprintf("first touches of memory: %.0f page faults in a sample's loop, at least %.0f%% of its time",
		faults, 100*min(share, 1))
}

// guardTimer looks for a timer that is stopped in the loop.
func guardTimer(_ *language.Study, d *Data, c *series.Series) (string, string) {
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
	s := d.Set.Get(series.ID{Study: series.FloorStudy, Case: name, Side: d.Name, Role: series.RoleFloor})
	if s == nil || len(d.Set.Valid(s, "sec/op")) == 0 {
		return nil
	}
	return s
}

// guardRoofline refuses what moves bytes faster than the machine can.
func guardRoofline(st *language.Study, d *Data, c *series.Series) (string, string) {
	plain := own(d, series.FloorCopy)
	rate := moved(st, d, c)
	if plain == nil || !(rate > 0) {
		return "", ""
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
		return "", ""
	}
	return fmt.Sprintf("faster than memory: %s/s, and a plain copy in the first cache moves %s/s: the compiler "+
		"removed or hoisted it", units.Bytes(rate), units.Bytes(series.FloorCopySize/best)), ""
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
func guardFraction(st *language.Study, d *Data, c *series.Series) (string, string) {
	n := mean(c, "allocs/op")
	few := 0.02 + RuntimeObjects(c.Result.Iters, c.MeanOf(series.UnitGCCycles))
	if !d.Setup.Users || n <= few || n >= 0.98 || expects(st, c, "allocs/op") {
		return "", ""
	}
	return "", fmt.Sprintf("it allocates in one operation of %.3g: two different operations are averaged", 1/n)
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

// driftGuard refuses cases whose cost per op depends much on N, and names the likely cause. A
// case whose cost depends on it less is flagged, and so is one whose samples are too short for
// the collector: longer samples would tell.
func driftGuard(d *Data) guard {
	drifts := map[string]Drift{}
	for _, x := range Drifts(d) {
		drifts[x.Case] = x
	}
	return func(_ *language.Study, _ *Data, c *series.Series) (invalid, flag string) {
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
}

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
