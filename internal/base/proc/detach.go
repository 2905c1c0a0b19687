package proc

import (
	"fmt"
	"os/exec"
)

// Detach starts c and does not wait for it: the program runs on when memcost ends. It is
// meant for programs that show something to the user. Their output is discarded.
func (r *Runner) Detach(c Cmd) error {
	r.trace(c)
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running %s: %w", c.Path, err)
	}
	return cmd.Process.Release()
}
