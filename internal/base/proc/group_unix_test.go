//go:build unix

package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wantGone fails if the process is still there. One that was orphaned by the
// kill is reaped by init, or stays a zombie where nobody does that.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d was left running", pid)
}

func TestSignal(t *testing.T) {
	res := run(t, Cmd{Path: "/bin/sh", Args: []string{"-c", "kill -SEGV $$"}})
	if res.Signal != "SIGSEGV" || res.ExitCode != -1 || res.TimedOut {
		t.Errorf("got %+v", res)
	}
	if err := res.Err("running it"); err == nil || err.Error() != "running it: killed by SIGSEGV, without any output" {
		t.Errorf("Err is %v", err)
	}
}

// A process in a session of its own is out of the kill's reach, but must not
// keep Run waiting for the pipe that it holds.
func TestEscapedHolderOfThePipe(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid(1) here")
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	script := `setsid sh -c 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 1000' "$1" & while [ ! -e "$1" ]; do sleep 0.01; done; echo done`
	res := run(t, Cmd{Path: "/bin/sh", Args: []string{"-c", script, "sh", pidFile}})
	defer syscall.Kill(readPid(t, pidFile), syscall.SIGKILL)
	if res.ExitCode != 0 || string(res.Stdout) != "done\n" || res.TimedOut {
		t.Errorf("got %+v", res)
	}
}

func TestStringIsReplayable(t *testing.T) {
	c := helper(t, "cat", "plain", "", "two words", "it's", "a\nb", `"$HOME\`, "*")
	c.Dir = t.TempDir() + "/a dir"
	if err := os.Mkdir(c.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROC_TEST_GONE", "removed by Env")
	c.Env = CleanEnv(c.Env, "WORD=$(it's)")
	direct := run(t, c)
	replayed := run(t, Cmd{Path: "/bin/sh", Args: []string{"-c", c.String()}})
	if len(direct.Stdout) == 0 || string(direct.Stdout) != string(replayed.Stdout) {
		t.Errorf("%s\nprints %s\nbut replayed %s %s", c, direct.Stdout, replayed.Stdout, replayed.Stderr)
	}
	if s := c.String(); strings.Contains(s, "PATH=") || !strings.Contains(s, helperVar+"=cat") {
		t.Errorf("not just the difference of the environment: %s", s)
	}
}

// runAndReport is the part "parent".
func runAndReport(pidFile string) int {
	script := `echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 1000`
	_, err := new(Runner).Run(context.Background(), Cmd{Path: "/bin/sh", Args: []string{"-c", script, pidFile}})
	fmt.Println(err)
	return 0
}

func TestDiesWithItsParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a child that its parent died")
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := helper(t, "parent", pidFile)
	parent := exec.Command(c.Path, c.Args...)
	parent.Env = c.Env
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := readPid(t, pidFile)
	parent.Process.Kill()
	parent.Wait()
	wantGone(t, pid)
}

// peakOf measures a dd with a buffer of so many bytes, from a process that has
// touched so many itself.
func peakOf(t *testing.T, own, buffer string) (peak int64, ok bool, floor, faults int64) {
	t.Helper()
	res := run(t, helper(t, "peak", own, buffer))
	if err := res.Err("measuring dd"); err != nil {
		t.Fatal(err)
	}
	var failure string
	if _, err := fmt.Sscan(string(res.Stdout), &peak, &ok, &floor, &faults, &failure); err != nil ||
		failure != "<nil>" {
		t.Fatalf("it says %s: %v", res.Stdout, err)
	}
	return peak, ok, floor, faults
}

func TestPeakRSS(t *testing.T) {
	const size = 256 << 20
	peak, ok, _, faults := peakOf(t, "0", "268435456")
	if !ok || peak < size || peak > size+64<<20 || faults < 1 {
		t.Errorf("peak is %d (ok %v) for a process that touches %d bytes, in %d faults", peak, ok, size, faults)
	}
	if runtime.GOOS != "linux" {
		return
	}
	// With a peak of the parent's above the child's, the child's cannot be told.
	if peak, ok, floor, _ := peakOf(t, "268435456", "1048576"); ok || floor < size {
		t.Errorf("peak %d (ok %v) above a floor of %d passes for the child's own", peak, ok, floor)
	}
}

// BenchmarkForkExec is the floor of BenchmarkRun: the same without proc.
func BenchmarkForkExec(b *testing.B) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}}
	for b.Loop() {
		pid, err := syscall.ForkExec("/bin/true", []string{"true"}, attr)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}
