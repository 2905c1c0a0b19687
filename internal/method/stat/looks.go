package stat

import "math"

// everyLook is the number of rounds up to which every round is looked at again; from then
// on every twentieth part of the rounds.
const everyLook = 64

// Looks returns the numbers of rounds, ascending and up to n, at which it is asked whether
// something has been decided. What was decided at one of them stays decided: by Ville's
// inequality an e-process ever reaches 1/α with probability α at most, and to ask less
// often only costs power. n itself is always among them.
func Looks(n int) []int {
	var out []int
	for i := 1; i < n; {
		out = append(out, i)
		i = max(i+1, i+i/20*boolInt(i >= everyLook))
	}
	if n > 0 {
		out = append(out, n)
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AtMostLogEAgainst returns, for every number of rounds from 1 to len(d), a value that
// [LogEAgainst] of those rounds does not exceed: ln E at the finite ends of [lo, hi]. It
// costs little for all of them, so that the least over the whole interval is looked for
// only where the ends alone would decide. It is nil where neither end is finite and where
// [Check] refuses a value.
func AtMostLogEAgainst(d []float64, lo, hi float64) []float64 {
	var ends []*EProcess
	for _, end := range []float64{lo, hi} {
		if !math.IsInf(end, 0) {
			ends = append(ends, NewEProcess(end))
		}
	}
	if len(ends) == 0 || lo > hi || Check(d) != nil {
		return nil
	}
	out := make([]float64, len(d))
	for i, x := range d {
		out[i] = math.Inf(1)
		for _, p := range ends {
			p.Add(x)
			out[i] = min(out[i], p.mix.logAgainst(lo, hi, 1))
		}
	}
	return out
}

// UnanimousLogE returns ln of E after n rounds that all lie far on one side of what is tested,
// with bets on both sides: it passes 1/α at [MinRounds].
func UnanimousLogE(n int) float64 { return alike(n, 1/madScale).logE(1) }

// sidedAlike is the same with bets on that side alone.
func sidedAlike(n int) float64 {
	return alike(n, 1/madScale).logSided(1, 1)
}

// MinSidedRounds returns the smallest number of rounds after which a one-sided test at level
// alpha can decide: 6 at 0.05. It is math.MaxInt where alpha is not positive.
func MinSidedRounds(alpha float64) int {
	if !(alpha > 0) {
		return math.MaxInt
	}
	n := 1
	for sidedAlike(n) < -math.Log(alpha) {
		n++
	}
	return n
}

// Growth estimates how much ln E grows in a round for an effect that lies z robust standard
// deviations of a round inside what is to be shown. It is 0.66 where the noise hardly matters
// (ln(1 + tanh(2.5/1.4826)), the best of the bets), and about z²/2 for a small z: with 1 it takes
// 14 rounds to a decision at 0.05, as in the simulation of METHOD. It serves to foretell,
// never to decide.
func Growth(z float64) float64 {
	const most, half = 0.66, 1.3 // z² at half of the most
	switch {
	case !(z > 0):
		return 0
	case math.IsInf(z, 1):
		return most
	}
	return most * z * z / (z*z + half)
}

// Spread returns the centre of d, its median, and its robust standard deviation: 1.4826 times the
// median absolute deviation. Both are NaN without values.
func Spread(d []float64) (centre, sd float64) {
	if len(d) == 0 || Check(d) != nil {
		return math.NaN(), math.NaN()
	}
	return centreScale(d)
}
