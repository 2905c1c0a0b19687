package stat

import (
	"math"
	"slices"
)

// ratioAngles is the number of angles of the scan over ratios.
const ratioAngles = 200

// RatioOfSums estimates how many times as large a is as b from rounds in which either may
// be zero: counts of faults, waits, collections. The ratio is Σa / Σb over all rounds.
// A ratio per round, with the rounds that have a zero left out, speaks for the others only:
// Poisson counts of mean 2 against 1 give 1.41 that way.
//
// The interval at level 1 − alpha holds the ratios r at which the signed ranks of the differences a − r·b do not exclude,
// at the last look, that they are centred on 0. It assumes that a − r·b is symmetric around 0
// at the true r, which rare counts are not: so the differences are of sums over blocks of
// successive rounds, as few in a block as it takes for each side to have, on average, a
// value other than 0 in it (TestRatioOfSumsCovers says how often it misses).
//
// The ranks may exclude Σa / Σb: of 20 rounds that are alike and one that is not they know 1 and nothing else. The interval
// is widened to hold it, for a figure outside of its own interval says nothing.
//
// Where that leaves too few blocks the interval is [0, +Inf], or [0, 1] or [1, +Inf] where
// the rounds one by one exclude that both sides are alike, for which a − b is symmetric
// without blocks.
//
// The ratio is NaN, with [0, +Inf], when the lengths differ, there are no rounds, a value is
// negative or [Check] refuses it, or both sums are 0.
func (l Looks) RatioOfSums(a, b []float64, alpha float64) (ratio float64, iv Interval) {
	iv = Interval{0, math.Inf(1)}
	if len(a) != len(b) || !counts(a) || !counts(b) {
		return math.NaN(), iv
	}
	sumA, sumB := total(a), total(b)
	if sumA == 0 && sumB == 0 {
		return math.NaN(), iv
	}
	ratio = sumA / sumB
	size := l.blockOf(a, b, alpha)
	if size == 0 {
		return ratio, l.oneSide(a, b, ratio, alpha)
	}
	return ratio, l.ratioScan(a, b, sumA, sumB, size, alpha).interval().holding(ratio)
}

func counts(x []float64) bool {
	return Check(x) == nil && !slices.ContainsFunc(x, func(v float64) bool { return v < 0 })
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// blockOf returns how many rounds make a block; 0 where none leaves MinRounds(alpha) blocks.
func (l Looks) blockOf(a, b []float64, alpha float64) int {
	least := l.MinRounds(alpha)
	for size := 1; len(a)/size >= least; size++ {
		if min(nonZero(a), nonZero(b))*size >= len(a) {
			return size
		}
	}
	return 0
}

func nonZero(x []float64) int {
	n := 0
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

// oneSide returns [0, 1] or [1, +Inf] where the rounds exclude that a and b are alike.
func (l Looks) oneSide(a, b []float64, ratio, alpha float64) Interval {
	iv := Interval{0, math.Inf(1)}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	switch {
	case !l.excludesZero(d, alpha):
	case ratio < 1:
		iv.Hi = 1
	default:
		iv.Lo = 1
	}
	return iv
}

// A ratioScan looks for the ratios that are not excluded, as angles: r is
// tan φ · Σa/Σb, so that both ends, 0 and infinity, are within reach.
type ratioScan struct {
	a, b  []float64 // sums of blocks, each side with total 1
	scale float64   // Σa/Σb
	level float64   // of the last look
}

func (l Looks) ratioScan(a, b []float64, sumA, sumB float64, size int, alpha float64) ratioScan {
	s := ratioScan{scale: sumA / sumB}
	blocks := l.At(len(a) / size)
	s.level = l.level(blocks, alpha)
	for i := range blocks {
		s.a = append(s.a, total(a[i*size:(i+1)*size])/sumA)
		s.b = append(s.b, total(b[i*size:(i+1)*size])/sumB)
	}
	return s
}

// excludesZero reports whether the last look says that d is not centred on 0.
func (l Looks) excludesZero(d []float64, alpha float64) bool {
	n := l.At(len(d))
	return n > 0 && SignedRanks(d[:n]) <= l.level(n, alpha)
}

func (s ratioScan) accepts(angle float64) bool {
	sin, cos := math.Sincos(angle)
	d := make([]float64, len(s.a))
	for i := range d {
		x, y := cos*s.a[i], sin*s.b[i]
		if d[i] = x - y; math.Abs(d[i]) <= 1e-12*(x+y) {
			d[i] = 0 // the ratio of this block, but for rounding
		}
	}
	return SignedRanks(d) > s.level
}

// interval returns the hull of the ratios that are accepted: the ends of a grid, the
// ratios of the blocks among it, bisected.
func (s ratioScan) interval() Interval {
	const right = math.Pi / 2
	grid := []float64{math.Pi / 4}
	for i := range ratioAngles + 1 {
		grid = append(grid, right*float64(i)/ratioAngles)
	}
	for i := range s.a {
		if s.a[i] != 0 || s.b[i] != 0 {
			grid = append(grid, math.Atan2(s.a[i], s.b[i]))
		}
	}
	slices.Sort(grid)
	first := slices.IndexFunc(grid, s.accepts)
	if first < 0 {
		return Empty()
	}
	last := len(grid) - 1
	for !s.accepts(grid[last]) {
		last--
	}
	iv := Interval{0, math.Inf(1)}
	if first > 0 {
		iv.Lo = s.scale * math.Tan(s.end(grid[first], grid[first-1]))
	}
	if last < len(grid)-1 {
		iv.Hi = s.scale * math.Tan(s.end(grid[last], grid[last+1]))
	}
	return iv
}

// end bisects between an accepted angle and one that is not, and returns the outer side.
func (s ratioScan) end(in, out float64) float64 {
	for range 30 {
		if mid := in + (out-in)/2; s.accepts(mid) {
			in = mid
		} else {
			out = mid
		}
	}
	return out
}
