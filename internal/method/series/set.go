package series

import (
	"bytes"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// A Set is all series of a run.
type Set struct {
	series map[ID]*Series
	order  []*Series
	voids  voids
	keep   map[string]bool
	all    bool // every figure of a benchmark is kept
	group  func(study, name string) int

	Samples   int
	Damaged   int   // samples among them that are left out: they name a round that cannot be
	Bare      []int // lines of those left out because they have no figure of their benchmark
	lastRound int

	// config is the configuration of the last sample, with its series: consecutive
	// samples of a file often share it, and without this the lookup by its strings would
	// take most of the time for a large file.
	config lastConfig
}

// New returns an empty set that keeps every value of the given units (sec/op is always
// kept, and the link) and totals of the others. group returns the comparison that a case belongs to in
// the plan; nil puts each case into its own.
func New(group func(study, name string) int, units ...string) *Set {
	s := &Set{series: map[ID]*Series{}, keep: map[string]bool{"sec/op": true, UnitLayout: true},
		group: group, lastRound: -1}
	for _, u := range units {
		s.keep[u] = true
	}
	s.voids.init()
	return s
}

// KeepReported makes the set keep also every value of the units that benchmarks report
// themselves. It comes before the first sample.
func (s *Set) KeepReported() { s.all = true }

// keeps reports whether every value of a unit is kept.
func (s *Set) keeps(unit string) bool { return s.keep[unit] || s.all && !Own(unit) }

// All returns the series in the order of their first sample.
func (s *Set) All() []*Series { return s.order }

// Get returns the series, or nil.
func (s *Set) Get(id ID) *Series { return s.series[id] }

// Rounds returns the number of the last round that has a sample, plus one.
func (s *Set) Rounds() int { return s.lastRound + 1 }

// Add takes one sample. The Result is not retained.
func (s *Set) Add(r *benchfmt.Result) {
	sr := s.find(r)
	floor := sr.Role == RoleFloor // memcost's own: it is no sample of a case
	if !floor {
		s.Samples++
	}
	round, failed := roundOf(r)
	if round == damaged {
		s.Damaged++
		return
	}
	if round >= 0 && !failed && bare(r) {
		_, line := r.Pos()
		s.Bare = append(s.Bare, line)
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
		sr.take(s.keeps, i, v.Unit, v.Value)
		x.take(v.Unit, v.Value)
		if v.Unit == "sec/op" && usable(v.Value) {
			loop = v.Value * float64(r.Iters)
		}
	}
	if usable(x.wall) {
		sr.Wall += x.wall
		loop = min(loop, x.wall) // a loop ends before its process does
	}
	if floor {
		return
	}
	sr.Loop += loop
	sr.count(r)
	s.voids.see(sr, round, x)
}

// count counts the iterations of a sample.
func (sr *Series) count(r *benchfmt.Result) {
	sr.iters += float64(r.Iters)
	if _, ok := r.Value(UnitSlices); ok {
		sr.sliced = true
	}
	if sr.sliced {
		sr.Result.Iters = int(math.Round(sr.iters / float64(len(sr.Rounds))))
	}
}

// bare reports whether a sample has no figure but those that memcost adds.
func bare(r *benchfmt.Result) bool {
	return !slices.ContainsFunc(r.Values, func(v benchfmt.Value) bool { return !Own(v.Unit) })
}

// damaged is the round of a sample that names one that cannot be.
const damaged = -2

// roundOf returns a sample's round, −1 when it has none, and whether the sample records
// a process without a result.
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
	study, toolchain, setting, role []byte
	side                            string
	byName                          map[string]*Series
	all                             map[[3]string]map[string]*Series
}

func (c *lastConfig) is(study, toolchain, setting, role []byte) bool {
	return c.byName != nil && bytes.Equal(c.study, study) && bytes.Equal(c.toolchain, toolchain) &&
		bytes.Equal(c.setting, setting) && bytes.Equal(c.role, role)
}

func (s *Set) find(r *benchfmt.Result) *Series {
	study := config(r, KeyStudy)
	if len(study) == 0 {
		study = config(r, KeyPkg)
	}
	toolchain, setting, role := config(r, KeyToolchain), config(r, KeySide), config(r, KeyRole)
	c := &s.config
	if !c.is(study, toolchain, setting, role) {
		if c.all == nil {
			c.all = map[[3]string]map[string]*Series{}
		}
		c.study, c.toolchain, c.setting, c.role = slices.Clone(study), slices.Clone(toolchain), slices.Clone(setting),
			slices.Clone(role)
		c.side = SideName(string(toolchain), string(setting))
		key := [3]string{string(study), c.side, string(role)}
		if c.byName = c.all[key]; c.byName == nil {
			c.byName = map[string]*Series{}
			c.all[key] = c.byName
		}
	}
	if sr := c.byName[string(r.Name)]; sr != nil {
		return sr
	}
	id := ID{string(study), string(r.Name), c.side, string(role)}
	sr := &Series{ID: id, Result: r.Clone(), Group: len(s.order), values: map[string]*[]float64{},
		Totals: map[string]*Total{}}
	if s.group != nil {
		sr.Group = s.group(id.Study, id.Case)
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
