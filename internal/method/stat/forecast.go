package stat

import "math"

// A Trend is how the rounds of a figure went so far. It serves to foretell, never to decide.
type Trend struct {
	N          int
	Centre, SD float64 // of a round; SD with what the rounds depend on each other
}

// TrendOf returns the trend of rounds with the autocorrelation time tau.
func TrendOf(rounds []float64, tau float64) Trend {
	centre, sd := Spread(rounds)
	return Trend{len(rounds), centre, sd * math.Sqrt(tau)}
}

const (
	// hopeful is how many standard errors an effect is believed to be greater than it looks, so
	// that what looks bad after few rounds by chance gets another one.
	hopeful = 0.5
	// priceOfBets is what the best of the bets is ahead of E, about: ln of its share of the stake.
	priceOfBets = 1.5
	// leastGrowth keeps what has not grown at all from being given up for good.
	leastGrowth = 0.2
)

// Until returns how many more rounds it should take until ln E has grown from now to need, if the
// centre lies gap inside what is to be shown and the rounds to come are like those so far: 0 where
// it has, +Inf where it is not to be expected. No decision takes fewer rounds than least.
func (t Trend) Until(gap, now, need float64, least int) float64 {
	z := math.Inf(1)
	if t.SD > 0 {
		z = gap/t.SD + hopeful/math.Sqrt(float64(t.N))
	}
	if now >= need {
		return 0
	}
	if !(z > 0) || gap == 0 && t.SD == 0 {
		return math.Inf(1)
	}
	// What the noise lets expect, and what came of it so far: links that differ hold back more
	// than the rounds show.
	growth := min(Growth(z), rate(t.N, now))
	// What has taken long already is likely to take as long again: without this the time would go
	// to one that always seems to be a few rounds from its end.
	return max(math.Ceil((need-now)/growth), float64(t.N-least), 1)
}

// AtThisRate returns how many more rounds it should take until ln E has grown from now, after n
// rounds, to need.
func AtThisRate(n int, now, need float64) float64 { return math.Ceil((need - now) / rate(n, now)) }

// rate is the growth of ln E in a round, as it was so far.
func rate(n int, now float64) float64 { return max(now+priceOfBets, leastGrowth) / float64(n) }

// Narrowing returns how many more rounds it should take until an interval whose half width was half
// after n rounds has the one that is wanted: it shrinks with the square root of the rounds.
func Narrowing(n int, half, wanted float64) float64 {
	switch {
	case half <= wanted:
		return 0
	case !(wanted > 0):
		return math.Inf(1)
	}
	return max(math.Ceil(float64(n)*(half*half/(wanted*wanted)-1)), 1)
}
