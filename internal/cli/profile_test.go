package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"memcost/internal/malloc/mallocprofile"
)

// countable skips where calls are not counted, and gives memcost a cache of its own.
func countable(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("programs are counted on Linux")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no cc")
	}
	t.Setenv("MEMCOST_CACHE", t.TempDir())
}

// program compiles one that reads a number from its input and makes so many pairs of calls.
func profilingProgram(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, to := filepath.Join(dir, "prog.c"), filepath.Join(dir, "prog")
	err := os.WriteFile(source, []byte(`#include <stdlib.h>
#include <unistd.h>
int main(void) {
	char text[32] = "";
	if (read(0, text, sizeof text - 1) < 0)
		return 9;
	void *volatile p;
	for (long i = atol(text); i > 0; i--) {
		p = malloc(5000);
		free(p);
	}
	return atol(text) == 7 ? 7 : 0;
}
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O1", "-fno-builtin", "-o", to, source}, flags...)
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return to
}

func input(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestProfileAsJSON(t *testing.T) {
	countable(t)
	status, out, errs := memcost("alloc", "--profile", "--json", "--runs=4", "--stdin", input(t, "123456"), "--", profilingProgram(t))
	if status != statusDone {
		t.Fatal(errs)
	}
	var use mallocprofile.Use
	if err := json.Unmarshal([]byte(out), &use); err != nil {
		t.Fatal(err)
	}
	if use.Profile == nil || use.Profile.Calls["malloc"] != 123456 || use.Profile.Calls["free"] != 123456 {
		t.Fatalf("calls: %+v", use.Profile)
	}
	if use.Overhead.Runs != 4 || use.Rate <= 0 || use.Ended != "" {
		t.Errorf("overhead %+v, rate %v, ended %q", use.Overhead, use.Rate, use.Ended)
	}
}

func TestProfileOfAFailure(t *testing.T) {
	countable(t)
	status, out, errs := memcost("alloc", "--profile", "--runs=1", "--stdin", input(t, "7"), "--", profilingProgram(t))
	if status != statusDone {
		t.Fatal(errs)
	}
	if !strings.Contains(out, "exit status 7") || !strings.Contains(out, "malloc 7, free 7") {
		t.Errorf("%s", out)
	}
	if strings.Contains(errs, "warning") {
		t.Errorf("%s", errs)
	}
}

func TestWhatCannotBeCounted(t *testing.T) {
	countable(t)
	for _, tt := range []struct {
		args   []string
		says   string
		status int
	}{
		{[]string{profilingProgram(t, "-static")}, "linked statically", statusFailed},
		{[]string{"there-is-no-such-program"}, "looking for there-is-no-such-program on PATH", statusFailed},
		{[]string{"./missing"}, "no such file", statusFailed},
		{nil, "no program is named", statusUsage},
		{[]string{"true"}, "/nowhere", statusFailed},
	} {
		args := []string{"alloc", "--profile"}
		if tt.says == "/nowhere" {
			args = append(args, "--stdin", tt.says)
		}
		status, _, errs := memcost(append(append(args, "--"), tt.args...)...)
		if status != tt.status || !strings.Contains(errs, tt.says) {
			t.Errorf("%q: %d, %s, want …%s…", tt.args, status, errs, tt.says)
		}
	}
}
