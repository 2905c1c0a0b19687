package toolchain

import (
	"context"
	"fmt"
	"strings"
)

// BuildStackLog builds the main packages among the patterns, and the test
// binaries of the other packages that have tests. It has proved that the log is
// on: by a run of an empty program, and in each binary. The go command's own
// cache makes a second build cheap.
func (b *Builder) BuildStackLog(ctx context.Context, spec StackLogBuild) (StackLogged, error) {
	l, err := b.openStackLog(spec)
	if err != nil {
		return StackLogged{}, err
	}
	defer l.close()
	if spec.Record != StackTrace {
		if err := l.prove(ctx); err != nil {
			return StackLogged{}, err
		}
	}
	packages, err := l.list(ctx)
	if err != nil {
		return StackLogged{}, err
	}
	for _, p := range packages {
		if b.Log != nil {
			b.Log(fmt.Sprintf("building %s with %s so that it records its stacks", p.ImportPath,
				spec.Toolchain.Version))
		}
		if err := l.program(ctx, p); err != nil {
			return StackLogged{}, err
		}
	}
	if len(l.logged.Programs) == 0 {
		return StackLogged{}, fmt.Errorf("building %s in %s to record its stacks: none of them is a program or has "+
			"test files\n"+
			"hint: name a main package (./cmd/server), or a package with tests",
			strings.Join(spec.Packages, " "), l.spec.Dir)
	}
	return l.logged, nil
}
