package stat

import (
	"math"
)

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

// An End is when the questions of a run will be answered, as it was foretold last. The zero
// value is of a run of which nothing was foretold yet.
type End struct {
	at   float64 // when they are answered; +Inf: not to be expected
	next float64 // when it is worth asking again
}

const (
	// later is how much longer a run must have gone on until a forecast from its figures is made
	// again: intervals shrink with the root of the time.
	later = 0.1
	// perForecast is how many times as long as a forecast took it is not made again.
	perForecast = 30
)

// Due reports whether a forecast should be made now.
func (e *End) Due(wall float64) bool { return wall >= e.next }

// Foretold records a forecast: after wall seconds the questions need so many more, +Inf where no
// end is to be expected. To find that out took so long.
func (e *End) Foretold(wall, need, took float64) {
	e.at, e.next = wall+need, wall+max(later*wall, perForecast*took)
}

// Left returns how long a run still takes that measures until its questions are answered, and no
// longer than its budget; 0 is none. round is what is left of the round under way, which is
// finished in any case.
func (e *End) Left(wall, budget, round float64) float64 {
	left := math.Inf(1)
	if e.next > 0 {
		left = e.at - wall
	}
	if budget > 0 {
		left = min(left, budget-wall)
	}
	if math.IsInf(left, 1) { // neither an end of the questions is in sight, nor one of the time
		return max(round, 0)
	}
	return max(left, round, 0)
}

// Rounds returns how long a run still takes that has done so many of all its rounds, with a part
// of the one under way, and began to measure at begun. Until one is over it is as long as
// foretold.
func Rounds(wall, begun, done, all, foretold float64) float64 {
	each := foretold
	if done >= 1 && wall > begun {
		each = (wall - begun) / done
	}
	return max(all-done, 0) * each
}

// beforeWidth is how many rounds of the least that bound an interval tell nothing of its width.
const beforeWidth = 2

// Narrowing returns how many more rounds it should take until an interval of half the width half
// after n rounds is as narrow as wanted. No interval has fewer rounds than least, and the first are
// much too wide: their width shrinks with the root of the rounds that came since.
func NarrowingForecast(n, least int, half, wanted float64) float64 {
	since := float64(max(n-least+beforeWidth, 1))
	return max(math.Ceil(since*(half*half/(wanted*wanted)-1)), 1)
}
