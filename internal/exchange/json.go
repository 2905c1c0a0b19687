package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
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

// each reads an array or an object, of which it calls item for every item. item must read the complete
// value.
func (s *jsonStream) each(begin json.Delim, what string, item func(i int) error) error {
	if err := s.open(begin, what); err != nil {
		return err
	}
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

// eachKey does the same as each for an object, whose keys it reads.
func (s *jsonStream) eachKey(what string, item func(key string) error) error {
	return s.each('{', what, func(int) error {
		tok, err := s.dec.Token()
		if err != nil {
			return s.fault(err)
		}
		return item(tok.(string)) // the decoder lets no other key pass
	})
}

// entries reads an array, and warns of the entries that are not of a form.
func entries[T any](s *jsonStream, rd *reading, what, of, form string, entry func(where string, v T) error) error {
	return s.each('[', what, func(i int) error {
		where := fmt.Sprintf("line %d (%sentry %d)", s.line(), of, i+1)
		var v T
		bad, err := s.value(&v)
		if err != nil {
			return err
		}
		if bad != nil {
			rd.warn(where, "this is not %s, and is passed over", form)
			return nil
		}
		return entry(where, v)
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

// A jsonFilter makes what benchmark programs write acceptable to encoding/json, a line at a time,
// and counts lines. Google Benchmark's reporter (FormatKV and StrEscape in
// src/json_reporter.cc) writes NaN and Infinity bare, and leaves most control
// characters in strings as they are; neither is JSON. Here a bare NaN becomes
// the string "NaN" and a control character in a string becomes a space.
type jsonFilter struct {
	r        *bufio.Reader
	out      []byte // filtered, not yet handed out
	inString bool

	handed   int64   // bytes filtered before out[0]
	newlines []int64 // offsets, in the filtered text, of line ends not yet passed
	line     int     // line ends passed
}

func newJSONFilter(r io.Reader) *jsonFilter { return &jsonFilter{r: bufio.NewReader(r)} }

func (f *jsonFilter) Read(p []byte) (int, error) {
	if len(f.out) == 0 {
		line, err := f.r.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		f.filter(line)
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	f.handed += int64(n)
	return n, nil
}

// bare are the words of which JSON has none.
var bare = regexp.MustCompile(`-?\b(NaN|nan|Infinity|inf)\b`)

// filter takes a line, whose parts are outside of strings and inside by turns.
func (f *jsonFilter) filter(line []byte) {
	whole := line[len(line)-1] == '\n'
	f.out = f.out[:0]
	for at := 0; at < len(line); at++ {
		from := at
		for at < len(line) && line[at] != '"' {
			if f.inString && line[at] == '\\' {
				at++ // what is escaped does not end the string
			}
			at++
		}
		part := line[from:min(at, len(line))]
		if f.inString {
			for i, c := range part {
				part[i] = max(c, ' ')
			}
		} else {
			part = bare.ReplaceAll(part, []byte(`"$0"`))
		}
		f.out = append(f.out, part...)
		if at < len(line) {
			f.out, f.inString = append(f.out, '"'), !f.inString
		}
	}
	if whole {
		f.newlines = append(f.newlines, f.handed+int64(len(f.out))-1)
	}
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

// encode returns v as JSON, indented behind a prefix, with < and & unescaped, as they occur in names
// of C++.
func encode(v any, prefix string) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
