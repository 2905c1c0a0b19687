package compare

import (
	"math"
	"slices"
	"strings"

	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// unitsOf returns the units that are compared: those of which some side kept every value.
func unitsOf(on caseSides, commands bool) []string {
	has := map[string]bool{}
	for _, s := range on {
		if s == nil {
			continue
		}
		for _, unit := range s.Units() {
			has[unit] = true
		}
	}
	var own []string
	for unit := range has {
		if !series.Own(unit) && !slices.Contains(common, unit) {
			own = append(own, unit)
		}
	}
	slices.Sort(own)
	all := slices.Concat(common, own)
	if commands {
		all = append(all, processes...)
	} else {
		all = append(all, series.UnitRSS) // kept where settings are compared
	}
	return slices.DeleteFunc(all, func(unit string) bool { return !has[unit] })
}

// metric compares one figure of a case.
func (b *builder) metric(unit string, on caseSides, judged []*claim.Judged, invalid func(side int) bool) Metric {
	m := Metric{Unit: unit, Values: make([]figures.Figure, len(on)), Changes: make([]Change, len(on)-1)}
	for i, s := range on {
		m.Values[i] = figures.NoFigure()
		if s != nil {
			m.Values[i] = b.value(unit, s, judged[i])
		}
		if i > 0 {
			b.change(&m, i, on, judged, invalid(0) || invalid(i))
		}
	}
	return m
}

// value returns what a side costs.
func (b *builder) value(unit string, s *series.Series, j *claim.Judged) figures.Figure {
	if v, n, steady := steadyCount(b.answer.Set.Valid(s, unit), unit, s, 1); steady {
		return figures.Single(v, n, unit)
	}
	e := j.Estimate(s, unit)
	if e.Rounds == 0 {
		return figures.NoFigure()
	}
	f := ratioFigure(e.Centre, e.Interval, e.Rounds)
	f.Unit, f.Medians = unit, figures.Number(e.Medians)
	return f
}

// change compares one side with the first: time as claim.Discover found it, counts that do
// not vary as they are, everything else in the family of its unit.
func (b *builder) change(m *Metric, side int, on caseSides, judged []*claim.Judged, invalid bool) {
	c := &m.Changes[side-1]
	c.Ratio, c.Verdict = figures.NoFigure(), Undecided
	num, den := on[side], on[0]
	switch {
	case invalid:
		c.Verdict = Invalid
	case num == nil || den == nil:
	case m.Unit == Time:
		for _, x := range judged[side].Changes {
			if x.Case == num.Case {
				c.Ratio, c.Rounds = ratioFigure(x.Centre, x.Interval, x.Rounds), x.Rounds
				c.Ratio.Medians = figures.Number(x.Medians)
				c.Verdict, c.Stands, c.Doubt = x.Difference, x.Discovery, string(x.Doubt)
				if c.Verdict == Undecided && c.Doubt == "" {
					c.LimitedBy = result.LimitedBy(x.Estimate)
				}
			}
		}
	case b.exact(m, c, num, den):
	default:
		doubt := ""
		if len(num.Failures)+len(den.Failures) > 0 {
			doubt = string(claim.Crashes)
		}
		if b.families[m.Unit] == nil {
			b.families[m.Unit] = &family{margin: b.margin, alpha: b.alpha}
		}
		b.families[m.Unit].add(b.pair(num, den, m.Unit), c, doubt)
	}
}

// exact compares counts that do not vary, which needs no statistics: a case that allocates 5
// times on one side in every process and 6 times on the other has changed. False where they
// vary, or were seen in too few rounds to know.
func (b *builder) exact(m *Metric, c *Change, num, den *series.Series) bool {
	least := b.looks.MinRounds(b.alpha)
	x, n, steadyX := steadyCount(b.answer.Set.Valid(num, m.Unit), m.Unit, num, least)
	y, k, steadyY := steadyCount(b.answer.Set.Valid(den, m.Unit), m.Unit, den, least)
	if !steadyX || !steadyY {
		return b.appeared(m, c, num, den, steadyX && x == 0, steadyY && y == 0)
	}
	m.Exact = true
	slack := max(claim.Slack(m.Unit, num), claim.Slack(m.Unit, den))
	if math.Abs(x-y) <= slack {
		x = y
	}
	c.Rounds = min(n, k)
	c.Ratio = figures.Single(math.NaN(), c.Rounds, "")
	c.exactly(x, y, b.margin)
	c.Ratio.Medians = c.Ratio.Value
	return true
}

// exactly compares two counts that do not vary.
func (c *Change) exactly(x, y, margin float64) {
	c.Ratio.Value, c.Verdict = figures.Number(x/y), Changed
	switch {
	case x == y:
		c.Ratio.Value, c.Verdict = 1, Equivalent
	case y == 0:
		c.Ratio.Note = FromZero
	case x/y <= 1+margin && x/y >= 1/(1+margin):
		c.Verdict = Equivalent
	}
}

// appeared compares a side that is 0 in every process with one that never is, of which a ratio
// says nothing.
func (b *builder) appeared(m *Metric, c *Change, num, den *series.Series, gone, came bool) bool {
	least := b.looks.MinRounds(b.alpha)
	always := func(s *series.Series) (rounds int, ok bool) {
		vs := b.answer.Set.Valid(s, m.Unit)
		return len(vs), len(vs) >= least && slices.Min(vs) > claim.Slack(m.Unit, s)
	}
	if n, ok := always(num); came && ok {
		c.Ratio, c.Rounds, c.Verdict = figures.Single(math.Inf(1), n, ""), n, Changed
		c.Ratio.Note = FromZero
		return true
	}
	if n, ok := always(den); gone && ok {
		c.Ratio, c.Rounds, c.Verdict = figures.Single(0, n, ""), n, Changed
		return true
	}
	return false
}

// steadyCount returns the count that all of at least so many samples show, but for what the
// runtime itself adds; false where they vary, and of times.
func steadyCount(vs []float64, unit string, s *series.Series, least int) (v float64, n int, steady bool) {
	if len(vs) < least || len(vs) == 0 || strings.Contains(unit, "sec") {
		return 0, 0, false
	}
	slack := claim.Slack(unit, s)
	if slices.Max(vs)-slices.Min(vs) > slack {
		return 0, 0, false
	}
	v = stat.Median(vs)
	if whole := math.Round(v); math.Abs(v-whole) <= slack {
		v = whole
	}
	return v, len(vs), true
}
