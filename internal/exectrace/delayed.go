package exectrace

import "time"

// delayed delays utilisation until it is certain: in the first generation of a trace, a
// range may turn out to have been on since the beginning only at the first event of its
// processor or goroutine, and GOMAXPROCS is unknown before its first event. Then it is
// passed to the minimum.
type delayed struct {
	to    *minimum
	steps []utilisation
	now   utilisation
	free  bool
	max   int32
}

func newDelayed(windows []time.Duration) *delayed { return &delayed{to: newMinimum(windows)} }

// change records the state after each event that may have changed it.
func (h *delayed) change(at int64, gc int32, stop bool) {
	if gc == h.now.gc && stop == h.now.stop && h.any() {
		return
	}
	h.now.gc, h.now.stop = gc, stop
	h.put(at)
}

// procs records GOMAXPROCS.
func (h *delayed) procs(at int64, n int32) {
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

func (h *delayed) any() bool { return h.free || len(h.steps) > 0 }

func (h *delayed) put(at int64) {
	h.now.at = at
	if h.free {
		h.to.step(at, h.now.loss())
		return
	}
	h.steps = append(h.steps, h.now)
}

// since records that one processor more has been the collector's from the beginning
// until now.
func (h *delayed) since() {
	for i := range h.steps {
		h.steps[i].gc++
	}
}

// release passes everything on that was delayed, if GOMAXPROCS is known; procs, if not
// 0, is used where it is not.
func (h *delayed) release(procs int) {
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
