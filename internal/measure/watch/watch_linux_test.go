package watch

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"memcost/internal/malloc/allocator"
	"memcost/internal/method/curve"
)

// blocks makes many small blocks, frees all but each twentieth, and waits.
const blocks = `
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  long n = atol(argv[1]);
  char **p = malloc(n * sizeof *p);
  for (long i = 0; i < n; i++) { p[i] = malloc(64); memset(p[i], 1, 64); }
  for (long i = 0; i < n; i++) if (i % 20) free(p[i]);
  free(p);
  for (;;) pause();
}`

func program(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	source, out := filepath.Join(dir, "blocks.c"), filepath.Join(dir, "blocks")
	if err := os.WriteFile(source, []byte(blocks), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("cc", "-O1", "-fno-builtin", "-o", out, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return out
}

// What the watcher says agrees with an independent reading, under each allocator that is installed: at the end of the
// idleness with the sum over all mappings, read and added up here, and at the peak with what the kernel keeps.
func TestAgrees(t *testing.T) {
	path := program(t)
	n, idle, after := "1600000", 1200*time.Millisecond, []int{1}
	if os.Getenv("MEMCOST_LONG") != "" {
		n, idle, after = "8000000", 8100*time.Millisecond, []int{1, 2, 4, 8}
	}
	type preload struct{ name, library string }
	all := []preload{{"glibc", ""}}
	for _, c := range allocator.Installed() {
		switch c.Name {
		case "jemalloc", "mimalloc", "tcmalloc":
			all = append(all, preload{c.Name, c.Library})
		}
	}
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) {
			cmd := exec.Command(path, n)
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+x.library)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Wait() }()
			defer func() { _ = cmd.Process.Kill() }()
			var written bytes.Buffer
			w := Start(Options{PID: cmd.Process.Pid, Idle: idle, Finds: true, Out: &written})
			select {
			case <-w.Settled:
			case <-time.After(2 * time.Minute):
				t.Fatal("it was never idle")
			}
			end, peak := added(t, cmd.Process.Pid, "smaps", "Rss:"), added(t, cmd.Process.Pid, "status", "VmHWM:")
			c, err := w.Stop(curve.Stopped)
			if err != nil {
				t.Fatal(err)
			}
			last := c.Points[len(c.Points)-1]
			t.Logf("peak %d, at the end %d bytes; %d looks, %v of CPU time in %v, longest gap %v", peak, end, c.Looks,
				c.Sampler, c.Last(), c.Gap)
			within(t, "peak", c.Top(), peak)
			within(t, "end", last.Resident, end)
			for _, s := range after { // nothing changes while it is idle, but what an allocator gives back then
				held, ok := c.Settled(time.Duration(s) * time.Second)
				if !ok {
					t.Fatalf("nothing is known of %d s after the work", s)
				}
				if e, _, ok := c.Nearest(c.Work + time.Duration(s)*time.Second); !ok {
					t.Errorf("there was no exact reading %d s after the work", s)
				} else {
					within(t, fmt.Sprintf("%d s after", s), held, e.Resident)
				}
			}
			read, err := curve.Read(&written)
			if err != nil || read.End.Peak != c.End.Peak || read.Looks != c.Looks || read.How != curve.Stopped ||
				(read.Work-c.Work).Abs() > time.Millisecond {
				t.Errorf("written: %+v, %v; it was %+v", read.End, err, c.End)
			}
			if c.Work <= 0 || c.Used() <= 0 {
				t.Errorf("work ended at %v, CPU time %v", c.Work, c.Used())
			}
		})
	}
}

func within(t *testing.T, what string, got, want int64) {
	t.Helper()
	if d := math.Abs(float64(got)/float64(want) - 1); !(d <= 0.02) {
		t.Errorf("%s: %d bytes, and read independently %d: %.1f%% apart", what, got, want, 100*d)
	}
}

// added sums up the lines of a file of a process that begin with a word, in bytes.
func added(t *testing.T, pid int, file, word string) (sum int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == word {
			n, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n << 10
		}
	}
	return sum
}

// Marks go to the watcher that runs, over a socket that is its user's alone.
func TestMarks(t *testing.T) {
	dir := t.TempDir()
	b, err := NewBoard(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	info, err := os.Lstat(b.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	if err := Send(dir, "early"); err == nil || !strings.Contains(err.Error(), nothing) {
		t.Errorf("a mark of nothing: %v", err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	w := Start(Options{PID: cmd.Process.Pid, Idle: time.Millisecond})
	b.Watch(w)
	for _, name := range []string{"loaded  twice", curve.Idle} {
		if err := Send(dir, name); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "two\nlines", strings.Repeat("x", 41)} {
		if err := Send(dir, bad); err == nil {
			t.Errorf("the mark %q was set", bad)
		}
	}
	<-w.Settled
	_ = cmd.Process.Kill()
	<-w.Gone
	c, err := w.Stop(curve.Ended)
	if err != nil || c.Found != Marked || c.Work <= 0 || len(c.Marks) != 2 || c.Marks[0].Name != "loaded  twice" {
		t.Errorf("%+v %v, %v", c.End, c.Marks, err)
	}
}

// A path that is too long for a socket has it elsewhere.
func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := NewBoard(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	t.Setenv(SocketVar, b.Path)
	if err := Send("", "x"); err == nil || !strings.Contains(err.Error(), nothing) {
		t.Errorf("%v", err)
	}
}
