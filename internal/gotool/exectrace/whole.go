package exectrace

import (
	"maps"

	"golang.org/x/exp/trace"
)

// event takes the next event. The error is a time that cannot be.
func (a *analysis) event(e *trace.Event) error {
	t := e.Time()
	if !a.sched.begun {
		a.sched.begin(t)
	} else if e.Kind() == trace.EventSync {
		a.generationEnds(t)
	}
	if err := a.sched.advance(t); err != nil {
		return err
	}
	a.take(e)
	return nil
}

// generationEnds is told that the reader has delivered a generation whole, and when the
// next begins. What the trace says up to here is kept: if what follows is damaged, the
// reader notices only in the middle of it, when it has delivered events of some threads
// long before those of others, or with times that are wrong.
func (a *analysis) generationEnds(next trace.Time) {
	if a.whole != nil && a.out.Events == a.whole.Events {
		return // cut off before its first event
	}
	a.out.Generations++
	a.load.release(0) // after the first, nothing turns out to have been on since the beginning
	// The reader ends a trace a nanosecond after its last event. A later time is that of
	// the next generation, of which nothing is known yet.
	a.sched.now = max(a.sched.now, min(next, a.sched.now+1))
	a.whole = a.clone().finish()
}

// clone is an analysis that can be finished while this one goes on. It costs about as
// much as an event for each goroutine that there is.
func (a *analysis) clone() *analysis {
	c := *a
	c.threads, c.workers = maps.Clone(a.threads), maps.Clone(a.workers)
	var twins map[*goroutine]*goroutine
	c.sched, twins = a.sched.clone()
	c.collections, c.pauses = a.collections.clone(), a.pauses.clone(twins)
	c.sweeps, c.assists = a.sweeps.clone(), a.assists.clone()
	c.load = a.load.clone()
	return &c
}
