package stacklog

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// The runtime writes each operand of a print statement by a system call of its
// own, and another thread of the program can write before each of them. Two
// processors that write in turn do so before all of them:
//
//	stackalloc progress 12%
//	8192progress 13%
//	(the end of the line)
//
// So a line that was begun is continued by the starts of later lines. Where the
// program's own text could be such a start ("2026/11/21 listening"), both
// readings are kept until one of them makes a statement.

// reading is one way to read a line in whose middle the program wrote.
type reading struct {
	s    statement
	next int // operand, texts and numbers counted
	f    numbers
	ours []span // the parts read so far, in what is held of the program's output
}

const (
	// patience is how many lines of the program may come in the middle of one of
	// the log's: the thread that writes it may have to wait for a processor.
	patience = 1000

	// readings is how many are kept. There is more than one only where the
	// program's own lines begin like an operand.
	readings = 64

	// glued is how many digits at a number's end may be the program's.
	glued = 8
)

// begin tries the start of a line as that of a statement in whose middle the
// program wrote. It is one if it has the statement's first text.
func (p *parser) begin(s statement, whole, line []byte) bool {
	if !bytes.HasPrefix(line, []byte(shapes[s][0].text)) {
		return false
	}
	p.breakOff()
	p.rest.hold()
	p.begunLines = patience
	search{line, len(p.rest.buf), &p.begun, p.usual}.operands(reading{s: s}, 0)
	p.first = len(p.begun)
	p.rest.add(whole)
	return true
}

// mend tries the line as the rest of the one that was begun, or as a part of it.
// Readings to which the line belongs come before those to which it does not: the
// threads write in turn.
func (p *parser) mend(line []byte) bool {
	var found []reading
	for _, r := range p.begun {
		if r, ok := (search{line, len(p.rest.buf), &found, p.usual}).operands(r, 0); ok {
			p.begun = nil
			p.rest.release(r.ours)
			p.repaired++
			p.statement(r.s, &r.f)
			return true
		}
	}
	p.begun = append(found, p.begun...)
	if n := len(p.begun); n > readings { // those of the line itself, at the end, must not be lost
		p.begun = slices.Concat(p.begun[:readings-p.first], p.begun[n-p.first:])
	}
	if p.begunLines--; p.begunLines <= 0 || len(p.rest.buf)-p.rest.held > block {
		p.breakOff()
	}
	return false
}

// search goes on with readings by a line, which is at a place of what is held.
// If the line ends the statement, that is the result; if not, found gets a
// reading for each operand that fits, those with most first.
type search struct {
	line  []byte
	at    int
	found *[]reading
	usual usual
}

func (t search) operands(r reading, n int) (reading, bool) {
	here := r
	piece, isNumber, more := operandAt(r.s, r.next)
	switch {
	case !more:
		if n == len(t.line) {
			return t.with(r, n), true
		}
	case isNumber:
		if whole, ok := t.numbers(r, piece.number, n); ok {
			return whole, true
		}
	case bytes.HasPrefix(t.line[n:], []byte(piece.text)):
		r.next++
		if whole, ok := t.operands(r, n+len(piece.text)); ok {
			return whole, true
		}
	}
	if n > 0 {
		*t.found = append(*t.found, t.with(here, n))
	}
	return reading{}, false
}

// numbers goes on with a number: with all its digits, or, where what follows is
// not the statement's, with fewer of them. A line may end in the program's digits, too.
func (t search) numbers(r reading, base byte, n int) (reading, bool) {
	_, size, ok := number(t.line[n:], base)
	if !ok {
		return r, false
	}
	field := r.next / 2
	r.next++
	next, _, more := operandAt(r.s, r.next)
	lengths := []int{size}
	if follows := more && n+size < len(t.line) && bytes.HasPrefix(t.line[n+size:], []byte(next.text)); !follows {
		for less := 1; less <= glued; less++ {
			lengths = append(lengths, size-less)
		}
		slices.SortStableFunc(lengths, func(a, b int) int { // as long as others before are
			usual := t.usual[class(r.s, field)]
			return cmp.Compare(min(1, abs(a-usual)), min(1, abs(b-usual)))
		})
	}
	for _, l := range lengths {
		v, used, ok := number(t.line[n:n+max(0, l)], base)
		if !ok || used != l || leadingZero(t.line[n:n+l], base) {
			continue
		}
		r.f[field] = v
		if !possible(r.s, field, &r.f) {
			continue
		}
		if whole, ok := t.operands(r, n+l); ok {
			return whole, true
		}
	}
	return r, false
}

// leadingZero tells whether the number has one: the runtime prints none.
func leadingZero(b []byte, base byte) bool {
	if base == 'x' {
		b = b[2:]
	}
	return len(b) > 1 && b[0] == '0'
}

func abs(n int) int { return max(n, -n) }

// usual are the lengths of the addresses of memory and of code that were read
// last without anything in their middle.
type usual [2]int

// class is which of them a field has.
func class(s statement, field int) int {
	if (s == morebuf || s == sched) && field%2 == 0 {
		return 1
	}
	return 0
}

// learn takes the addresses of a whole line.
func (u *usual) learn(s statement, f *numbers) {
	switch s {
	case allocated:
		u[0] = length(f[0])
	case morebuf:
		u[1] = length(f[0])
	}
}

// length is that of a number in hexadecimal, with 0x.
func length(v uint64) int { return 2 + (bits.Len64(v)+3)/4 }

// operandAt is the nth of a statement.
func operandAt(s statement, n int) (p piece, isNumber, ok bool) {
	pieces := shapes[s]
	if n/2 >= len(pieces) || n%2 == 1 && pieces[n/2].number == 0 {
		return piece{}, false, false
	}
	return pieces[n/2], n%2 == 1, true
}

// with is the reading with the line's first n bytes.
func (t search) with(r reading, n int) reading {
	r.ours = append(r.ours[:len(r.ours):len(r.ours)], span{t.at, n})
	return r
}

// breakOff gives up a line that was begun.
func (p *parser) breakOff() {
	if p.begun != nil {
		p.begun = nil
		p.rest.release(nil)
		p.damaged++
	}
}

// likely tells whether all numbers of a whole line can be what they should: the program
// may have written digits, and the end of the line, in the middle of the statement.
func (u *usual) likely(s statement, f *numbers) bool {
	field := 0
	for _, p := range shapes[s] {
		if p.number == 0 {
			continue
		}
		if !possible(s, field, f) {
			return false
		}
		field++
	}
	return s != allocated || u[0] == 0 || length(f[0]) <= u[0]+1 // one more: another process may have that
}

// possible tells whether a number, the field of a statement, can be what it
// should: the program's digits may be at its end.
func possible(s statement, field int, f *numbers) bool {
	v := f[field]
	switch s {
	case stackalloc, shrinking:
		return validSize(v)
	case allocated:
		return v%1024 == 0
	case stackfree:
		return field == 0 && v%1024 == 0 || field == 1 && validSize(v)
	case refill, release:
		return v <= maxOrder
	case newstack: // sp, lo, hi; of a function that does not fit sp may be below lo
		return field == 0 || v%1024 == 0 && (field == 1 || f[0] < v && validSize(v-f[1]))
	case copystack:
		return possibleCopy(field, f)
	}
	return true
}

// possibleCopy is for g, lo, sp, hi, new lo, new sp, new hi, new size.
func possibleCopy(field int, f *numbers) bool {
	v := f[field]
	switch field {
	case 0:
		return v%8 == 0
	case 1, 4:
		return v%1024 == 0
	case 3:
		return v >= f[2] && f[2] >= f[1] && validSize(v-f[1])
	case 6:
		return v-f[5] == f[3]-f[2] && validSize(v-f[4])
	case 7:
		return v == f[6]-f[4]
	}
	return true
}
