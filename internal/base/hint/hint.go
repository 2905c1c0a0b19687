// Package hint carries advice with an error: what the user can do about it. It imports
// no other package of memcost, so that every package can give advice where the error
// arises.
package hint

import (
	"errors"
	"fmt"
	"strings"
)

// An Error is an error with advice. Its text ends with the advice on a line of its own,
// so that it is not lost where an error becomes a warning or a field; Split separates
// the two.
type Error struct {
	Err   error
	Hint  string // advice, without a "hint:" before it; may be ""
	Usage bool   // the user's mistake: what was asked makes no sense
}

// Error returns the text of the error, and the hint on the next line.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Err.Error()
	}
	return strings.TrimRight(e.Err.Error(), "\n") + mark + e.Hint
}

// Unwrap returns the error without the advice.
func (e *Error) Unwrap() error { return e.Err }

// mark separates a text from its hint.
const mark = "\nhint: "

// New returns an error with the text of fmt.Errorf, and a hint.
func New(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint}
}

// With returns err with a hint. Without one, or without an error, it is err itself.
func With(hint string, err error) error {
	if err == nil || hint == "" {
		return err
	}
	return &Error{Err: err, Hint: hint}
}

// Usage returns an error for a mistake of the user, with a hint that may be "".
func Usage(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Usage: true}
}

// IsUsage reports whether err is the user's mistake, or wraps one.
func IsUsage(err error) bool {
	for _, e := range all(err) {
		if e.Usage {
			return true
		}
	}
	return false
}

// Split returns the text of err without its hints, and the hints of all errors in
// it, each once, the innermost first.
func Split(err error) (text string, hints []string) {
	text = err.Error()
	seen := map[string]bool{}
	for _, e := range all(err) {
		if e.Hint == "" || seen[e.Hint] {
			continue
		}
		seen[e.Hint] = true
		text = strings.ReplaceAll(text, mark+e.Hint, "")
		hints = append(hints, e.Hint)
	}
	return text, hints
}

// all returns the Errors in the tree of err, the innermost first.
func all(err error) []*Error {
	var out []*Error
	switch x := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			out = append(out, all(e)...)
		}
	default:
		out = all(errors.Unwrap(err))
	}
	if e, ok := err.(*Error); ok {
		out = append(out, e)
	}
	return out
}
