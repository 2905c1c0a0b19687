package exchange

import (
	"io"
	"sort"
)

// A jsonFilter makes what benchmark programs write acceptable to encoding/json,
// and counts lines. Google Benchmark's reporter (FormatKV and StrEscape in
// src/json_reporter.cc) writes NaN and Infinity bare, and leaves most control
// characters in strings as they are; neither is JSON. Here a bare NaN becomes
// the string "NaN" and a control character in a string becomes a space.
type jsonFilter struct {
	r        io.Reader
	err      error
	in       [32 << 10]byte
	out      []byte // filtered, not yet handed out
	word     int    // where in out an unfinished bare word begins, or -1
	inString bool
	escaped  bool

	handed   int64   // bytes filtered before out[0]
	newlines []int64 // offsets, in the filtered text, of line ends not yet passed
	line     int     // line ends passed
}

// maxWord is more than any number or literal of JSON needs.
const maxWord = 1 << 10

func newJSONFilter(r io.Reader) *jsonFilter { return &jsonFilter{r: r, word: -1} }

func (f *jsonFilter) Read(p []byte) (int, error) {
	for {
		ready := len(f.out)
		if f.word >= 0 && f.err == nil {
			ready = f.word
		}
		if ready > 0 {
			n := copy(p, f.out[:ready])
			f.out = f.out[:copy(f.out, f.out[n:])]
			f.handed += int64(n)
			if f.word >= 0 {
				f.word = max(f.word-n, 0)
			}
			return n, nil
		}
		if f.err != nil {
			return 0, f.err
		}
		n, err := f.r.Read(f.in[:])
		for _, c := range f.in[:n] {
			f.filter(c)
		}
		if f.err = err; err != nil {
			f.endWord()
		}
	}
}

func (f *jsonFilter) filter(c byte) {
	newline := c == '\n'
	if f.inString {
		c = f.filterString(c)
	} else {
		f.filterBare(c)
	}
	if newline {
		f.newlines = append(f.newlines, f.handed+int64(len(f.out)))
	}
	f.out = append(f.out, c)
	if f.word >= 0 && len(f.out)-f.word > maxWord {
		f.word = -1
	}
}

// filterString processes a byte inside a string, and returns its replacement.
func (f *jsonFilter) filterString(c byte) byte {
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.inString = false
	}
	return max(c, ' ')
}

// filterBare follows a byte outside strings.
func (f *jsonFilter) filterBare(c byte) {
	switch {
	case c == '"':
		f.endWord()
		f.inString = true
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '+', c == '.':
		if f.word < 0 {
			f.word = len(f.out)
		}
	default:
		f.endWord()
	}
}

// endWord replaces the bare word that has just ended if it is no JSON.
func (f *jsonFilter) endWord() {
	if f.word < 0 {
		return
	}
	switch word := string(f.out[f.word:]); word {
	case "NaN", "-NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf":
		f.out = append(f.out[:f.word], '"')
		f.out = append(append(f.out, word...), '"')
	}
	f.word = -1
}

// lineAt returns the line, from 1, of the byte off of the filtered text. Lines before
// passed, an offset that is never asked for later, are forgotten.
func (f *jsonFilter) lineAt(passed, off int64) int {
	gone := f.before(passed)
	f.line += gone
	f.newlines = f.newlines[:copy(f.newlines, f.newlines[gone:])]
	return 1 + f.line + f.before(off)
}

func (f *jsonFilter) before(off int64) int {
	return sort.Search(len(f.newlines), func(i int) bool { return f.newlines[i] >= off })
}
