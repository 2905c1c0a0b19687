package proc

import "os/exec"

// ownSession does nothing: on Windows the process gets no Ctrl-C once it is released.
func ownSession(*exec.Cmd) {}
