package escape

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line: the compiler prints whole inlined bodies on one, a few
// kilobytes in the standard library.
const maxLine = 16 << 20

// Read returns the terminal diagnostics of ReadLog.
func Read(r io.Reader) ([]Diagnostic, error) {
	log, err := ReadLog(r)
	if err != nil {
		return nil, err
	}
	return log.Diagnostics, nil
}

// ReadLog reads the text that go build or go test -c prints with -gcflags=-m=2. Its
// memory grows with the distinct diagnostics, not with the text. A diagnostic that is
// repeated, as it is for each shape of a generic function, counts once.
//
// It is an error when the text has no "# package" header, when no line under a header is
// understood, and when more than a tenth of the lines is not.
func ReadLog(r io.Reader) (*Log, error) {
	rd := reader{seen: map[key]bool{}, files: map[string]string{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		rd.join(bytes.TrimSuffix(lines.Bytes(), []byte("\r")))
	}
	rd.flush()
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the compiler's diagnostics, after line %d: %w", n, err)
	}
	rd.wrappers()
	if err := rd.log.check(n); err != nil {
		return nil, fmt.Errorf("reading the compiler's diagnostics: %w", err)
	}
	return &rd.log, nil
}

// join puts the lines of one message together: up to Go 1.20 the compiler prints string
// literals as they were written, and one in backquotes may contain line ends.
func (rd *reader) join(line []byte) {
	quotes := bytes.Count(line, []byte("`"))
	if len(rd.pending) > 0 {
		if _, at := splitPos(line); at.line > 0 || bytes.HasPrefix(line, []byte("# ")) || len(rd.pending) > maxLine {
			rd.flush() // the next message: the quote was no beginning
		} else {
			rd.pending = append(append(rd.pending, '\n'), line...)
			if quotes%2 == 1 {
				rd.flush()
			}
			return
		}
	}
	if quotes%2 == 1 {
		rd.pending = append(rd.pending, line...)
		return
	}
	rd.line(line)
}

func (rd *reader) flush() {
	if len(rd.pending) > 0 {
		rd.line(rd.pending)
		rd.pending = rd.pending[:0]
	}
}

func (rd *reader) line(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("# ")):
		rd.header(string(line[2:]))
		return
	case len(line) == 0, bytes.HasPrefix(line, []byte("go: ")): // "go: downloading go1.27.4"
		return
	}
	rest, at := splitPos(line)
	switch {
	case rd.pkg != "" && rd.known(rest, at):
		rd.log.Known++
	default:
		if rd.log.Unknown++; rd.log.Unknown == 1 {
			rd.log.UnknownLine = string(line)
		}
	}
}

// known takes in one message. Terminal statements come before the asides, which are
// told by words that may stand in a string constant: "is unsafe uintptr" escapes to heap.
func (rd *reader) known(rest []byte, at rawPos) bool {
	if bytes.HasPrefix(rest, []byte("  ")) {
		return rd.step(rest)
	}
	msg := string(rest)
	return strings.HasSuffix(msg, ":") && rd.explain(msg, at) || rd.terminal(msg, at) || isAside(msg)
}

func (rd *reader) header(pkg string) {
	rd.wrappers()
	rd.pkg = pkg
	rd.explained, rd.explainedAt = map[key][]*explanation{}, map[pos][]*explanation{}
	rd.adrift, rd.compiled = map[string][]*explanation{}, map[string]bool{}
	rd.open, rd.heads = nil, nil
	for _, p := range rd.log.Packages {
		if p == pkg {
			return
		}
	}
	rd.log.Packages = append(rd.log.Packages, pkg)
}
