package proc

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLookPath(t *testing.T) {
	name := "tool"
	if runtime.GOOS == "windows" {
		name = "tool.exe"
	}
	first, second := t.TempDir(), t.TempDir()
	want := filepath.Join(second, name)
	if err := os.WriteFile(want, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(first, name), 0o777); err != nil { // a directory is no program
		t.Fatal(err)
	}
	path := strings.Join([]string{".", first, second}, string(filepath.ListSeparator))
	got, err := LookPath("tool", []string{"PATH=" + first, "PATH=" + path})
	if err != nil || got != want {
		t.Errorf("found %q (%v), want %s", got, err, want)
	}
	if _, err := LookPath("tool", []string{"PATH=" + first}); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
