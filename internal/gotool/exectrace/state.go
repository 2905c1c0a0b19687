package exectrace

import "golang.org/x/exp/trace"

// goroutine is one that has not ended. What it did is added to its group's sums
// at once; until its name is known, to sums of its own.
type goroutine struct {
	*sums
	name  string
	named bool

	state  trace.GoState
	since  trace.Time // in this state
	reason string     // why it waits
	p      *proc      // on which it runs or is in a system call
	off    bool       // its system call has lost the P,
	offAt  trace.Time // then

	worker    string // kind of the worker that it is while it runs
	assisting bool
	assistAt  trace.Time
}

// proc is a P: what is on it, and since when.
type proc struct {
	running bool
	thread  trace.ThreadID // which it runs on
	g       *goroutine     // on it, running or in a system call
	sweep   bool           // between begin and end of a sweep
	since   trace.Time     // until here its time is accounted for
	busy    bool           // the collector has it, for the utilisation

	sweepAt trace.Time
	sweepG  *goroutine // on it when the sweep began
}

// isBusy says whether the P is the collector's, and not the program's.
func (p *proc) isBusy() bool {
	if p.sweep {
		return true
	}
	g := p.g
	return p.running && g != nil && (g.assisting || g.worker == "dedicated" || g.worker == "fractional")
}
