package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

func TestOpenWithoutSamples(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, QuestionFile), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, SamplesFile), 0o777); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if f, err := Open(dir); err == nil || f != nil || Busy(dir) {
			t.Errorf("%v, %v, busy %v", f, err, Busy(dir))
		}
	}
}

// The test may run as root, who can write everywhere: so the errors are made up.
func TestReadOnlyFolderHasAHint(t *testing.T) {
	for _, err := range []error{fs.ErrPermission, &fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}} {
		if got := readOnly(err).Error(); !strings.Contains(got, "\nhint: copy the folder to where it can be written") {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// Samples that need not be on disk at once are read by others, and are all there after Close.
func TestAppendWithoutWaiting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.SyncEvery = time.Hour
	const n = 100
	for i := range n {
		r := &benchfmt.Result{Name: benchfmt.Name("X"), Iters: 1,
			Values: []benchfmt.Value{{Value: float64(i), Unit: "u"}}}
		if err := f.Append(r); err != nil {
			t.Fatal(err)
		}
		seen := 0
		if _, err := ReadSamples(dir, func(*benchfmt.Result) error { seen++; return nil }); err != nil || seen != i+1 {
			t.Fatalf("%d of %d samples are read, %v", seen, i+1, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
