package series

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// An ID names a series.
type ID struct{ Study, Case, Side, Role string }

// A Series is the samples of one case on one side in one role, one per round.
type Series struct {
	ID
	// Result is the first sample: its name and configuration. Where samples are some of slices and
	// some not, its iterations are the mean of theirs, as the counts of Totals are.
	Result   *benchfmt.Result
	Group    int               // the comparison that it belongs to; -1 if unknown
	Rounds   []int32           // ascending; see Values
	Totals   map[string]*Total // units of which only the total is kept
	Failures []Failure
	Loop     float64 // seconds inside the benchmark loop, all samples together
	Wall     float64 // seconds of the processes, all samples together

	iters  float64 // of all samples
	sliced bool    // some of them are of slices
	values map[string]*[]float64
	slots  []slot // by position in a sample
}

// Named returns a series without samples, which stands for a case that has none.
func Named(name string) *Series {
	return &Series{ID: ID{Case: name}, Result: &benchfmt.Result{Name: benchfmt.Name(name)}}
}

// A Failure is a process that gave no result.
type Failure struct {
	Round  int
	Reason string
}

// A Total sums up a unit.
type Total struct {
	N        int
	Sum      float64
	Min, Max float64
}

// Mean returns the arithmetic mean, NaN when there are no values.
func (t *Total) Mean() float64 {
	if t == nil || t.N == 0 {
		return math.NaN()
	}
	return t.Sum / float64(t.N)
}

func (t *Total) add(v float64) {
	if t.N == 0 {
		t.Min, t.Max = v, v
	}
	t.N, t.Sum = t.N+1, t.Sum+v
	t.Min, t.Max = min(t.Min, v), max(t.Max, v)
}

// maxRound bounds the round numbers that are accepted from a file.
const maxRound = 1 << 30

// A slot holds where the values of one unit of a series are appended.
type slot struct {
	unit   string
	values *[]float64
	total  *Total
}

// take stores the value at position i of its sample. The units of a series come in the
// same order in every sample, so the slot that served this position before is nearly
// always the right one.
func (sr *Series) take(keep func(unit string) bool, i int, unit string, v float64) {
	for len(sr.slots) <= i {
		sr.slots = append(sr.slots, slot{})
	}
	at := &sr.slots[i]
	if at.unit != unit || at.total == nil && at.values == nil {
		*at = sr.slot(keep, unit)
	}
	if at.total != nil {
		at.total.add(v)
		return
	}
	// A unit that was missing from earlier samples is padded, so that the slices stay
	// parallel to Rounds; one that occurs twice in a sample counts once.
	vs := *at.values
	if len(vs) >= len(sr.Rounds) {
		return
	}
	for len(vs) < len(sr.Rounds)-1 {
		vs = append(vs, math.NaN())
	}
	*at.values = append(vs, v)
}

func (sr *Series) slot(keep func(unit string) bool, unit string) slot {
	if keep(unit) {
		if sr.values[unit] == nil {
			sr.values[unit] = new([]float64)
		}
		return slot{unit: unit, values: sr.values[unit]}
	}
	if sr.Totals[unit] == nil {
		sr.Totals[unit] = &Total{}
	}
	return slot{unit: unit, total: sr.Totals[unit]}
}

// Values returns the kept values of a unit, parallel to Rounds as far as it
// goes, with NaN for samples without one; nil when the unit is not kept.
func (sr *Series) Values(unit string) []float64 {
	if vs := sr.values[unit]; vs != nil {
		return *vs
	}
	return nil
}

// Derive keeps the sum of some kept units as another one, unless that is kept already.
func (sr *Series) Derive(unit string, of ...string) {
	if len(of) == 0 || sr.values[unit] != nil {
		return
	}
	sum := slices.Clone(sr.Values(of[0]))
	for _, u := range of[1:] {
		vs := sr.Values(u)
		sum = sum[:min(len(sum), len(vs))]
		for i := range sum {
			sum[i] += vs[i]
		}
	}
	if len(sum) > 0 {
		sr.values[unit] = &sum
	}
}

// Units returns the units of which every value is kept, sorted.
func (sr *Series) Units() []string { return slices.Sorted(maps.Keys(sr.values)) }

// MeanOf returns the mean of a unit over a series, from its values or from its total;
// NaN when it has none.
func (sr *Series) MeanOf(unit string) float64 {
	vs := sr.Values(unit)
	if vs == nil {
		return sr.Totals[unit].Mean()
	}
	sum, n := 0.0, 0
	for _, v := range vs {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// usable reports whether a figure can be a time: damage must not spread into
// sums.
func usable(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

// SideSetting returns the value of KeySide for an arm: its settings without the toolchain,
// which has a key of its own. A side that differs in nothing else has no KeySide, so that
// benchstat -col toolchain puts toolchains side by side.
func SideSetting(side, toolchain string) string {
	return strings.TrimPrefix(strings.TrimPrefix(side, toolchain), " ")
}

// ToolchainKey returns the key that holds the toolchain of an arm: KeyBuiltWith where the
// side's name does not begin with the toolchain, as that of a side of a comparison ("HEAD~1"),
// and could not be told from it and the setting.
func ToolchainKey(side, toolchain string) string {
	if SideName(toolchain, SideSetting(side, toolchain)) == side {
		return KeyToolchain
	}
	return KeyBuiltWith
}

// SideName returns the side that SideSetting was taken from.
func SideName(toolchain, setting string) string {
	switch {
	case setting == "":
		return toolchain
	case toolchain == "" || setting == toolchain || strings.HasPrefix(setting, toolchain+" "):
		return setting
	}
	return toolchain + " " + setting
}

// Units that memcost adds to each sample, beside those that the benchmark
// reported. All are figures of the whole process.
const (
	UnitRound       = "round"
	UnitOrder       = "order"
	UnitLayout      = "layout"
	UnitPadding     = "padding-bytes"
	UnitWall        = "wall-sec"
	UnitLink        = "link-sec" // what the links took that were made before the sample
	UnitUser        = "user-sec"
	UnitSys         = "sys-sec"
	UnitRSS         = "peak-RSS-bytes"
	UnitMinorFaults = "minor-faults"
	UnitMajorFaults = "major-faults"
	UnitVoluntary   = "voluntary-switches"
	UnitInvoluntary = "involuntary-switches"
	UnitSteal       = "steal-sec"
	UnitForeign     = "foreign-sec"
	UnitLoad        = "load-sec" // CPU time of the load that was put beside it on purpose
	UnitPSICPU      = "psi-cpu-sec"
	UnitPSIMemory   = "psi-memory-sec"
	UnitPSIIO       = "psi-io-sec"
	UnitGCCycles    = "gc-cycles"  // in the timed part; by the changed testing package
	UnitCPU         = "cpu-sec/op" // CPU time of the timed part, all threads; by the changed testing package
	UnitFailed      = "failed"     // 1 in a record of a process without a result
	// UnitSlices is the number of slices of a sample whose process took turns with those of
	// the other configurations; missing where it ran alone from its start to its end.
	UnitSlices  = "slices"
	UnitIdleCPU = "idle-cpu-sec" // CPU time of such a process while it waited
	// Of what a command printed on standard output: its length, and the first 52 bits of its SHA-256.
	UnitOutput     = "output-bytes"
	UnitOutputHash = "output-hash"
	// Of the memory of a program over time: the number of its curve in the run folder, what the sampler cost, the area
	// under the curve, what was still resident some time after the work (see UnitHeld), the same with what processes
	// share counted once, and how long after the work 90% of the peak was given back.
	UnitCurve    = "curve"
	UnitSampler  = "sampler-cpu-sec"
	UnitArea     = "area-byte-sec"
	UnitHeldPSS  = "held-PSS-bytes"
	UnitReturned = "returned-90-sec"
)

// UnitHeld is the unit of what is resident a time after the work: "held-0.1s-bytes".
func UnitHeld(after time.Duration) string {
	return "held-" + strconv.FormatFloat(after.Seconds(), 'g', -1, 64) + "s-bytes"
}

// Units that the changed testing package adds to each sample for the guards. All are
// sums over the timed part, but for what is said of them.
const (
	UnitLoopFaults        = "loop-faults"         // minor page faults
	UnitTimerStarts       = "timer-starts"        // 1 but for StopTimer in the loop
	UnitGCFreed           = "gc-freed-bytes"      // what the collector freed
	UnitHeapGoal          = "heap-goal-bytes"     // at the end; 0 while the collector is off
	UnitGoroutinesLeft    = "goroutines-left"     // by the pass with N = 1
	UnitGoroutinesLeftCPU = "goroutines-left-cpu" // CPUs that they keep busy; missing where there are none
)

// UnitBLoop is 1 in a sample whose loop is b.Loop; by the changed testing package.
const UnitBLoop = "b-loop"

// What memcost measures of its own in the leading rounds, for the guards to compare with: the
// empty loop of a toolchain, in both styles, the timer, and a plain copy. Its samples have a
// role of their own, and no table shows them.
const (
	FloorStudy    = "memcost/floor"
	RoleFloor     = "floor"
	FloorEmpty    = "Empty" // for i := 0; i < b.N; i++ {}
	FloorLoop     = "Loop"  // for b.Loop() {}; Go 1.24 and newer
	FloorTimer    = "Timer" // least time of a start and a stop of the timer within what is timed
	FloorCopy     = "Copy/size=16384"
	FloorCopySize = 16384
)

// Keys that memcost writes into the file configuration of each sample.
const (
	KeyStudy     = "study"
	KeyPkg       = "pkg"
	KeySide      = "arm"
	KeyToolchain = "toolchain"
	KeyBuiltWith = "built-with" // in place of KeyToolchain: see ToolchainKey
	KeyCompiler  = "compiler"   // of a case that a C++ program gives, beside cases in Go
	KeyRole      = "role"
	KeyFailed    = "failed" // the reason, in a record with UnitFailed
)

// Own reports whether memcost adds the unit to its samples.
func Own(unit string) bool {
	switch unit {
	case UnitWall, UnitUser, UnitSys, UnitRSS, UnitMinorFaults, UnitMajorFaults, UnitVoluntary, UnitInvoluntary,
		UnitSteal, UnitForeign, UnitLoad, UnitPSICPU, UnitPSIMemory, UnitPSIIO, UnitRound, UnitOrder, UnitLayout,
		UnitPadding, UnitLink, UnitFailed, UnitSlices, UnitIdleCPU, UnitOutput, UnitOutputHash, UnitCurve, UnitSampler,
		// by the changed testing package
		UnitGCCycles, "gc-pause-sec", "gc-pause-ns", "gc-cpu-share", UnitCPU, UnitLoopFaults, UnitTimerStarts,
		UnitGCFreed, UnitHeapGoal, UnitGoroutinesLeft, UnitGoroutinesLeftCPU, UnitBLoop:
		return true
	}
	return false
}
