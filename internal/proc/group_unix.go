//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// group is a process and what it started.
type group struct{ cmd *exec.Cmd }

func (g *group) started() {}
func (g *group) close()   {}

// kill ends the whole group at once. An empty group is no error.
func (g *group) kill() error { return g.signal(syscall.SIGKILL) }

// interrupt and terminate ask it to end.
func (g *group) interrupt() error { return g.signal(syscall.SIGINT) }
func (g *group) terminate() error { return g.signal(syscall.SIGTERM) }

func (g *group) signal(s syscall.Signal) error {
	err := syscall.Kill(-g.cmd.Process.Pid, s)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

func signalName(ps *os.ProcessState) string {
	ws, ok := ps.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	if name := unix.SignalName(ws.Signal()); name != "" {
		return name
	}
	return ws.Signal().String()
}

func usage(ps *os.ProcessState) Usage {
	u := Usage{User: ps.UserTime(), Sys: ps.SystemTime()}
	if ru, ok := ps.SysUsage().(*syscall.Rusage); ok {
		u.User, u.Sys = time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
		u.MaxRSS = int64(ru.Maxrss) * rssUnit()
		u.MinorFaults, u.MajorFaults = int64(ru.Minflt), int64(ru.Majflt)
		u.VoluntarySwitches, u.InvoluntarySwitches = int64(ru.Nvcsw), int64(ru.Nivcsw)
	}
	return u
}
