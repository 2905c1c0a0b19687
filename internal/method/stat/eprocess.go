package stat

import (
	"math"
	"slices"
)

const (
	// Up to exactRounds the scale s_i is renewed every round; then it is renewed when i
	// has grown by refreshBy and kept in between. E stays a martingale: a kept s is a
	// function of |d_j − θ| for rounds before i, known before the sign of d_i − θ is,
	// exactly like the |d_j − θ|, j ≤ i, of the renewed one. Only power could suffer,
	// and a median of 256 rounds or more hardly moves while their number grows by a
	// tenth.
	exactRounds = 256
	refreshBy   = 1.1
)

// nextRefresh returns the round after i, from 1, that renews the scale.
func nextRefresh(i int) int {
	if i < exactRounds {
		return i + 1
	}
	return int(math.Ceil(float64(i) * refreshBy))
}

// standardize returns u for a deviation d_i − θ and a scale s_i.
//
//   - d_i = θ gives 0, whatever s: the round bets nothing, E is unchanged.
//   - s = 0 and d_i ≠ θ (most rounds so far equal θ exactly) gives ±2.5, the
//     limit as s falls to 0. It is odd in d_i − θ for a given |d_i − θ|, which
//     is all that the martingale asks for.
func standardize(deviation, s float64) float64 {
	if deviation == 0 {
		return 0
	}
	if s == 0 {
		return math.Copysign(clipAt, deviation)
	}
	u := deviation / s
	if u > clipAt {
		return clipAt
	}
	if u < -clipAt {
		return -clipAt
	}
	return u
}

// An EProcess is E(θ) for one θ, advanced one round at a time; looking after
// each of n rounds costs O(n²) moves of a float64 up to round 256, and
// amortised O(log n) a round after it. Make one with [NewEProcess].
type EProcess struct {
	theta   float64
	table   *logCoshTable
	mix     mixture
	scale   float64
	sorted  []float64 // |d − θ| of the rounds that the scale is computed from, ascending
	pending []float64 // |d − θ| of the rounds after them
	renewAt int       // the round that renews the scale next
	broken  bool      // a value was unusable: E is NaN from then on
}

// NewEProcess returns the e-process for the value theta before the first round:
// E = 1.
func NewEProcess(theta float64) *EProcess {
	return &EProcess{theta: theta, table: table(), renewAt: 1, broken: Check([]float64{theta}) != nil}
}

// Add takes the difference of the next round.
func (p *EProcess) Add(d float64) {
	if p.broken = p.broken || !(math.Abs(d) <= maxUsable); p.broken {
		return
	}
	deviation := d - p.theta
	p.pending = append(p.pending, math.Abs(deviation))
	if round := len(p.sorted) + len(p.pending); round == p.renewAt {
		slices.Sort(p.pending)
		p.sorted = mergeSorted(p.sorted, p.pending)
		p.pending = p.pending[:0]
		p.scale = madScale * middle(p.sorted)
		p.renewAt = nextRefresh(round)
	}
	p.mix.add(p.table, standardize(deviation, p.scale))
}

// LogE returns ln E after the rounds added so far: 0 before the first, NaN once
// a value was added that [Check] refuses.
func (p *EProcess) LogE() float64 { return p.tempered(1) }

// tempered is LogE where tau rounds count as one.
func (p *EProcess) tempered(tau float64) float64 {
	if p.broken {
		return math.NaN()
	}
	return p.mix.logE(tau)
}

// LogE returns ln E_n(theta) for the n = len(d) rounds of d; see the package
// comment. theta = 0 tests "no difference" and is the e-value for [EBH]. Rounds
// with d_i = theta exactly leave E unchanged, so that E = 1 when all are; when
// all equal another value, E depends on n alone and reaches 20 at n = 8. It is
// NaN when [Check] refuses theta or a value of d. The table of [logCoshTable]
// understates ln E by at most n · 2.92e-7.
func LogE(d []float64, theta float64) float64 { return after(d, theta).LogE() }

// after returns the e-process for theta after the rounds of d.
func after(d []float64, theta float64) *EProcess {
	p := NewEProcess(theta)
	for _, x := range d {
		p.Add(x)
	}
	return p
}

// MinRounds returns the smallest number of rounds at which level alpha can
// decide: 8 at 0.05, 10 at 0.01, 14 at 0.001. It is exact in this sense: far
// from all data every u_i tends to ±1/1.4826, so that E_n(±∞) is a function of
// n alone, and a confidence sequence is bounded if and only if that function has
// reached 1/alpha. For rounds that agree exactly it is E itself. (E at a single
// theta can pass 1/alpha up to two rounds earlier, if |d_i − θ| grows severalfold
// from round to round; no stopping rule of memcost looks so early.) The answer is
// math.MaxInt when alpha is not positive.
func MinRounds(alpha float64) int {
	return leastRounds(alpha, 1)
}
