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

// A link that somebody else put into a folder leads no write out of it: one in the file's place is replaced, and one on
// the way is refused.
func TestWriteInFollowsNoLinkOut(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("old"), 0o600), os.Symlink(victim, filepath.Join(dir, "page")),
		os.Symlink(outside, filepath.Join(dir, "logs"))); err != nil {
		t.Skip(err)
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}
	if err := WriteIn(dir, "page", write); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"logs/victim", "logs/x/victim", "../victim"} {
		if err := WriteIn(dir, filepath.FromSlash(name), write); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if got, _ := os.ReadFile(victim); string(got) != "old" {
		t.Errorf("outside of the folder there is now %q", got)
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("left behind outside: %v", left)
	}
	if err := WriteIn(dir, filepath.Join("a", "b", "c"), write); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"page", "a/b/c"} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if got, _ := os.ReadFile(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() || string(got) != "new" {
			t.Errorf("%s: %v, %q, %v", name, info.Mode(), got, err)
		}
	}
}
