package escape

import (
	"bytes"
	"strings"
)

type pos struct {
	file      string
	line, col int
}

// rawPos is a pos whose file is still part of the scanner's buffer.
type rawPos struct {
	file      []byte
	line, col int
}

// splitPos cuts "file:line:col: " or "file:line: " off a line. The file stays a part of
// the line's bytes until it is needed, because most lines are skipped.
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

// stepPos returns the position in a step of a flow: "from x (reference) at
// file.go:13:4".
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
