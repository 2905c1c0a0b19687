package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteWhole writes a file so that it is never seen half: beside it first, then
// renamed. What is not a plain file (/dev/stdout, a link, a pipe) is written
// directly: a rename would put a file in its place.
func WriteWhole(path string, write func(io.Writer) error) (err error) {
	wrap := func(err error) error {
		var named *os.PathError // of the file beside it, which nobody asked for
		if errors.As(err, &named) {
			err = named.Err
		}
		if err != nil {
			err = fmt.Errorf("writing the report %s: %w", path, err)
		}
		return err
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return wrap(err)
		}
		err = write(f)
		return wrap(cmp.Or(err, f.Close()))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return wrap(err)
	}
	defer os.Remove(f.Name())
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return wrap(err)
}

// WriteJSON writes a value for people and programs: indented, and < as it is.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
