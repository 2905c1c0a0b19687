//go:build unix

package foreign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file of the folder is refused at once: no waiting for the writer of a pipe, no device without an
// end, nothing behind a link.
func TestOpen(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Mkdir(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(dir, "sub", "file"), []byte("text"), 0o600),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600), os.Symlink(secret, filepath.Join(dir, "out")),
		os.Symlink(outside, filepath.Join(dir, "far")), os.Symlink("/dev/zero", filepath.Join(dir, "endless")),
		os.Symlink("sub/file", filepath.Join(dir, "in"))); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"pipe": "device or a pipe", "out": "leads out of the folder",
		"endless": "leads out of the folder", "far/secret": "path escapes", "sub": "is a directory", "../x": "path escapes",
		"none": "no such file"} {
		_, err := Read(dir, name, 10)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(dir, "none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, name := range []string{"sub/file", "in"} {
		if got, err := Read(dir, name, 4); err != nil || string(got) != "text" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Read(dir, "in", 3); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file that is too long: %v", err)
	}
	for _, name := range []string{"out", "far/secret"} {
		if f, err := OpenFile(dir, name, os.O_RDWR|os.O_TRUNC|os.O_CREATE); err == nil {
			f.Close()
			t.Errorf("%s was opened for writing", name)
		}
	}
	if got, _ := os.ReadFile(secret); string(got) != "secret" {
		t.Errorf("outside of the folder there is now %q", got)
	}
}
