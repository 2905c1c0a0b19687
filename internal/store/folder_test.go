package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
