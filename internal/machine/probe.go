package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

const (
	unitSeconds = 1e-3

	// copyBytes is the length of source and of destination. Together they are larger
	// than the largest known L2 cache, the 16 MiB of a cluster of Apple M2 to M4 cores.
	copyBytes = 16 << 20
)

// MeasureNoise runs pure-CPU units and memory-bound units of about 1 ms each in turn, on
// one locked thread for about d, and returns how evenly they ran. The sampler is read
// before and after; with nil the shares of other processes are unknown.
//
// The units are calibrated once and are then the same work each time. The garbage
// collector is off meanwhile. d should be at least half a second: [Assess] grades no
// probe with fewer than 100 units of a kind. It takes 32 MiB of memory. It returns the
// context's error when the context ends first.
func MeasureNoise(ctx context.Context, sampler *Sampler, d time.Duration) (Probe, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	spin := spinner{state: 1}
	move := newMover(copyBytes)
	start := time.Now()
	b := bench{
		now:  func() time.Duration { return time.Since(start) },
		work: [2]func(int){spin.run, move.run},
	}
	b.calibrate()
	var p Probe
	p.TimerResolutionSeconds, p.TimerCostSeconds = timer()

	others, err := watch(sampler)
	if err != nil {
		return Probe{}, fmt.Errorf("measuring noise: %w", err)
	}
	begin := b.now()
	times, err := b.run(ctx, d)
	p.Seconds = (b.now() - begin).Seconds()
	if err != nil {
		return Probe{}, fmt.Errorf("measuring noise for %v: %w", d, err)
	}
	p.CPU, p.Memory = summarise(times[0]), summarise(times[1])
	if p.StealShare, p.ForeignShare, err = others(); err != nil {
		return Probe{}, fmt.Errorf("measuring noise: %w", err)
	}
	runtime.KeepAlive(spin.state) // the arithmetic must not be optimised away
	return p, nil
}

// watch notes the counters now; the function it returns gives the shares since then.
func watch(s *Sampler) (func() (steal, foreign *float64, err error), error) {
	if s == nil {
		return func() (*float64, *float64, error) { return nil, nil, nil }, nil
	}
	own := OwnCPU()
	before, err := s.Snapshot()
	return func() (steal, foreign *float64, err error) {
		after, err := s.Snapshot()
		if err != nil {
			return nil, nil, err
		}
		i := before.Until(after)
		return share(i.Steal, i.Wall), share(i.Foreign(OwnCPU()-own), i.Wall), nil
	}, err
}

func share(seconds, wall float64) *float64 {
	if v := seconds / wall; !math.IsNaN(v) && !math.IsInf(v, 0) {
		return &v
	}
	return nil
}

// A bench runs two kinds of work in turn. The clock and the work are fields so that
// tests can plant faults of known size.
type bench struct {
	now  func() time.Duration
	work [2]func(n int)
	n    [2]int // amount of work in a unit
}

// calibrate finds the n of each kind that takes about unitSeconds. It takes the
// fastest of a few tries, because an interruption only ever adds time.
func (b *bench) calibrate() {
	for k := range b.work {
		b.n[k] = 1 << 10
		for range 40 { // doubling 40 times is more than any machine needs
			best := math.Inf(1)
			for range 5 {
				best = math.Min(best, b.time(k).Seconds())
			}
			if best >= unitSeconds/4 {
				b.n[k] = max(1, int(float64(b.n[k])*unitSeconds/best))
				break
			}
			b.n[k] *= 2
		}
	}
}

func (b *bench) time(k int) time.Duration {
	start := b.now()
	b.work[k](b.n[k])
	return b.now() - start
}

// run alternates between the kinds for d and returns the seconds of each unit, by kind.
func (b *bench) run(ctx context.Context, d time.Duration) ([2][]float64, error) {
	if d <= 0 {
		return [2][]float64{}, errors.New("the duration must be positive")
	}
	// Room for units twice as fast as calibrated, because growing in between would
	// be noise; faster ones end the run before d.
	room := int(d.Seconds()/unitSeconds) + 16
	times := [2][]float64{make([]float64, 0, room), make([]float64, 0, room)}
	for end := b.now() + d; b.now() < end && len(times[0]) < room; {
		if err := ctx.Err(); err != nil {
			return times, err
		}
		for k := range b.work {
			times[k] = append(times[k], b.time(k).Seconds())
		}
	}
	return times, nil
}

// timer measures time.Now itself: the smallest step between two readings that
// differ, and the cost of one, as the fastest of several batches.
func timer() (resolution, cost float64) {
	resolution, cost = math.Inf(1), math.Inf(1)
	const calls = 1000
	for range 10 {
		start := time.Now()
		last := start
		for range calls {
			now := time.Now()
			if step := now.Sub(last); step > 0 {
				resolution = math.Min(resolution, step.Seconds())
			}
			last = now
		}
		cost = math.Min(cost, last.Sub(start).Seconds()/calls)
	}
	if math.IsInf(resolution, 0) { // a clock coarser than all of this
		resolution = 0
	}
	return resolution, cost
}

// Probe is the result of a noise measurement.
type Probe struct {
	Seconds float64 `json:"seconds"` // wall time it took
	CPU     Unit    `json:"cpu"`     // a chain of arithmetic in registers
	Memory  Unit    `json:"memory"`  // a copy through a buffer larger than any L2 cache

	// CPUs' worth of time per second of wall time: 0.3 is 30% of one CPU. nil where the
	// machine does not report it. Both come from ticks of 10 ms, so over a second a few
	// hundredths mean nothing.
	StealShare   *float64 `json:"stealShare"`   // spent by the hypervisor on others
	ForeignShare *float64 `json:"foreignShare"` // spent by other processes

	TimerResolutionSeconds float64 `json:"timerResolutionSeconds"` // smallest step seen of time.Now
	TimerCostSeconds       float64 `json:"timerCostSeconds"`       // of one time.Now
}

// Unit holds how evenly one fixed piece of work was done.
type Unit struct {
	Count             int     `json:"count"`
	MedianSeconds     float64 `json:"medianSeconds"`
	Spread            float64 `json:"spread"`            // (p95 − p5) / median
	Slow10Share       float64 `json:"slow10Share"`       // share of units slower than 1.1 × median
	Slow50Share       float64 `json:"slow50Share"`       // share of units slower than 1.5 × median
	LongestGapSeconds float64 `json:"longestGapSeconds"` // slowest unit less the median: the longest interruption
	// lag-1 autocorrelation of the ranks, −1 to 1: noise that comes in stretches
	Lag1 float64 `json:"lag1"`
}

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

// CopyTime returns the seconds that a plain copy of so many bytes takes that stays in the first
// cache, and of how many copies: the fastest of a few tries, for what disturbs makes it slower
// only. It is 0 where the copy was not done.
func CopyTime(size int) (sec float64, times int) {
	const tries, of = 20, 100
	from, to := make([]byte, size), make([]byte, size)
	for i := range from {
		from[i] = byte(i)
	}
	best := time.Duration(0)
	for range tries {
		began := time.Now()
		for range of {
			copy(to, from)
		}
		if d := time.Since(began); best == 0 || d < best {
			best = d
		}
	}
	if !bytes.Equal(from, to) {
		best = 0
	}
	return best.Seconds() / of, tries * of
}
