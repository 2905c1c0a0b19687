package place

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrThere is the error of an object that WriteNew found there.
var ErrThere = errors.New("it is there already")

// ErrNone is the error of an object, or a place, that is not there.
var ErrNone = errors.New("there is no such thing")

// errDenied is the error of a store that a user has no right to use.
var errDenied = errors.New("access is denied")

// An Object is what a place lists.
type Object struct {
	Key     string
	Size    int64
	Written time.Time // by the clock of the place
}

// A store holds objects: a folder or a bucket. Its errors wrap ErrThere, ErrNone and errDenied where
// they mean that; keys are separated by slashes.
type store interface {
	open(ctx context.Context, key string) (io.ReadCloser, error)
	write(ctx context.Context, key string, r io.Reader) error
	// writeNew writes only if there is no such object: of several writers at once, one succeeds.
	writeNew(ctx context.Context, key string, data []byte) error
	list(ctx context.Context, prefix string) ([]Object, error)
	folders(ctx context.Context) ([]string, error)
}
