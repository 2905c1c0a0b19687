package stacklog

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Programs for other systems need not run: the linker's symbol table says where
// their functions are.
func TestSymbols(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for three platforms")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { grower() }\n\n//go:noinline\nfunc grower() "+
		"{ println(1) }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	build := func(platform string, flags ...string) string {
		goos, goarch, _ := strings.Cut(platform, "/")
		out := filepath.Join(dir, "program")
		cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), source)...)
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOWORK=off")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", platform, err, text)
		}
		return out
	}
	hook := func(path string) (func(uint64) (string, string, int), error) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return Symbols(f)
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "windows/amd64"} {
		path := build(platform, "-buildmode=exe")
		pc := addressOf(t, path, "main.grower")
		find, err := hook(path)
		if err != nil {
			t.Errorf("%s: %v", platform, err)
			continue
		}
		if function, file, line := find(pc + 4); function != "main.grower" || file != source || line != 6 {
			t.Errorf("%s: %s %s:%d", platform, function, file, line)
		}
		if function, _, _ := find(1); function != "" {
			t.Errorf("%s: a function %s at address 1", platform, function)
		}
		if platform != "linux/amd64" {
			continue
		}
		if find, err = hook(build(platform, "-buildmode=exe", "-ldflags=-s -w")); err != nil {
			t.Fatal(err)
		}
		if function, _, _ := find(pc + 4); function != "main.grower" {
			t.Errorf("stripped: %s", function)
		}
	}
	for _, platform := range []string{"linux/amd64", "windows/amd64", "darwin/arm64"} {
		if _, err := hook(build(platform, "-buildmode=pie")); err == nil || !strings.Contains(err.Error(), "hint: ") {
			t.Errorf("%s, position independent: %v", platform, err)
		}
	}
	if _, err := hook(source); err == nil {
		t.Error("a text has functions")
	}
}

// addressOf asks go tool nm.
func addressOf(t *testing.T, path, symbol string) uint64 {
	t.Helper()
	out, err := exec.Command("go", "tool", "nm", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[2] == symbol {
			v, _, ok := number([]byte("0x"+f[0]), 'x')
			if !ok {
				t.Fatal(line)
			}
			return v
		}
	}
	t.Fatalf("%s has no symbol %s", path, symbol)
	return 0
}
