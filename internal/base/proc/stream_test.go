package proc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slowly reads by and by, and longer than a process that has ended is waited for.
func slowly(to *bytes.Buffer) func(io.Reader) {
	return func(r io.Reader) {
		block := make([]byte, 20<<10)
		for pause := waitDelay + waitDelay/4; ; pause = 0 {
			time.Sleep(pause)
			n, err := r.Read(block)
			to.Write(block[:n])
			if err != nil {
				return
			}
		}
	}
}

func TestSlowReaderLosesNothing(t *testing.T) {
	for _, size := range []string{"60000", "1000000"} { // less than a pipe holds: the process ends at once; and more
		var got bytes.Buffer
		c := helper(t, "flood", size)
		c.ReadStdout = slowly(&got)
		var stderr []byte
		c.ReadStderr = func(r io.Reader) { stderr, _ = io.ReadAll(r) }
		res := run(t, c)
		want := run(t, func() Cmd { c := helper(t, "flood", size); c.Limit = 4 << 20; return c }())
		if !bytes.Equal(got.Bytes(), want.Stdout) || res.ExitCode != 0 || len(res.Stdout) != 0 || len(stderr) != 0 {
			t.Errorf("%s: %d bytes read of %d, %+v", size, got.Len(), len(want.Stdout), res)
		}
	}
}

// A reader that gives up does not stop the process.
func TestReaderGivesUp(t *testing.T) {
	c := helper(t, "flood", "1000000")
	c.ReadStdout = func(r io.Reader) { io.CopyN(io.Discard, r, 10) }
	if res := run(t, c); res.ExitCode != 0 || res.Signal != "" {
		t.Errorf("got %+v", res)
	}
}

// What left the group and writes for ten seconds is not waited for.
func TestLingererIsLeft(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := helper(t, "linger", pidFile)
	var got []byte
	c.ReadStdout = func(r io.Reader) { got, _ = io.ReadAll(r) }
	res := run(t, c)
	if drips := bytes.Count(got, []byte("drip\n")); res.ExitCode != 0 || !bytes.Contains(got, []byte("own\n")) ||
		drips > 50 {
		t.Errorf("%d of 100 lines awaited, %+v, %q", drips, res, got)
	}
	p, err := os.FindProcess(readPid(t, pidFile))
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
}

func TestGrace(t *testing.T) {
	for _, x := range []struct {
		ends, output, signal string
		grace                time.Duration
	}{
		{"interrupt", "ready\ninterrupt\n", "", time.Minute},
		{"terminated", "ready\ninterrupt\nterminated\n", "", 3 * time.Second},
		{"never", "ready\ninterrupt\nterminated\n", "SIGKILL", time.Second / 2},
	} {
		c := helper(t, "signals", x.ends)
		c.Timeout, c.Grace = time.Second, x.grace
		asked := 0
		c.Stopping = func() { asked++ }
		res := run(t, c)
		if string(res.Stdout) != x.output || res.Signal != x.signal || !res.TimedOut || asked != 1 {
			t.Errorf("ends by %s: asked %d times, %+v, heard %q", x.ends, asked, res, res.Stdout)
		}
	}
}

// A process that ends by itself is not asked to.
func TestGraceIsNotNeeded(t *testing.T) {
	c := helper(t, "exit", "0")
	c.Timeout, c.Grace = time.Minute, time.Minute
	c.Stopping = func() { t.Error("it was asked to end") }
	if res := run(t, c); res.TimedOut || res.ExitCode != 0 {
		t.Errorf("got %+v", res)
	}
}

func TestGraceOnCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user pressed ^C")
	c := helper(t, "signals", "interrupt")
	c.Grace = time.Minute
	var output strings.Builder
	c.ReadStdout = func(r io.Reader) {
		b := make([]byte, 100)
		for {
			n, err := r.Read(b)
			if output.Write(b[:n]); err != nil {
				return
			}
			cancel(stop)
		}
	}
	res, err := new(Runner).Run(ctx, c)
	if !errors.Is(err, stop) || res.ExitCode != 0 || output.String() != "ready\ninterrupt\n" {
		t.Errorf("%v, %+v, heard %q", err, res, output.String())
	}
}

func TestStdin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for want, in := range map[string]io.Reader{"5 bytes, error <nil>": file,
		"7 bytes, error <nil>": strings.NewReader("1234567")} {
		c := helper(t, "stdin")
		c.Stdin = in
		if got := string(run(t, c).Stdout); got != want {
			t.Errorf("it read %q, want %q", got, want)
		}
	}
	// Nobody types anything: the process ends all the same.
	r, w := io.Pipe()
	defer w.Close()
	c := helper(t, "exit", "0")
	c.Stdin = r
	if res := run(t, c); res.ExitCode != 0 {
		t.Errorf("got %+v", res)
	}
}
