package language_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/study/language"
)

func TestFilesOfAModule(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir, want string
	}{
		{filepath.Join(dir, "slices"), "slices_test.go checks_test.go memcost.toml"},
		{filepath.Join(dir, "a", "b", "checks"), "checks_test.go sides_test.go memcost.toml"},
		{filepath.Join(t.TempDir(), "alone"), "alone_test.go checks_test.go memcost.toml go.mod"},
	} {
		files, err := language.Files(tt.dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, filepath.Base(f.Path))
			if strings.Contains(string(f.Data), "{{") {
				t.Errorf("%s has a part of the template in it", f.Path)
			}
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.dir, got, tt.want)
		}
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "slices")
	files, err := language.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if got, err := os.ReadFile(f.Path); err != nil || string(got) != string(f.Data) {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	if _, err := language.Write(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("written over a study: %v", err)
	}
	for _, name := range []string{"", "..", "func", "Slices", "two words", "1st", "a_b", "x/…"} {
		if _, err := language.Files(name); err == nil {
			t.Errorf("%q is taken as a name", name)
		}
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the study stands %v: %v", left, err)
	}
}
