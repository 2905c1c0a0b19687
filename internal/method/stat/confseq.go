package stat

import (
	"cmp"
	"math"
	"slices"
)

// ConfidenceSequence returns the 1 − alpha confidence sequence at n = len(d)
// rounds: the hull of {θ : E_n(θ) < 1/alpha}. It may be asked after every round
// and still errs with probability at most alpha in all, at θ = 0 for identical
// arms whatever the noise, elsewhere if d is symmetric about θ.
//
// It is (−Inf, +Inf) before [MinRounds] rounds and when [Check] refuses a value,
// and one point when all values are equal. It is [Empty] when no θ is accepted,
// which hardly happens at one n: some θ always balances the signs. It is the
// intersection over rounds that becomes empty when the effect is not constant.
// The width goes on falling as √(ln n / n): for normal rounds half of it is 0.34 standard
// deviations at 100, 0.12 at 1,000 and 0.03 at 17,000.
// The ends are found by a scan and then bisected to 1e-4 of the width, rounded
// outward. The scan is a grid (see grid.go), so that a sliver of accepted θ
// beyond the ends, narrower than the grid, can be missed.
func ConfidenceSequence(d []float64, alpha float64) Interval {
	return ConfidenceSequences(d, alpha)[0]
}

// ConfidenceSequences returns [ConfidenceSequence] at several levels for little
// more than the cost of one. A smaller alpha gives an interval that contains
// that of a larger one.
func ConfidenceSequences(d []float64, alphas ...float64) []Interval {
	return sequences(d, alphas, 1)[0]
}

// sequences returns the intervals at several levels for each of taus, the numbers of rounds
// that count as one.
func sequences(d []float64, alphas []float64, taus ...float64) [][]Interval {
	out := make([][]Interval, len(taus))
	usable, steps := Check(d) == nil, -1
	for i, tau := range taus {
		for _, alpha := range alphas {
			out[i] = append(out[i], Whole())
			if usable && len(d) >= leastRounds(alpha, tau) {
				steps = max(steps, reach(len(d), alpha, tau))
			}
		}
	}
	if steps < 0 {
		return out
	}
	s := newScan(d, steps)
	for i, tau := range taus {
		for k, alpha := range alphas {
			if len(d) >= leastRounds(alpha, tau) {
				out[i][k] = s.hull(alpha, tau)
			}
		}
	}
	return out
}

// A scan holds the bets at ascending values of θ, from one that every alpha asked for
// excludes to another.
type scan struct {
	rounds *rounds
	at     []scanned
}

type scanned struct {
	theta, logE float64
	mix         *mixture
}

// newScan returns a scan that goes steps outward from the data; see [reach].
func newScan(d []float64, steps int) *scan {
	s := &scan{rounds: newRounds(d)}
	s.take(scanGrid(d, slices.Sorted(slices.Values(d)), steps))
	// The accepted set may lie between two grid points. Its deepest point is searched
	// near the lowest E found; two passes of 8 narrow a gap 81-fold.
	for range 2 {
		s.refine(8)
	}
	return s
}

// take adds values of θ.
func (s *scan) take(thetas []float64) {
	for _, theta := range thetas {
		m := s.rounds.mixture(theta)
		s.at = append(s.at, scanned{theta, m.logE(1), m})
	}
	slices.SortFunc(s.at, func(a, b scanned) int { return cmp.Compare(a.theta, b.theta) })
}

// refine adds points more values of θ on either side of the lowest E.
func (s *scan) refine(points int) {
	low := 0
	for i := range s.at {
		if s.at[i].logE < s.at[low].logE {
			low = i
		}
	}
	var more []float64
	for i := max(low-1, 0); i < min(low+1, len(s.at)-1); i++ {
		from, to := s.at[i].theta, s.at[i+1].theta
		for j := 1; j <= points; j++ {
			more = append(more, from+(to-from)*float64(j)/float64(points+1))
		}
	}
	s.take(more)
}

// hull returns the smallest interval around {θ : E_n(θ) < 1/alpha}, where tau rounds count
// as one.
func (s *scan) hull(alpha, tau float64) Interval {
	limit := -math.Log(alpha)
	accepted := func(p scanned) bool {
		if tau == 1 {
			return p.logE < limit
		}
		return p.mix.logE(tau) < limit
	}
	first := slices.IndexFunc(s.at, accepted)
	if first < 0 {
		return Empty()
	}
	last := len(s.at) - 1
	for !accepted(s.at[last]) {
		last--
	}
	// The grid ends outside the accepted set, except where all values are equal:
	// then it is that one value, the edges meet there, and so does the interval.
	lo := edge{in: s.at[first].theta, out: s.at[max(first-1, 0)].theta}
	hi := edge{in: s.at[last].theta, out: s.at[min(last+1, len(s.at)-1)].theta}
	least := 1e-12 * (s.at[len(s.at)-1].theta - s.at[0].theta)
	for !lo.done || !hi.done {
		width := hi.in - lo.in
		for _, e := range []*edge{&lo, &hi} {
			if !e.done {
				e.halve(width, least, func(theta float64) bool { return s.rounds.mixture(theta).logE(tau) < limit })
			}
		}
	}
	return Interval{lo.end(), hi.end()}
}

// An edge is an end of the accepted set, between a value inside and one outside.
type edge struct {
	in, out float64
	moved   bool // in is no longer the grid point that it was
	done    bool
}

// halve bisects once, and reports whether in and out are within 1e-4 of width. While in
// has not moved it goes on to least: E jumps at d_1 and where most rounds are tied, and
// an end found there is that value exactly.
func (e *edge) halve(width, least float64, accepted func(float64) bool) {
	mid := e.in + (e.out-e.in)/2
	tolerance := least
	if e.moved {
		tolerance = 1e-4 * width
	}
	if math.Abs(e.out-e.in) <= tolerance || mid == e.in || mid == e.out {
		e.done = true
		return
	}
	if accepted(mid) {
		e.in, e.moved = mid, true
	} else {
		e.out = mid
	}
}

// end returns the outer side, or the grid point itself where E jumps at it.
func (e *edge) end() float64 {
	if e.moved {
		return e.out
	}
	return e.in
}

// The grid has gridMost values of θ inside the data, fewer where the rounds are
// so many that values × rounds would pass gridBudget, but gridLeast in any case.
const (
	gridMost   = 400
	gridLeast  = 48
	gridBudget = 250_000

	// beside is the distance from a jump of E at which its limits are taken, in spreads
	// of d.
	beside = 1e-9
)

// scanGrid returns the ascending values of θ at which a scan starts that goes steps outward
// from the data. sorted is d in ascending order.
//
// Inside the data E changes as θ passes data, so the grid is made of data (of
// quantiles, where the data are many) and of points between them. Some values
// must be hit exactly, because E jumps there; see [jumps]. Outside the data
// E_n(θ) is smooth on the scale of the distance to them, so the grid is
// geometric, up to where every θ is excluded; see [reach].
func scanGrid(d, sorted []float64, steps int) []float64 {
	n := len(sorted)
	spread := sorted[n-1] - sorted[0]
	grid := []float64{HodgesLehmann(d)}
	for _, x := range jumps(d) {
		// The limits on either side differ from each other and from the value.
		grid = append(grid, x-beside*spread, x, x+beside*spread)
	}
	most := min(max(gridBudget/n, gridLeast), gridMost)
	knots := min(n, most)
	between := most/knots - 1
	for i := range knots {
		x := sorted[at(i, knots, n)]
		grid = append(grid, x)
		if i+1 == knots {
			break
		}
		gap := sorted[at(i+1, knots, n)] - x
		for j := 1; j <= between; j++ {
			grid = append(grid, x+gap*float64(j)/float64(between+1))
		}
	}
	for step := range steps + 1 {
		far := spread * reachOf(step)
		grid = append(grid, sorted[0]-far, sorted[n-1]+far)
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// at spreads knots indices evenly over 0..n−1, both ends included.
func at(i, knots, n int) int {
	if knots == 1 {
		return 0
	}
	return i * (n - 1) / (knots - 1)
}

// reachOf returns the distance from the data, in units of their spread, of the
// given step outward: 1/8, 1/8·√2, 1/4, …
func reachOf(step int) float64 { return math.Exp2(float64(step)/2 - 3) }

// reach returns the step from which outward every θ is excluded at level alpha, where tau
// rounds count as one.
// At a distance of g spreads from the data all deviations have one sign, each is
// at least g spreads, and their median at most g+1, so that every |u_i| is at
// least g/(1+g)/1.4826; E grows with each of them while their signs agree, hence
// is at least its value for that u. For n ≥ leastRounds(alpha, tau) that value exceeds
// 1/alpha for large g, except where E_n(∞) is 1/alpha to the last digits: then
// the steps end at 2^32 spreads and the end of the interval with them.
func reach(n int, alpha, tau float64) int {
	limit := -math.Log(alpha)
	step := 0
	for step < 70 {
		g := reachOf(step)
		if alike(n, g/(1+g)/madScale).logE(tau) >= limit {
			break
		}
		step++
	}
	return step
}

// jumps returns the values at which E_n is not continuous in θ: those with
// s_i(θ) = 0 for some i, because θ equals more than half of the first i rounds.
// d_1 is always one of them. For an exact metric such a value may be all that is
// accepted.
func jumps(d []float64) []float64 {
	count := make(map[float64]int)
	var out []float64
	for i, x := range d {
		count[x]++
		if 2*count[x] > i+1 && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// rounds is d prepared for many evaluations of E_n(θ).
type rounds struct {
	d      []float64
	table  *logCoshTable
	sorted [][]float64 // the first i rounds in ascending order, for each i that renews the scale
}

func newRounds(d []float64) *rounds {
	r := &rounds{d: d, table: table()}
	var sorted []float64
	for i := 1; i <= len(d); i = nextRefresh(i) {
		batch := slices.Sorted(slices.Values(d[len(sorted):i]))
		sorted = mergeSorted(slices.Clone(sorted), batch)
		r.sorted = append(r.sorted, sorted)
	}
	return r
}

// mixture returns the bets against theta after all rounds.
func (r *rounds) mixture(theta float64) *mixture {
	m := new(mixture)
	for k, sorted := range r.sorted {
		scale := madScale * medianAbs(sorted, theta)
		end := len(r.d)
		if k+1 < len(r.sorted) {
			end = len(r.sorted[k+1]) - 1
		}
		for _, x := range r.d[len(sorted)-1 : end] {
			m.add(r.table, standardize(x-theta, scale))
		}
	}
	return m
}
