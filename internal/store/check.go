package store

import (
	"bytes"
	"fmt"
	"io"
)

// A lineChecker passes bytes through and warns of lines that have no place in a
// benchmark file. benchfmt.Reader skips such lines in silence, as it must for
// the output of go test; in a file that memcost wrote they are damage.
type lineChecker struct {
	r     io.Reader
	name  string
	warn  func(error)
	line  int
	carry []byte // start of the line that the last read ended in
}

// carryLimit is how much of an unfinished line is kept to be judged: enough for
// its kind to be known.
const carryLimit = 200

func (c *lineChecker) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	rest := p[:n]
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		c.line++
		c.judge(rest[:i])
		rest = rest[i+1:]
	}
	if room := carryLimit - len(c.carry); room > 0 {
		c.carry = append(c.carry, rest[:min(len(rest), room)]...)
	}
	return n, err
}

func (c *lineChecker) judge(end []byte) {
	line := end
	if len(c.carry) > 0 {
		line = append(c.carry, end[:min(len(end), carryLimit)]...)
		c.carry = c.carry[:0]
	}
	if !plausible(line) {
		c.warn(fmt.Errorf("%s line %d: not a line of a benchmark file: %.40q", c.name, c.line, line))
	}
}

// plausible reports whether a line can stand in a benchmark file: blank, a
// result, a unit line, a comment, "key: value", or go test's PASS and ok.
func plausible(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		return true
	}
	switch c := line[0]; {
	case c == '#':
		return true
	case c == 'B':
		return bytes.HasPrefix(line, []byte("Benchmark"))
	case c == 'U':
		return bytes.HasPrefix(line, []byte("Unit "))
	case c >= 'a' && c <= 'z':
		if i := bytes.IndexByte(line, ':'); i > 0 && !bytes.ContainsAny(line[:i], " \t") {
			return true
		}
		return bytes.HasPrefix(line, []byte("ok"))
	case c == 'P':
		return string(line) == "PASS"
	}
	return false
}
