package result

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/stat"
	"memcost/internal/units"
)

// Evidence is what a run's figures rest on, made small enough to be drawn: a
// page must not grow with the number of samples.
type Evidence struct {
	Timeline  Timeline
	Strips    []Strip
	MoreCases int // cases without a strip: those that scatter least
	Narrowing []Narrowing
}

// A Timeline shows how steady the machine was from round to round.
type Timeline struct {
	PerPoint  int // rounds that one point stands for
	Points    []Moment
	Doubles   []Line // A′ over A
	Disturbed []Disturbance
}

// A Moment is all cases together: each sample over its case's median.
type Moment struct {
	Round         int
	Lo, Mid, High float64 // 10%, 50% and 90% quantile
}

// A Line is a case's ratio to its own copy, by round.
type Line struct {
	Case   string
	Rounds []int
	Ratios []float64
}

// A Disturbance is a round in which some comparison was disturbed.
type Disturbance struct {
	Round  int
	Reason string // the first one
	Count  int    // comparisons
}

// A Strip is the processes of one case on one arm.
type Strip struct {
	Case, Arm string
	Median    float64   // sec/op
	N         int       // processes
	Ratios    []float64 // each over the median, ascending; evenly spaced quantiles where there are more than maxDots
	Groups    *Groups   // nil: one group
}

// Groups are the two speeds that the processes of a case run at.
type Groups struct {
	Low     int        // processes in the faster group
	Centres [2]float64 // sec/op
}

// A Narrowing is a ratio's confidence sequence, as it was after some of the
// rounds.
type Narrowing struct {
	Label, Arm string
	Rounds     []int
	Lo, Hi     []float64
}

const (
	maxMoments   = 200  // points of a timeline
	maxDots      = 100  // of a strip
	maxStrips    = 40   // of a page's picture
	maxNarrowing = 24   // ratios
	lookPoints   = 16   // of a ratio's narrowing
	maxLook      = 1024 // rounds: what came later is only looked at once, at the end
)

// evidence gathers what a suite's figures rest on.
func (a *Answer) evidence(s claim.Suite, set *series.Set, q *plan.Question, judged []*claim.Judged) *Evidence {
	e := &Evidence{}
	var mine []*series.Series
	for _, j := range judged {
		mine = append(mine, j.Cases...)
	}
	e.Timeline = timeline(s.Name, set, q, mine)
	e.Strips, e.MoreCases = strips(set, mine)
	e.Narrowing = narrowings(s.Study, judged, a.Options.Alpha)
	return e
}

func timeline(suite string, set *series.Set, q *plan.Question, cases []*series.Series) Timeline {
	t := Timeline{PerPoint: 1 + (set.Rounds()-1)/maxMoments}
	if set.Rounds() == 0 {
		return t
	}
	at := make([][]float64, 1+(set.Rounds()-1)/t.PerPoint)
	for _, c := range cases {
		m := stat.Median(set.Valid(c, "sec/op"))
		for i, v := range c.Values("sec/op") {
			if x := v / m; drawable(x) {
				b := int(c.Rounds[i]) / t.PerPoint
				at[b] = append(at[b], x)
			}
		}
	}
	for b, xs := range at {
		if len(xs) > 0 {
			slices.Sort(xs)
			t.Points = append(t.Points, Moment{b * t.PerPoint, sortedQuantile(xs, 0.1), sortedQuantile(xs, 0.5), sortedQuantile(xs, 0.9)})
		}
	}
	t.Doubles = doubles(suite, set, t.PerPoint)
	t.Disturbed = disturbances(suite, set, q, t.PerPoint)
	return t
}

// drawable reports whether a ratio to a median can be an effect and not damage.
func drawable(ratio float64) bool { return ratio > 1e-9 && ratio < 1e9 }

func sortedQuantile(sorted []float64, q float64) float64 {
	return sorted[int(math.Round(q*float64(len(sorted)-1)))]
}

// doubles are the ratios of each case to its own copy; of a point that stands
// for several rounds, the last one.
func doubles(suite string, set *series.Set, perPoint int) []Line {
	var out []Line
	for _, s := range set.All() {
		if s.Suite != suite || s.Role != string(plan.Double) {
			continue
		}
		id := s.ID
		id.Role = ""
		main := set.Get(id)
		if main == nil {
			continue
		}
		l := Line{Case: s.Case}
		if len(s.Arm) > 0 {
			l.Case += " · " + s.Arm
		}
		values, own := main.Values("sec/op"), s.Values("sec/op")
		for i, round := range s.Rounds {
			j, ok := slices.BinarySearch(main.Rounds, round)
			if !ok || i >= len(own) || j >= len(values) {
				continue
			}
			x := own[i] / values[j]
			if !drawable(x) {
				continue
			}
			b := int(round) / perPoint * perPoint
			if n := len(l.Rounds); n > 0 && l.Rounds[n-1] == b {
				l.Ratios[n-1] = x
				continue
			}
			l.Rounds, l.Ratios = append(l.Rounds, b), append(l.Ratios, x)
		}
		if len(l.Rounds) > 0 {
			out = append(out, l)
		}
	}
	return out
}

func disturbances(suite string, set *series.Set, q *plan.Question, perPoint int) []Disturbance {
	mine := map[int]bool{}
	for _, c := range q.Plan.Cases {
		if q.Plan.Suites[c.Suite].Name == suite {
			mine[c.Group] = true
		}
	}
	var out []Disturbance
	for _, v := range set.Disturbed() {
		if !mine[v.Group] {
			continue
		}
		b := v.Round / perPoint * perPoint
		if n := len(out); n > 0 && out[n-1].Round == b {
			out[n-1].Count++
			continue
		}
		out = append(out, Disturbance{b, v.Reason, 1})
	}
	return out
}

// strips returns the processes of each case; of many cases, those of the cases
// that scatter most.
func strips(set *series.Set, cases []*series.Series) (out []Strip, left int) {
	type scattered struct {
		Strip
		spread float64
	}
	all := make([]scattered, 0, len(cases))
	for _, c := range cases {
		vs := slices.DeleteFunc(set.Valid(c, "sec/op"), func(v float64) bool { return !(v > 0) })
		if len(vs) < 2 {
			continue
		}
		slices.Sort(vs)
		m := stat.Median(vs)
		s := Strip{Case: c.Case, Arm: c.Arm, Median: m, N: len(vs)}
		if low, centres, ok := stat.TwoGroups(logs(vs)); ok {
			s.Groups = &Groups{low, [2]float64{math.Exp(centres[0]), math.Exp(centres[1])}}
		}
		n := min(len(vs), maxDots)
		for i := range n {
			at := i
			if n < len(vs) {
				at = int(math.Round(float64(i) * float64(len(vs)-1) / float64(n-1)))
			}
			if x := vs[at] / m; drawable(x) {
				s.Ratios = append(s.Ratios, x)
			}
		}
		if len(s.Ratios) == 0 {
			continue
		}
		all = append(all, scattered{s, math.Log(sortedQuantile(vs, 0.9) / sortedQuantile(vs, 0.1))})
	}
	keep := map[int]bool{}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].spread, all[a].spread) })
	for _, i := range order[:min(len(order), maxStrips)] {
		keep[i] = true
	}
	for i, s := range all {
		if keep[i] {
			out = append(out, s.Strip)
		}
	}
	return out, len(all) - len(out)
}

func logs(vs []float64) []float64 {
	out := make([]float64, len(vs))
	for i, v := range vs {
		out[i] = math.Log(v)
	}
	return out
}

// narrowings follows the ratios of the study's claim that covers most places, or
// else those of its tables.
func narrowings(st *catalog.Study, judged []*claim.Judged, alpha float64) []Narrowing {
	var out []Narrowing
	var work []func()
	for _, j := range judged {
		for _, p := range ratiosToFollow(st, j) {
			if len(out) == maxNarrowing {
				break
			}
			d := j.Set.Paired(p.Num, p.Den, "sec/op")
			if len(d) < stat.MinRounds(alpha) {
				continue
			}
			i := len(out)
			out = append(out, Narrowing{Label: p.Label, Arm: j.Name})
			end := j.Ratio(p.Num, p.Den, "sec/op").Interval // known by now
			work = append(work, func() { out[i].follow(d, alpha, end) })
		}
	}
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, w := range work {
		limit <- struct{}{}
		wg.Go(func() { w(); <-limit })
	}
	wg.Wait()
	return out
}

// follow looks back at the interval after some of the rounds; end is the one
// after all of them.
func (x *Narrowing) follow(d []float64, alpha float64, end stat.Interval) {
	least, upTo := stat.MinRounds(alpha), min(len(d)-1, maxLook)
	last := 0
	for i := range lookPoints {
		n := int(math.Round(float64(least) * math.Pow(float64(upTo)/float64(least), float64(i)/(lookPoints-1))))
		if n == last || n > upTo {
			continue
		}
		last = n
		iv := stat.ConfidenceSequence(d[:n], alpha)
		if !iv.IsEmpty() {
			x.add(n, math.Exp(iv.Lo), math.Exp(iv.Hi))
		}
	}
	if !end.IsEmpty() {
		x.add(len(d), end.Lo, end.Hi)
	}
}

func (x *Narrowing) add(round int, lo, hi float64) {
	if lo > 0 && !math.IsInf(hi, 1) {
		x.Rounds, x.Lo, x.Hi = append(x.Rounds, round), append(x.Lo, lo), append(x.Hi, hi)
	}
}

func ratiosToFollow(st *catalog.Study, j *claim.Judged) []claim.Pair {
	find := func(name string) *series.Series {
		for _, c := range j.Cases {
			if c.Case == name {
				return c
			}
		}
		return nil
	}
	best := -1
	for i, c := range st.Claims {
		if c.Kind == catalog.Ratio && (best < 0 || len(j.Verdicts[i].Elements) > len(j.Verdicts[best].Elements)) {
			best = i
		}
	}
	var out []claim.Pair
	if best >= 0 {
		for _, e := range j.Verdicts[best].Elements {
			if len(e.Cases) == 2 {
				out = append(out, claim.Pair{Label: e.Label, Num: find(e.Cases[0]), Den: find(e.Cases[1])})
			}
		}
		return slices.DeleteFunc(out, func(p claim.Pair) bool { return p.Num == nil || p.Den == nil })
	}
	return claim.RatioPairs(st, j.Cases)
}

// Sentence says how far two identical copies were apart, and how often the
// machine was disturbed.
func (t *Timeline) Sentence(noise []Noise, rounds int) string {
	say := units.Plural(rounds, "round")
	switch n := len(t.Disturbed); {
	case n == 0:
		say += ", none disturbed"
	case t.PerPoint > 1:
		say += fmt.Sprintf(", disturbed in %d of %d stretches", n, len(t.Points))
	default:
		say += ", " + units.Plural(n, "round") + " disturbed"
	}
	var apart []string
	for _, x := range noise {
		for _, l := range t.Doubles {
			if strings.HasPrefix(l.Case, x.Case) {
				apart = append(apart, units.Percent(float64(x.Spread)))
			}
		}
	}
	if len(apart) > 0 {
		say += "; identical copies are " + strings.Join(slices.Compact(apart), " and ") + " apart in a typical round"
	}
	return say
}

// StripsSentence says which cases run at two speeds.
func (e *Evidence) StripsSentence() string {
	var two []string
	n := 0
	for _, s := range e.Strips {
		n = max(n, s.N)
		if s.Groups != nil {
			two = append(two, s.Case)
		}
	}
	say := "No case runs at two speeds"
	if n < 12 {
		say = "Too few processes to tell if a case runs at two speeds"
	}
	switch {
	case len(two) == 1:
		say = two[0] + " runs at two speeds: its processes fall into two groups"
	case len(two) > 1:
		say = units.Plural(len(two), "case") + " run at two speeds: their processes fall into two groups"
	}
	return say
}

// NarrowingSentence says how wide the intervals were when something could first
// be said, and at the end.
func (e *Evidence) NarrowingSentence() string {
	first, last, from, to := 0.0, 0.0, 0, 0
	for _, x := range e.Narrowing {
		n := len(x.Rounds)
		if n == 0 {
			continue
		}
		half := func(i int) float64 { return math.Log(x.Hi[i]/x.Lo[i]) / 2 }
		first, last = max(first, half(0)), max(last, half(n-1))
		from, to = x.Rounds[0], max(to, x.Rounds[n-1])
	}
	if to == 0 {
		return "No ratio has an interval yet"
	}
	pm := func(half float64) string { return units.PlusMinus(1, math.Exp(-half), math.Exp(half)) }
	if from == to {
		return "After " + units.Plural(to, "round") + " the widest interval of a ratio is " + pm(last)
	}
	return "The widest interval of a ratio fell from " + pm(first) + " after " + units.Plural(from, "round") + " to " + pm(last) + " after " + units.Plural(to, "round")
}
