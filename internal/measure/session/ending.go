package session

import (
	"context"
	"errors"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
)

// An Interruption is the error of what Ctrl-C ended.
type Interruption struct{ says string }

// Error implements error.
func (e *Interruption) Error() string { return "interrupted" + e.says }

// Stopped returns the error of what was interrupted and leaves nothing to go on with; says is what
// became of it.
func Stopped(says string) error { return &Interruption{"; " + says} }

const nothingMeasured = " before the first sample; nothing was measured yet"

// ErrInterrupted returns the error of what was interrupted while it was prepared, and has no folder to
// go on with.
func ErrInterrupted() error {
	return hint.With("what was built is kept, so that the next run begins sooner", &Interruption{nothingMeasured})
}

// Interrupted returns the error of what was interrupted while it was measured, with the command that
// goes on with it.
func Interrupted(again string) error {
	return hint.With("go on with: "+again, &Interruption{"; everything measured so far is kept"})
}

// OrInterrupted returns the error of a preparation: err itself, unless Ctrl-C ended it. That what was
// asked makes no sense is said in any case.
func OrInterrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || hint.IsUsage(err) || errors.As(err, new(*Interruption)) {
		return err
	}
	return ErrInterrupted()
}

// orInterrupted is OrInterrupted for a preparation that may have a folder.
func (r *record) orInterrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || hint.IsUsage(err) {
		return err
	}
	return r.Interrupted()
}

// Interrupted returns the error of a session or a search that Ctrl-C ended: what of it is kept, and
// how to go on.
func (r *record) Interrupted() error {
	switch {
	case r.Folder == nil || !store.IsRun(r.Folder.Dir):
		return ErrInterrupted()
	case len(store.CheckSamples(r.Folder.Dir)) > 0:
		return hint.With("go on with: "+r.again(), &Interruption{nothingMeasured})
	case r.Question.Attempt != nil:
		return Stopped("the complete rounds of the attempt count")
	}
	return Interrupted(r.again())
}
