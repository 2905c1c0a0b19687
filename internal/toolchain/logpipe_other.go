//go:build !linux

package toolchain

import (
	"context"
	"io"

	"memcost/internal/proc"
)

// StackLogAlone says that a program's stack log is apart from what it writes to
// standard error. On this system it is not: what the program writes stands
// between statements of the log, each of which is whole.
const StackLogAlone = false

// RunLogged runs a program that BuildStackLog built, and lets read have its stack
// log while it is written, with what else comes on standard error.
func RunLogged(ctx context.Context, r *proc.Runner, c proc.Cmd, read func(io.Reader)) (proc.Result, error) {
	c.ReadStderr = read
	return r.Run(ctx, c)
}
