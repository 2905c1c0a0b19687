package machine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// planted is a bench on a clock of its own: n pieces of work of kind k take n ×
// cost[k], and the i-th unit of a kind is slowed by slow(k, i).
func planted(cost [2]time.Duration, slow func(kind, i int) float64) *bench {
	var clock time.Duration
	b := &bench{now: func() time.Duration { return clock }}
	for k := range b.work {
		i := 0
		b.work[k] = func(n int) {
			clock += time.Duration(float64(n) * float64(cost[k]) * slow(k, i))
			i++
		}
	}
	return b
}

// Units come out at a millisecond whatever the work costs, although four in five of
// the calibration's tries are disturbed.
func TestCalibrate(t *testing.T) {
	b := planted([2]time.Duration{1, 300}, func(_, i int) float64 {
		if i%5 != 3 {
			return 3
		}
		return 1
	})
	b.calibrate()
	for k, want := range []int{1_000_000, 3333} {
		if got := b.n[k]; math.Abs(float64(got-want)) > 0.01*float64(want) {
			t.Errorf("kind %d: %d pieces of work in a unit, want about %d", k, got, want)
		}
	}
}

// Faults of known size are found at their known rate, and in their own kind only.
func TestPlantedFaults(t *testing.T) {
	b := planted([2]time.Duration{100, 100}, func(kind, i int) float64 {
		switch {
		case kind == 0 && i%20 == 7:
			return 1.2
		case kind == 0 && i%100 == 50:
			return 5
		}
		return 1
	})
	b.n = [2]int{10_000, 10_000}
	times, err := b.run(context.Background(), 2500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	cpu, memory := summarise(times[0]), summarise(times[1])
	if cpu.Count < 1000 || memory.Count != cpu.Count {
		t.Fatalf("%d and %d units, want the same and above 1000", cpu.Count, memory.Count)
	}
	for _, c := range []struct {
		what      string
		got, want float64
		tolerance float64
	}{
		{"median", cpu.MedianSeconds, 1e-3, 1e-9},
		{"more than 10% slow", cpu.Slow10Share, 0.06, 0.002},
		{"more than 50% slow", cpu.Slow50Share, 0.01, 0.002},
		{"longest gap", cpu.LongestGapSeconds, 4e-3, 1e-9},
		{"spread", cpu.Spread, 0.2, 1e-9},
		{"disturbed of the other kind", memory.Slow10Share, 0, 0},
		{"spread of the other kind", memory.Spread, 0, 0},
		{"autocorrelation of a constant", memory.Lag1, 0, 0},
	} {
		if math.Abs(c.got-c.want) > c.tolerance {
			t.Errorf("%s: %v, want %v within %v", c.what, c.got, c.want, c.tolerance)
		}
	}
}

// Noise in stretches shows as autocorrelation; the same values shuffled do not.
func TestLag1(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 2000)
	for i := range x {
		if i > 0 {
			x[i] = 0.9*x[i-1] + rng.NormFloat64()
		}
	}
	for i := range x {
		x[i] = 1e-3 * math.Exp(x[i]/100)
	}
	if got := summarise(x).Lag1; math.Abs(got-0.9) > 0.05 { // of ranks: a little below
		t.Errorf("AR(0.9): %v, want 0.9", got)
	}
	rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	if got := summarise(x).Lag1; math.Abs(got) > 4/math.Sqrt(2000) {
		t.Errorf("shuffled: %v, want 0 within 4 standard errors", got)
	}
	// One interruption of a thousand units' length must not hide the stretches.
	if got := lag1(ranks([]float64{1, 2, 3, 4, 1e6, 5, 6, 7}, []float64{1, 2, 3, 4, 5, 6, 7, 1e6})); got < 0.1 {
		t.Errorf("a trend with an outlier: %v", got)
	}
}

func TestRanksAndQuantile(t *testing.T) {
	values := []float64{3, 1, 3, 2}
	if got, want := ranks(values, []float64{1, 2, 3, 3}), []float64{2.5, 0, 2.5, 1}; !slices.Equal(got, want) {
		t.Errorf("ranks of %v: %v, want %v", values, got, want)
	}
	sorted := []float64{1, 2, 3, 4, 5}
	for p, want := range map[float64]float64{0: 1, 0.5: 3, 0.95: 4.8, 1: 5} {
		if got := quantile(sorted, p); !near(got, want) {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	if u := summarise(nil); u != (Unit{}) {
		t.Errorf("no units: %+v", u)
	}
}

// The mover copies as many bytes as asked, on from where it stopped, and around the
// end.
func TestMover(t *testing.T) {
	m := newMover(1000)
	m.run(700)
	if !slices.Equal(m.to[:700], m.from[:700]) || slices.Equal(m.to[700:], m.from[700:]) || m.at != 700 {
		t.Errorf("after 700 of 1000 bytes it is at %d", m.at)
	}
	m.run(2300)
	if !slices.Equal(m.to, m.from) || m.at != 0 {
		t.Errorf("after 3000 bytes it is at %d, want 0 and all copied", m.at)
	}
}

// On the live machine: nothing about how fast, only that the parts fit together.
func TestMeasureNoise(t *testing.T) {
	s, err := NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := MeasureNoise(context.Background(), s, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for name, u := range map[string]Unit{"cpu": p.CPU, "memory": p.Memory} {
		total += float64(u.Count) * u.MedianSeconds / 2 // at least half the units take the median or more
		if u.Count == 0 || u.MedianSeconds <= 0 || u.Slow50Share > u.Slow10Share || u.Slow10Share > 0.5 ||
			u.LongestGapSeconds < 0 || math.Abs(u.Lag1) > 1 {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if total > p.Seconds {
		t.Errorf("%v s of work in %v s", total, p.Seconds)
	}
	if p.TimerCostSeconds <= 0 {
		t.Errorf("time.Now costs %v s", p.TimerCostSeconds)
	}
	if i, _ := s.Snapshot(); !math.IsNaN(i.Busy) && (p.ForeignShare == nil || *p.ForeignShare < 0) {
		t.Errorf("busy time is counted, foreign share is %v", p.ForeignShare)
	}
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
}

func TestMeasureNoiseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := MeasureNoise(ctx, nil, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want %v", err, context.Canceled)
	}
	if _, err := MeasureNoise(context.Background(), nil, 0); err == nil {
		t.Error("no duration was accepted")
	}
}
