package stat

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
)

const (
	// firstLook is the first number of rounds that is looked at: the fewest after which signs that all agree,
	// one chance in 128, are rarer than the share of 5% that a look may spend.
	firstLook = 8
	// lookRatio is how many times as many rounds the next look has. With looks so far apart an answer comes at most
	// 14% later, in standard errors, than where every round is looked at. From manyRounds on they are further apart.
	lookRatio, laterRatio = 1.3, 1.6
	manyRounds            = 182
	// usualLast is the number of rounds up to which looks are planned where none is asked for.
	usualLast = 200
	// plannedShare is the share of α that planned looks spend together. The rest is kept for looks after them, of
	// runs that are resumed or longer than usual: each takes a third of what is left.
	plannedShare = 0.88
	furtherLooks = 14
)

// Looks are the numbers of counted rounds at which a comparison is looked at. They follow from how many rounds are asked
// for alone, and are fixed before the first sample, so that what is seen never decides when it is looked at. A comparison between two looks stands as it stood at the earlier one.
//
// Where up to 200 rounds are asked for, most of α is spent towards the last of them (an alpha-spending function: Lan and
// DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983); else every planned
// look has the same level (Pocock 1977), so that what is plain is seen early. Levels follow
// from the joint distribution of the looks, by the recursion of Armitage, McPherson and Rowe ("Repeated significance
// tests on accumulating data", JRSS A 132, 1969). All intervals of a comparison together hold the truth with probability
// 1 − α.
type Looks struct {
	Rounds int `json:"rounds,omitempty"` // as many as were asked for; 0: as many as the time allows
}

// A Look is one of them, with the level of a two-sided test at it.
type Look struct {
	Rounds int     `json:"rounds"`
	Level  float64 `json:"level"`
}

// reached reports whether signs can be as rare as the level asks for.
func (l Look) reached() bool { return l.Level >= rarest(l.Rounds) }

// after returns the number of rounds of the look after one.
func after(rounds int) int {
	if rounds < manyRounds {
		return int(math.Round(float64(rounds) * lookRatio))
	}
	return int(math.Round(float64(rounds) * laterRatio))
}

// limited reports whether the looks are planned for the rounds that are asked for.
func (l Looks) limited() bool { return firstLook <= l.Rounds && l.Rounds <= usualLast }

// spends returns which part of α is spent up to a look of so many rounds, where looks are limited: half of it as n², and
// half alike at each look, so that what is plain is seen early and a run that is interrupted has an answer.
func (l Looks) spends(rounds int) float64 {
	const alike = 0.5
	share := float64(rounds) / float64(l.Rounds)
	looks := func(n int) float64 { return 1 + math.Log(float64(n)/firstLook)/math.Log(lookRatio) }
	return (1-alike)*share*share + alike*looks(rounds)/looks(l.Rounds)
}

// stand returns the planned looks.
func (l Looks) stand() []int {
	var out []int
	if !l.limited() {
		for at := firstLook; at <= usualLast; at = after(at) {
			out = append(out, at)
		}
		return out
	}
	for at := firstLook; after(at) <= l.Rounds || at == firstLook && at < l.Rounds; at = after(at) {
		out = append(out, at)
	}
	return append(out, l.Rounds)
}

// positions returns the planned looks, and those after them.
func (l Looks) positions() []int {
	out := l.stand()
	for range furtherLooks {
		last := out[len(out)-1]
		next := after(last)
		if last < l.Rounds && l.Rounds < next {
			next = l.Rounds
		}
		out = append(out, next)
	}
	return out
}

// At returns the rounds of the last look that n rounds reach, 0 where they reach none.
func (l Looks) At(n int) int {
	last := 0
	for _, at := range l.positions() {
		if at <= n {
			last = at
		}
	}
	return last
}

// Next returns the rounds of the first look after n, 0 where there is none.
func (l Looks) Next(n int) int {
	for _, at := range l.positions() {
		if at > n {
			return at
		}
	}
	return 0
}

// Plan returns the looks with their levels, which spend alpha together.
func (l Looks) Plan(alpha float64) []Look {
	if !(alpha > 0 && alpha < 1) {
		return nil
	}
	key := planned{l, alpha}
	if known, ok := plans.Load(key); ok {
		return known.([]Look)
	}
	at, levels := l.positions(), l.levels(alpha)
	out := make([]Look, len(at))
	for i := range at {
		out[i] = Look{at[i], levels[i]}
	}
	plans.Store(key, out)
	return out
}

type planned struct {
	Looks
	alpha float64
}

// plans holds what was worked out: by planned, a []Look.
var plans sync.Map

// level returns the level of the look at exactly n rounds, 0 where there is none.
func (l Looks) level(n int, alpha float64) float64 {
	for _, look := range l.Plan(alpha) {
		if look.Rounds == n {
			return look.Level
		}
	}
	return 0
}

// levels returns the level of a two-sided test at each of the positions. What a look would spend that has too few rounds
// for it is not spent elsewhere: levels of a smaller alpha are then never greater, as [Least] needs.
func (l Looks) levels(alpha float64) []float64 {
	at := l.positions()
	same, planned := 0.0, at[:len(l.stand())]
	if !l.limited() {
		same = sameLevel(planned, plannedShare*alpha)
	}
	var w walk
	out := make([]float64, len(at))
	sum, left := 0.0, (1-plannedShare)*alpha
	if same > 0 {
		left /= 2 // see worthReaching
	}
	kept := (1-plannedShare)*alpha - left
	for i, n := range at {
		var z float64
		switch {
		case i >= len(planned):
			left *= 2. / 3
			z = w.boundary(n, alpha-kept-left-sum)
		case l.limited():
			z = w.boundary(n, plannedShare*alpha*l.spends(n)-sum)
		default:
			z = critical(same)
		}
		out[i] = 2 * upperTail(z)
		sum += w.crossing(n, z)
		w.step(n, z)
		if least := rarest(n); same > 0 && i < len(planned) && out[i] < least && least <= worthReaching*out[i] {
			out[i] = least // what is plain need not wait for the next look
		}
	}
	return out
}

// worthReaching is how many times the level of a look its rarest outcome may have: the first of thirteen looks then
// spends at most a twentieth of α more, which is kept for it.
const worthReaching = 1.34

// sameLevel returns the level of looks that all have the same and spend so much together.
func sameLevel(at []int, spent float64) float64 {
	lo, hi := spent/float64(len(at)), spent
	for range 24 {
		mid := math.Sqrt(lo * hi)
		var w walk
		sum := 0.0
		for _, n := range at {
			sum += w.crossing(n, critical(mid))
			w.step(n, critical(mid))
		}
		if sum > spent {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// rarest is the probability of the rarest outcome of n signs, of either sign.
func rarest(n int) float64 { return math.Exp2(float64(1 - n)) }

// critical returns what a standard normal value exceeds, in size, with the probability level.
func critical(level float64) float64 { return min(math.Sqrt2*math.Erfinv(1-level), beyond) }

// beyond is a boundary that nothing crosses.
const beyond = 9

// upperTail is the probability of a standard normal value above z.
func upperTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// A walk is the standardized sum of normal rounds, of a comparison that no look has rejected yet: its density at nodes
// of a quadrature from 0 to the boundary, twice which is all of it.
type walk struct {
	rounds     int
	at, weight []float64
	density    []float64
}

// nodes of the quadrature: 40 give five digits of every probability.
const nodes = 40

// to returns the correlation with the sum at a later look, and what is left.
func (w *walk) to(rounds int) (rho, rest float64) {
	rho = math.Sqrt(float64(w.rounds) / float64(rounds))
	return rho, math.Sqrt(1 - rho*rho)
}

// crossing returns the probability of rejecting first at a look of so many rounds, with the boundary z.
func (w *walk) crossing(rounds int, z float64) float64 {
	if w.rounds == 0 {
		return 2 * upperTail(z)
	}
	rho, rest := w.to(rounds)
	sum := 0.0
	for k, x := range w.at {
		sum += 2 * w.weight[k] * w.density[k] * (upperTail((z-rho*x)/rest) + upperTail((z+rho*x)/rest))
	}
	return sum
}

// boundary returns the one which a look of so many rounds crosses first with the probability spent.
func (w *walk) boundary(rounds int, spent float64) float64 {
	lo, hi := 0.0, float64(beyond)
	for range 40 {
		if mid := (lo + hi) / 2; w.crossing(rounds, mid) > spent {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// step goes on to a look of so many rounds, whose boundary z was not crossed.
func (w *walk) step(rounds int, z float64) {
	next := walk{rounds, make([]float64, nodes), make([]float64, nodes), make([]float64, nodes)}
	quad.Legendre{}.FixedLocations(next.at, next.weight, 0, z)
	rho, rest := w.to(rounds)
	for i, x := range next.at {
		if w.rounds == 0 {
			next.density[i] = normalDensity(x)
			continue
		}
		for k, y := range w.at {
			next.density[i] += w.weight[k] * w.density[k] / rest *
				(normalDensity((x-rho*y)/rest) + normalDensity((x+rho*y)/rest))
		}
	}
	*w = next
}

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// MinRounds returns the smallest number of rounds at which a look at level alpha can decide: 8 at 0.05, 13 at 0.01,
// 17 at 0.001. It is math.MaxInt where alpha is not positive.
func (l Looks) MinRounds(alpha float64) int {
	for _, look := range l.Plan(alpha) {
		if look.reached() {
			return look.Rounds
		}
	}
	return math.MaxInt
}

// MinRounds is that of looks of which no number of rounds was asked for.
func MinRounds(alpha float64) int { return Looks{}.MinRounds(alpha) }

// Interval returns the interval of level 1 − alpha at the last look that the rounds reach: (−Inf, +Inf) where they
// reach none.
func (l Looks) Interval(r Rounds, alpha float64) Interval {
	n := l.At(len(r.D))
	return r.At(n, l.level(n, alpha))
}

const (
	// ladder is the factor between the levels at which [Least] asks, and rungs their number. They begin at 16 times 0.05,
	// which is then one of them.
	ladder    = 0.8408964152537145 // 2^(−1/4)
	ladderTop = 0.8
	rungs     = 160
)

// Least returns the least alpha, of a ladder of 160 that goes down to 10^-12, at which something is said, and 1 where it
// is at none. If it is said wrongly with probability alpha at most, at any look, this is a p-value. What is said at one
// alpha has to be said at every greater one, as of an interval that leaves out a value.
func Least(says func(alpha float64) bool) float64 {
	p := 1.0
	lo, hi := 0, rungs // says below lo, and not from hi on
	for lo < hi {
		mid := (lo + hi) / 2
		// Whole factors of 2 are exact, so that 0.05 is.
		alpha := ladderTop * math.Exp2(-float64(mid/4)) * math.Pow(ladder, float64(mid%4))
		if says(alpha) {
			p, lo = alpha, mid+1
		} else {
			hi = mid
		}
	}
	return p
}

// Until returns how many more rounds it should take until a look of which the interval reaches no further than gap from
// its centre, if the rounds to come are like those so far; +Inf where none does. It
// serves to foretell, never to decide.
func (l Looks) Until(r Rounds, gap, alpha float64) float64 {
	n, sd := len(r.D), 0.0
	// The interval that holds the centre of normal rounds with a probability of 68% is one standard error to
	// either side.
	if iv := (Rounds{D: r.D}).At(n, 2*upperTail(1)); !math.IsInf(iv.Width(), 1) {
		sd = iv.Width() / 2 * math.Sqrt(float64(n))
	} else if n > 0 {
		_, sd = Spread(r.D)
	}
	if !(sd > 0) {
		if gap > 0 {
			return float64(max(max(l.Next(n), l.MinRounds(alpha))-n, 1))
		}
		return math.Inf(1)
	}
	for _, look := range l.Plan(alpha) {
		if look.Rounds <= n {
			continue
		}
		half := critical(look.Level) * sd / math.Sqrt(float64(look.Rounds))
		half = widened(half, r.widening(look.Rounds, look.Level), r.far(sd))
		if !look.reached() {
			half = max(half, (0.5+r.beside(look.Rounds, look.Level))*(slices.Max(r.D)-slices.Min(r.D)))
		}
		if half <= gap {
			return float64(look.Rounds - n)
		}
	}
	return math.Inf(1)
}
