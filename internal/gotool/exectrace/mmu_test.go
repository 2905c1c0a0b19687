package exectrace

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// slow is the largest mean loss of a window, by trying each that begins or ends
// at a step, and each sum anew.
func slow(steps []step, end, length int64) float64 {
	integral := func(from, to int64) (sum float64) {
		for i, s := range steps {
			next := end
			if i+1 < len(steps) {
				next = steps[i+1].at
			}
			if a, b := max(s.at, from), min(next, to); a < b {
				sum += s.loss * float64(b-a)
			}
		}
		return sum
	}
	worst := 0.0
	for _, at := range append(steps, step{at: end}) {
		for _, begin := range []int64{at.at, at.at - length} {
			if begin >= steps[0].at && begin+length <= end {
				worst = max(worst, integral(begin, begin+length)/float64(length))
			}
		}
	}
	return worst
}

func TestMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		lengths := []time.Duration{1, 7, 40, 300}
		m := newMinimum(lengths)
		var steps []step
		at := r.Int64N(100)
		for range 1 + r.IntN(60) {
			loss := float64(r.IntN(5)) / 4
			m.step(at, loss)
			if len(steps) == 0 || steps[len(steps)-1].loss != loss {
				steps = append(steps, step{at: at, loss: loss})
			}
			at += 1 + r.Int64N(30)
		}
		for _, got := range m.finish(at, steps[0].at) {
			length := int64(got.Window)
			if got.Whole != (length > at-steps[0].at) {
				t.Fatalf("round %d: window %d in %d: Whole is %v", round, length, at-steps[0].at, got.Whole)
			}
			if got.Whole {
				length = at - steps[0].at
			}
			if want := 1 - slow(steps, at, length); math.Abs(got.Util-want) > 1e-9 {
				t.Fatalf("round %d: in a window of %d %g is left; it is %g: %v", round, length, got.Util, want, steps)
			}
		}
	}
}

// What is kept is bounded by the longest window, not by the trace.
func TestMinimumForgets(t *testing.T) {
	m := newMinimum([]time.Duration{100, 10_000})
	most := 0
	for i := range int64(1_000_000) {
		m.step(i, float64(i%2))
		most = max(most, len(m.steps))
	}
	if most > 25_000 {
		t.Errorf("%d steps are kept of a window of 10,000", most)
	}
	for _, u := range m.finish(1_000_000, 0) {
		if u.Util != 0.5 || u.At != 0 {
			t.Errorf("%+v", u)
		}
	}
}

func TestHeld(t *testing.T) {
	h := newHeld([]time.Duration{10})
	h.change(0, 1, false) // GOMAXPROCS is not known yet
	h.change(10, 0, false)
	h.procs(20, 4)
	h.change(30, 2, false)
	h.since() // and one more was the collector's all the time
	h.release(0)
	h.change(40, 4, false)
	h.change(50, 4, true)
	want := []step{{at: 0, loss: 0.5}, {at: 10, loss: 0.25}, {at: 30, loss: 0.75}, {at: 40, loss: 1}}
	for i, s := range h.to.steps {
		if i >= len(want) || s.at != want[i].at || s.loss != want[i].loss {
			t.Fatalf("%+v", h.to.steps)
		}
	}
	if len(h.to.steps) != len(want) || h.steps != nil {
		t.Errorf("%+v, held %+v", h.to.steps, h.steps)
	}
}
