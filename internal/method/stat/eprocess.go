package stat

import (
	"math"
	"slices"
	"sync"
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
func (p *EProcess) LogE() float64 {
	if p.broken {
		return math.NaN()
	}
	return p.mix.logE(1)
}

// LogE returns ln E_n(theta) for the n = len(d) rounds of d; see the package
// comment. theta = 0 tests "no difference" and is the e-value for [EBH]. Rounds
// with d_i = theta exactly leave E unchanged, so that E = 1 when all are; when
// all equal another value, E depends on n alone and reaches 20 at n = 8. It is
// NaN when [Check] refuses theta or a value of d. The table of [logCoshTable]
// understates ln E by at most n · 2.92e-7.
func LogE(d []float64, theta float64) float64 {
	p := NewEProcess(theta)
	for _, x := range d {
		p.Add(x)
	}
	return p.LogE()
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

const (
	// normalSD is the standard deviation ρ of the bets λ of the normal part of the mixture.
	normalSD = 0.15
	// farErfc is where erfcx is taken from its asymptotic series: erfc itself is 1e-12 there.
	farErfc = 5
)

// shares say how the stake is spread over the bets: one for each of lambdas, and one for
// the normal part, whose λ is drawn from a normal distribution around 0. They add up to 1.
type shares struct {
	bets   [len(lambdas)]float64
	normal float64
}

var (
	// both are the shares of the two-sided e-process, half of each on either sign. They
	// lean to the large λ as far as the first decisions allow: with more on them a level
	// of 0.05 would be reached after 7 rounds, and by every other level rounds would be lost
	// later (docs/decisions/0012-narrowing.md).
	both = shares{[len(lambdas)]float64{0.13, 0.17, 0.19, 0.19, 0.2}, 0.12}
	// oneSided are those of bets on one side alone. They lean more to the large λ, so that
	// the first decision at α = 0.05 can fall after 6 rounds, and not after 8.
	oneSided = shares{[len(lambdas)]float64{0.1, 0.15, 0.2, 0.2, 0.3}, 0.05}
)

// A mixture accumulates E over rounds, in logs. Since
// ln(1 ± tanh x) = ±x − ln cosh x, Σu and one Σ ln cosh(λu) per λ hold it all.
//
// The normal part needs Σu² alone: ln cosh x ≤ x²/2, so that exp(λu − λ²u²/2) is at most
// 1 + tanh(λu), for every λ, and its mean over λ ~ N(0, ρ²) has a closed form (Robbins 1970):
// with q = 1 + ρ²Σu² it is exp(ρ²(Σu)²/2q)/√q. It understates E; for the λ that it is there
// for, below 0.3, by next to nothing. It has no smallest λ, and narrows for ever.
type mixture struct {
	sumU    float64
	squares float64
	logCosh [len(lambdas)]float64
}

func (m *mixture) add(t *logCoshTable, u float64) {
	m.sumU += u
	m.squares += u * u
	t.add(&m.logCosh, u)
}

// logE returns ln of the mean, by shares, over ±λ of exp(±λ Σu − Σ ln cosh(λu)), with every
// bet taken to the power 1/tau.
//
// Where rounds are correlated the variance of Σu is τ times what Σ ln cosh(λu), its
// compensator in ln E, allows for; the τ-th root of every bet brings the two together
// again. For independent rounds a root of an e-value is one (Jensen), so that it only ever
// costs power. And the mean of the roots is at most the root of the mean: whatever tau is,
// however it was chosen, and however it changes from look to look, it reaches 1/α only
// where E does. The guarantee of the coin at θ = 0 is kept exactly.
func (m *mixture) logE(tau float64) float64 {
	absU := math.Abs(m.sumU) / tau
	var terms [len(lambdas)]float64
	q := 1 + normalSD*normalSD*m.squares/tau
	normal := normalSD * normalSD * absU * absU / (2 * q)
	top := normal
	for k, lambda := range lambdas {
		terms[k] = lambda*absU - m.logCosh[k]/tau
		top = max(top, terms[k])
	}
	sum := both.normal * math.Exp(normal-top) / math.Sqrt(q)
	for k, lambda := range lambdas {
		sum += both.bets[k] / 2 * math.Exp(terms[k]-top) * (1 + math.Exp(-2*lambda*absU))
	}
	return top + math.Log(sum)
}

// logSided is logE of those who bet on d > θ alone (sign 1), or on d < θ (sign −1). The λ of
// the normal part are then those of one sign, and it is 2Φ(ρ Σu/√q) times what it is for
// both.
func (m *mixture) logSided(sign, tau float64) float64 {
	u := sign * m.sumU / tau
	var terms [len(lambdas)]float64
	q := 1 + normalSD*normalSD*m.squares/tau
	normal := logErfcx(-normalSD*u/math.Sqrt(2*q)) - math.Log(q)/2
	top := normal
	for k, lambda := range lambdas {
		terms[k] = lambda*u - m.logCosh[k]/tau
		top = max(top, terms[k])
	}
	sum := oneSided.normal * math.Exp(normal-top)
	for k, share := range oneSided.bets {
		sum += share * math.Exp(terms[k]-top)
	}
	return top + math.Log(sum)
}

// logAgainst returns ln of the stake against a hypothesis that holds [lo, hi]: on one side
// where the other end is infinite, else half on each.
func (m *mixture) logAgainst(lo, hi, tau float64) float64 {
	switch {
	case math.IsInf(lo, -1):
		return m.logSided(1, tau)
	case math.IsInf(hi, 1):
		return m.logSided(-1, tau)
	}
	up, down := m.logSided(1, tau), m.logSided(-1, tau)
	top := max(up, down)
	return top + math.Log((math.Exp(up-top)+math.Exp(down-top))/2)
}

// logErfcx returns x² + ln erfc(x), and from [farErfc] on a lower bound, which errs by less
// than 1/x⁴ of 1.
func logErfcx(x float64) float64 {
	if x < farErfc {
		return x*x + math.Log(math.Erfc(x))
	}
	return -math.Log(x*math.Sqrt(math.Pi)) + math.Log1p(-1/(2*x*x))
}

// alike returns the bets after n rounds of which every u_i equals u.
func alike(n int, u float64) *mixture {
	var m mixture
	m.add(table(), u)
	m.sumU *= float64(n)
	m.squares *= float64(n)
	for k := range m.logCosh {
		m.logCosh[k] *= float64(n)
	}
	return &m
}

// leastRounds is [MinRounds] where tau rounds count as one.
func leastRounds(alpha, tau float64) int {
	if !(alpha > 0) || math.IsInf(tau, 1) {
		return math.MaxInt
	}
	n := 1
	for alike(n, 1/madScale).logE(tau) < -math.Log(alpha) {
		n++
	}
	return n
}

const (
	clipAt    = 2.5 // |u| of a round at most; see standardize
	maxLambda = 2.5
)

// lambdas are the bets of the mixture, each made on both signs, but for its normal part.
var lambdas = [...]float64{0.3, 0.6, 1, 1.6, maxLambda}

// logCosh returns ln cosh x without overflow.
func logCosh(x float64) float64 {
	x = math.Abs(x)
	return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
}

// cells is the number of intervals of the table over 0 ≤ |u| ≤ clipAt. Its
// 4097 rows of five take 160 KiB, which a level-2 cache holds.
const cells = 4096

// A logCoshTable holds ln cosh(λu) for every λ of the mixture, one row per u,
// so that one index and one weight serve all five.
//
// Linear interpolation of f between points h apart errs by at most
// h² max|f″| / 8. Here f″ = λ² sech²(λu) ≤ λ² and h = 2.5/4096, so that the error
// of one term is at most tableError = 2.92e-7 (λ = 2.5), and far less for the
// small λ that decide long runs. f is convex: the table is never below f, E is
// never overstated, and the error probability never exceeds α for its sake.
type logCoshTable [cells + 1][len(lambdas)]float64

// tableError bounds table − ln cosh(λu); see [logCoshTable].
const tableError = (clipAt / cells) * (clipAt / cells) * maxLambda * maxLambda / 8

// table returns the table, computed at first use: its 20,000 logarithms take about a
// millisecond, which a command that analyses nothing does not spend.
var table = sync.OnceValue(func() *logCoshTable {
	t := new(logCoshTable)
	for i := range t {
		for k, lambda := range lambdas {
			t[i][k] = logCosh(lambda * clipAt * float64(i) / cells)
		}
	}
	return t
})

// add adds ln cosh(λu) to sum for every λ, for |u| ≤ clipAt.
func (t *logCoshTable) add(sum *[len(lambdas)]float64, u float64) {
	at := math.Abs(u) * (cells / clipAt)
	cell := min(int(at), cells-1)
	w := at - float64(cell)
	a, b := &t[cell], &t[cell+1]
	sum[0] += a[0] + w*(b[0]-a[0])
	sum[1] += a[1] + w*(b[1]-a[1])
	sum[2] += a[2] + w*(b[2]-a[2])
	sum[3] += a[3] + w*(b[3]-a[3])
	sum[4] += a[4] + w*(b[4]-a[4])
}
