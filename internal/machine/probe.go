package machine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
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
