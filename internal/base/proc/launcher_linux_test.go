package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func launcher(t *testing.T) *Launcher {
	t.Helper()
	l, err := StartLauncher(new(Runner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func launch(t *testing.T, l *Launcher, c Cmd) Result {
	t.Helper()
	res, err := l.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// One launcher runs all sorts of processes, and says of them what a Runner says.
func TestLauncher(t *testing.T) {
	l := launcher(t)
	res := launch(t, l, helper(t, "exit", "3", "why it failed"))
	if res.ExitCode != 3 || res.Signal != "" || res.TimedOut || string(res.Stdout) != "to stdout\n" ||
		string(res.Stderr) != "why it failed\n" {
		t.Errorf("got %+v", res)
	}
	if res.Wall <= 0 || res.Usage.User+res.Usage.Sys <= 0 || res.Usage.User+res.Usage.Sys > time.Minute {
		t.Errorf("times: wall %v, usage %+v", res.Wall, res.Usage)
	}
	res = launch(t, l, helper(t, "crash"))
	if res.ExitCode != 2 || !bytes.Contains(res.Stderr, []byte("nil pointer")) {
		t.Errorf("got %+v", res)
	}
	if got := string(launch(t, l, helper(t, "stdin")).Stdout); got != "0 bytes, error <nil>" {
		t.Errorf("without an input, it read %s", got)
	}
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, make([]byte, 100_000), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c := helper(t, "stdin")
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Stdin = f
		if got := string(launch(t, l, c).Stdout); got != "100000 bytes, error <nil>" {
			t.Errorf("of a file of 100000 bytes it read %s", got)
		}
		f.Close()
	}
	c := helper(t, "cat", "a b", "")
	c.Dir, c.Env = t.TempDir(), CleanEnv(c.Env, "WORD=x")
	if real, err := filepath.EvalSymlinks(c.Dir); err != nil ||
		string(launch(t, l, c).Stdout) != real+`|x|["a b" ""]` {
		t.Errorf("in %s it sees %s", real, launch(t, l, c).Stdout)
	}
	// The environment is as long as the system allows, and more than a socket holds at once.
	c = helper(t, "cat")
	c.Env = append(c.Env, "WORD="+strings.Repeat("w", 100_000), "A="+strings.Repeat("a", 100_000),
		"B="+strings.Repeat("b", 100_000), "C="+strings.Repeat("c", 100_000))
	if got := launch(t, l, c).Stdout; len(got) < 100_000 {
		t.Errorf("it sees %d bytes of its environment", len(got))
	}
}

func TestLauncherReadsAFlood(t *testing.T) {
	l := launcher(t)
	c := helper(t, "flood", "16777216")
	n := int64(0)
	c.ReadStdout = func(r io.Reader) { n, _ = io.Copy(io.Discard, r) }
	if res := launch(t, l, c); n != 16<<20+int64(len("first  last")) || res.ExitCode != 0 || len(res.Stdout) > 0 {
		t.Errorf("read %d bytes, %+v", n, res)
	}
}

func TestLauncherMissesAProgram(t *testing.T) {
	l := launcher(t)
	_, err := l.Run(t.Context(), Cmd{Path: filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "starting ") {
		t.Errorf("got %v", err)
	}
	if res := launch(t, l, helper(t, "exit", "0")); res.ExitCode != 0 {
		t.Errorf("then got %+v", res)
	}
}

// A word with a NUL in it is refused, as by the system, and takes no part of the next one with it.
func TestLauncherRefusesNUL(t *testing.T) {
	l := launcher(t)
	if _, err := l.Run(t.Context(), Cmd{Path: "/bin/echo", Args: []string{"a\x00b"}}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%v, want %v", err, syscall.EINVAL)
	}
	if res := launch(t, l, Cmd{Path: "/bin/echo", Args: []string{"", "c"}, Env: []string{}}); string(res.Stdout) != " c\n" {
		t.Errorf("%q", res.Stdout)
	}
}

func TestLauncherKillsGrandchildren(t *testing.T) {
	l := launcher(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := helper(t, "hang", pidFile)
	c.Timeout = time.Second
	res := launch(t, l, c)
	if !res.TimedOut || !strings.Contains(res.Err("x").Error(), "killed after its time limit of 1s") {
		t.Errorf("got %+v", res)
	}
	wantGone(t, readPid(t, pidFile))

	pidFile = filepath.Join(t.TempDir(), "pid")
	if res := launch(t, l, helper(t, "leave", pidFile)); res.ExitCode != 0 || res.TimedOut {
		t.Errorf("got %+v", res)
	}
	wantGone(t, readPid(t, pidFile))

	pidFile = filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user pressed ^C")
	go func() {
		readPid(t, pidFile)
		cancel(stop)
	}()
	if _, err := l.Run(ctx, helper(t, "hang", pidFile)); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	wantGone(t, readPid(t, pidFile))
	if res := launch(t, l, helper(t, "exit", "0")); res.ExitCode != 0 || res.TimedOut {
		t.Errorf("then got %+v", res)
	}
	if _, err := l.Run(ctx, helper(t, "exit", "0")); !errors.Is(err, stop) {
		t.Errorf("after the end, got %v", err)
	}
}

// Whichever of them dies, what was started dies with it, and what that started.
func TestLauncherDies(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, kill := context.WithCancel(t.Context())
	go func() {
		readPid(t, pidFile)
		kill() // SIGKILL
	}()
	if _, err := new(Runner).Run(ctx, helper(t, "launched", "hang", pidFile)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantGone(t, readPid(t, pidFile))
}

func TestLauncherThatIsGone(t *testing.T) {
	l, err := StartLauncher(new(Runner))
	if err != nil {
		t.Fatal(err)
	}
	l.remote.stop()
	<-l.remote.ended
	if _, err := l.Run(t.Context(), helper(t, "exit", "0")); err == nil ||
		!strings.Contains(err.Error(), "the process that launches others has ended") {
		t.Errorf("got %v", err)
	}
	if err := l.Close(); err == nil {
		t.Error("it ended before it was closed, and Close says nothing")
	}
}

// The peak of a small process is known, however large the peak of the program that measures it.
func TestLauncherPeakRSS(t *testing.T) {
	const size = 64 << 20
	res := run(t, helper(t, "launch", "268435456", fmt.Sprint(size)))
	if err := res.Err("measuring dd"); err != nil {
		t.Fatal(err)
	}
	var peak, floor, faults int64
	var ok bool
	var failure string
	if _, err := fmt.Sscan(string(res.Stdout), &peak, &ok, &floor, &faults, &failure); err != nil ||
		failure != "<nil>" {
		t.Fatalf("it says %s: %v", res.Stdout, err)
	}
	if !ok || peak < size || peak > size+16<<20 || floor > leastFloor || faults < 1 {
		t.Errorf("peak %d (ok %v) above a floor of %d for a process that touches %d bytes, in %d faults", peak, ok,
			floor, size, faults)
	}
}

// leastFloor is more than what starts a process has itself, where there is a starter.
const leastFloor = 640 << 10

// The peak of a C program of a MiB or so is known.
func TestLauncherPeakOfSmall(t *testing.T) {
	if code, _ := starterBytes(); len(code) == 0 {
		t.Skip("no starter for this processor")
	}
	usage := launch(t, launcher(t), Cmd{Path: "sleep", Args: []string{"0"}}).Usage
	if peak, ok := usage.PeakRSS(); !ok || peak > 5<<20 || usage.MaxRSSFloor > leastFloor {
		t.Errorf("peak %d (known %v) above a floor of %d", peak, ok, usage.MaxRSSFloor)
	}
}

// Where there is no starter the launcher starts processes itself, and says the same of them.
func TestLauncherWithoutStarter(t *testing.T) {
	res := run(t, helper(t, "directly"))
	if got := string(res.Stdout); res.ExitCode != 0 || got != "3 2 true true\n" {
		t.Errorf("%q, %s", got, res.Stderr)
	}
}

func init() {
	parts["directly"] = func([]string) int {
		null, _ := unix.Open(os.DevNull, unix.O_RDWR, 0)
		s := new(server)
		r := s.run(job{request{path: "/bin/sh", args: []string{"-c", "exit 3"}, env: os.Environ()}, []int{null, null, null}})
		null, _ = unix.Open(os.DevNull, unix.O_RDWR, 0)
		none := s.run(job{request{path: "/none"}, []int{null, null, null}})
		fmt.Println(r.result().ExitCode, none.Errno, r.MaxRSS > 0, r.Floor > 0)
		return 0
	}
}

// What a process has together with its children is seen while it runs.
func TestLauncherWatches(t *testing.T) {
	l := launcher(t)
	c := helper(t, "twins", fmt.Sprint(32<<20))
	if got := launch(t, l, c).Together; got != (Together{}) {
		t.Errorf("nobody asked, and got %+v", got)
	}
	c.Watch = true
	if got := launch(t, l, c).Together; got.Processes != 3 || got.Largest < 32<<20 || got.Sum < got.Largest+32<<20 {
		t.Errorf("a program with two children of 32 MiB: %+v", got)
	}
}

func BenchmarkLaunch(b *testing.B) {
	l, err := StartLauncher(new(Runner))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		if _, err := l.Run(b.Context(), Cmd{Path: "/bin/true"}); err != nil {
			b.Fatal(err)
		}
	}
}
