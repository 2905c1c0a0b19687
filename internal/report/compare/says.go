package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// finish adds what follows from the figures and verdicts: what is for the worse, and what
// the report says.
func (r *Report) finish() {
	for i := range r.Benchmarks {
		for j := range r.Benchmarks[i].Metrics {
			m := &r.Benchmarks[i].Metrics[j]
			m.fit(r.Margin)
			m.judge()
			for k := range m.Changes {
				m.Changes[k].alone(r.Margin)
				m.Changes[k].margin = r.Margin
			}
		}
	}
	for _, g := range r.Geomeans {
		m := Metric{Unit: g.Unit, Values: g.Values, Changes: g.Changes}
		m.fit(r.Margin)
		m.judge()
		for k := range m.Changes {
			m.Changes[k].margin = r.Margin
		}
	}
	r.Says = r.sentences()
}

// fit makes the ratios those of the figures that stand beside them. Both are estimates of the same: the one is made of rounds,
// in which the sides ran next to each other, the other of each side's samples. Where that lies outside of the interval, which
// a machine that was busy with one side does, the interval is widened to it, so that it is more often right than it says.
func (m *Metric) fit(margin float64) {
	for k := range m.Changes {
		c := &m.Changes[k]
		v := m.Values[k+1].Value / m.Values[0].Value
		if m.Exact || !c.Ratio.Known() || !m.Values[k+1].Known() || !m.Values[0].Known() || !(v > 0) || math.IsInf(float64(v), 0) ||
			c.Ratio.Note == FromZero || c.Ratio.Value == 0 {
			continue
		}
		c.Ratio.Value = v
		if !c.Ratio.Bounded() || v >= c.Ratio.Lo && v <= c.Ratio.Hi {
			continue
		}
		c.Ratio.Lo, c.Ratio.Hi = min(c.Ratio.Lo, v), max(c.Ratio.Hi, v)
		lo, hi := float64(c.Ratio.Lo), float64(c.Ratio.Hi)
		changed, same := lo > 1+margin || hi < 1/(1+margin), lo >= 1/(1+margin) && hi <= 1+margin
		if c.Verdict == Changed && !changed || c.Verdict == Equivalent && !same {
			c.Verdict = Undecided
		}
		c.Stands = c.Stands && (lo > 1 || hi < 1)
	}
}

// sentences returns the answer in sentences: for each side but the first what is known of
// time, then of each other metric that changed.
func (r *Report) sentences() []string {
	out := []string{}
	for side := 1; side < len(r.Sides); side++ {
		out = append(out, r.timeSays(side))
		for _, unit := range r.Units()[1:] {
			if s := r.MetricSays(side, unit); s != "" {
				out = append(out, s)
			}
		}
		out = append(out, r.differsSay(side)...)
	}
	return out
}

// differsSay says what the figures of a side hold beside the code under test, and which of that they do not hold.
func (r *Report) differsSay(side int) (out []string) {
	name := r.Sides[side].Name
	for _, d := range r.Differs {
		if d.Side != name {
			continue
		}
		what := "the benchmarks themselves (" + list(d.Tests) + ")"
		switch data := "what they read (" + list(d.Data) + ")"; {
		case len(d.Tests) == 0:
			what = data
		case len(d.Data) > 0:
			what += ", and " + data
		}
		if i := slices.IndexFunc(r.Benchmarks, func(b Benchmark) bool { return b.Study == d.Study }); i >= 0 {
			out = append(out, fmt.Sprintf("In the benchmarks of %s not only the code differs, but %s: their figures are of both.", d.Study, what))
		}
	}
	for _, u := range r.Unreached {
		if u.Side == name && len(r.Benchmarks) > 0 {
			out = append(out, fmt.Sprintf("%s changed that no benchmark reaches: %s.", units.Plural(len(u.Functions), "function"),
				list(u.Functions)))
		}
	}
	return out
}

// Units returns the units of all metrics, time first.
func (r *Report) Units() []string {
	out := []string{Time}
	for _, b := range r.Benchmarks {
		for _, m := range b.Metrics {
			if !slices.Contains(out, m.Unit) {
				out = append(out, m.Unit)
			}
		}
	}
	return out
}

// A Count says how many benchmarks have which verdict.
type Count struct{ Changed, Equivalent, Undecided, Invalid int }

// All returns how many were compared.
func (c Count) All() int { return c.Changed + c.Equivalent + c.Undecided }

// Count counts the verdicts of a metric for a side, from 1.
func (r *Report) Count(side int, unit string) (c Count) {
	for i := range r.Benchmarks {
		m := r.Benchmarks[i].Metric(unit)
		if m == nil {
			continue
		}
		switch m.Changes[side-1].Verdict {
		case Changed:
			c.Changed++
		case Equivalent:
			c.Equivalent++
		case Invalid:
			c.Invalid++
		default:
			c.Undecided++
		}
	}
	return c
}

// CountSays returns the count in words: "2 of 14 benchmarks changed, 11 equivalent within 1%, 1
// undecided".
func (r *Report) CountSays(side int, unit string) string {
	c := r.Count(side, unit)
	if c.All() == 0 {
		return "nothing was compared"
	}
	say := fmt.Sprintf("%d of %s changed", c.Changed, units.Plural(c.All(), "benchmark"))
	if c.Equivalent > 0 {
		say += fmt.Sprintf(", %d equivalent within %s", c.Equivalent, units.Share(r.Margin))
	}
	if c.Undecided > 0 {
		say += fmt.Sprintf(", %d undecided", c.Undecided)
	}
	if c.Invalid > 0 {
		say += fmt.Sprintf("; %d more %s invalid", c.Invalid, verb(c.Invalid, "is", "are"))
	}
	return say
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// OneSidedSays returns what stands on some sides alone, a sentence each. Where one benchmark of a package is gone and
// another one came, it is perhaps the same one.
func (r *Report) OneSidedSays() []string {
	out := []string{}
	for _, x := range r.OneSided {
		says := cmp.Or(x.Name, "all of "+x.Study) + " stands in " + strings.Join(x.On, " and in ") + " alone, and is not compared"
		if to := r.renamed(x); to != "" {
			says += "; was it renamed to " + to + "?"
		}
		out = append(out, says)
	}
	return out
}

// renamed returns the only benchmark of the package that the other sides alone have, if this is the only one that
// the first side alone has.
func (r *Report) renamed(x plan.OneSided) string {
	if x.Name == "" || len(r.Sides) != 2 || !slices.Equal(x.On, []string{r.Sides[0].Name}) {
		return ""
	}
	to, gone := "", 0
	for _, o := range r.OneSided {
		switch {
		case o.Study != x.Study || o.Name == "":
		case slices.Equal(o.On, x.On):
			gone++
		case to != "":
			return ""
		default:
			to = o.Name
		}
	}
	if gone != 1 {
		return ""
	}
	return to
}

// Where returns where a side is measured, for a sentence: "at main", "with go1.25.4".
func (r *Report) Where(side int) string {
	s := r.Sides[side]
	switch s.Kind {
	case OfSource:
		if s.Name == plan.WorkTree {
			return "in the work tree"
		}
		return "at " + s.Name
	case OfRecord:
		return "in " + s.Name
	}
	return "with " + s.Name
}

// ChangedBenchmarks returns the benchmarks of which a metric changed on a side, those that
// changed most first.
func (r *Report) ChangedBenchmarks(side int, unit string) []*Benchmark {
	var out []*Benchmark
	far := map[*Benchmark]float64{}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		if m := b.Metric(unit); m != nil && m.Changes[side-1].Verdict == Changed {
			out = append(out, b)
			far[b] = math.Abs(math.Log(float64(m.Changes[side-1].Ratio.Value)))
		}
	}
	slices.SortStableFunc(out, func(a, b *Benchmark) int { return cmp.Compare(far[b], far[a]) })
	return out
}

// nothing reports whether the sides are the same program, so that nothing was measured.
func (r *Report) nothing() bool { return len(r.Same) > 0 && len(r.Benchmarks) == 0 }

// others says what is known of the benchmarks that did not change.
func others(c Count, margin float64) string {
	within := " equivalent within " + units.Share(margin)
	switch {
	case c.Equivalent > 0 && c.Undecided > 0:
		return fmt.Sprintf("%d %s%s, %d %s undecided", c.Equivalent, verb(c.Equivalent, "is", "are"), within,
			c.Undecided, verb(c.Undecided, "is", "are"))
	case c.Equivalent > 0:
		return fmt.Sprintf("%d of %d %s%s", c.Equivalent, c.All(), verb(c.Equivalent, "is", "are"), within)
	case c.Undecided > 0:
		return fmt.Sprintf("%d of %d %s undecided", c.Undecided, c.All(), verb(c.Undecided, "is", "are"))
	}
	return ""
}

// timeSays returns what is known of the times of a side.
func (r *Report) timeSays(side int) string {
	c := r.Count(side, Time)
	here, there := r.Where(side), r.Where(0)
	changed := r.ChangedBenchmarks(side, Time)
	if r.Sides[0].Kind == OfCommand && len(r.Benchmarks) == 1 {
		return r.Sentence(&r.Benchmarks[0], r.Benchmarks[0].Metric(Time), side) + "."
	}
	switch {
	case c.All() == 0 && c.Invalid > 0:
		return fmt.Sprintf("Nothing can be said of %s against %s: no benchmark did what it says.", r.Sides[side].Name,
			r.Sides[0].Name)
	case r.nothing():
		return fmt.Sprintf("The same program %s as %s: nothing to compare.", here, there)
	case c.All() == 0:
		return fmt.Sprintf("Nothing can be said of %s against %s: no benchmark has a figure on both.",
			r.Sides[side].Name, r.Sides[0].Name)
	case c.Changed == 1:
		return r.Sentence(changed[0], changed[0].Metric(Time), side) + semicolon(others(c, r.Margin)) + "."
	case c.Changed > 1:
		return fmt.Sprintf("%s: %s%s.", r.manyChanged(side, c, changed), named(changed, side, Time),
			semicolon(others(c, r.Margin)))
	case c.All() == 1:
		return r.Sentence(r.first(side), r.first(side).Metric(Time), side) + "."
	case c.Undecided == 0:
		return fmt.Sprintf("All %d benchmarks take as long %s as %s, within %s.", c.All(), here, there,
			units.Share(r.Margin))
	}
	return fmt.Sprintf("No benchmark is known to take longer or shorter %s than %s: %s.", here, there,
		others(c, r.Margin))
}

func semicolon(s string) string {
	if s == "" {
		return ""
	}
	return "; " + s
}

// first returns the first benchmark whose time was compared on a side.
func (r *Report) first(side int) *Benchmark {
	for i := range r.Benchmarks {
		if m := r.Benchmarks[i].Metric(Time); m != nil && m.Changes[side-1].Verdict != Invalid {
			return &r.Benchmarks[i]
		}
	}
	return nil
}

// manyChanged says that several benchmarks changed, and to which side.
func (r *Report) manyChanged(side int, c Count, changed []*Benchmark) string {
	longer := 0
	for _, b := range changed {
		if b.Metric(Time).Changes[side-1].Ratio.Value > 1 {
			longer++
		}
	}
	here, there := r.Where(side), r.Where(0)
	switch longer {
	case 0:
		return fmt.Sprintf("%d of %d benchmarks take less time %s than %s", c.Changed, c.All(), here, there)
	case c.Changed:
		return fmt.Sprintf("%d of %d benchmarks take longer %s than %s", c.Changed, c.All(), here, there)
	}
	less := c.Changed - longer
	return fmt.Sprintf("Of %d benchmarks %d %s longer %s than %s, and %d %s less time", c.All(), longer,
		verb(longer, "takes", "take"), here, there, less, verb(less, "takes", "take"))
}

// Sentence says what is known of one metric of a benchmark on a side against the first one, without a full stop: the one
// place where a verdict becomes a sentence. Of a command the side itself is what takes the time.
func (r *Report) Sentence(b *Benchmark, m *Metric, side int) string {
	of, here, there := b.Name, " "+r.Where(side), r.Where(0)
	if r.Sides[0].Kind == OfCommand && len(r.Benchmarks) == 1 {
		of, here, there = r.Sides[side].Name, "", r.Sides[0].Name
	}
	if m == nil || m.Changes[side-1].Verdict == Invalid {
		return fmt.Sprintf("Nothing can be said of %s%s against %s", of, here, there)
	}
	c := m.Changes[side-1]
	within := ", within " + units.Share(r.Margin)
	if m.Unit == Time {
		switch {
		case c.Verdict == Changed:
			return fmt.Sprintf("%s takes %s as long%s as %s", of, RatioSays(c), here, there)
		case c.Verdict == Equivalent:
			return fmt.Sprintf("%s takes as long%s as %s%s: %s", of, here, there, within, RatioSays(c))
		case c.Doubt != "":
			return fmt.Sprintf("It is undecided whether %s takes as long%s as %s, for %s: %s", of, here, there, c.Doubt,
				RatioSays(c))
		}
		return fmt.Sprintf("It is undecided whether %s takes as long%s as %s: %s", of, here, there, RatioSays(c))
	}
	name := MetricName(m.Unit)
	switch {
	case c.Verdict == Changed && (m.Exact || c.Ratio.Note == FromZero || c.Ratio.Value == 0):
		return fmt.Sprintf("%s: %s is %s instead of %s%s", of, name, m.Values[side].Quantity(), m.Values[0].Quantity(), here)
	case c.Verdict == Changed:
		return fmt.Sprintf("%s: %s%s is %s that %s", of, name, here, RatioSays(c), there)
	case c.Verdict == Equivalent:
		return fmt.Sprintf("%s: %s%s is that %s%s", of, name, here, there, within)
	}
	return fmt.Sprintf("%s: it is undecided whether %s%s is that %s: %s", of, name, here, there, RatioSays(c))
}

// mostNamed is how many benchmarks, files or functions a sentence names.
const mostNamed = 3

// list names things: "Decode, Encode, Scan and 2 more".
func list(names []string) string {
	say := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		say += fmt.Sprintf(" and %d more", more)
	}
	return say
}

// named lists benchmarks with their ratios: "Decode 1.05× [1.03, 1.07], Encode 0.9× [0.8, 0.95]
// and 2 more".
func named(bs []*Benchmark, side int, unit string) string {
	var out []string
	for _, b := range bs {
		out = append(out, b.Name+" "+ratioSays(b.Metric(unit), side))
	}
	return list(out)
}

// ratioSays returns a change in a few words: "1.05× [1.03, 1.07]"; of an exact one its figures:
// "6 instead of 5".
func ratioSays(m *Metric, side int) string {
	if m.Exact || m.Unit == series.UnitRSS || m.Changes[side-1].Ratio.Note == FromZero || m.Changes[side-1].Ratio.Value == 0 {
		return m.Values[side].Quantity() + " instead of " + m.Values[0].Quantity()
	}
	return RatioSays(m.Changes[side-1])
}

// MetricSays returns what changed of a metric other than time, "" where nothing did.
func (r *Report) MetricSays(side int, unit string) string {
	c := r.Count(side, unit)
	if c.Changed == 0 || r.Repeats(side, unit) {
		return ""
	}
	changed := r.ChangedBenchmarks(side, unit)
	if len(changed) == 1 && r.Sides[0].Kind == OfCommand {
		return fmt.Sprintf("%s changed: %s with %s.", MetricName(unit), ratioSays(changed[0].Metric(unit), side),
			r.Sides[side].Name)
	}
	return fmt.Sprintf("%s changed in %d of %s %s: %s.", MetricName(unit), c.Changed,
		units.Plural(c.All(), "benchmark"), r.Where(side), named(changed, side, unit))
}

// Repeats reports whether the changes of a metric are those of time in other words:
// throughput, and CPU time where that of no other benchmark changed.
func (r *Report) Repeats(side int, unit string) bool {
	if unit != "B/s" && unit != "cpu-sec/op" {
		return false
	}
	return !slices.ContainsFunc(r.ChangedBenchmarks(side, unit), func(b *Benchmark) bool {
		m := b.Metric(Time)
		return m == nil || m.Changes[side-1].Verdict != Changed
	})
}

// MetricName returns what a unit is called: "time/op", "peak RSS".
func MetricName(unit string) string {
	switch unit {
	case Time:
		return "time/op"
	case "cpu-sec/op":
		return "CPU time/op"
	case "peak-RSS-bytes":
		return "peak RSS"
	case "minor-faults", "major-faults":
		return strings.TrimSuffix(unit, "-faults") + " page faults"
	case "voluntary-switches", "involuntary-switches":
		return strings.TrimSuffix(unit, "-switches") + " context switches"
	}
	return unit
}

// GeomeanSays returns what a geometric mean is called, and of how many benchmarks it is where
// that is not all of them: 0 has none.
func (r *Report) GeomeanSays(g *Geomean) string {
	all := 0
	for i := range r.Benchmarks {
		if r.Benchmarks[i].Metric(g.Unit) != nil {
			all++
		}
	}
	if n := g.Values[0].N; n < all {
		return fmt.Sprintf("geomean of %d", n)
	}
	return "geomean"
}

// Limited counts the times of a side that are undecided because of what limits them.
func (r *Report) Limited(side int) (n int) {
	for i := range r.Benchmarks {
		if m := r.Benchmarks[i].Metric(Time); m != nil && m.Changes[side-1].LimitedBy != "" {
			n++
		}
	}
	return n
}

// AloneSays explains result.Mark, where some verdict has it; else it is "".
func (r *Report) AloneSays() string {
	for i := range r.Benchmarks {
		for _, m := range r.Benchmarks[i].Metrics {
			if slices.ContainsFunc(m.Changes, func(c Change) bool { return c.Alone }) {
				return "its interval lies outside of the margin, but it does not stand when all comparisons of the " +
					"metric are counted together: more rounds may decide it"
			}
		}
	}
	return ""
}

// VerdictSays returns a verdict with how much it is: "changed, +5.1%".
func VerdictSays(c Change) string {
	v := float64(c.Ratio.Value)
	if c.Alone {
		return string(c.Verdict) + " " + result.Mark
	}
	if c.LimitedBy != "" {
		return string(c.Verdict) + ", limited by " + c.LimitedBy
	}
	if c.Verdict != Changed || !(v > 0.5 && v < 2) {
		return string(c.Verdict)
	}
	return fmt.Sprintf("%s, %+.1f%%", c.Verdict, 100*(v-1))
}

// RatioSays returns the ratio of a change as it is shown everywhere.
func RatioSays(c Change) string {
	switch {
	case c.Ratio.Note == FromZero:
		return FromZero
	case c.Ratio.Value == 0 && c.Verdict == Changed:
		return "to 0"
	case math.IsInf(float64(c.Ratio.Value), 0):
		return units.None
	}
	if digits := c.digits(); digits > usualDigits && c.Ratio.Note == "" {
		show := func(v figures.Number) string { return strconv.FormatFloat(float64(v), 'f', digits-1, 64) }
		return show(c.Ratio.Value) + "× [" + show(c.Ratio.Lo) + ", " + show(c.Ratio.Hi) + "]"
	}
	return c.Ratio.String()
}

// usualDigits are those of a figure, and mostDigits those of one that the margin is near to.
const usualDigits, mostDigits = 3, 7

// digits returns how many digits the bounds of a ratio near 1 need, so that they are shown on the side of the margin, and of
// 1, on which they lie: else an interval that is equivalent may look like one that changed.
func (c Change) digits() int {
	lo, hi := float64(c.Ratio.Lo), float64(c.Ratio.Hi)
	if !c.Ratio.Bounded() || lo < 0.9 || hi > 1.1 {
		return usualDigits
	}
	for digits := usualDigits; digits < mostDigits; digits++ {
		told := true
		for _, v := range []float64{lo, hi} {
			places := digits - 1
			if v < 1 && digits == usualDigits {
				places++ // three digits are more places there
			}
			shown := math.Round(v*math.Pow10(places)) / math.Pow10(places)
			for _, bound := range []float64{1, 1 + c.margin, 1 / (1 + c.margin)} {
				told = told && cmp.Compare(shown, bound) == cmp.Compare(v, bound)
			}
		}
		if told {
			return digits
		}
	}
	return mostDigits
}

// ValueSays returns the figure of a side as it stands in a table below its unit.
func ValueSays(f figures.Figure) string {
	return strings.TrimSuffix(f.String(), " "+f.Unit)
}
