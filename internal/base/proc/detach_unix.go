//go:build unix

package proc

import (
	"os/exec"
	"syscall"
)

// ownSession keeps Ctrl-C in our terminal from reaching the process.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
