package escape

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line: the compiler prints whole inlined bodies on one, a few
// kilobytes in the standard library.
const maxLine = 16 << 20

// A Log is what was read from one compiler output.
type Log struct {
	Diagnostics []Diagnostic // distinct, in the order of the text
	Packages    []string     // the "# package" headers, in order, repeated ones once
	Known       int          // lines understood, explanations and repetitions included
	Unknown     int          // lines not understood
	UnknownLine string       // the first of them
}

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
// It is an error when the text has no "# package" header, when nothing under a header
// is understood, and when more than a tenth of the lines is not.
func ReadLog(r io.Reader) (*Log, error) {
	rd := reader{seen: map[key]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		rd.line(bytes.TrimSuffix(lines.Bytes(), []byte("\r")))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the compiler's diagnostics, after line %d: %w", n, err)
	}
	if err := rd.log.check(n); err != nil {
		return nil, fmt.Errorf("reading the compiler's diagnostics: %w", err)
	}
	return &rd.log, nil
}

func (l *Log) check(lines int) error {
	switch {
	case lines == 0:
		return errors.New("there is no text; go build says nothing when its -o file is up to date, so it needs a fresh one")
	case len(l.Packages) == 0:
		return fmt.Errorf("no \"# package\" header in %d lines: is it the output of go build -gcflags=-m=2?%s", lines, l.example())
	case l.Known == 0:
		return fmt.Errorf("nothing is understood under the header of %s%s", l.Packages[0], l.example())
	case l.Unknown > (l.Known+l.Unknown)/10:
		return fmt.Errorf("%d of %d lines are not understood: is the compiler newer than this program?%s", l.Unknown, l.Known+l.Unknown, l.example())
	}
	return nil
}

func (l *Log) example() string {
	if l.UnknownLine == "" {
		return ""
	}
	return fmt.Sprintf(" (such as %.200q)", l.UnknownLine)
}

// key is what makes two diagnostics the same. The package is not part of it: a file
// that is compiled for the package and again for its test says the same twice.
type key struct {
	pos
	message string
}

type pos struct {
	file      string
	line, col int
}

// place is what an explanation tells of a terminal line that has no position.
type place struct {
	fn string
	pos
}

// reader reads line by line; the maps hold what a later line of the package needs.
type reader struct {
	log  Log
	pkg  string
	seen map[key]bool
	// explained is the function that an explanation ("x escapes to heap in F:") named
	// for a position; its terminal line follows and does not name it.
	explained map[pos]string
	// adrift is the same for explanations without a position, by subject, in order.
	adrift map[string][]*place
	drift  *place // the one whose flow is being read
	// compiled holds the plain names of the package's functions.
	compiled map[string]bool
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
	if bytes.HasPrefix(rest, []byte("  ")) { // "  flow:", "    from", "  warning: truncated"
		if at.line == 0 && rd.drift != nil && rd.drift.line == 0 {
			rd.drift.pos = stepPos(rest)
		}
		return true
	}
	msg := string(rest)
	return strings.HasSuffix(msg, ":") && rd.explanation(msg, at) || rd.terminal(msg, at) || isAside(msg)
}

func (rd *reader) header(pkg string) {
	rd.pkg = pkg
	rd.explained, rd.adrift, rd.compiled = map[pos]string{}, map[string][]*place{}, map[string]bool{}
	rd.drift = nil
	for _, p := range rd.log.Packages {
		if p == pkg {
			return
		}
	}
	rd.log.Packages = append(rd.log.Packages, pkg)
}

// splitPos cuts "file:line:col: " or "file:line: " off a line. The file stays bytes of
// the line until someone wants it, because most lines are skipped.
func splitPos(line []byte) (rest []byte, at rawPos) {
	if rest, ok := bytes.CutPrefix(line, []byte("<unknown line number>: ")); ok {
		return rest, at
	}
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(": "))
		if i < 0 {
			return line, rawPos{}
		}
		head := line[:from+i]
		if file, n, ok := cutNumber(head); ok {
			at = rawPos{file: file, line: n}
			if file, m, ok := cutNumber(file); ok {
				at = rawPos{file: file, line: m, col: n}
			}
			return line[from+i+2:], at
		}
		from += i + 2
	}
}

// rawPos is a pos whose file is still part of the scanner's buffer.
type rawPos struct {
	file      []byte
	line, col int
}

func (p rawPos) pos() pos { return pos{string(p.file), p.line, p.col} }

// cutNumber splits "x:12" into x and 12.
func cutNumber(s []byte) (head []byte, n int, ok bool) {
	i := len(s)
	for mul := 1; i > 0 && s[i-1] >= '0' && s[i-1] <= '9' && len(s)-i < 9; mul *= 10 {
		i--
		n += mul * int(s[i]-'0')
	}
	if i == len(s) || i < 2 || s[i-1] != ':' {
		return nil, 0, false
	}
	return s[:i-1], n, true
}

// explanation reads the head of a flow: "x escapes to heap in F:", where versions
// before 1.25 leave out " in F", or "parameter p leaks to ~r0 for F with derefs=0:".
func (rd *reader) explanation(head string, at rawPos) bool {
	head = strings.TrimSuffix(head, ":")
	subject, fn := "", ""
	if before, after, ok := cutLast(head, " escapes to heap"); ok && (after == "" || strings.HasPrefix(after, " in ")) {
		subject, fn = before, strings.TrimPrefix(after, " in ")
	} else if before, _, ok := cutLast(head, " with derefs="); ok && strings.HasPrefix(before, "parameter ") {
		to := ""
		subject, to, _ = strings.Cut(strings.TrimPrefix(before, "parameter "), " leaks to ")
		if _, fn, ok = cutLast(to, "} for "); !ok && to[:min(1, len(to))] != "{" { // "{storage for x}" alone
			_, fn, _ = strings.Cut(to, " for ")
		}
	} else {
		return false
	}
	if at.line == 0 {
		rd.drift = &place{fn: fn}
		rd.adrift[subject] = append(rd.adrift[subject], rd.drift)
	} else if fn != "" {
		rd.explained[at.pos()] = fn
	}
	return true
}

// stepPos is the position in a step of a flow: "from x (reference) at file.go:13:4".
func stepPos(step []byte) pos {
	i := bytes.LastIndex(step, []byte(" at "))
	if i < 0 {
		return pos{}
	}
	_, at := splitPos(append(step[i+len(" at "):len(step):len(step)], ": "...))
	return at.pos()
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
