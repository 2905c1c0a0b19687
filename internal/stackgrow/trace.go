package stackgrow

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/exp/trace"
)

// stackUnit is what the number of a stack in a trace counts in: the smallest
// stack (runtime/traceallocfree.go, Go 1.23 to 1.27), but on Windows and Plan 9.
// It counts from the start of the heap, so addresses in a trace are not a log's.
const stackUnit = 2048

// ReadTrace reads an execution trace of Go 1.23 or newer that was taken with
// GODEBUG=traceallocfree=1, from a runtime as it was installed. It counts the
// stacks that were allocated and freed during the trace, exactly. A growth is an
// allocation and a release that follow each other on one thread, which nothing
// but copystack does; how much of a stack was in use, and which function grew,
// is not in a trace. A trace that was cut off gives what there was, and a
// warning; so does one without events of stacks.
func ReadTrace(r io.Reader, o Options) (*Log, error) {
	t := &traced{tally: newTally(o.withDefaults()), live: map[uint64]uint64{}, last: map[trace.ThreadID]Event{}}
	t.log.Trace = true
	events, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("reading the execution trace: %w", err)
	}
	for {
		e, err := events.ReadEvent()
		switch {
		case err == nil:
			t.take(e)
			continue
		case errors.Is(err, io.EOF):
		case errors.Is(err, io.ErrUnexpectedEOF):
			t.warn("the trace was cut off: %v", err)
		case t.log.Lines == 0:
			return nil, fmt.Errorf("reading the execution trace: %w", err)
		default:
			t.warn("the trace cannot be read further after %d events: %v", t.log.Lines, err)
		}
		break
	}
	if t.log.Own == 0 {
		t.warn("no event of %d is about a stack: was the program run with GODEBUG=traceallocfree=1, and built with Go 1.23 or newer?", t.log.Lines)
	}
	if t.unknown > 0 {
		t.warn("%d stacks were freed that the trace did not say to exist: their sizes are not known", t.unknown)
	}
	return t.finish(), nil
}

// traced is a trace being read. Log.Lines counts its events, Own those of stacks.
type traced struct {
	*tally
	live    map[uint64]uint64 // address → size
	last    map[trace.ThreadID]Event
	unknown int64
}

func (t *traced) take(e trace.Event) {
	t.log.Lines++
	switch e.Kind() {
	case trace.EventStackSample: // may come between any two
		return
	case trace.EventExperimental:
	default:
		if len(t.last) > 0 {
			delete(t.last, e.Thread())
		}
		return
	}
	x := e.Experimental()
	switch x.Name {
	case "GoroutineStack":
		addr, size := stackOf(x)
		t.log.Own++
		t.live[addr] = size
	case "GoroutineStackAlloc":
		addr, size := stackOf(x)
		t.log.Own++
		if !validSize(size) {
			t.log.Damaged++
			return
		}
		t.live[addr] = size
		alloc := Event{Kind: Alloc, Addr: addr, To: size}
		t.event(alloc)
		t.last[e.Thread()] = alloc
	case "GoroutineStackFree":
		t.log.Own++
		t.free(e, x.ArgValue(0).Uint64()*stackUnit)
	}
}

// stackOf is the address and the size of a stack that exists or is allocated.
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
		t.unknown++
		return
	}
	if changed {
		c := Event{Kind: Grow, G: uint64(e.Goroutine()), Addr: alloc.Addr, OldAddr: addr, From: size, To: alloc.To}
		if c.To < c.From { // by the collector, on another goroutine's thread
			c.Kind = Shrink
			c.G = t.lives.owner(addr, c.G)
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

// Off is the difference as a share of the larger figure.
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

// edge is how many stacks, at most, the tracer needs for itself between the
// start or the end of a trace and the lines that mark them in a log (seen: up to
// 3 with Go 1.23 and 1.27), and edgeBytes what they hold. More than that is not
// let pass as a share of few.
const (
	edge      = 4
	edgeBytes = edge * 8192
)

// Agree is an error for the totals that differ by more than a share, as 0.01,
// and for growths and shrinks from size to size of which more than that share of
// all are others. A difference of four stacks or fewer is the tracer's own.
func Agree(log, trace *Log, within float64) error {
	var errs []error
	for _, d := range Compare(log, trace)[:6] {
		few := int64(edge)
		if strings.HasPrefix(d.Figure, "bytes") {
			few = edgeBytes
		}
		if d.Off() > within && max(d.Log, d.Trace)-min(d.Log, d.Trace) > few {
			errs = append(errs, fmt.Errorf("%s: %d by the log, %d by the trace (%.1f%% off)", d.Figure, d.Log, d.Trace, 100*d.Off()))
		}
	}
	var apart, all int64
	for _, d := range compareSteps(log, trace) {
		apart += max(d.Log, d.Trace) - min(d.Log, d.Trace)
		all += max(d.Log, d.Trace)
	}
	if float64(apart) > max(edge, within*float64(all)) {
		errs = append(errs, fmt.Errorf("growths and shrinks from size to size: %d of %d differ between the log and the trace", apart, all))
	}
	return errors.Join(errs...)
}
