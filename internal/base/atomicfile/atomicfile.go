// Package atomicfile writes files that are never seen half.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write writes a file of which a reader finds the old or the new content: beside it first, then renamed. What is not
// a plain file (/dev/stdout, a link, a pipe) is written directly: a rename would put a file in its place.
func Write(path string, write func(io.Writer) error) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return nameless(err)
		}
		return nameless(errors.Join(write(f), f.Close()))
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return nameless(err)
	}
	defer os.Remove(f.Name()) // fails once it has its name
	err = write(f)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return nameless(err)
}

// nameless returns an error without the name of the file beside it, which nobody asked for.
func nameless(err error) error {
	var named *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &named):
		return named.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
