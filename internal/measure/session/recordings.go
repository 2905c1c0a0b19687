package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/gotool/exectrace"
	"memcost/internal/gotool/profile"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// recording reads what a program recorded, and keeps the first of each case and side.
func (r *record) recording(kind store.Recording, file string, c plan.Case, side string) ([]benchfmt.Value, error) {
	f, err := os.Open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("it wrote no %s", kind.Kind)
		}
		return nil, err
	}
	defer f.Close()
	records, err := readRecording(kind, f, c.Name)
	if err != nil {
		return nil, fmt.Errorf("reading its %s: %w", kind.Kind, err)
	}
	var values []benchfmt.Value
	for _, x := range records[:1] { // those after it are of parts
		values = append(values, x.Values...)
	}
	lost := fmt.Sprintf("%s on %s: its %s is not kept in the run folder: ", c.Name, side, kind.Kind)
	if err := r.keepRecording(kind, f, c, side); err != nil { // the figures are in the samples
		r.warn("%s", lost+err.Error())
		return values, nil
	}
	r.Question.Warnings = slices.DeleteFunc(r.Question.Warnings, func(w string) bool {
		return strings.HasPrefix(w, lost)
	})
	return values, nil
}

func readRecording(kind store.Recording, r io.ReadSeeker, name string) ([]*benchfmt.Result, error) {
	if kind.Kind == "trace" {
		t, err := exectrace.Read(r, exectrace.Options{})
		if err != nil {
			return nil, err
		}
		return t.Records(name), nil
	}
	p, err := profile.Read(r)
	if err != nil {
		return nil, err
	}
	return p.Records(name), nil
}

// keepRecording copies a recording into the run folder, unless there is one of the same
// case and side.
func (r *record) keepRecording(kind store.Recording, f *os.File, c plan.Case, side string) error {
	if r.Folder == nil || r.Folder.Dir == "" {
		return nil
	}
	name := kind.File(c.Name, side)
	if _, err := os.Stat(filepath.Join(r.Folder.Dir, name)); err == nil {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	return r.Folder.WriteFile(name, data)
}
