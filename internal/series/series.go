package series

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Units that memcost adds to each sample, beside those that the benchmark
// reported. All are figures of the whole process.
const (
	UnitRound       = "round"
	UnitOrder       = "order"
	UnitLayout      = "layout"
	UnitPadding     = "padding-bytes"
	UnitWall        = "wall-sec"
	UnitUser        = "user-sec"
	UnitSys         = "sys-sec"
	UnitRSS         = "peak-RSS-bytes"
	UnitMinorFaults = "minor-faults"
	UnitMajorFaults = "major-faults"
	UnitVoluntary   = "voluntary-switches"
	UnitInvoluntary = "involuntary-switches"
	UnitSteal       = "steal-sec"
	UnitForeign     = "foreign-sec"
	UnitPSICPU      = "psi-cpu-sec"
	UnitPSIMemory   = "psi-memory-sec"
	UnitPSIIO       = "psi-io-sec"
	UnitGCCycles    = "gc-cycles" // in the timed part; by the changed testing package
	UnitFailed      = "failed"    // 1 in a record that stands for a process without a result
)

// Keys that memcost writes into the file configuration of each sample.
const (
	KeySuite     = "study"
	KeyPkg       = "pkg"
	KeyArm       = "arm"
	KeyToolchain = "toolchain"
	KeyRole      = "role"
	KeyFailed    = "failed" // the reason, in a record with UnitFailed
)

// An ID names a series.
type ID struct{ Suite, Case, Arm, Role string }

// A Series is the samples of one case on one arm in one role, one per round.
type Series struct {
	ID
	Result   *benchfmt.Result  // the first sample: its name and configuration
	Group    int               // the comparison that it belongs to; -1 if unknown
	Rounds   []int32           // ascending; see Values
	Totals   map[string]*Total // units of which no values are kept
	Failures []Failure
	Loop     float64 // seconds inside the benchmark loop, all samples together
	Wall     float64 // seconds of the processes, all samples together

	values map[string]*[]float64
	slots  []slot // by position in a sample
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

// Mean returns the arithmetic mean, NaN when there is nothing.
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

// A Set is all series of a run.
type Set struct {
	series map[ID]*Series
	order  []*Series
	voids  voids
	keep   map[string]bool
	group  func(suite, name string) int

	Samples   int
	Damaged   int // samples among them that are left out: they name a round that cannot be
	lastRound int

	// The series of the last sample: consecutive samples of a file often
	// share their configuration, and looking it up by its strings is what a
	// large file would otherwise spend its time on.
	config lastConfig
}

// New returns an empty set that keeps every value of the given units (sec/op is
// always kept) and totals of the others. group tells the comparison that a case
// belongs to, as the plan has it; nil puts each case into its own.
func New(group func(suite, name string) int, units ...string) *Set {
	s := &Set{series: map[ID]*Series{}, keep: map[string]bool{"sec/op": true}, group: group, lastRound: -1}
	for _, u := range units {
		s.keep[u] = true
	}
	s.voids.init()
	return s
}

// All returns the series in the order of their first sample.
func (s *Set) All() []*Series { return s.order }

// Get returns the series, or nil.
func (s *Set) Get(id ID) *Series { return s.series[id] }

// Rounds returns the number of the last round that has a sample, plus one.
func (s *Set) Rounds() int { return s.lastRound + 1 }

// Add takes one sample. The Result is not retained.
func (s *Set) Add(r *benchfmt.Result) {
	sr := s.find(r)
	s.Samples++
	round, failed := roundOf(r)
	if round == damaged {
		s.Damaged++
		return
	}
	if round < 0 { // a file of someone else's: its n-th sample is round n
		round = len(sr.Rounds)
	}
	s.lastRound = max(s.lastRound, round)
	if failed {
		sr.Failures = append(sr.Failures, Failure{round, r.GetConfig(KeyFailed)})
		return
	}
	if n := len(sr.Rounds); n > 0 && int(sr.Rounds[n-1]) >= round {
		return // a second sample of the same round: the first one counts
	}
	sr.Rounds = append(sr.Rounds, int32(round))
	var x interference
	loop := 0.0
	for i, v := range r.Values {
		sr.take(s.keep, i, v.Unit, v.Value)
		x.take(v.Unit, v.Value)
		if v.Unit == "sec/op" && usable(v.Value) {
			loop = v.Value * float64(r.Iters)
		}
	}
	if usable(x.wall) {
		sr.Wall += x.wall
		loop = min(loop, x.wall) // a loop ends before its process does
	}
	sr.Loop += loop
	s.voids.see(sr.Group, round, x)
}

// usable reports whether a figure can be a time: damage must not spread into
// sums.
func usable(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

// damaged is the round of a sample that names one that cannot be.
const damaged = -2

// maxRound bounds what is believed of a file.
const maxRound = 1 << 30

// roundOf returns a sample's round, −1 when it names none, and whether it stands
// for a process without a result.
func roundOf(r *benchfmt.Result) (round int, failed bool) {
	round = -1
	for _, v := range r.Values {
		switch v.Unit {
		case UnitRound:
			round = damaged
			if v.Value >= 0 && v.Value <= maxRound && v.Value == math.Trunc(v.Value) {
				round = int(v.Value)
			}
		case UnitFailed:
			failed = true
		}
	}
	return round, failed
}

type lastConfig struct {
	suite, toolchain, setting, role []byte
	arm                             string
	byName                          map[string]*Series
	all                             map[[3]string]map[string]*Series
}

func (c *lastConfig) is(suite, toolchain, setting, role []byte) bool {
	return c.byName != nil && bytes.Equal(c.suite, suite) && bytes.Equal(c.toolchain, toolchain) &&
		bytes.Equal(c.setting, setting) && bytes.Equal(c.role, role)
}

// ArmSetting is what KeyArm holds of an arm: its settings, without the toolchain,
// which has a key of its own. An arm that differs in nothing else has no KeyArm,
// so that benchstat -col toolchain puts toolchains side by side.
func ArmSetting(arm, toolchain string) string {
	return strings.TrimPrefix(strings.TrimPrefix(arm, toolchain), " ")
}

// ArmName is the arm that ArmSetting was taken from.
func ArmName(toolchain, setting string) string {
	switch {
	case setting == "":
		return toolchain
	case toolchain == "" || setting == toolchain || strings.HasPrefix(setting, toolchain+" "):
		return setting
	}
	return toolchain + " " + setting
}

func (s *Set) find(r *benchfmt.Result) *Series {
	suite := config(r, KeySuite)
	if len(suite) == 0 {
		suite = config(r, KeyPkg)
	}
	toolchain, setting, role := config(r, KeyToolchain), config(r, KeyArm), config(r, KeyRole)
	c := &s.config
	if !c.is(suite, toolchain, setting, role) {
		if c.all == nil {
			c.all = map[[3]string]map[string]*Series{}
		}
		c.suite, c.toolchain, c.setting, c.role = slices.Clone(suite), slices.Clone(toolchain), slices.Clone(setting), slices.Clone(role)
		c.arm = ArmName(string(toolchain), string(setting))
		key := [3]string{string(suite), c.arm, string(role)}
		if c.byName = c.all[key]; c.byName == nil {
			c.byName = map[string]*Series{}
			c.all[key] = c.byName
		}
	}
	if sr := c.byName[string(r.Name)]; sr != nil {
		return sr
	}
	id := ID{string(suite), string(r.Name), c.arm, string(role)}
	sr := &Series{ID: id, Result: r.Clone(), Group: len(s.order), values: map[string]*[]float64{}, Totals: map[string]*Total{}}
	if s.group != nil {
		sr.Group = s.group(id.Suite, id.Case)
	}
	c.byName[id.Case], s.series[id] = sr, sr
	s.order = append(s.order, sr)
	return sr
}

func config(r *benchfmt.Result, key string) []byte {
	if i, ok := r.ConfigIndex(key); ok {
		return r.Config[i].Value
	}
	return nil
}
