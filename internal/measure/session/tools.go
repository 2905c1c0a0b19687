package session

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/machine"
	"memcost/internal/measure/sample"
)

// Progress is told how a session goes. Builds may run side by side, and tell it at the same time.
type Progress interface {
	Note(line string)       // a line that stays
	Step(what string)       // what is being prepared; the next step replaces it
	Sample(sample.Progress) // how far the rounds have come
	End()                   // clears what the next step would have replaced
}

// Tools find toolchains, build programs and run them.
type Tools struct {
	Runner  *proc.Runner
	Finder  *toolchain.Finder
	Builder *toolchain.Builder
	Env     []string // of every process: memcost's own, without what changes how it runs
	Log     Progress
	Dir     string // the current folder

	alone bool // the machine's lock was asked for
}

// NewTools returns tools that keep what they build in the cache folder: MEMCOST_CACHE, or
// memcost in the user's. Every command that they run is written to trace, if it is not nil.
func NewTools(log Progress, trace io.Writer) (*Tools, error) {
	dir, err := cache.Dir()
	if err != nil {
		return nil, hint.With("set HOME or XDG_CACHE_HOME", fmt.Errorf("finding a folder for built binaries: %w", err))
	}
	t := &Tools{Runner: &proc.Runner{Trace: trace}, Env: proc.CleanEnv(os.Environ()), Log: log}
	if t.Dir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("finding the current folder: %w", err)
	}
	t.Finder = &toolchain.Finder{Runner: t.Runner, Log: log.Note}
	t.Builder = &toolchain.Builder{Runner: t.Runner, CacheDir: dir, Log: log.Step}
	t.Builder.Trim(time.Now())
	if flags := changing(os.Getenv("GOFLAGS")); flags != "" {
		log.Note("note: GOFLAGS is not used here: " + flags +
			" (build flags: run --vary FLAG, stack --build-flag FLAG)")
	}
	return t, nil
}

// Alone keeps other measurements away from this machine until release is called. Where one is under
// way, it says so and goes on: an interactive run is not held up by what another user left running,
// and its report names the load. What is measured until then need not ask again.
func (t *Tools) Alone() (release func()) {
	if t.alone {
		return func() {}
	}
	t.alone = true
	l, err := machine.Try()
	switch {
	case err != nil:
		t.Log.Note(fmt.Sprintf("warning: whether memcost measures here already is not known: %v", err))
	case l == nil:
		t.Log.Note("warning: another memcost measures on this machine (" + machine.Path() +
			" is locked): the figures of both suffer")
	}
	return func() {
		t.alone = false
		l.Release()
	}
}

// AloneOrWait is Alone for an attempt at a shard, which nobody waits for at the terminal: it begins
// when the other measurement has ended.
func (t *Tools) AloneOrWait(ctx context.Context) (release func(), err error) {
	l, err := machine.Wait(ctx, func() {
		t.Log.Note("another memcost measures on this machine (" + machine.Path() + " is locked): waiting for its end")
	})
	t.alone = err == nil
	return l.Release, err
}

// changing returns the flags among those of GOFLAGS that would make another program.
func changing(goflags string) string {
	var out []string
	for _, f := range strings.Fields(goflags) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !slices.Contains([]string{"mod", "buildvcs", "modcacherw", "v", "x", "p", "trimpath"}, name) {
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}

// Versions expands a list of Go versions: see versions.Expand.
func (t *Tools) Versions(ctx context.Context, list string, studies ...string) ([]string, error) {
	return source.Expand(ctx, t.Finder, list, studies...)
}

// Packages lists the packages that patterns name in dir, according to the local Go, with
// build flags by which files belong to a package.
func (t *Tools) Packages(ctx context.Context, dir string, patterns []string, flags ...string) ([]toolchain.Package,
	error) {
	tc, err := t.Finder.Local(ctx)
	if err != nil {
		return nil, err
	}
	t.Log.Step("listing packages")
	return t.Builder.ListPackages(ctx, tc, toolchain.Listing{Dir: dir, Patterns: patterns, Flags: flags})
}
