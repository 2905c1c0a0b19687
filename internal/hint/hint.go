// Package hint gives errors a line of advice, and tells a user's mistake from a failure.
package hint

import (
	"errors"
	"fmt"
)

// An Error is an error with advice for whoever reads it.
type Error struct {
	Err   error
	Hint  string // what to do about it; "" is nothing
	Usage bool   // what was asked for makes no sense: no failure, but a mistake
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// With adds advice to an error.
func With(advice string, err error) error { return &Error{Err: err, Hint: advice} }

// Usage returns a user's mistake, with what would have been right.
func Usage(advice, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: advice, Usage: true}
}

// Of returns the advice that an error holds, and whether it is a user's mistake.
func Of(err error) (advice string, usage bool) {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint, e.Usage
	}
	return "", false
}
