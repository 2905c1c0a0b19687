package binary

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// A profile is of the program that wrote it, and of no other: not of one with a line more,
// and not of one without build ID whose functions stand elsewhere.
func TestMatches(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, flags := range [][]string{nil, {"-ldflags=-s -w"}, {"-buildmode=pie"}} {
		path := build(t, "linux/amd64", flags...)
		p, heap := open(t, path), runs(t, path)
		if err := p.Matches(heap); err != nil {
			t.Errorf("%v: %v", flags, err)
		}
		if shift := p.Shift(heap); (shift != 0) != p.file.PIE {
			t.Errorf("%v: shifted by %#x", flags, shift)
		}
		other := open(t, changed(t, flags...))
		if err := other.Matches(heap); err == nil || !strings.Contains(err.Error(), "build ID") {
			t.Errorf("%v: the profile of another program: %v", flags, err)
		}
		for _, m := range heap.Mapping {
			m.BuildID = ""
		}
		if err := p.Matches(heap); err != nil {
			t.Errorf("%v: without build ID: %v", flags, err)
		}
		err := other.Matches(heap)
		if err == nil || !strings.Contains(err.Error(), "locations differ") ||
			!strings.Contains(err.Error(), "\nhint: ") {
			t.Errorf("%v: the profile of another program, without build ID: %v", flags, err)
		}
	}
}

// changed builds testdata/program with one line more before its functions.
func changed(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile("testdata/program/main.go")
	if err != nil {
		t.Fatal(err)
	}
	source = bytes.Replace(source, []byte("type pair"), []byte("// More.\ntype pair"), 1)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), source, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", "program"}, flags...), "main.go")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return filepath.Join(dir, "program")
}

// The addresses of a position independent program are found with the mapping's start.
func TestShiftedCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	path := build(t, "linux/amd64", "-buildmode=pie")
	p, heap := open(t, path), runs(t, path)
	shift := p.Shift(heap)
	for _, l := range heap.Location {
		l.Address -= shift
	}
	compareChains(t, p, heap)
}

func TestMatchesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	p := open(t, build(t, "linux/amd64"))
	if err := p.Matches(&profile.Profile{}); err == nil || !strings.Contains(err.Error(), "none of its locations") {
		t.Errorf("an empty profile: %v", err)
	}
}
