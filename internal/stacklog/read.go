package stacklog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Options say what is kept and what counts.
type Options struct {
	Goroutines int         // at most so many are followed at a time; 0 is 131,072 (about 20 MiB)
	Events     int         // so many of the first growths and shrinks are kept in Log.Growths; 0 is 1000
	Event      func(Event) // told of each event as it is read; nil is silent

	// Rest gets what is not the log's: what the program itself wrote, as soon as
	// nothing more is there to be read. nil drops it.
	Rest io.Writer

	// From and Until end lines that the program writes to the log: what was
	// before the first From and from the first Until on does not count. Empty is
	// the beginning and the end.
	From, Until string

	// Tracer lets the goroutine that writes a trace count as one of the program,
	// as it does in a log.
	Tracer bool
}

func (o Options) withDefaults() Options {
	if o.Goroutines == 0 {
		o.Goroutines = 1 << 17
	}
	if o.Events == 0 {
		o.Events = 1000
	}
	return o
}

// block bounds a line: what is longer is the program's own output.
const block = 256 << 10

// Read reads a stack log, with whatever the program wrote in between. A log that
// was cut off gives what there was, and a warning. The error is one of reading;
// the Log holds what was read until then.
func Read(r io.Reader, o Options) (*Log, error) {
	p := newParser(o)
	in := bufio.NewReaderSize(r, block)
	for {
		line, err := in.ReadSlice('\n')
		p.bytes += int64(len(line))
		switch {
		case err == nil:
			p.lines++
			p.line(line)
			if in.Buffered() == 0 {
				p.rest.flush()
			}
		case errors.Is(err, bufio.ErrBufferFull):
			p.breakOff()
			p.rest.add(line)
		case errors.Is(err, io.EOF):
			p.last(line)
			return p.finish(), nil
		default:
			return p.finish(), fmt.Errorf("reading the stack log after %d bytes: %w", p.bytes, err)
		}
	}
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// parser puts statements together to events.
type parser struct {
	*tally
	from, until string
	marked      bool // from is not empty, or was not
	bytes       int64
	lines, own  int64
	damaged     int64
	repaired    int64
	begun       []reading // of the line in whose middle the program wrote; nil for no such line
	first       int       // of these, of the line itself: the last ones
	begunLines  int       // how many lines its rest may still come after
	usual       usual
	rest        rest

	pending   pending
	call      call // the newstack being read, and the stack it is about
	stack     uint64
	callAt    statement
	calls     calls
	preempts  int64
	exceeds   uint64
	ambiguous int64
	cut       bool
}

func newParser(o Options) *parser {
	p := &parser{tally: newTally(o.withDefaults()), from: o.From, until: o.Until, rest: rest{to: o.Rest}}
	p.marked = o.From != ""
	p.off = o.From != ""
	p.lives.damage = func() bool { return p.damaged > 0 }
	return p
}

// line reads one line.
func (p *parser) line(whole []byte) {
	var f numbers
	line := trimEnd(whole)
	s := classify(line)
	if s != none && match(line, shapes[s], &f) && p.usual.likely(s, &f) {
		p.breakOff()
		if s == exceeds { // it is part of how a program dies of it
			p.rest.add(whole)
		}
		p.usual.learn(s, &f)
		p.statement(s, &f)
		return
	}
	if p.begun != nil && p.mend(line) {
		return
	}
	if s != none && p.begin(s, whole, line) {
		return
	}
	if s, at := embedded(line, &f); s != none {
		p.breakOff()
		p.rest.add(line[:at])
		p.statement(s, &f)
		return
	}
	if !p.foreign(line) {
		p.rest.add(whole)
	}
}

// foreign is a line of the program's own, unless one of the marks ends it.
func (p *parser) foreign(line []byte) (mark bool) {
	if p.from != "" && p.off && p.isMark(line, p.from) {
		p.from, p.off, mark = "", false, true
		p.restart()
	}
	if p.until != "" && !p.off && p.isMark(line, p.until) {
		p.off, mark = true, true
	}
	return mark
}

func (p *parser) isMark(line []byte, mark string) bool {
	if len(line) < len(mark) || string(line[len(line)-len(mark):]) != mark {
		return false
	}
	p.rest.add(line[:len(line)-len(mark)])
	return true
}

// restart forgets the figures so far.
func (p *parser) restart() {
	p.reset()
	p.own, p.damaged, p.repaired, p.preempts, p.ambiguous, p.exceeds = 0, 0, 0, 0, 0, 0
}

// last is told of what follows the last end of line.
func (p *parser) last(line []byte) {
	if len(line) == 0 {
		return
	}
	p.lines++
	for s := stackalloc; s < statements; s++ {
		text := []byte(shapes[s][0].text)
		if bytes.HasPrefix(line, text) || len(line) > 3 && bytes.HasPrefix(text, line) {
			p.cut = true
		}
	}
	if !p.cut && !p.foreign(line) {
		p.rest.add(line)
	}
}

func (p *parser) finish() *Log {
	open := p.begun != nil
	p.breakOff()
	if p.rest.flush(); p.rest.err != nil {
		p.warn("what the program wrote could not be passed on: %w", p.rest.err)
	}
	switch n := p.pending.len(); {
	case p.off && p.from == "": // after Options.Until
	case p.cut || open || p.callAt != none:
		p.warn("the log ends in the middle of a statement: it was cut off, or the program ended while another thread wrote it")
	case n > 0:
		p.warn("the log ends in the middle of %d allocations: it was cut off, or the program ended while other threads made them", n)
	}
	if p.damaged > 0 {
		p.warn("%d statements of the log could not be read, because the program, or a process that it started, wrote into them, or lines are missing: the figures are not exact; an execution trace (memcost stack --trace) has no lines to write into", p.damaged)
	}
	if p.stacks.several(p.damaged) {
		p.log.Several = true
		p.warn("more than one process wrote this log, the program and one that it started with the same standard error: the figures are of all of them, and chains may mix them")
	}
	if p.own == 0 && !p.marked {
		p.warn("no line of %d is one of the runtime's stack log: was the program built with it?", p.lines)
	}
	if p.from != "" {
		p.warn("the line %q, from which events count, did not come", p.from)
	}
	if p.exceeds > 0 {
		p.warn("the program died of a stack overflow: the limit is %d bytes", p.exceeds)
	}
	l := p.tally.finish()
	l.Bytes, l.Lines, l.Own = p.bytes, p.lines, p.own
	l.Damaged, l.Repaired, l.Preempts, l.Exceeds, l.Ambiguous = p.damaged, p.repaired, p.preempts, p.exceeds, p.ambiguous
	return l
}
