package toolchain

import (
	"cmp"
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memcost/internal/base/proc"
)

// Build builds the test binary of a package, once per layout, and the
// compiler's diagnostics. A build of a study copy (PrepareStudies) that was made
// before is returned as it is, of fresh links all but the binaries; for other
// packages the go command decides.
func (b *Builder) Build(ctx context.Context, spec Build) (Binaries, error) {
	job, err := b.open(ctx, spec)
	if err != nil {
		return Binaries{}, err
	}
	defer job.close()
	done, known := job.load()
	if known && spec.Fresh == "" {
		return done, nil
	}
	if known && !done.RandLayout {
		return b.kept(ctx, spec)
	}
	if b.Log != nil {
		b.Log(fmt.Sprintf("building %s with %s", spec.Pkg, spec.Toolchain.Version))
	}
	if err := job.binaries(ctx); err != nil {
		return Binaries{}, err
	}
	if known {
		job.out.Diagnostics, job.out.Warnings = done.Diagnostics, done.Warnings
		return job.out, nil
	}
	if !spec.Quiet || job.indexKey != "" {
		if err := job.diagnose(ctx); err != nil {
			return Binaries{}, err
		}
	}
	if err := job.save(); err != nil {
		return Binaries{}, err
	}
	if spec.Fresh != "" && job.noSeeds {
		return b.kept(ctx, spec)
	}
	return job.out, nil
}

// kept builds the one binary of a toolchain whose linker takes no seed: the same for every
// run, it is kept.
func (b *Builder) kept(ctx context.Context, spec Build) (Binaries, error) {
	wanted := len(spec.Layouts)
	spec.Fresh, spec.Layouts = "", nil
	out, err := b.Build(ctx, spec)
	if wanted > 0 && err == nil {
		out.Warnings = append(slices.Clone(out.Warnings), noRandLayout(spec.Toolchain.Version))
	}
	return out, err
}

// Link builds the binaries of fresh layouts alone, for a package that Build has built with
// the same toolchain and flags.
func (b *Builder) Link(ctx context.Context, spec Build) (Binaries, error) {
	job, err := b.open(ctx, spec)
	if err != nil {
		return Binaries{}, err
	}
	defer job.close()
	return job.out, job.binaries(ctx)
}

// LinkAll links several packages, as many at a time as there are processors.
func (b *Builder) LinkAll(ctx context.Context, specs []Build) ([]Binaries, error) {
	made, failed := make([]Binaries, len(specs)), make([]error, len(specs))
	many := make(chan struct{}, runtime.NumCPU())
	var links sync.WaitGroup
	for i, spec := range specs {
		many <- struct{}{}
		links.Go(func() {
			defer func() { <-many }()
			made[i], failed[i] = b.Link(ctx, spec)
		})
	}
	links.Wait()
	if err := cmp.Or(failed...); err != nil {
		return nil, err
	}
	return made, nil
}

func (b *Builder) open(ctx context.Context, spec Build) (*job, error) {
	cache, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, fmt.Errorf("making the build cache: %w", err)
	}
	if spec.Dir, err = filepath.Abs(spec.Dir); err != nil {
		return nil, err
	}
	if len(spec.Layouts) == 0 {
		spec.Layouts = []uint64{0}
	}
	s, err := openSession(b.Runner, spec.Toolchain.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, spec: spec, cache: cache}
	if j.temp, err = os.MkdirTemp(cache, ".new-"); err != nil {
		j.close()
		return nil, fmt.Errorf("making a folder in the build cache: %w", err)
	}
	// With GOROOT set, the go command names its sources by the very paths in the
	// overlay.
	set := []string{"GOROOT=" + j.chooseOverlay()}
	sealed := isSealed(spec.Dir)
	if sealed { // a go.work or GO111MODULE of the user's is not for it
		set = append(set, "GOWORK=off", "GO111MODULE=on")
	}
	j.env = override(j.env, append(set, spec.Env...))
	if sealed {
		err = j.chooseKey(ctx)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// chooseOverlay finds out whether the testing package can be changed, and
// returns the GOROOT to build with.
func (j *job) chooseOverlay() (goroot string) {
	v := j.spec.Toolchain.Version
	switch {
	case version.IsValid(v) && version.Compare(v, "go1.16") < 0:
		j.warn("%s has no -overlay: %s", v, rounded)
	case slices.ContainsFunc(j.spec.Flags, func(f string) bool { return isFlag(f, "overlay") }):
		j.warn("the build flags have an -overlay of their own: %s", rounded)
	default:
		path, goroot, err := writeOverlay(j.spec.Toolchain, j.cache)
		if err == nil {
			j.overlay = path
			return goroot
		}
		j.warn("%s's testing package stays as it is (%v): %s", v, err, rounded)
	}
	return j.spec.Toolchain.GOROOT
}

// binaries builds one binary per layout, or only the default one. The first compiles, and
// shows what the linker supports; the others are links, as many at a time as there are
// processors: nothing is measured meanwhile.
func (j *job) binaries(ctx context.Context) error {
	seeds := j.spec.Layouts
	first, err := j.binary(ctx, seeds[0])
	if err != nil {
		return err
	}
	if j.noSeeds {
		j.warn("%s", noRandLayout(j.spec.Toolchain.Version))
		seeds = []uint64{0}
		if first, err = j.binary(ctx, 0); err != nil {
			return err
		}
	}
	paths := make([]string, len(seeds))
	paths[0] = first
	if err := j.others(ctx, seeds, paths); err != nil {
		return err
	}
	for i, path := range paths {
		path, err := j.keep(path)
		if err != nil {
			return err
		}
		j.out.Paths, j.out.Layouts = append(j.out.Paths, path), append(j.out.Layouts, seeds[i])
		j.out.RandLayout = j.out.RandLayout || seeds[i] != 0
	}
	return nil
}

// noRandLayout is the warning about a linker that takes no seed.
func noRandLayout(version string) string {
	return fmt.Sprintf("the linker of %s has no -randlayout: one binary, with the default layout, stands for all",
		version)
}

// others links all layouts but the first.
func (j *job) others(ctx context.Context, seeds []uint64, paths []string) error {
	var links sync.WaitGroup
	failed := make([]error, len(seeds))
	many := make(chan struct{}, runtime.NumCPU())
	for i := 1; i < len(seeds) && ctx.Err() == nil; i++ {
		many <- struct{}{}
		links.Go(func() {
			defer func() { <-many }()
			paths[i] = j.output(seeds[i])
			res, err := j.goTest(ctx, seeds[i], paths[i])
			if err == nil && res.Err("") != nil {
				err = j.failure(res)
			}
			failed[i] = err
		})
	}
	links.Wait()
	return cmp.Or(append(failed, context.Cause(ctx))...)
}

// output is the file of a link until it is kept.
func (j *job) output(seed uint64) string {
	return filepath.Join(j.temp, fmt.Sprintf("test-%d%s", seed, exe))
}

// binary builds one binary. If the linker does not support -randlayout it builds nothing and
// sets noSeeds; if the testing package does not compile with the overlay it builds without
// the overlay.
func (j *job) binary(ctx context.Context, seed uint64) (path string, err error) {
	out := j.output(seed)
	res, err := j.goTest(ctx, seed, out)
	if err != nil {
		return "", err
	}
	if res.Err("") != nil {
		output := string(res.Stderr) + string(res.Stdout)
		switch {
		case seed != 0 && strings.Contains(output, "flag provided but not defined: -randlayout"):
			j.noSeeds = true
			return "", nil
		case j.overlay != "" && strings.Contains(output, "# testing\n"):
			j.overlay = ""
			j.warn("%s's testing package does not compile when changed: %s", j.spec.Toolchain.Version, rounded)
			return j.binary(ctx, seed)
		}
		return "", j.failure(res)
	}
	if _, err := os.Stat(out); err != nil {
		return "", fmt.Errorf("building %s in %s: the package has no test files, so no benchmarks", j.spec.Pkg,
			j.spec.Dir)
	}
	return out, nil
}

func (j *job) goTest(ctx context.Context, seed uint64, out string) (proc.Result, error) {
	args := append([]string{"test", "-c", "-vet=off", "-o", out}, j.flags(seed)...)
	return j.runner.Run(ctx, proc.Cmd{Path: j.spec.Toolchain.GoCmd, Args: append(args, j.spec.Pkg), Dir: j.spec.Dir,
		Env: j.env})
}
