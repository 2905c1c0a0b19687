package stacklog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/gotool/binary"
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
	line := bytes.TrimSuffix(bytes.TrimSuffix(whole, []byte("\n")), []byte("\r"))
	s := classify(line)
	if s != none && match(line, shapes[s], &f) {
		if s == exceeds && p.exceeds > 0 { // how a program dies of it, after the log has said so
			p.output.add(whole)
		}
		p.statement(s, &f)
		return
	}
	if s != none && !p.off { // something was written into it
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
	switch n := len(p.pending); {
	case p.off && p.from == "": // after Options.Until
	case p.cut || p.callAt != none:
		p.warn("the log ends in the middle of a statement: it was cut off, or the program ended while another thread " +
			"wrote it")
	case n > 0:
		p.warn("the log ends in the middle of %s: it was cut off, or the program ended before the address was logged",
			units.Plural(n, "allocation"))
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
		processes := "1 other process"
		if p.others > 1 {
			processes = fmt.Sprintf("%d other processes", p.others)
		}
		p.warn("the program started %s that could log its stacks too: the figures are of the first process alone",
			processes)
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

// statement is one of the runtime's print statements, or one line of it.
type statement uint8

const (
	none statement = iota
	stackalloc
	allocated
	stackfree
	refill
	release
	clearing
	newstack
	morebuf
	sched
	copystack
	growDone
	shrinking
	exceeds
	otherProcess
	statements
)

// piece is a literal text and the number after it: 'x' with 0x, 'd' decimal, or
// 0 for none.
type piece struct {
	text   string
	number byte
}

// shapes lists the lines, with %x and %d for their numbers.
var shapes = [statements][]piece{
	stackalloc: shape("stackalloc %d"),
	allocated:  shape("  allocated %x"),
	stackfree:  shape("stackfree %x %d"),
	refill:     shape("stackcacherefill order=%d"),
	release:    shape("stackcacherelease order=%d"),
	clearing:   shape("stackcache clear"),
	newstack:   shape("runtime: newstack sp=%x stack=[%x, %x]"),
	morebuf:    shape("\tmorebuf={pc:%x sp:%x lr:%x}"),
	sched:      shape("\tsched={pc:%x sp:%x lr:%x ctxt:%x}"),
	copystack:  shape("copystack gp=%x [%x %x %x] -> [%x %x %x]/%d"),
	growDone:   shape("stack grow done"),
	shrinking:  shape("shrinking stack %d->%d"),
	exceeds:    shape("runtime: goroutine stack exceeds %d-byte limit"),

	otherProcess: shape("other process %d"), // of memcost's runtime
}

func shape(format string) []piece {
	var all []piece
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		p := piece{text: text}
		if found {
			p.number, rest = rest[0], rest[1:]
		}
		all, format = append(all, p), rest
	}
	return all
}

// numbers are a line's, in order; a copystack has most.
type numbers [8]uint64

// match reads a line of the shape.
func match(line []byte, pieces []piece, out *numbers) bool {
	n, field := 0, 0
	for _, p := range pieces {
		if len(line)-n < len(p.text) || string(line[n:n+len(p.text)]) != p.text {
			return false
		}
		n += len(p.text)
		if p.number == 0 {
			continue
		}
		v, size, ok := number(line[n:], p.number)
		if !ok {
			return false
		}
		n += size
		out[field] = v
		field++
	}
	return n == len(line)
}

// number reads the number of n bytes at the start of a text.
func number(b []byte, base byte) (v uint64, n int, ok bool) {
	if base == 'd' {
		for n < len(b) && n < 20 && b[n]-'0' < 10 {
			v = v*10 + uint64(b[n]-'0')
			n++
		}
		return v, n, n > 0
	}
	for n < 2 {
		if n >= len(b) || b[n] != "0x"[n] {
			return 0, n, false
		}
		n++
	}
	for n < len(b) && n < 18 && hexDigit[b[n]] != 0 {
		v = v<<4 | uint64(hexDigit[b[n]]-1)
		n++
	}
	return v, n, n > 2
}

// hexDigit is a digit's value plus one, 0 for another byte.
var hexDigit = func() (t [256]byte) {
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i) + 1
	}
	return t
}()

// starts are the statements by the first bytes of their lines.
var starts = func() (all [256][]statement) {
	for s := stackalloc; s < statements; s++ {
		first := shapes[s][0].text[0]
		all[first] = append(all[first], s)
	}
	return all
}()

// classify returns the statement as which a line begins.
func classify(line []byte) statement {
	if len(line) == 0 {
		return none
	}
	for _, s := range starts[line[0]] {
		if text := shapes[s][0].text; len(line) >= len(text) && string(line[:len(text)]) == text {
			return s
		}
	}
	return none
}

// Each shape that can come after unended text holds one of these.
var stackText, allocatedText, pcText = []byte("stack"), []byte("  allocated 0x"), []byte("={pc:0x")

// embedded finds a complete statement at the end of a line that the program itself began
// and did not end: "progress: 12%stackalloc 2048".
func embedded(line []byte, out *numbers) (s statement, at int) {
	// Most lines are decided by these, which are fast (bytes.LastIndex is not).
	if !bytes.Contains(line, stackText) && !bytes.Contains(line, allocatedText) && !bytes.Contains(line, pcText) {
		return none, 0
	}
	for s := stackalloc; s < statements; s++ {
		at := bytes.LastIndex(line, []byte(shapes[s][0].text))
		if at <= 0 {
			continue
		}
		if match(line[at:], shapes[s], out) {
			return s, at
		}
	}
	return none, 0
}

var errPIE = errors.New("it is position independent: its log has addresses that are not the file's")

// Symbols reads the function table of a Go program (ELF, Mach-O or PE), which a
// stripped one has too, and gives the hook for Log.Symbolise. Of functions that
// were inlined it names the one they were inlined into. Programs that are loaded
// elsewhere than they were linked for (-buildmode=pie) are refused.
func Symbols(program io.ReaderAt) (func(pc uint64) (function, file string, line int), error) {
	f, err := binary.Open(program)
	if err != nil {
		return nil, err
	}
	if f.PIE {
		return nil, hint.New("build with -buildmode=exe", "reading the function table of the program: %w", errPIE)
	}
	return f.Line, nil
}
