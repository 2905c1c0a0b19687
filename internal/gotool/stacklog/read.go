package stacklog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

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
				p.output.flush()
			}
		case errors.Is(err, bufio.ErrBufferFull):
			p.output.add(line)
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

// parser reads lines: those of the log, and those that the program wrote between
// them where both come on one descriptor.
type parser struct {
	assembler
	from, until string
	marked      bool // from is not empty, or was not
	bytes       int64
	lines       int64
	cut         bool // it ends in the middle of a line
	output      output
}

func newParser(o Options) *parser {
	p := &parser{assembler: assembler{tally: newTally(o.withDefaults())}, from: o.From, until: o.Until,
		output: output{to: o.Output}}
	p.marked = o.From != ""
	p.off = o.From != ""
	p.goroutines.damage = func() bool { return p.damaged > 0 }
	return p
}

// line reads one line.
func (p *parser) line(whole []byte) {
	var f numbers
	line := trimEnd(whole)
	s := classify(line)
	if s != none && match(line, shapes[s], &f) {
		if s == exceeds && p.exceeds > 0 { // how a program dies of it, after the log has said so
			p.output.add(whole)
		}
		p.statement(s, &f)
		return
	}
	if begins(line, s) && !p.off { // something was written into it
		p.damaged++
	}
	if s, at := embedded(line, &f); s != none {
		p.output.add(line[:at])
		p.statement(s, &f)
		return
	}
	if !p.foreign(line) {
		p.output.add(whole)
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
	p.output.add(line[:len(line)-len(mark)])
	return true
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
		p.output.add(line)
	}
}

func (p *parser) finish() *Log {
	if p.output.flush(); p.output.err != nil {
		p.warn("what the program wrote could not be passed on: %w", p.output.err)
	}
	switch n := p.pending.len(); {
	case p.off && p.from == "": // after Options.Until
	case p.cut || p.callAt != none:
		p.warn("the log ends in the middle of a statement: it was cut off, or the program ended while another thread " +
			"wrote it")
	case n > 0:
		p.warn("the log ends in the middle of %s: it was cut off, or the program ended before the address was logged",
			plural(n, "allocation", "allocations"))
	}
	if p.damaged > 0 {
		p.warn("%d statements of the log could not be read, because the program wrote into them, as it can where "+
			"both share a descriptor, or because lines are missing: the figures are not exact", p.damaged)
	}
	if p.stacks.several(p.damaged) {
		p.log.Several = true
		p.warn("more than one process wrote this log, the program and one that it started with the same standard " +
			"error: the figures are of all of them, and chains may mix them")
	}
	if p.others > 0 {
		p.warn("the program started %s that could log its stacks too: the figures are of the first process alone",
			plural(int(p.others), "other process", "other processes"))
	}
	if p.own == 0 && !p.marked {
		p.warn("no line of %d is one of the runtime's stack log: was the program built with it?", p.lines)
	}
	if p.from != "" {
		p.warn("the line %q, from which on events count, is not in the log", p.from)
	}
	if p.exceeds > 0 {
		p.warn("the program died of a stack overflow: the limit is %d bytes", p.exceeds)
	}
	l := p.tally.finish()
	l.Bytes, l.Lines, l.Own = p.bytes, p.lines, p.own
	l.Damaged, l.Preempts, l.Exceeds, l.Ambiguous, l.OtherProcesses = p.damaged, p.preempts, p.exceeds, p.ambiguous,
		p.others
	return l
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
