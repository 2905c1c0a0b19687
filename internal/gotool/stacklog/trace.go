package stacklog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/exp/trace"
)

// stackUnit is the unit of a stack's number in a trace: the smallest stack
// (runtime/traceallocfree.go, Go 1.23 to 1.27), but on Windows and Plan 9. Numbers count
// from the start of the heap, so addresses in a trace differ from a log's.
const stackUnit = 2048

// The package runtime/trace of a program that memcost built marks in the trace, by a
// user's log event, where the program's own part begins and ends: the parts before and
// after are the tracer's, and do not count.
const (
	markCategory = "memcost"
	markBegins   = "memcost: the trace begins"
	markEnds     = "memcost: the trace ends"
)

// ReadTrace reads an execution trace of Go 1.23 or newer that was taken with
// GODEBUG=traceallocfree=1, from an unchanged runtime. It counts the stacks that were
// allocated and freed during the trace: all of them from Go 1.24 on. Go 1.23 leaves out
// those of a thread that is just writing another event (traceTryAcquire in
// runtime/stack.go of 1.23.12; 1.24 has traceAcquire), which is a warning. A growth is
// an allocation and a release that follow each other on one thread, which only copystack
// does; how much of a stack was in use, and which function grew, is not in a trace. A
// trace that was cut off gives the part before the cut, and a warning; so does one
// without events of stacks.
func ReadTrace(r io.Reader, o Options) (*Log, error) {
	t := &traced{tally: newTally(o.withDefaults()), all: o.Tracer, live: map[uint64]uint64{},
		last: map[trace.ThreadID]Event{}, tracers: map[trace.GoID]bool{}}
	head := bufio.NewReader(r)
	version, _ := head.Peek(len(leaky))
	t.leaky = string(version) == leaky
	t.goroutines.damage = func() bool { return t.unknown > 0 }
	events, err := trace.NewReader(head)
	if err != nil {
		return nil, fmt.Errorf("reading the execution trace: %w", err)
	}
	cut := false
	for {
		e, err := events.ReadEvent()
		switch {
		case err == nil:
			t.take(e)
			continue
		case errors.Is(err, io.EOF):
		case t.lines == 0:
			return nil, fmt.Errorf("reading the execution trace: %w", err)
		case errors.Is(err, io.ErrUnexpectedEOF):
			cut = true
			t.warn("the trace was cut off: %v", err)
		default:
			cut = true
			t.warn("the trace cannot be read further after %d events: %v", t.lines, err)
		}
		break
	}
	t.judge(cut)
	l := t.log
	l.Trace, l.Lines, l.Own, l.Damaged = true, t.lines, t.own, t.damaged
	l.Partial = t.started && !t.off
	return t.finish(), nil
}

// leaky is the beginning of a trace of the one Go release that leaves out events; a
// trace of Go 1.24 begins so too, and leaves out none.
const leaky = "go 1.23 trace"

// judge adds the warnings about a trace that was read.
func (t *traced) judge(cut bool) {
	if t.own == 0 && !cut {
		t.warn("no event of %d is about a stack: was the program run with GODEBUG=traceallocfree=1, and built with "+
			"Go 1.23 or newer?", t.lines)
	}
	if t.unknown > 0 {
		t.warn("%d stacks were freed that the trace did not say to exist, %d of them by a growth or shrink: their "+
			"sizes are not known, these changes do not count, totals are too low", t.unknown, t.lostChanges)
		if t.leaky {
			t.warn("Go 1.23 leaves stacks out of a trace that change while it writes another event: take Go 1.24 or " +
				"newer, or the log")
		}
	}
}

// traced is a trace being read.
type traced struct {
	*tally
	lines, own  int64             // events, and those of stacks
	damaged     int64             // of them, with a size that cannot be
	live        map[uint64]uint64 // address → size
	last        map[trace.ThreadID]Event
	tracers     map[trace.GoID]bool // goroutines that write the trace
	all         bool                // they count too
	leaky       bool                // events may be missing
	started     bool                // markBegins came
	unknown     int64               // stacks freed whose size is not known
	lostChanges int64               // of them, by a growth or shrink
}

func (t *traced) take(e trace.Event) {
	t.lines++
	switch e.Kind() {
	case trace.EventStackSample: // may come between any two
		return
	case trace.EventExperimental:
		t.stack(e)
		return
	case trace.EventLog:
		t.mark(e.Log())
	case trace.EventStateTransition:
		t.created(e.StateTransition())
	}
	if len(t.last) > 0 {
		delete(t.last, e.Thread())
	}
}

// mark begins or ends the part that counts.
func (t *traced) mark(l trace.Log) {
	switch {
	case l.Category != markCategory:
	case l.Message == markBegins:
		t.started = true
		t.reset()
		t.unknown, t.lostChanges = 0, 0
	case l.Message == markEnds:
		t.off = true
	}
}

// created remembers the goroutine that writes the trace: what its stack does is
// not the program's. It is started by runtime/trace itself.
func (t *traced) created(s trace.StateTransition) {
	if s.Resource.Kind != trace.ResourceGoroutine {
		return
	}
	if from, _ := s.Goroutine(); from != trace.GoNotExist {
		return
	}
	for f := range s.Stack.Frames() {
		if !t.all && strings.HasPrefix(f.Func, "runtime/trace.") {
			t.tracers[s.Resource.Goroutine()] = true
		}
		return
	}
}

func (t *traced) stack(e trace.Event) {
	if was := t.off; t.tracers[e.Goroutine()] {
		t.off = true
		defer func() { t.off = was }()
	}
	x := e.Experimental()
	switch x.Name {
	case "GoroutineStack":
		addr, size := stackOf(x)
		t.own++
		t.live[addr] = size
	case "GoroutineStackAlloc":
		addr, size := stackOf(x)
		t.own++
		if !validSize(size) {
			t.damaged++
			return
		}
		t.live[addr] = size
		alloc := Event{Kind: Alloc, Addr: addr, To: size}
		t.event(alloc)
		t.last[e.Thread()] = alloc
	case "GoroutineStackFree":
		t.own++
		t.free(e, x.ArgValue(0).Uint64()*stackUnit)
	}
}

// stackOf returns the address and the size of a stack that exists or is allocated.
func stackOf(x trace.ExperimentalEvent) (addr, size uint64) {
	addr = x.ArgValue(0).Uint64() * stackUnit
	if order := x.ArgValue(1).Uint64(); order > 0 && order <= 40 { // bits.Len64 of the size
		size = 1 << (order - 1)
	}
	return addr, size
}

func (t *traced) free(e trace.Event, addr uint64) {
	size := t.live[addr]
	delete(t.live, addr)
	alloc, changed := t.last[e.Thread()]
	delete(t.last, e.Thread())
	if !validSize(size) {
		if !t.off {
			t.unknown++
			if changed {
				t.lostChanges++
				t.goroutines.markIncomplete(uint64(e.Goroutine()))
			}
		}
		return
	}
	if changed {
		c := Event{Kind: Grow, G: uint64(e.Goroutine()), Addr: alloc.Addr, OldAddr: addr, From: size, To: alloc.To}
		if t.leaky && c.To > 2*c.From { // or the release of a stack at the same address is not in the trace
			t.goroutines.markIncomplete(c.G)
		}
		if c.To < c.From { // by the collector, on another goroutine's thread
			c.Kind = Shrink
			c.G = t.goroutines.owner(addr, c.G)
		}
		t.event(c)
	}
	t.event(Event{Kind: Free, Addr: addr, From: size})
}

// Difference is a figure of a log and of a trace.
type Difference struct {
	Figure string `json:"figure"`
	Log    int64  `json:"log"`
	Trace  int64  `json:"trace"`
}

// Off returns the difference as a share of the larger figure.
func (d Difference) Off() float64 {
	if d.Log == d.Trace {
		return 0
	}
	return float64(max(d.Log, d.Trace)-min(d.Log, d.Trace)) / float64(max(d.Log, d.Trace))
}

// Compare sets the figures that both a log and a trace of the same part of the
// same run have beside each other (Options.From and Until cut a log to that
// part): totals, then growths and shrinks by size.
func Compare(log, trace *Log) []Difference {
	all := []Difference{
		{"stacks allocated", log.Allocs.N, trace.Allocs.N},
		{"bytes of stacks allocated", log.Allocs.Bytes, trace.Allocs.Bytes},
		{"stacks freed", log.Frees.N, trace.Frees.N},
		{"bytes of stacks freed", log.Frees.Bytes, trace.Frees.Bytes},
		{"growths", log.Grows.N, trace.Grows.N},
		{"shrinks", log.Shrinks.N, trace.Shrinks.N},
	}
	return append(all, compareSteps(log, trace)...)
}

func compareSteps(log, trace *Log) []Difference {
	type key struct {
		kind     Kind
		from, to uint64
	}
	at := map[key]int{}
	var all []Difference
	for i, steps := range [][]Step{log.Steps, trace.Steps} {
		for _, s := range steps {
			k := key{s.Kind, s.From, s.To}
			j, ok := at[k]
			if !ok {
				j = len(all)
				at[k] = j
				all = append(all, Difference{Figure: fmt.Sprintf("%v from %d to %d bytes", s.Kind, s.From, s.To)})
			}
			if i == 0 {
				all[j].Log = s.N
			} else {
				all[j].Trace = s.N
			}
		}
	}
	return all
}

// edge is the number of stacks that may be on different sides of a mark in a log and in
// a trace, which the tracer writes one after the other, and edgeBytes their size: those
// of a thread that the runtime starts just then (16 and 32 KiB on Linux) and of two
// goroutines. Usually there is none: of 60 runs of a program that does nothing, with
// go1.26.8, not one differed. Larger differences are never accepted as a small share of
// few.
const (
	edge      = 4
	edgeBytes = (16 + 32 + 2 + 2) << 10
)

// Agree returns an error for totals that differ by more than a share, as 0.01, and for
// growths and shrinks from size to size of which more than that share of all differ. A
// difference of four stacks or fewer is the tracer's own.
func Agree(log, trace *Log, within float64) error {
	var errs []error
	for _, d := range Compare(log, trace)[:6] {
		few := int64(edge)
		if strings.HasPrefix(d.Figure, "bytes") {
			few = edgeBytes
		}
		if d.Off() > within && max(d.Log, d.Trace)-min(d.Log, d.Trace) > few {
			errs = append(errs, fmt.Errorf("%s: %d by the log, %d by the trace (%.1f%% off)", d.Figure, d.Log, d.Trace,
				100*d.Off()))
		}
	}
	var apart, all int64
	for _, d := range compareSteps(log, trace) {
		apart += max(d.Log, d.Trace) - min(d.Log, d.Trace)
		all += max(d.Log, d.Trace)
	}
	if float64(apart) > max(edge, within*float64(all)) {
		errs = append(errs, fmt.Errorf("growths and shrinks from size to size: %d of %d differ between the log and "+
			"the trace", apart, all))
	}
	return errors.Join(errs...)
}
