package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"memcost/internal/base/cache"
	"memcost/internal/base/proc"
)

// BuildProgram builds a main package; of spec, Layouts has no meaning. The go
// command's own cache makes a second build cheap.
func (b *Builder) BuildProgram(ctx context.Context, spec Build) (path string, err error) {
	spec.Layouts = nil
	j, err := b.open(ctx, spec)
	if err != nil {
		return "", err
	}
	defer j.close()
	j.overlay = "" // it is the testing package's
	out := filepath.Join(j.temp, "program"+exe)
	args := append([]string{"build", "-o", out}, j.flags(0)...)
	res, err := j.runner.Run(ctx, proc.Cmd{Path: spec.Toolchain.GoCmd, Args: append(args, spec.Pkg), Dir: j.spec.Dir,
		Env: j.env})
	if err != nil {
		return "", err
	}
	if res.ExitCode != 0 || res.Signal != "" {
		return "", j.failure(res)
	}
	sum, _, err := examine(out, marker)
	if err != nil {
		return "", fmt.Errorf("building %s in %s: it is not a main package", spec.Pkg, spec.Dir)
	}
	to := filepath.Join(j.cache, sum, "program"+exe)
	if _, err := os.Stat(to); err == nil {
		cache.Touch(to)
		return to, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", fmt.Errorf("keeping the program of %s: %w", spec.Pkg, err)
	}
	return to, os.Rename(out, to)
}
