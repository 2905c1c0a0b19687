package machine

import (
	"math"
	"slices"
)

// spinner is work that touches no memory: xorshift64 (Marsaglia, "Xorshift RNGs",
// 2003), each step of which waits for the one before.
type spinner struct{ state uint64 }

func (s *spinner) run(n int) {
	x := s.state
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	s.state = x
}

// mover is work that is bound by memory: it copies on through a long buffer, so
// that no unit finds in its L2 cache what an earlier one left.
type mover struct {
	from, to []byte
	at       int
}

func newMover(bytes int) *mover {
	m := &mover{from: make([]byte, bytes), to: make([]byte, bytes)}
	for i := range m.from { // touch each page now, not in the first unit; and not the shared zero page
		m.from[i], m.to[i] = byte(i), 1
	}
	return m
}

// run copies n bytes.
func (m *mover) run(n int) {
	for n > 0 {
		c := copy(m.to[m.at:min(len(m.to), m.at+n)], m.from[m.at:])
		n -= c
		m.at = (m.at + c) % len(m.from)
	}
}

// summarise describes the seconds of equal units. Lag1 is the lag-1 autocorrelation
// of the units' ranks: of the values themselves it would be decided by the few
// longest interruptions.
func summarise(seconds []float64) Unit {
	if len(seconds) == 0 {
		return Unit{}
	}
	sorted := slices.Sorted(slices.Values(seconds))
	u := Unit{Count: len(seconds), MedianSeconds: quantile(sorted, 0.5)}
	if u.MedianSeconds > 0 {
		u.Spread = (quantile(sorted, 0.95) - quantile(sorted, 0.05)) / u.MedianSeconds
	}
	slower := func(factor float64) float64 {
		n := 0
		for _, s := range seconds {
			if s > factor*u.MedianSeconds {
				n++
			}
		}
		return float64(n) / float64(len(seconds))
	}
	u.Slow10Share, u.Slow50Share = slower(1.1), slower(1.5)
	u.LongestGapSeconds = sorted[len(sorted)-1] - u.MedianSeconds
	u.Lag1 = lag1(ranks(seconds, sorted))
	return u
}

// quantile interpolates between order statistics (type 7 of Hyndman and Fan,
// "Sample Quantiles in Statistical Packages", 1996).
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// ranks gives each value's rank; equal values share their mean rank.
func ranks(values, sorted []float64) []float64 {
	r := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		past, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
		r[i] = float64(first+past-1) / 2
	}
	return r
}

// lag1 returns the correlation of a series with itself one step later; 0 where it does
// not vary.
func lag1(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	var products, squares float64
	for i, v := range x {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			products += (v - mean) * (x[i-1] - mean)
		}
	}
	if squares == 0 {
		return 0
	}
	return products / squares
}
