package exectrace

import (
	"slices"
	"time"
)

// held holds utilisation back as long as it is not known for sure: in the first
// generation of a trace a range turns out to have been on since the beginning
// only when its processor or goroutine is first heard of, and GOMAXPROCS is not
// known before it is first told. Then it goes to the minimum.
type held struct {
	to    *minimum
	steps []utilisation
	now   utilisation
	free  bool
	max   int32
}

func newHeld(windows []time.Duration) *held { return &held{to: newMinimum(windows)} }

// change is told of the state of things after each event that may have changed it.
func (h *held) change(at int64, gc int32, stop bool) {
	if gc == h.now.gc && stop == h.now.stop && h.any() {
		return
	}
	h.now.gc, h.now.stop = gc, stop
	h.put(at)
}

// procs is told of GOMAXPROCS.
func (h *held) procs(at int64, n int32) {
	h.max = max(h.max, n)
	if h.now.n == 0 { // it was that from the beginning
		for i := range h.steps {
			h.steps[i].n = n
		}
	} else if n == h.now.n {
		return
	}
	h.now.n = n
	h.put(at)
}

func (h *held) any() bool { return h.free || len(h.steps) > 0 }

func (h *held) put(at int64) {
	h.now.at = at
	if h.free {
		h.to.step(at, h.now.loss())
		return
	}
	h.steps = append(h.steps, h.now)
}

// since says that one processor more was the collector's from the beginning
// until now.
func (h *held) since() {
	for i := range h.steps {
		h.steps[i].gc++
	}
}

// release lets everything go that was held, if GOMAXPROCS is known; with a
// number of processors it is that if it is not.
func (h *held) release(procs int) {
	if h.free || h.now.n == 0 && procs == 0 {
		return
	}
	if h.now.n == 0 {
		h.now.n = int32(procs)
		for i := range h.steps {
			h.steps[i].n = h.now.n
		}
	}
	for _, u := range h.steps {
		h.to.step(u.at, u.loss())
	}
	h.free, h.steps = true, nil
}

func (h *held) clone() *held {
	c, to := *h, *h.to
	to.windows, to.steps = slices.Clone(to.windows), slices.Clone(to.steps)
	c.steps, c.to = slices.Clone(h.steps), &to
	return &c
}
