package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/mallocprofile"
)

// app is one whose output is kept, with a cache of its own.
func app(t *testing.T) (a *App, out, errs *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("programs are counted on Linux")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no cc")
	}
	t.Setenv("MEMCOST_CACHE", t.TempDir())
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &App{Stdin: strings.NewReader(""), Stdout: out, Stderr: errs}, out, errs
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
	a, out, _ := app(t)
	o := mallocProfileOptions{Stdin: input(t, "123456"), Runs: 4, JSON: true}
	if err := profileMalloc(context.Background(), a, o, []string{profilingProgram(t)}); err != nil {
		t.Fatal(err)
	}
	var use mallocprofile.Use
	if err := json.Unmarshal(out.Bytes(), &use); err != nil {
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
	a, out, errs := app(t)
	o := mallocProfileOptions{Stdin: input(t, "7"), Runs: 1}
	if err := profileMalloc(context.Background(), a, o, []string{profilingProgram(t)}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "exit status 7") || !strings.Contains(text, "malloc 7, free 7") {
		t.Errorf("%s", text)
	}
	if strings.Contains(errs.String(), "warning") {
		t.Errorf("%s", errs)
	}
}

func TestWhatCannotBeCounted(t *testing.T) {
	a, _, _ := app(t)
	for _, tt := range []struct {
		command []string
		options mallocProfileOptions
		says    string
		usage   bool
	}{
		{[]string{profilingProgram(t, "-static")}, mallocProfileOptions{}, "linked statically", false},
		{[]string{"there-is-no-such-program"}, mallocProfileOptions{}, "no such program on PATH", false},
		{[]string{"./missing"}, mallocProfileOptions{}, "no such file", false},
		{nil, mallocProfileOptions{}, "no program is named", true},
		{[]string{"true"}, mallocProfileOptions{Stdin: "/nowhere"}, "/nowhere", false},
	} {
		err := profileMalloc(context.Background(), a, tt.options, tt.command)
		if err == nil || !strings.Contains(err.Error(), tt.says) || hint.IsUsage(err) != tt.usage {
			t.Errorf("%q: %v, want …%s…", tt.command, err, tt.says)
		}
	}
}

// How many runs there are is chosen before they begin.
func TestPairs(t *testing.T) {
	for took, want := range map[time.Duration]int{
		time.Millisecond: mostRuns, time.Second: 10, time.Minute: fewestRuns,
	} {
		if got := (mallocProfileOptions{Budget: 20 * time.Second}).pairs(took); got != want {
			t.Errorf("of a program that takes %v: %d runs, want %d", took, got, want)
		}
	}
	if got := (mallocProfileOptions{Runs: 3}).pairs(time.Hour); got != 3 {
		t.Errorf("%d runs, want 3", got)
	}
}
