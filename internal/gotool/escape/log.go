package escape

import (
	"errors"
	"fmt"
)

// A Log holds the diagnostics of one compiler output.
type Log struct {
	Diagnostics []Diagnostic // distinct, in the order of the text
	Packages    []string     // the "# package" headers, in order, repeated ones once
	Known       int          // lines understood, explanations and repetitions included
	Unknown     int          // lines not understood
	UnknownLine string       // the first of them
}

// Complete returns an error if a line was not understood. A guard must not rely on
// output that was read only in part; a report may.
func (l *Log) Complete() error {
	if l.Unknown == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d lines of the compiler are not understood: is the compiler newer than this program?%s",
		l.Unknown, l.Known+l.Unknown, l.example())
}

func (l *Log) check(lines int) error {
	switch {
	case lines == 0:
		return errors.New("there is no text; go build says nothing when its -o file is up to date, so it needs a " +
			"fresh one")
	case len(l.Packages) == 0:
		return fmt.Errorf("no \"# package\" header in %d lines: is it the output of go build -gcflags=-m=2?%s", lines,
			l.example())
	case l.Known == 0:
		return fmt.Errorf("nothing is understood under the header of %s%s", l.Packages[0], l.example())
	case l.Unknown > (l.Known+l.Unknown)/10:
		return fmt.Errorf("%d of %d lines are not understood: is the compiler newer than this program?%s", l.Unknown,
			l.Known+l.Unknown, l.example())
	}
	return nil
}

func (l *Log) example() string {
	if l.UnknownLine == "" {
		return ""
	}
	return fmt.Sprintf(" (such as %.200q)", l.UnknownLine)
}
