// Package run does what memcost run does, without the command line: it chooses what is to
// be measured, builds it, finds the cases and how many iterations each needs, takes the
// samples, records them, and goes on with a run that was interrupted. A Run takes samples
// in rounds; a Search finds figures one by one (limits, cliffs, worst calls).
//
// Options says what is asked for; a Log is told how it goes. Everything that was measured
// is in the run folder, and package result computes from it what there is to say.
package session

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/sample"
)

// A Log receives the progress of a run.
type Log struct {
	Note   func(string)          // a line that stays
	Step   func(string)          // what is being prepared; the next step replaces it
	Sample func(sample.Progress) // how far the measuring has come
}

// Tools find toolchains, build programs and run them.
type Tools struct {
	Runner  *proc.Runner
	Finder  *toolchain.Finder
	Builder *toolchain.Builder
	Env     []string // of every process: memcost's own, without what changes how it runs
	Log     Log
}

// NewTools returns tools that keep what they build in the cache folder: MEMCOST_CACHE, or
// memcost in the user's. Every command that they run is written to trace, if it is not nil.
func NewTools(log Log, trace io.Writer) (*Tools, error) {
	dir, err := cache.Dir()
	if err != nil {
		return nil, hint.With("set HOME or XDG_CACHE_HOME", fmt.Errorf("finding a folder for built binaries: %w", err))
	}
	step, one := log.Step, &sync.Mutex{} // builds may run side by side
	log.Step = func(what string) {
		one.Lock()
		defer one.Unlock()
		step(what)
	}
	t := &Tools{Runner: &proc.Runner{Trace: trace}, Env: proc.CleanEnv(os.Environ()), Log: log}
	t.Finder = &toolchain.Finder{Runner: t.Runner, Log: log.Note}
	t.Builder = &toolchain.Builder{Runner: t.Runner, CacheDir: dir, Log: log.Step}
	t.Builder.Trim(time.Now())
	if flags := changing(os.Getenv("GOFLAGS")); flags != "" {
		log.Note("note: GOFLAGS is not used here: " + flags +
			" (build flags: run --vary FLAG, stack --build-flag FLAG)")
	}
	return t, nil
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

// CheckVersions reports a list of Go versions that is wrong by its form.
func CheckVersions(list string) error { return source.Check(list) }

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
