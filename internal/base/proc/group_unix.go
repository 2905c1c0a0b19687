//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// group is a process and what it started.
type group struct{ cmd *exec.Cmd }

func (g *group) started() {}
func (g *group) close()   {}

// kill sends SIGKILL to the whole group. An empty group is no error.
func (g *group) kill() error { return g.signal(syscall.SIGKILL) }

// interrupt and terminate send SIGINT and SIGTERM to the group.
func (g *group) interrupt() error { return g.signal(syscall.SIGINT) }
func (g *group) terminate() error { return g.signal(syscall.SIGTERM) }

func (g *group) signal(s syscall.Signal) error {
	err := syscall.Kill(-g.cmd.Process.Pid, s)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}
