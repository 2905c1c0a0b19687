package exectrace

import (
	"maps"
	"slices"

	"golang.org/x/exp/trace"
)

// generationEnds records that the reader has delivered a complete generation, and when
// the next begins. The results up to here are kept: if the following generation is
// damaged, the reader notices only in the middle of it, when it has delivered events of
// some threads long before those of others, or with times that are wrong.
func (a *analysis) generationEnds(next trace.Time) {
	if a.whole != nil && a.out.Events == a.whole.Events {
		return // cut off before its first event
	}
	a.out.Generations++
	a.load.release(0) // after the first generation, no range turns out to have been on since the beginning
	// The reader ends a trace a nanosecond after its last event. A later time is that of
	// the next generation, which has not been read.
	a.now = max(a.now, min(next, a.now+1))
	a.whole = a.clone().finish()
}

// clone returns an analysis that can be finished while this one goes on. It costs about
// as much as one event for each existing goroutine.
func (a *analysis) clone() *analysis {
	c := *a
	c.threads, c.runs = maps.Clone(a.threads), maps.Clone(a.runs)
	c.groups = make(map[string]*group, len(a.groups))
	for name, g := range a.groups {
		c.groups[name] = &group{g.name, g.sums.clone()}
	}
	procs := make(map[*proc]*proc, len(a.procs.of))
	c.procs.last, c.procs.of = nil, make(map[trace.ProcID]*proc, len(a.procs.of))
	for id, p := range a.procs.of {
		twin := *p
		procs[p], c.procs.of[id] = &twin, &twin
	}
	twins := make(map[*goroutine]*goroutine, len(a.goroutines))
	c.goroutines = make(map[trace.GoID]*goroutine, len(a.goroutines))
	for id, g := range a.goroutines {
		twin := *g
		twin.p = procs[g.p]
		if g.named {
			twin.sums = &c.groups[g.name].sums
		} else {
			own := g.sums.clone()
			twin.sums = &own
		}
		twins[g], c.goroutines[id] = &twin, &twin
	}
	for _, p := range c.procs.of {
		p.g, p.sweepG = twins[p.g], twins[p.sweepG]
	}
	c.stop.g = twins[a.stop.g]
	c.reasons = make(map[string]*Reason, len(a.reasons))
	for name, r := range a.reasons {
		twin := *r
		c.reasons[name] = &twin
	}
	c.cycles.kept = slices.Clone(a.cycles.kept)
	c.timeline = make(timelines, len(a.timeline))
	for k, l := range a.timeline {
		twin := *l
		twin.kept = slices.Clone(l.kept)
		c.timeline[k] = &twin
	}
	c.load = a.load.clone()
	return &c
}

func (s *sums) clone() sums {
	c := *s
	c.block, c.ranges = slices.Clone(s.block), slices.Clone(s.ranges)
	return c
}

func (h *delayed) clone() *delayed {
	c, to := *h, *h.to
	to.windows, to.steps = slices.Clone(to.windows), slices.Clone(to.steps)
	c.steps, c.to = slices.Clone(h.steps), &to
	return &c
}
