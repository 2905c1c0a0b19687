package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// Data holds what a claim is judged on: the main samples of one study on one arm of a
// run, one published data set, or the medians of a file.
type Data struct {
	Name      string // the arm, or the data set's name
	Machine   string // its kind; "" is that of the name
	Published bool   // by others
	Single    bool   // judged by the figures alone: their scatter is unknown
	Set       *series.Set
	Cases     []*series.Series // of role "" only
	Invalid   map[string]Reasons
	Flags     map[string][]string // what is to be known of a case that counts
	Setup     Setup
	AtFloor   []Pair // cases that seem to cost no more than the empty loop: more rounds would decide
	Alpha     float64
	Margin    float64 // between arms that is worth knowing, as a share; 0 is the constant Margin

	// Busy says that other programs used the CPU in so many rounds that ratios of different
	// code, and costs, are those beside them: they decide nothing.
	Busy     bool
	Absent   []Absence // cases of the study that have no figure here
	Selected bool      // -b chose the cases: the study may have more
	// Code returns what a case runs, without its configuration: two cases with the same
	// code are compared under two configurations. nil: each case is code of its own.
	Code  func(name string) string
	Looks stat.Looks
	Pool  Pool // what the run's comparisons say together
	// PerLink is how many of the rounds to come share a link; 0: no further links are drawn.
	PerLink    float64
	FixedLinks bool // the run had a pool of links of one size

	// What was worked out so far, of the samples that Set had at that time.
	known   map[subject]Estimate
	medians map[subject]float64
}

// Setup is what the guards know of a study beside its samples.
type Setup struct {
	// Loop returns the loop time of a case's sample as it was calibrated; 0 where it is not
	// known, or one operation is the whole sample. nil: not known.
	Loop  func(name string) time.Duration
	Users bool // a package of the user's
}

// sameCode reports whether both sides of a ratio run the same code under the same
// conditions, so that they differ in their configuration alone. A ratio of two loads or of two
// GOMAXPROCS is no such ratio: other programs change the very thing that it compares.
func sameCode(d *Data, x subject) bool {
	switch {
	case x.den == nil:
		return false
	case x.num.Case == x.den.Case:
		return true
	}
	other := func(u Condition) bool { return u.Of(x.num) != u.Of(x.den) }
	return d.Code != nil && x.num.Side == x.den.Side && d.Code(x.num.Case) == d.Code(x.den.Case) &&
		!slices.ContainsFunc(Conditions(), other)
}

// Reasons lists why a case does not count.
type Reasons []string

// pick returns the cases that sel selects, the invalid ones apart.
func (d *Data) pick(sel language.Selector) (valid, invalid []*series.Series) {
	for _, c := range d.Cases {
		if !sel.Match(c.Result) {
			continue
		}
		if len(d.Invalid[c.Case]) > 0 {
			invalid = append(invalid, c)
		} else {
			valid = append(valid, c)
		}
	}
	return valid, invalid
}

// values returns the figures of a case in the unit of a claim: exact counts as
// they are, everything in the rounds that count.
func (d *Data) values(c *series.Series, unit string) []float64 {
	return d.Set.Valid(c, unit)
}

// has reports whether a case has any figure of the unit.
func (d *Data) has(c *series.Series, unit string) bool { return len(d.values(c, unit)) > 0 }

func (d *Data) only(cs []*series.Series, unit string) []*series.Series {
	return slices.DeleteFunc(slices.Clone(cs), func(c *series.Series) bool { return !d.has(c, unit) })
}

// Exact reports whether a unit counts things that do not vary with the
// machine's speed: such figures are compared exactly and get no interval.
func Exact(unit string) bool { return unit == "B/op" || unit == "allocs/op" }

// exact reports whether figures of a unit are compared exactly here: beside what
// Exact names, whatever was recorded once and is no time. A limit of 65,536 bytes
// is not one of 65,535.
func exact(d *Data, unit string) bool {
	return Exact(unit) || d.Single && !strings.Contains(unit, "sec")
}

// constant reports whether a case has the same figure in every round, in a unit that
// is no time: a count. Nothing is to be estimated then, and zero has no logarithm.
func constant(d *Data, c *series.Series, unit string) bool {
	vs := d.values(c, unit)
	return len(vs) > 0 && !strings.Contains(unit, "sec") && !slices.ContainsFunc(vs, func(v float64) bool {
		return v != vs[0]
	})
}

// settled reports whether a constant was seen in so many rounds that something that
// varies would have shown.
func settled(d *Data, c *series.Series, unit string) bool {
	return len(d.values(c, unit)) >= d.Looks.MinRounds(d.Alpha) && constant(d, c, unit)
}

// Slack returns how far an exact figure may deviate from a bound and still meet it. The
// counts are those of the whole process: while a benchmark runs, the runtime makes a few
// objects of its own, some once (timers, work buffers), some with each cycle of the
// collector: at most about a third of an object was measured, on a loaded machine. An
// average of 0.4 objects is never mistaken for none.
func Slack(unit string, c *series.Series) float64 {
	if !Exact(unit) {
		return 0
	}
	const bytes = 4096
	if unit == "B/op" {
		return math.Min(8, 1+bytes/math.Max(float64(c.Result.Iters), 1))
	}
	return math.Min(maxSlack, 0.02+RuntimeObjects(c.Result.Iters, c.MeanOf(series.UnitGCCycles))) +
		rounding(c.MeanOf(unit))
}

// rounding returns half a unit of the last of the six digits with which a figure is
// printed: of 10,000 objects that is 0.05.
func rounding(v float64) float64 {
	if !(v >= 1) {
		return 0
	}
	return 0.5 * math.Pow(10, math.Floor(math.Log10(v))-5)
}

// RuntimeObjects returns the largest number that the runtime's own objects were measured
// to add to the allocs/op of a benchmark of n iterations during which the collector ran
// the given number of cycles.
func RuntimeObjects(n int, cycles float64) float64 {
	const objects, perCycle = 8, 0.33
	all := float64(objects)
	if cycles > 0 { // not NaN: Go before 1.16 does not report them
		all += perCycle * cycles
	}
	return all / math.Max(float64(n), 1)
}

// maxSlack bounds slack: whatever the runtime does, a case that allocates in one
// op of ten is not free of allocations.
const maxSlack = 0.1

// waiting reports whether a figure that is 0 so far is tested later.
func waiting(d *Data, c *series.Series, unit string) bool {
	n := len(d.values(c, unit))
	return n > 0 && n < d.Looks.MinRounds(d.Alpha)
}

// An Absence is a case of a study without a figure, and why.
type Absence struct {
	Case string
	Why  Lack
}

// A Lack is why a case has no figure.
type Lack int

// The reasons.
const (
	Full   Lack = iota // left to the full profile
	Failed             // it gave no result, or skipped itself
	Later              // not reached in the budget: --resume adds it
	Apart              // measured by another shard, or by one that is missing
)

// A Condition is a key of a case's name that does not say what runs, but what it runs
// under. Claims and tables compare cases under the same conditions, unless they name one.
type Condition string

const (
	GOMAXPROCS Condition = "gomaxprocs"
	Busy       Condition = "busy" // how many cores were kept busy beside it on purpose
)

// Conditions are all of them.
func Conditions() []Condition { return []Condition{GOMAXPROCS, Busy} }

// Of returns the value of the condition for a case, "" where its name has none.
func (u Condition) Of(c *series.Series) string {
	v, _ := language.Keys(c.Result.Name).Get(string(u))
	return v
}

// Suffix returns what tells a case in a label from one under another value.
func (u Condition) Suffix(c *series.Series) string {
	switch v := u.Of(c); {
	case u == GOMAXPROCS:
		return " cpu=" + cmp.Or(v, "1") // go test names no GOMAXPROCS of 1
	case v == "": // a case that is measured without asking for a load
		return ""
	default:
		return " " + string(u) + "=" + v
	}
}

// equalOn returns the conditions that both sides of a ratio must have alike. One that the
// selections name may differ, if no value of it occurs on both sides: a claim on busy:1
// against busy:0 compares loads, and one on busy:1 against busy:1 does not.
func equalOn(num, den []*series.Series, named []string) []Condition {
	return slices.DeleteFunc(Conditions(), func(u Condition) bool {
		return slices.Contains(named, string(u)) && !slices.ContainsFunc(num, func(a *series.Series) bool {
			return slices.ContainsFunc(den, func(b *series.Series) bool { return u.Of(a) == u.Of(b) })
		})
	})
}

// Procs returns the GOMAXPROCS of a case, "" for 1.
func Procs(c *series.Series) string { return GOMAXPROCS.Of(c) }

// Keys returns the name keys of a case as a lookup.
func Keys(c *series.Series) func(string) (string, bool) {
	return language.Keys(c.Result.Name).Get
}

// Number returns the value of a key, which must be a positive number.
func Number(c *series.Series, key string) (float64, error) {
	v, ok := Keys(c)(key)
	if !ok {
		return 0, fmt.Errorf("%s has no %s= in its name", c.Case, key)
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return 0, fmt.Errorf("%s: %s=%s is not a positive number", c.Case, key, v)
	}
	return x, nil
}

// Value returns the value of a key, "" where the name has none.
func Value(s *series.Series, key string) string {
	v, _ := Keys(s)(key)
	return v
}

// HasKeys reports whether a name has all keys of every.
func HasKeys(c *series.Series, every []string) bool {
	return !slices.ContainsFunc(every, func(k string) bool { _, ok := Keys(c)(k); return !ok })
}

// Label returns the name of a case among others by the given keys ("size=1024"), or its
// whole name when there is none.
func Label(c *series.Series, every []string) string {
	if len(every) == 0 {
		return c.Case
	}
	get := Keys(c)
	parts := make([]string, len(every))
	for i, k := range every {
		v, _ := get(k)
		parts[i] = k + "=" + v
	}
	return strings.Join(parts, " ")
}

// Named returns the keys that the two sides of a ratio ask for.
func PairingNamed(num, den language.Selector) []string { return slices.Concat(num.Keys(), den.Keys()) }
