package exectrace

import "time"

// utilisation is a function of time that changes in steps: how many of n
// processors the collector has, or that it has stopped them all.
type utilisation struct {
	at   int64
	gc   int32
	n    int32 // 0 is not known yet
	stop bool
}

// loss is the share of the processors that the program does not have.
func (u utilisation) loss() float64 {
	switch {
	case u.stop:
		return 1
	case u.n <= 0:
		return 0
	}
	return min(1, float64(u.gc)/float64(u.n))
}

// minimum finds, for each of some lengths, the window in which the mean loss is
// largest. The mean over a window is piecewise linear in the window's place, and
// bends only where one of its ends meets a step: only there can be its extreme.
// Steps older than the longest window are forgotten.
type minimum struct {
	windows []window
	longest int64
	steps   []step // a suffix of all steps
	dropped int    // how many were before it
	started bool
}

type step struct {
	at   int64
	loss float64 // from here on
	sum  float64 // integral of the loss from the first step to here
}

type window struct {
	length int64
	left   int // first step that has not been its left end
	worst  float64
	at     int64
	any    bool
}

func newMinimum(lengths []time.Duration) *minimum {
	m := &minimum{}
	for _, l := range lengths {
		m.windows = append(m.windows, window{length: int64(l)})
		m.longest = max(m.longest, int64(l))
	}
	return m
}

// step is told that from at on the loss is another. Times must not fall.
func (m *minimum) step(at int64, loss float64) {
	if !m.started {
		m.started = true
		m.steps = append(m.steps, step{at: at, loss: loss})
		return
	}
	last := &m.steps[len(m.steps)-1]
	if loss == last.loss {
		return
	}
	if at == last.at { // of two at one moment the worse counts, as in Go's own
		last.loss = max(last.loss, loss)
		return
	}
	sum := m.advance(at)
	m.forget(at)
	m.steps = append(m.steps, step{at, loss, sum})
}

// advance tries the windows that end after the last step and not after at. It
// returns the integral of the loss up to at.
func (m *minimum) advance(at int64) float64 {
	last := m.steps[len(m.steps)-1]
	total := last.sum + last.loss*float64(at-last.at)
	for i := range m.windows {
		w := &m.windows[i]
		for ; w.left-m.dropped < len(m.steps); w.left++ {
			left := m.steps[w.left-m.dropped]
			right := left.at + w.length
			if right > at {
				break
			}
			w.try(left.at, last.sum+last.loss*float64(right-last.at)-left.sum)
		}
		if w.left > 0 { // the window that ends at at begins after the first step
			left := m.steps[w.left-1-m.dropped]
			begin := at - w.length
			w.try(begin, total-left.sum-left.loss*float64(begin-left.at))
		}
	}
	return total
}

func (w *window) try(begin int64, loss float64) {
	if mean := loss / float64(w.length); !w.any || mean > w.worst {
		w.any, w.worst, w.at = true, mean, begin
	}
}

// forget drops steps that no window that ends at at or later can need.
func (m *minimum) forget(at int64) {
	old := len(m.steps)
	for _, w := range m.windows {
		old = min(old, w.left-1-m.dropped)
	}
	if old > 1024 && old > len(m.steps)/2 {
		m.steps = append(m.steps[:0], m.steps[old:]...)
		m.dropped += old
	}
}

// finish is told when the trace ended.
func (m *minimum) finish(end int64, zero int64) (all []MMU) {
	if !m.started || end <= m.steps[0].at && m.dropped == 0 {
		return nil
	}
	total := m.advance(end)
	for _, w := range m.windows {
		u := MMU{Window: time.Duration(w.length), Util: 1 - w.worst, At: time.Duration(w.at - zero)}
		if !w.any {
			begin := m.steps[0].at // nothing was dropped: that takes a window
			u.Whole, u.Util, u.At = true, 1-total/float64(end-begin), time.Duration(begin-zero)
		}
		u.Util = min(1, max(0, u.Util))
		all = append(all, u)
	}
	return all
}
