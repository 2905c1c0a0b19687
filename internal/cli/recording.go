package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/exectrace"
	"memcost/internal/plan"
	"memcost/internal/profile"
	"memcost/internal/result"
	"memcost/internal/sample"
	"memcost/internal/toolchain"
)

// buildPrograms builds the programs of a suite that give further cases.
func (s *session) buildPrograms(ctx context.Context, suite, arm int, spec toolchain.Build) error {
	x := s.question.Plan.Suites[suite]
	for _, p := range x.Programs {
		key := programKey{arm, suite, p.Dir}
		if s.programs[key] != "" {
			continue
		}
		build := spec
		build.Pkg += "/" + p.Dir
		path, err := s.builder.BuildProgram(ctx, build)
		if err != nil {
			return err
		}
		s.programs[key] = path
	}
	return nil
}

// programKey names a program by arm, suite and folder.
type programKey struct {
	arm, suite int
	dir        string
}

func (s *session) program(arm, suite int, dir string) (sample.Target, error) {
	path, ok := s.programs[programKey{arm, suite, dir}]
	if !ok {
		return sample.Target{}, fmt.Errorf("no program %s of %s for %s", dir, s.question.Plan.Suites[suite].Name, s.question.Plan.Arms[arm].Name)
	}
	return sample.Target{Path: path, Dir: filepath.Dir(path), Env: s.env}, nil
}

// Folders of a run folder for what programs recorded.
var recordingDirs = map[string]string{"trace": "traces", "cpuprofile": "profiles"}

// recording reads what a program recorded, and keeps the first of each case and arm.
func (s *session) recording(kind, file string, c plan.Case, arm string) ([]benchfmt.Value, error) {
	f, err := os.Open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("it wrote no %s", kind)
		}
		return nil, err
	}
	defer f.Close()
	records, err := readRecording(kind, bufio.NewReaderSize(f, 1<<20), c.Name)
	if err != nil {
		return nil, fmt.Errorf("reading its %s: %w", kind, err)
	}
	var values []benchfmt.Value
	for _, r := range records[:1] { // those after it are of parts
		values = append(values, r.Values...)
	}
	lost := fmt.Sprintf("%s on %s: its %s is not kept in the run folder: ", c.Name, arm, kind)
	if err := s.keepRecording(kind, f, c, arm); err != nil { // the figures are in the samples
		s.warnOnce(lost + err.Error())
		return values, nil
	}
	s.question.Warnings = slices.DeleteFunc(s.question.Warnings, func(w string) bool { return strings.HasPrefix(w, lost) })
	return values, nil
}

func readRecording(kind string, r io.Reader, name string) ([]*benchfmt.Result, error) {
	if kind == "trace" {
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

// keepRecording copies a recording into the run folder, unless there is one of the
// same case and arm.
func (s *session) keepRecording(kind string, f *os.File, c plan.Case, arm string) error {
	if s.folder == nil || s.folder.Dir == "" {
		return nil
	}
	name := filepath.Join(recordingDirs[kind], result.FileName(c.Name+"-"+arm)+recordingEnding[kind])
	if _, err := os.Stat(filepath.Join(s.folder.Dir, name)); err == nil {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	return s.folder.WriteFile(name, data)
}

var recordingEnding = map[string]string{"trace": ".trace", "cpuprofile": ".pprof"}
