package stat

import (
	"math"
	"slices"
)

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

// logE returns the same as [LogE], without sorting the data a second time.
func (r *rounds) logE(theta float64) float64 { return r.mixture(theta).logE(1) }

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
