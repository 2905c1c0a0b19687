package toolchain

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/proc"
)

func localRoot(t *testing.T) string {
	t.Helper()
	tc, err := (&Finder{Runner: &proc.Runner{}}).Local(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tc.GOROOT
}

// No line of the standard library moves: positions stay those that users see.
func TestCountingMovesNoLine(t *testing.T) {
	root := filepath.Join(localRoot(t), "src")
	for dir, change := range map[string]func(string) (map[string]string, error){"testing": countTesting,
		"runtime": exactRuntime} {
		files, err := change(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for name, changed := range files {
			if name == "memcost_count.go" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, dir, name))
			if err != nil {
				t.Fatal(err)
			}
			before, after := strings.Split(string(text), "\n"), strings.Split(changed, "\n")
			different := 0
			for i, line := range before {
				if line != after[i] {
					different++
				}
				if before, after := strings.TrimSpace(line), strings.TrimSpace(after[i]); before != after &&
					!strings.Contains(after, "memcost") && !strings.Contains(after, "MemProfileRate != 1") {
					t.Errorf("%s:%d is %q, not %q", name, i+1, after, before)
				}
			}
			if different == 0 {
				t.Errorf("%s is not changed", name)
			}
		}
	}
}

// A source that is not understood is an error, not a count of something else.
func TestAnUnknownSourceIsRefused(t *testing.T) {
	root := filepath.Join(localRoot(t), "src")
	for _, test := range []struct {
		dir, file, old, new string
		change              func(string) (map[string]string, error)
	}{
		{"testing", "benchmark.go", "b.previousN = n", "b.previousN = n + 0", countTesting},
		{"testing", "testing.go", "\tfn(t)\n", "\tfn(t)\n\tfn(t)\n", countTesting},
		{"runtime", "malloc.go", "off+size <= maxTinySize", "off+size < maxTinySize+1", exactRuntime},
	} {
		dir := t.TempDir()
		copyGo(t, filepath.Join(root, test.dir), dir)
		if _, err := test.change(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, test.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), test.old, test.new)
		if changed == string(text) {
			t.Fatalf("%s has no %q", test.file, test.old)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := test.change(dir); err == nil || !strings.Contains(err.Error(), "is not as expected") {
			t.Errorf("%s: error %v", test.file, err)
		}
	}
}

// copyGo copies the Go files of a folder.
func copyGo(t *testing.T, from, to string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s has no Go files: %v", from, err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
