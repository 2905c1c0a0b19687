package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// longestLine is the longest line that is passed on: benchfmt.Reader stops reading the
// file at a line of 64 KiB, and a sample has less than one.
const longestLine = 32 << 10

// A lineChecker passes lines through and warns of those that do not belong in a
// benchmark file. benchfmt.Reader skips such lines in silence, as it must for the output
// of go test; in a file that memcost wrote they are damage. A line that is too long is
// replaced by an empty one: a crash of the machine can leave a stretch of zeros where
// the file had grown and its data was not on disk.
type lineChecker struct {
	r    *bufio.Reader
	name string
	warn func(error)
	line int
	rest []byte // of the line at hand; belongs to r
}

func newLineChecker(r io.Reader, name string, warn func(error)) *lineChecker {
	return &lineChecker{r: bufio.NewReaderSize(r, longestLine), name: name, warn: warn}
}

var emptyLine = []byte("\n")

func (l *lineChecker) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(l.rest) == 0 {
			if n > 0 && l.r.Buffered() == 0 {
				break // pass on what has been read before waiting for more
			}
			if l.rest, err = l.next(); len(l.rest) == 0 {
				return n, err
			}
		}
		k := copy(p[n:], l.rest)
		n, l.rest = n+k, l.rest[k:]
	}
	return n, nil
}

// next returns the next line with its newline, which the last line may lack.
func (l *lineChecker) next() ([]byte, error) {
	l.line++
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		whole, ok := bytes.CutSuffix(line, emptyLine)
		switch {
		case !ok:
		case bytes.HasPrefix(whole, []byte("Benchmark")) && !printable(whole):
			l.warn(fmt.Errorf("%s line %d: passed over: bytes that no benchmark prints: %.80q", l.name, l.line, whole))
			return emptyLine, err
		case !plausible(whole):
			l.warn(fmt.Errorf("%s line %d: not a line of a benchmark file: %.40q", l.name, l.line, whole))
		}
		return line, err
	}
	start := fmt.Sprintf("%.40q", line)
	size := len(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		size += len(line)
	}
	l.warn(fmt.Errorf("%s line %d: passed over: %d bytes are too long for a line of a benchmark file: %s…", l.name,
		l.line, size, start))
	if bytes.HasSuffix(line, emptyLine) {
		return emptyLine, nil
	}
	return nil, err
}

// printable reports whether the figures of a result and their units are text without
// control characters but tabs. The name before them is the benchmark's business.
func printable(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	line = line[max(bytes.IndexAny(line, " \t"), 0):]
	return utf8.Valid(line) && !bytes.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) })
}

// plausible reports whether a line can occur in a benchmark file: blank, a result, a
// unit line, a comment, "key: value", or go test's PASS and ok.
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
