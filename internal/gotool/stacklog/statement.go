package stacklog

import (
	"bytes"
	"strings"
)

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

// classify returns the statement that a line may be, from its first bytes.
func classify(line []byte) statement {
	if len(line) < 6 {
		return none
	}
	switch line[0] {
	case ' ':
		return allocated
	case '\t':
		if line[1] == 'm' {
			return morebuf
		}
		return sched
	case 'c':
		return copystack
	case 'o':
		return otherProcess
	case 'r':
		if len(line) > 9 && line[9] == 'n' {
			return newstack
		}
		return exceeds
	case 's':
		return classifyS(line)
	}
	return none
}

func classifyS(line []byte) statement {
	switch {
	case line[1] == 'h':
		return shrinking
	case line[5] == 'a':
		return stackalloc
	case line[5] == 'f':
		return stackfree
	case line[5] == ' ':
		return growDone
	case len(line) < 13 || line[10] == ' ':
		return clearing
	case line[12] == 'f':
		return refill
	}
	return release
}

// begins reports whether a line begins as the statement does.
func begins(line []byte, s statement) bool {
	return s != none && bytes.HasPrefix(line, []byte(shapes[s][0].text))
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
