package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that could not be written whole stays as it was, and nothing lies beside it; a link stays a link.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			io.WriteString(w, s)
			return err
		}
	}
	if err := Write(path, text("old", nil)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := Write(path, text("new", broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("the file holds %q", got)
	}
	if err := Write(link, text("newer", nil)); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || string(got) != "newer" {
		t.Errorf("the link is %v, %v, and the file holds %q", info.Mode(), err, got)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
	err = Write(filepath.Join(dir, "none", "file"), text("", nil))
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), ".writing") {
		t.Errorf("in a folder that is not there: %v", err)
	}
}
