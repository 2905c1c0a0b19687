package stat

import "math"

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
