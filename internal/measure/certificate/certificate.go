// Package certificate holds what memcost certify proved about a machine: how often the
// instrument was wrong there, and how often right. A certificate is a file in the user's
// folder of settings; every run quotes it.
package certificate

import (
	"time"

	"memcost/internal/machine"
	"memcost/internal/method/stat"
)

// Format is the version of the file.
const Format = 1

// What a certificate asks for.
const (
	// MaxFalseAlarms is the largest rate of false alarms, as the upper end of its 95% interval.
	MaxFalseAlarms = 0.05
	// MinCovered is the least share of the intervals of known slowdowns that hold the truth,
	// at each look from the first to the last.
	MinCovered = 0.95
	// MinComparisons and MinKnown are the fewest comparisons of identical copies, and of known
	// slowdowns: with fewer the rates are hardly known.
	MinComparisons = 600
	MinKnown       = 300

	// MaxDisturbed is the share of disturbed rounds above which a machine is not quiet: the
	// share from which a run calls it unfit.
	MaxDisturbed = 0.20
)

// A Certificate is the result of memcost certify.
type Certificate struct {
	Format  int              `json:"format"`
	Method  int              `json:"method"` // stat.Method
	Tool    string           `json:"tool"`   // version of memcost
	Made    time.Time        `json:"made"`
	Machine machine.Identity `json:"machine"`
	Go      string           `json:"go"` // toolchain of the cases

	Alpha   float64       `json:"alpha"`           // error rate of an interval
	Rounds  int           `json:"rounds"`          // of a comparison
	Layouts int           `json:"layouts"`         // of each side's pool of random links
	Links   int           `json:"links"`           // from which the pools are drawn
	Sample  time.Duration `json:"sample_ns"`       // loop time of one sample
	Spent   time.Duration `json:"spent_ns"`        // of measuring
	Budget  time.Duration `json:"budget_ns"`       // of all
	Cases   []Case        `json:"cases"`           // by benchmark
	Under   []Condition   `json:"conditions"`      // by what ran beside
	Failed  int           `json:"failed"`          // samples whose process gave no result
	Because []string      `json:"lacks,omitempty"` // why the machine is not certified; none if it is
}

// A Count is how many comparisons of identical copies there were, and in how many of them the
// interval ever excluded 1.
type Count struct {
	Comparisons int `json:"comparisons"`
	Alarms      int `json:"false_alarms"`
	// Undecided counts those with too few rounds for a look: their processes failed.
	Undecided int `json:"undecided"`
}

// A Slowdown is what became of one known slowdown.
type Slowdown struct {
	By          float64 `json:"slower_by"` // 0.01 is 1%
	Comparisons int     `json:"comparisons"`
	Found       int     `json:"found"`         // the interval excluded 1 at some look
	Covered     int     `json:"covered"`       // the truth was inside at every look
	AtEnd       int     `json:"covered_last"`  // the truth was inside at the last look
	Rounds      float64 `json:"rounds_median"` // until found, of those found; 0 for none
	Seconds     float64 `json:"seconds_median"`
	Undecided   int     `json:"undecided"`
}

// A Condition is what ran beside the samples.
type Condition struct {
	Name string `json:"name"` // Quiet, CPU or Memory
	Count
	Known     []Slowdown `json:"slowdowns"`
	Disturbed float64    `json:"disturbed"` // share of the rounds that met the rule for excluded ones
}

// A Case is a benchmark, over all conditions.
type Case struct {
	Name string `json:"name"`
	Count
	Known   int `json:"slowdowns"`
	Covered int `json:"covered"`
}

// The conditions.
const (
	Quiet  = "quiet"
	CPU    = "busy core"
	Memory = "busy memory"
)

// All adds up the comparisons of identical copies.
func (c *Certificate) All() Count {
	var sum Count
	for _, u := range c.Under {
		sum.Comparisons += u.Comparisons
		sum.Alarms += u.Alarms
		sum.Undecided += u.Undecided
	}
	return sum
}

// Known adds up the known slowdowns.
func (c *Certificate) Known() Slowdown {
	var sum Slowdown
	for _, u := range c.Under {
		for _, k := range u.Known {
			sum.Comparisons += k.Comparisons
			sum.Found += k.Found
			sum.Covered += k.Covered
			sum.AtEnd += k.AtEnd
			sum.Undecided += k.Undecided
		}
	}
	return sum
}

// Passed reports whether the machine is certified.
func (c *Certificate) Passed() bool { return len(c.Because) == 0 }

// Whole reports whether there were enough comparisons to judge by, whatever they say.
func (c *Certificate) Whole() bool {
	return c.All().Comparisons >= MinComparisons && c.Known().Comparisons >= MinKnown
}

// Bounds is the Clopper–Pearson 95% interval of the rate of false alarms.
func (c Count) Bounds() stat.Interval { return stat.ClopperPearson(c.Alarms, c.Comparisons, 0.05) }

// CoveredBounds is the Clopper–Pearson 95% interval of the share covered.
func (s Slowdown) CoveredBounds() stat.Interval {
	return stat.ClopperPearson(s.Covered, s.Comparisons, 0.05)
}

// FoundBounds is the Clopper–Pearson 95% interval of the share found.
func (s Slowdown) FoundBounds() stat.Interval {
	return stat.ClopperPearson(s.Found, s.Comparisons, 0.05)
}
