package export

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// lines reads source lines, each file once.
type lines struct {
	read  func(path string) ([]byte, error)
	files map[string][][]byte
}

func newLines(read func(path string) ([]byte, error)) *lines {
	return &lines{read: read, files: map[string][][]byte{}}
}

// line returns a line of a file without its end; false if it cannot be read.
func (l *lines) line(path string, n int) (string, bool) {
	if l.read == nil || path == "" || n < 1 {
		return "", false
	}
	all, known := l.files[path]
	if !known {
		if text, err := l.read(path); err == nil {
			all = bytes.Split(text, []byte("\n"))
		}
		l.files[path] = all
	}
	if n > len(all) {
		return "", false
	}
	return strings.TrimSuffix(string(all[n-1]), "\r"), true
}

// A span is a part of a line in UTF-16 code units from 0, as SARIF counts with
// this columnKind.
type span struct{ from, to int }

// spanOf returns where an expression stands in a line: at the column, in bytes from 1. Where
// the expression is not written there as the compiler writes it, the span goes to the end of
// the line, and without a column it is the whole line but for the spaces around it.
func spanOf(line string, column int, expr string) span {
	from := len(line) - len(strings.TrimLeft(line, " \t"))
	to := len(strings.TrimRight(line, " \t"))
	if column > 0 && column <= len(line) {
		from = column - 1
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
		if expr != "" && strings.HasPrefix(line[from:], expr) {
			to = from + len(expr)
		}
	}
	to = max(to, from)
	return span{units16(line[:from]), units16(line[:to])}
}

// units16 returns how many UTF-16 code units a text has; a byte that is no text is one, as it
// is where it is shown as U+FFFD.
func units16(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// ascii reports whether a text has no character of more than one byte.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
