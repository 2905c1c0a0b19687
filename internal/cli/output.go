package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"memcost/internal/text"
)

// An output is where a report goes.
type output struct {
	io.Writer
	file bool
}

func (w *output) style(a *app, long bool) text.Style {
	if w.file {
		return text.Style{Long: long}
	}
	return a.style(long)
}

// output writes to a file, whole or not at all, or to standard output.
func (a *app) output(path string, write func(*output) error) error {
	if path == "" {
		return write(&output{a.stdout, false})
	}
	return writeWhole(path, func(w io.Writer) error { return write(&output{w, true}) })
}

// writeWhole writes a file so that it is never seen half: beside it first, then
// renamed. What is not a plain file (/dev/stdout, a link, a pipe) is written
// directly: a rename would put a file in its place.
func writeWhole(path string, write func(io.Writer) error) (err error) {
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

func (a *app) style(long bool) text.Style {
	_, width := isTerminal(a.stdout)
	return text.Style{Color: useColor(a.stdout), Width: width, Long: long}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
