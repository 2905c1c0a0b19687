package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// CountedBuild is a package to build with the compiler's diagnostics, and so that it counts
// what its benchmarks allocate (see CountVar).
type CountedBuild struct {
	Toolchain Toolchain // see Outside
	Dir       string    // to build in
	Package   Package
	Flags     []string // of the go command, one word each
	Env       []string // variables to set
	Exact     bool     // with a runtime in which no object shares a block while all are profiled
}

// CountedBinary is the result of BuildCounted.
type CountedBinary struct {
	Path        string // the test binary; of a package without tests the program, or "" if it is none
	Test        bool   // it is a test binary
	Diagnostics []byte // the compiler's -m=2, with absolute names of files
	Counts      bool   // it heeds CountVar
	Warnings    []string
}

// Outside returns a toolchain whose standard library BuildCounted may change: GOROOT is a link
// below the cache where it lies in the module cache. Packages must be listed with it, too, for
// their folders to be those of the build.
func (b *Builder) Outside(tc Toolchain) (Toolchain, error) {
	dir, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return tc, err
	}
	return tc.OutsideModuleCache(dir)
}

// BuildCounted builds a test binary with one compilation, which also explains what escapes. A
// package without tests is built as it is.
func (b *Builder) BuildCounted(ctx context.Context, spec CountedBuild) (CountedBinary, error) {
	flags, replace, err := userOverlay(slices.DeleteFunc(slices.Clone(spec.Flags), trims))
	if err != nil {
		return CountedBinary{}, err
	}
	j, err := openPlain(b, Build{Toolchain: spec.Toolchain, Dir: spec.Dir, Pkg: spec.Package.ImportPath, Flags: flags,
		Env: spec.Env})
	if err != nil {
		return CountedBinary{}, err
	}
	defer j.close()
	c := &countedJob{job: j, exact: spec.Exact, user: replace, test: len(spec.Package.TestFiles) > 0,
		program: spec.Package.Name == "main"}
	c.built.Test = c.test
	if err := c.chooseCountOverlay(); err != nil {
		return CountedBinary{}, err
	}
	if b.Log != nil {
		b.Log(fmt.Sprintf("building %s with %s", j.spec.Pkg, spec.Toolchain.Version))
	}
	if err := c.build(ctx); err != nil {
		return CountedBinary{}, err
	}
	c.built.Warnings = append(c.built.Warnings, c.out.Warnings...)
	return c.built, nil
}

// trims reports whether a flag takes the folders out of the names of files: they are needed.
func trims(flag string) bool { return isFlag(flag, "trimpath") }

// openPlain begins a build that needs no changed testing package.
func openPlain(b *Builder, spec Build) (*job, error) {
	dir, err := filepath.Abs(b.CacheDir)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return nil, fmt.Errorf("making the build cache: %w", err)
	}
	if spec.Dir, err = filepath.Abs(spec.Dir); err != nil {
		return nil, err
	}
	s, err := openSession(b.Runner, spec.Toolchain.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, spec: spec, cache: dir}
	if j.temp, err = os.MkdirTemp(dir, ".new-"); err != nil {
		j.close()
		return nil, fmt.Errorf("making a folder in the build cache: %w", err)
	}
	j.env = override(j.env, append([]string{"GOROOT=" + spec.Toolchain.GOROOT, "PWD=" + spec.Dir}, spec.Env...))
	return j, nil
}

// countedJob is one BuildCounted under way.
type countedJob struct {
	*job
	exact, test, program bool
	user                 map[string]string // what the user's -overlay replaces
	built                CountedBinary
}

// chooseCountOverlay finds out whether the standard library can be changed.
func (c *countedJob) chooseCountOverlay() error {
	version := c.spec.Toolchain.Version
	if olderThan(c.spec.Toolchain, "go1.16") {
		if c.exact {
			return hint.Usage("leave it out, or choose Go 1.16 or newer", "counting exactly with %s: it has no "+
				"-overlay", version)
		}
		c.warn("%s has no -overlay: what is counted is the whole process, with what the benchmark prepares", version)
		return nil
	}
	if !c.test && c.user == nil {
		return nil
	}
	path, err := countOverlay(c.spec.Toolchain, c.cache, c.exact, c.user)
	if err != nil && c.exact {
		return fmt.Errorf("counting exactly with %s: %w", version, err)
	}
	if err != nil {
		c.warn("%s's testing package stays as it is (%v): what is counted is the whole process, with what the "+
			"benchmark prepares", version, err)
		return nil
	}
	c.overlay = path
	c.built.Counts = c.test
	return nil
}

// build runs the go command once.
func (c *countedJob) build(ctx context.Context) error {
	out := filepath.Join(c.temp, "out"+exe)
	res, err := c.compile(ctx, out, addToFlag(c.flags(0), "gcflags", c.spec.Pkg, "-m=2"))
	if err != nil {
		return err
	}
	if res.Err("") != nil {
		return c.broken(ctx, out, res)
	}
	read := make(chan struct{})
	go func() { // of a large package it takes a tenth of a second, as much as keeping the binary
		defer close(read)
		c.built.Diagnostics = absolute(ownSections(res.Stderr), c.job.spec.Dir)
	}()
	var failed error
	if c.test || c.program {
		failed = c.store(out)
	}
	<-read
	if len(c.built.Diagnostics) == 0 {
		c.warn("the compiler of %s explains nothing about %s (-gcflags=-m=2): what escapes is not known",
			c.spec.Toolchain.Version, c.spec.Pkg)
	}
	if res.StderrLost > 0 {
		c.warn("the compiler's explanations of %s are too long: %d bytes of them are missing", c.spec.Pkg,
			res.StderrLost)
	}
	return failed
}

func (c *countedJob) compile(ctx context.Context, out string, flags []string) (proc.Result, error) {
	args := []string{"build", "-o", out}
	switch {
	case c.test:
		args = []string{"test", "-c", "-vet=off", "-o", out}
	case !c.program:
		args[2] = os.DevNull
	}
	args = append(append(args, flags...), c.spec.Pkg)
	return c.runner.Run(ctx, proc.Cmd{Path: c.spec.Toolchain.GoCmd, Args: args, Dir: c.spec.Dir, Env: c.env,
		Limit: 512 << 20})
}

// broken is the error of a package that does not compile: the compiler's own lines, without
// its explanations of what did compile.
func (c *countedJob) broken(ctx context.Context, out string, res proc.Result) error {
	plain, err := c.compile(ctx, out, c.flags(0))
	if err != nil {
		return err
	}
	if plain.Err("") != nil {
		res = plain
	}
	err = c.failure(res)
	if !strings.Contains(err.Error(), "\nhint: ") {
		err = hint.With("the package must compile: see what go vet "+c.spec.Pkg+" says in that folder", err)
	}
	return err
}

// store keeps a binary under its SHA-256.
func (c *countedJob) store(out string) error {
	sum, counts, err := examine(out, CountVar)
	if err != nil {
		return fmt.Errorf("building %s in %s: there is no binary: %w", c.spec.Pkg, c.spec.Dir, err)
	}
	if c.built.Counts && !counts {
		c.built.Counts = false
		c.warn("%s did not use the changed testing package: what is counted is the whole process, with what the "+
			"benchmark prepares", c.spec.Toolchain.Version)
		if c.exact {
			return fmt.Errorf("counting %s exactly: the binary was built without the changed runtime; do the build "+
				"flags %q choose another one?", c.spec.Pkg, c.spec.Flags)
		}
	}
	name := "bench.test"
	if !c.test {
		name = "program"
	}
	to := filepath.Join(c.cache, sum, name+exe)
	c.built.Path = to
	if _, err := os.Stat(to); err == nil {
		cache.Touch(to)
		return nil
	}
	if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
		err = os.Rename(out, to)
	}
	if err != nil {
		return fmt.Errorf("keeping the binary of %s: %w", c.spec.Pkg, err)
	}
	return nil
}
