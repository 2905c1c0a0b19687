package stackgrow

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

	// From and Until are lines that the program writes to the log: what was
	// before the first From and from the first Until on does not count. Empty is
	// the beginning and the end.
	From, Until string
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
			p.line(trimEnd(line))
		case errors.Is(err, bufio.ErrBufferFull):
			p.breakOff()
		case errors.Is(err, io.EOF):
			p.last(line)
			return p.finish(), nil
		default:
			return p.finish(), fmt.Errorf("reading the stack log after %d bytes: %w", p.bytes, err)
		}
	}
}

func trimEnd(line []byte) []byte {
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// parser puts statements together to events.
type parser struct {
	*tally
	from, until string
	bytes       int64
	lines, own  int64
	damaged     int64
	repaired    int64
	begun       []byte // start of a line in whose middle the program wrote
	begunText   int    // its length without a number at the end
	begunLines  int    // how many lines its rest may still come after

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
	p := &parser{tally: newTally(o.withDefaults()), from: o.From, until: o.Until}
	p.off = o.From != ""
	return p
}

// line reads one line without its end.
func (p *parser) line(line []byte) {
	var f numbers
	s := classify(line)
	n, ok := 0, false
	if s != none {
		n, ok = match(line, shapes[s], &f)
	}
	if ok {
		p.breakOff()
		p.statement(s, &f)
		return
	}
	if p.begun != nil && p.mend(line) {
		return
	}
	if n > 0 && n >= plausible(s) {
		p.breakOff()
		p.begin(line[:n])
		return
	}
	if s := embedded(line, &f); s != none {
		p.statement(s, &f)
		return
	}
	p.foreign(line)
}

// begin keeps what was matched of a line in whose middle the program wrote. A
// number at its end may be the log's, or the program's first word ("order=" and
// "2026/11/21 listening"): the latter is tried first, because numbers that are
// joined by mistake match too.
func (p *parser) begin(line []byte) {
	n := len(line)
	for n > 0 && (hexDigit[line[n-1]] != 0 || line[n-1] == 'x') {
		n--
	}
	p.begun, p.begunText, p.begunLines = append([]byte(nil), line...), n, 8
}

// plausible is how much of a statement a line must hold to count as one that
// was begun: programs too write lines that start with "stack".
func plausible(s statement) int { return max(6, len(shapes[s][0].text)-2) }

// mend tries the line as the rest of the one that was begun.
func (p *parser) mend(line []byte) bool {
	if len(line) < 200 {
		var f numbers
		for _, n := range []int{p.begunText, len(p.begun)} {
			whole := append(p.begun[:n:n], line...)
			s := classify(whole)
			if s == none {
				continue
			}
			if _, ok := match(whole, shapes[s], &f); ok {
				p.begun = nil
				p.repaired++
				p.statement(s, &f)
				return true
			}
		}
	}
	if p.begunLines--; p.begunLines == 0 {
		p.breakOff()
	}
	return false
}

// breakOff gives up a line that was begun.
func (p *parser) breakOff() {
	if p.begun != nil {
		p.begun = nil
		p.damaged++
	}
}

// foreign is a line of the program's own.
func (p *parser) foreign(line []byte) {
	if p.from != "" && p.off && string(line) == p.from {
		p.from, p.off = "", false
		p.restart()
	}
	if p.until != "" && !p.off && string(line) == p.until {
		p.off = true
	}
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
	if !p.cut {
		p.foreign(line)
	}
}

func (p *parser) finish() *Log {
	open := p.begun != nil
	p.breakOff()
	if p.cut || open || p.callAt != none {
		p.warn("the log ends in the middle of a statement: it was cut off")
	} else if n := p.pending.len(); n > 0 {
		p.warn("the log ends in the middle of %d allocations: it was cut off, or the program was killed", n)
	}
	if p.damaged > 0 {
		p.warn("%d statements of the log could not be read, because the program wrote into them or lines are missing: totals are too low", p.damaged)
	}
	if p.own == 0 && p.from == "" {
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
