package claim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/series"
	"memcost/internal/stat"
)

// Data holds what a claim is judged on: the main samples of one suite on one arm of a
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

	// Busy says that other programs used the CPU in so many rounds that ratios of different
	// code, and costs, are those beside them: they decide nothing.
	Busy     bool
	Absent   []Absence // cases of the study that have no figure here
	Selected bool      // -b chose the cases: the study may have more
	// Code returns what a case runs, without its configuration: two cases with the same
	// code are compared under two configurations. nil: each case is code of its own.
	Code func(name string) string
	Pool stat.Pool // what the run's comparisons say of how its rounds depend on each other

	// What was worked out so far, of the samples that Set had at that time.
	known   map[subject]Estimate
	medians map[subject]float64
	levels  map[level]stat.Interval
}

// sameCode reports whether both sides of a ratio run the same code, so that they differ in
// their configuration alone.
func (d *Data) sameCode(x subject) bool {
	switch {
	case x.den == nil:
		return false
	case x.num.Case == x.den.Case:
		return true
	}
	return d.Code != nil && x.num.Arm == x.den.Arm && d.Code(x.num.Case) == d.Code(x.den.Case)
}

// Reasons lists why a case does not count.
type Reasons []string

// pick returns the cases that sel selects, the invalid ones apart.
func (d *Data) pick(sel catalog.Selector) (valid, invalid []*series.Series) {
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

// keys returns the name keys of a case as a lookup.
func keys(c *series.Series) func(string) (string, bool) {
	return catalog.Keys(c.Result.Name).Get
}

func number(c *series.Series, key string) (float64, error) {
	v, ok := keys(c)(key)
	if !ok {
		return 0, fmt.Errorf("%s has no %s= in its name", c.Case, key)
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return 0, fmt.Errorf("%s: %s=%s is not a positive number", c.Case, key, v)
	}
	return x, nil
}

// label returns the name of a case among others by the given keys ("size=1024"), or its
// whole name when there is none.
func label(c *series.Series, every []string) string {
	if len(every) == 0 {
		return c.Case
	}
	get := keys(c)
	parts := make([]string, len(every))
	for i, k := range every {
		v, _ := get(k)
		parts[i] = k + "=" + v
	}
	return strings.Join(parts, " ")
}

// A Pair is the two sides of a ratio.
type Pair struct {
	Label    string
	Num, Den *series.Series
}

// Match pairs the cases of two selections: for each value of the keys in every (and of
// what they were measured under: see condition) one case on each side. Without keys each
// side must be a single case. A case that lacks one of the keys is left out; alone are the
// cases of one side without a counterpart on the other. Two candidates with the same values
// are an error. named are the keys that the selections ask for: a condition among them
// may differ between the two sides.
func Match(num, den []*series.Series, every []string, named ...string) (pairs []Pair, alone []*series.Series,
	err error) {
	under := equalOn(num, den, named)
	nums, err := places(num, every, under)
	if err != nil {
		return nil, nil, err
	}
	dens, err := places(den, every, under)
	if err != nil {
		return nil, nil, err
	}
	label := labels(slices.Concat(num, den), every, under)
	paired := map[*series.Series]bool{}
	for _, c := range num {
		b := dens[place(c, every, under)]
		if b == nil || b == c || nums[place(c, every, under)] != c {
			continue
		}
		pairs = append(pairs, Pair{label(c), c, b})
		paired[c], paired[b] = true, true
	}
	for _, c := range slices.Concat(num, den) {
		if !paired[c] && hasKeys(c, every) {
			alone = append(alone, c)
		}
	}
	return pairs, alone, nil
}

// places maps the places of a selection to the one case at each.
func places(cs []*series.Series, every []string, under []condition) (map[string]*series.Series, error) {
	at := map[string]*series.Series{}
	for _, c := range cs {
		if !hasKeys(c, every) {
			continue
		}
		p := place(c, every, under)
		if other := at[p]; other != nil {
			return nil, fmt.Errorf("%s and %s are on the same side: say which keys tell the pairs apart (\"for "+
				"every KEY\")", other.Case, c.Case)
		}
		at[p] = c
	}
	return at, nil
}

func hasKeys(c *series.Series, every []string) bool {
	return !slices.ContainsFunc(every, func(k string) bool { _, ok := keys(c)(k); return !ok })
}

// place returns the position of a case among others: the values of the keys, and the
// conditions.
func place(c *series.Series, every []string, under []condition) string {
	at := ""
	if len(every) > 0 {
		at = label(c, every)
	}
	for _, u := range under {
		at += " " + string(u) + "=" + u.of(c)
	}
	return at
}

// labels returns what to call the places of cs: as label does, with the conditions that
// differ between them.
func labels(cs []*series.Series, every []string, under []condition) func(*series.Series) string {
	var several []condition
	for _, u := range under {
		if !slices.Contains(every, string(u)) &&
			slices.ContainsFunc(cs, func(c *series.Series) bool { return u.of(c) != u.of(cs[0]) }) {
			several = append(several, u)
		}
	}
	return func(c *series.Series) string {
		at := label(c, every)
		for _, u := range several {
			if len(every) > 0 {
				at += u.suffix(c)
			}
		}
		return at
	}
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
func (d *Data) exact(unit string) bool {
	return Exact(unit) || d.Single && !strings.Contains(unit, "sec")
}

// constant reports whether a case has the same figure in every round, in a unit that
// is no time: a count. Nothing is to be estimated then, and zero has no logarithm.
func (d *Data) constant(c *series.Series, unit string) bool {
	vs := d.values(c, unit)
	return len(vs) > 0 && !strings.Contains(unit, "sec") && !slices.ContainsFunc(vs, func(v float64) bool {
		return v != vs[0]
	})
}

// settled reports whether a constant was seen in so many rounds that something that
// varies would have shown.
func (d *Data) settled(c *series.Series, unit string) bool {
	return len(d.values(c, unit)) >= stat.MinRounds(d.Alpha) && d.constant(c, unit)
}

// slack returns how far an exact figure may deviate from a bound and still meet it. The
// counts are those of the whole process: while a benchmark runs, the runtime makes a few
// objects of its own, some once (timers, work buffers), some with each cycle of the
// collector: at most about a third of an object was measured, on a loaded machine. An
// average of 0.4 objects is never mistaken for none.
func slack(unit string, c *series.Series) float64 {
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
