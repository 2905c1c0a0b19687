package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
