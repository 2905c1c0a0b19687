package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func run(t *testing.T, c Cmd) Result {
	t.Helper()
	res, err := new(Runner).Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestExit(t *testing.T) {
	res := run(t, helper(t, "exit", "0", "to", "stderr"))
	if res.ExitCode != 0 || string(res.Stdout) != "to stdout\n" || string(res.Stderr) != "to stderr\n" {
		t.Errorf("got %+v", res)
	}
	if err := res.Err("x"); err != nil {
		t.Errorf("Err of a success: %v", err)
	}
	if res.Wall <= 0 || res.Usage.User+res.Usage.Sys <= 0 {
		t.Errorf("no time was counted: wall %v, usage %+v", res.Wall, res.Usage)
	}

	res = run(t, helper(t, "exit", "3", "why it failed"))
	if res.ExitCode != 3 || res.Signal != "" || res.TimedOut {
		t.Errorf("got %+v", res)
	}
	want := "compiling x: exit status 3; its last output:\n\twhy it failed"
	if err := res.Err("compiling x"); err == nil || err.Error() != want {
		t.Errorf("Err is %v, want %s", err, want)
	}
}

func TestErrKeepsTheLastLines(t *testing.T) {
	res := Result{ExitCode: 2, Stdout: []byte(strings.Repeat("early\n", 90) + "one\ntwo\n\n")}
	text := res.Err("x").Error()
	if !strings.HasSuffix(text, "\tone\n\ttwo") || strings.Count(text, "early") != 8 {
		t.Errorf("got %s", text)
	}
	if text := (Result{ExitCode: 2}).Err("x").Error(); text != "x: exit status 2, without any output" {
		t.Errorf("got %s", text)
	}
}

func TestCrash(t *testing.T) {
	res := run(t, helper(t, "crash"))
	if res.ExitCode != 2 || !bytes.Contains(res.Stderr, []byte("nil pointer dereference")) {
		t.Errorf("got exit code %d, stderr %s", res.ExitCode, res.Stderr)
	}
}

func TestStdinIsEmpty(t *testing.T) {
	if got := string(run(t, helper(t, "stdin")).Stdout); got != "0 bytes, error <nil>" {
		t.Errorf("the process read %s", got)
	}
}

func TestClosedOutput(t *testing.T) {
	if res := run(t, helper(t, "closed")); res.ExitCode != 7 || len(res.Stdout)+len(res.Stderr) != 0 {
		t.Errorf("got %+v", res)
	}
}

func TestFloodIsBounded(t *testing.T) {
	const total = 64 << 20
	c := helper(t, "flood", "67108864")
	c.Limit = 1000
	res := run(t, c)
	if !bytes.HasPrefix(res.Stdout, []byte("first 0123")) || !bytes.HasSuffix(res.Stdout, []byte(" last")) {
		t.Errorf("the ends are missing: %.20q … %q", res.Stdout, res.Stdout[len(res.Stdout)-20:])
	}
	if want := int64(total + len("first  last") - 1000); res.StdoutLost != want {
		t.Errorf("%d bytes lost, want %d", res.StdoutLost, want)
	}
	if len(res.Stdout) > 1100 || cap(res.Stdout) > 4096 ||
		!bytes.Contains(res.Stdout, []byte("bytes of output dropped")) {
		t.Errorf("kept %d bytes (capacity %d): %s", len(res.Stdout), cap(res.Stdout), res.Stdout)
	}
}

func TestTimeoutKillsGrandchildren(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := helper(t, "hang", pidFile)
	c.Timeout = time.Second
	res := run(t, c)
	if !res.TimedOut || !strings.Contains(res.Err("x").Error(), "killed after its time limit of 1s") {
		t.Errorf("got %+v", res)
	}
	wantGone(t, readPid(t, pidFile))
}

func TestLeftoversAreKilled(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	res := run(t, helper(t, "leave", pidFile))
	if res.ExitCode != 0 || res.TimedOut {
		t.Errorf("got %+v", res)
	}
	wantGone(t, readPid(t, pidFile))
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user pressed ^C")
	pidFile := filepath.Join(t.TempDir(), "pid")
	go func() {
		readPid(t, pidFile)
		cancel(stop)
	}()
	res, err := new(Runner).Run(ctx, helper(t, "hang", pidFile))
	if !errors.Is(err, stop) || res.TimedOut {
		t.Errorf("got %+v, error %v", res, err)
	}
	wantGone(t, readPid(t, pidFile))

	if _, err := new(Runner).Run(ctx, helper(t, "exit", "0")); !errors.Is(err, stop) {
		t.Errorf("under a context that has ended: %v", err)
	}
}

func TestStartFails(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nothing")
	_, err := new(Runner).Run(t.Context(), Cmd{Path: missing})
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "starting "+missing+":") {
		t.Errorf("got %v", err)
	}
	c := helper(t, "exit", "0")
	c.Dir = missing
	if _, err = new(Runner).Run(t.Context(), c); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), " in "+missing) {
		t.Errorf("got %v", err)
	}
}

// BenchmarkRun is the cost of a process that does nothing.
func BenchmarkRun(b *testing.B) {
	var r Runner
	for b.Loop() {
		if _, err := r.Run(b.Context(), Cmd{Path: "/bin/true"}); err != nil {
			b.Fatal(err)
		}
	}
}
