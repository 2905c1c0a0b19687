package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// newGroup makes cmd the head of a new process group, to be killed when the
// thread that starts it dies. (A child of the child is not: the kernel clears
// the setting at fork. Benchmarks are direct children.)
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return &group{cmd: cmd}
}

// wait returns when the process has ended and leaves it a zombie, or returns
// false where that could not be watched.
func (g *group) wait() (ended bool) {
	for {
		err := unix.Waitid(unix.P_PID, g.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// rssUnit returns the unit of ru_maxrss: KiB.
func rssUnit() int64 { return 1024 }

// maxRSSFloor returns memcost's own peak resident set, which a child inherits at execve.
func maxRSSFloor() int64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return int64(ru.Maxrss) * rssUnit()
}
