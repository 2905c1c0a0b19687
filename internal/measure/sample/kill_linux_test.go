package sample

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Killed with SIGKILL, a program cannot stop its load. (That the end of the input alone
// suffices, TestLoadThatDied shows.)
func TestEndsWhenTheProgramIsKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), parentVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, out) // it closes its output when the load works
	hogs := children(t, cmd.Process.Pid)
	if len(hogs) != 2 {
		t.Errorf("it has the children %v", hogs)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, pid := range hogs {
		wantGone(t, pid)
	}
}

// children returns the processes that a process has started and that are there.
func children(t *testing.T, parent int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		_, after, _ := strings.Cut(string(stat), ") ")
		if words := strings.Fields(after); err == nil && len(words) > 1 && words[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(strings.Fields(string(stat))[0])
			pids = append(pids, pid)
		}
	}
	return pids
}

// wantGone fails if the process is still there. It may stay a zombie, where nobody reaps
// orphans.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) == syscall.ESRCH || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d was left running", pid)
}
