package toolchain

import (
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/proc"
)

// Build builds the test binary of a package, once per layout, and the
// compiler's diagnostics. A build of a study copy (PrepareStudies) that was made
// before is returned as it is; for other packages the go command decides.
func (b *Builder) Build(ctx context.Context, spec Build) (Binaries, error) {
	job, err := b.open(ctx, spec)
	if err != nil {
		return Binaries{}, err
	}
	defer job.close()
	if done, ok := job.load(); ok {
		return done, nil
	}
	if b.Log != nil {
		b.Log(fmt.Sprintf("building %s with %s", spec.Pkg, spec.Toolchain.Version))
	}
	if err := job.binaries(ctx); err != nil {
		return Binaries{}, err
	}
	if err := job.diagnose(ctx); err != nil {
		return Binaries{}, err
	}
	return job.out, job.save()
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

// binaries builds one binary per layout, or only the default one.
func (j *job) binaries(ctx context.Context) error {
	for _, seed := range j.spec.Layouts {
		if err := j.binary(ctx, seed); err != nil {
			return err
		}
		j.out.RandLayout = j.out.RandLayout || seed != 0 && !j.noSeeds
	}
	if !j.noSeeds {
		return nil
	}
	j.warn("the linker of %s has no -randlayout: one binary, with the default layout, stands for all",
		j.spec.Toolchain.Version)
	if len(j.out.Paths) > 0 {
		return nil
	}
	return j.binary(ctx, 0)
}

// binary builds one binary into the cache. If the linker does not support -randlayout it
// builds nothing and sets noSeeds; if the testing package does not compile with the
// overlay it builds without the overlay.
func (j *job) binary(ctx context.Context, seed uint64) error {
	if seed != 0 && j.noSeeds {
		return nil
	}
	out := filepath.Join(j.temp, "test"+exe)
	res, err := j.goTest(ctx, seed, out)
	if err != nil {
		return err
	}
	if res.Err("") != nil {
		output := string(res.Stderr) + string(res.Stdout)
		switch {
		case seed != 0 && strings.Contains(output, "flag provided but not defined: -randlayout"):
			j.noSeeds = true
			return nil
		case j.overlay != "" && strings.Contains(output, "# testing\n"):
			j.overlay = ""
			j.warn("%s's testing package does not compile when changed: %s", j.spec.Toolchain.Version, rounded)
			return j.binary(ctx, seed)
		}
		return j.failure(res)
	}
	if _, err := os.Stat(out); err != nil {
		return fmt.Errorf("building %s in %s: the package has no test files, so no benchmarks", j.spec.Pkg, j.spec.Dir)
	}
	path, err := j.keep(out)
	j.out.Paths, j.out.Layouts = append(j.out.Paths, path), append(j.out.Layouts, seed)
	return err
}

func (j *job) goTest(ctx context.Context, seed uint64, out string) (proc.Result, error) {
	args := append([]string{"test", "-c", "-vet=off", "-o", out}, j.flags(seed)...)
	return j.runner.Run(ctx, proc.Cmd{Path: j.spec.Toolchain.GoCmd, Args: append(args, j.spec.Pkg), Dir: j.spec.Dir,
		Env: j.env})
}
