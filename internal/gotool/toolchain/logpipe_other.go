//go:build !linux

package toolchain

import (
	"context"
	"io"

	"memcost/internal/base/proc"
)

// StackLogAlone reports that a program's stack log is separate from its standard error.
// On this system it is not: the program's own output comes between statements of the
// log, each of which is complete.
const StackLogAlone = false

// RunLogged runs a program that BuildStackLog built, and calls read with its stack log
// while it is written, mixed with the other output on standard error.
func RunLogged(ctx context.Context, r *proc.Runner, c proc.Cmd, read func(io.Reader)) (proc.Result, error) {
	c.ReadStderr = read
	return r.Run(ctx, c)
}
