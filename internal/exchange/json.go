package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A jsonStream walks a JSON text without holding it in memory, and counts its lines.
type jsonStream struct {
	dec    *json.Decoder
	filter *jsonFilter
}

func newJSONStream(r io.Reader) *jsonStream {
	f := newJSONFilter(r)
	return &jsonStream{json.NewDecoder(f), f}
}

// line returns the line of the next value, or of the end of the last one.
func (s *jsonStream) line() int {
	off := s.dec.InputOffset()
	return s.filter.lineAt(off, off)
}

// fault returns an error with the position at which the text stops being JSON.
// encoding/json counts its offsets from different places for tokens and for values, so
// what it has buffered is parsed once more.
func (s *jsonStream) fault(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("line %d: %w", s.line(), errCut)
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("line %d: %w", s.line(), err)
	}
	off := s.dec.InputOffset()
	if rest, _ := io.ReadAll(s.dec.Buffered()); len(rest) > 0 {
		var second *json.SyntaxError
		if errors.As(json.Unmarshal(rest, new(json.RawMessage)), &second) {
			return fmt.Errorf("line %d: this is not JSON: %w", s.filter.lineAt(off, off+second.Offset), syntax)
		}
	}
	return fmt.Errorf("line %d: this is not JSON: %w", s.line(), syntax)
}

// open reads the "{" or "[" that a value must begin with.
func (s *jsonStream) open(want json.Delim, what string) error {
	tok, err := s.dec.Token()
	if err != nil {
		return s.fault(err)
	}
	if tok != want {
		return fmt.Errorf("line %d: %s should begin with %q, not %v", s.line(), what, want.String(), tok)
	}
	return nil
}

// each calls item for every item up to the closing bracket, which it reads. item must
// read the complete value.
func (s *jsonStream) each(item func(i int) error) error {
	for i := 0; s.dec.More(); i++ {
		if err := item(i); err != nil {
			return err
		}
	}
	if _, err := s.dec.Token(); err != nil {
		return s.fault(err)
	}
	return nil
}

// eachKey does the same as each for an object.
func (s *jsonStream) eachKey(item func(key string) error) error {
	return s.each(func(int) error {
		tok, err := s.dec.Token()
		if err != nil {
			return s.fault(err)
		}
		return item(tok.(string)) // the decoder lets no other key pass
	})
}

// value reads the next value into v. A value of another kind is reported as bad, and
// reading goes on; err is for a text that is no JSON.
func (s *jsonStream) value(v any) (bad, err error) {
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return nil, s.fault(err)
	}
	return json.Unmarshal(raw, v), nil
}

// skip reads over the next value. Like every value it is held in memory.
func (s *jsonStream) skip() error {
	var raw json.RawMessage
	_, err := s.value(&raw)
	return err
}

// number reads a JSON number, or a string that holds one.
func number(raw json.RawMessage) (float64, error) {
	if len(raw) == 0 {
		return 0, errors.New("is missing")
	}
	text := string(raw)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(raw, &text); err != nil {
			return 0, err
		}
	}
	return parseNumber(text)
}

// parseNumber parses like strconv.ParseFloat, but without Go's own spellings
// (hexadecimal, underscores) and with an error that fits behind a name.
func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		return 0, errors.New("is empty")
	case text == "null":
		return 0, errors.New("is null")
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("is %.40s, which is out of range", text)
	case err != nil || strings.ContainsAny(text, "xX_"):
		return 0, fmt.Errorf("is %.40q, not a number", text)
	}
	return v, nil
}

// text reads a JSON string, or any other scalar as it is written.
func text(raw json.RawMessage) string {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}

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

// An object is JSON with its keys in the order in which they were added.
type object struct {
	keys, fields []string
	err          error
}

func (o *object) has(key string) bool { return slices.Contains(o.keys, key) }

func (o *object) add(key string, v any) {
	k, err := encode(key)
	if err != nil && o.err == nil {
		o.err = err
	}
	text, err := encode(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.keys = append(o.keys, key)
	o.fields = append(o.fields, k+": "+text)
}

func (o *object) write(w *bufio.Writer, indent string) error {
	if o.err != nil {
		return o.err
	}
	inner := "\n" + indent + "  "
	_, err := w.WriteString("{" + inner + strings.Join(o.fields, ","+inner) + "\n" + indent + "}")
	return err
}

// encode returns v as JSON on one line, with < and & unescaped, as they occur in names
// of C++.
func encode(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// separator returns the text before item i of a list.
func separator(i int, first, others string) string {
	if i == 0 {
		return first
	}
	return others
}
