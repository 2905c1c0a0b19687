//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import (
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// newGroup makes cmd the head of a new process group.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &group{cmd: cmd}
}

// wait returns when the process has ended and leaves it a zombie, or returns
// false where that could not be watched.
func (g *group) wait() (ended bool) {
	queue, err := unix.Kqueue()
	if err != nil {
		return false
	}
	defer unix.Close(queue)
	var watch [1]unix.Kevent_t
	unix.SetKevent(&watch[0], g.cmd.Process.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	watch[0].Fflags = unix.NOTE_EXIT
	for {
		var got [1]unix.Kevent_t
		n, err := unix.Kevent(queue, watch[:], got[:], nil)
		switch {
		case err == unix.EINTR:
		case err == unix.ESRCH: // ended before it could be watched
			return true
		default:
			return err == nil && n == 1 && got[0].Flags&unix.EV_ERROR == 0
		}
	}
}

// rssUnit returns the unit of ru_maxrss: bytes on macOS, KiB on the BSDs.
func rssUnit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}

func maxRSSFloor() int64 { return 0 }
