package language

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexer walks a directive's text. Filters are cut by the lexical rules of
// golang.org/x/perf/benchproc/syntax, which its own parser does not export; that parser
// still decides whether a filter is valid (see newSelector). Everything else in a
// directive is words between spaces.
type lexer struct {
	s   string
	pos int
}

// token kinds: 'w' bare word, 'q' quoted word, 'r' regexp, an operator character, or
// 0 for the end.
type catalogToken struct {
	kind       byte
	start, end int
}

// isOp holds inside a bare word too; "-" and "*" are operators only at its start.
func isOp(c byte) bool { return strings.IndexByte("():@,", c) >= 0 }

func (l *lexer) skipSpace() {
	for l.pos < len(l.s) {
		r, n := utf8.DecodeRuneInString(l.s[l.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		l.pos += n
	}
}

// next reads a token of the filter syntax; a regexp is only possible as a value.
func (l *lexer) next(value bool) catalogToken {
	l.skipSpace()
	start := l.pos
	if start == len(l.s) {
		return catalogToken{0, start, start}
	}
	kind := byte('w')
	switch c := l.s[start]; {
	case isOp(c) || c == '-' || c == '*':
		kind = c
		l.pos++
	case c == '"':
		kind = 'q'
		l.pos = closing(l.s, start)
	case c == '/' && value:
		kind = 'r'
		l.pos = closingRegexp(l.s, start)
	default:
		l.pos = wordEnd(l.s, start)
	}
	return catalogToken{kind, start, l.pos}
}

func (l *lexer) peek(value bool) catalogToken {
	save := l.pos
	t := l.next(value)
	l.pos = save
	return t
}

func (l *lexer) text(t catalogToken) string { return l.s[t.start:t.end] }

// word reads up to the next space and returns "" at the end.
func (l *lexer) word() string {
	l.skipSpace()
	start := l.pos
	if i := strings.IndexFunc(l.s[start:], unicode.IsSpace); i >= 0 {
		l.pos = start + i
	} else {
		l.pos = len(l.s)
	}
	return l.s[start:l.pos]
}

func (l *lexer) peekWord() string {
	save := l.pos
	w := l.word()
	l.pos = save
	return w
}

// remainder returns the text that has not been read, without surrounding space.
func (l *lexer) remainder() string { return strings.TrimSpace(l.s[l.pos:]) }

func wordEnd(s string, start int) int {
	for i, r := range s[start:] {
		if unicode.IsSpace(r) || r < utf8.RuneSelf && isOp(byte(r)) {
			return start + i
		}
	}
	return len(s)
}

// closing returns the offset after the double quote that closes the one at start.
func closing(s string, start int) int {
	for i := start + 1; i < len(s); i++ {
		if s[i] == '"' && s[i-1] != '\\' { // as benchproc has it
			return i + 1
		}
	}
	return len(s)
}

// closingRegexp returns the offset after the slash that closes the one at start: one
// outside (), [] and not escaped, as benchproc has it.
func closingRegexp(s string, start int) int {
	class, group := 0, 0
	for i := start + 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '/' && class == 0 && group == 0:
			return i + 1
		case c == '[':
			class++
		case c == ']':
			class = max(0, class-1)
		case c == '(' && class == 0:
			group++
		case c == ')' && class == 0:
			group--
		case c == '\\':
			i++
		}
	}
	return len(s)
}

// finish returns an error if anything but prose has not been read.
func (l *lexer) finish() (source, prose string, err error) {
	left, source, prose := l.untilProse()
	switch {
	case strings.HasPrefix(left, "#"):
		return "", "", fmt.Errorf("unexpected %q: prose stands after a # and a space", left)
	case left != "":
		return "", "", fmt.Errorf("unexpected %q", left)
	}
	return source, prose, nil
}

// untilProse splits the text that has not been read into the part before the prose and
// the prose, which follows a separate "#". source is both, as written.
func (l *lexer) untilProse() (left, source, prose string) {
	start := l.pos
	for {
		end := l.pos
		switch w := l.word(); w {
		case "#":
			return strings.TrimSpace(l.s[start:end]), strings.TrimSpace(l.s[:end]), l.remainder()
		case "":
			return strings.TrimSpace(l.s[start:]), strings.TrimSpace(l.s), ""
		}
	}
}
