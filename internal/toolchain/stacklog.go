package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/proc"
)

// StackLogBuild are programs to build with the runtime's stack log on: they
// write each allocation, growth, shrink and release of a goroutine stack to
// stderr, between what they write themselves. internal/stackgrow reads it. The
// log costs system calls for every event: such a program gives counts, no times.
type StackLogBuild struct {
	Toolchain Toolchain
	Dir       string   // directory to build in
	Packages  []string // patterns of packages ("./cmd/server", "./..."), or the Go files of one program
	Flags     []string // of the go command, one word each
	Env       []string // variables to set: CGO_ENABLED …
	Tests     bool     // the test binaries of programs too, not the programs
}

// LoggedProgram is one binary that logs.
type LoggedProgram struct {
	ImportPath string
	Dir        string // of its source; a test binary must run there
	Path       string // absolute
	Test       bool   // a test binary
}

// StackLogged are the programs that were built.
type StackLogged struct {
	Programs []LoggedProgram
	Warnings []string
}

// stackLogText is a text that only a runtime with stackDebug > 0 holds: the
// compiler drops the statements of a false constant condition.
const stackLogText = "stackcacherefill order="

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
	if err := l.prove(ctx); err != nil {
		return StackLogged{}, err
	}
	packages, err := l.list(ctx)
	if err != nil {
		return StackLogged{}, err
	}
	for _, p := range packages {
		if b.Log != nil {
			b.Log(fmt.Sprintf("building %s with %s, stack log on", p.ImportPath, spec.Toolchain.Version))
		}
		if err := l.program(ctx, p); err != nil {
			return StackLogged{}, err
		}
	}
	if len(l.logged.Programs) == 0 {
		return StackLogged{}, fmt.Errorf("building %s in %s with the stack log: none of them is a program or has test files\n"+
			"hint: name a main package (./cmd/server), or a package with tests", strings.Join(spec.Packages, " "), l.spec.Dir)
	}
	return l.logged, nil
}

// stackLogJob is one BuildStackLog under way.
type stackLogJob struct {
	*job
	packages []string
	tests    bool
	logged   StackLogged
}

func (b *Builder) openStackLog(spec StackLogBuild) (*stackLogJob, error) {
	if i := slices.IndexFunc(spec.Flags, func(f string) bool { return isFlag(f, "overlay") }); i >= 0 {
		return nil, fmt.Errorf("building with the stack log: the build flags have %s, and the log needs an -overlay of its own", spec.Flags[i])
	}
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
	overlay, goroot, err := stackLogRuntime(spec.Toolchain, cache)
	if err != nil {
		return nil, err
	}
	s, err := openSession(b.Runner, spec.Toolchain.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, cache: cache, overlay: overlay, spec: Build{
		Toolchain: spec.Toolchain, Dir: spec.Dir, Pkg: strings.Join(spec.Packages, " "), Flags: spec.Flags, Env: spec.Env}}
	if j.temp, err = os.MkdirTemp(cache, ".new-"); err != nil {
		j.close()
		return nil, fmt.Errorf("making a folder in the build cache: %w", err)
	}
	j.env = override(j.env, append(spec.Env[:len(spec.Env):len(spec.Env)], "GOROOT="+goroot))
	return &stackLogJob{job: j, packages: spec.Packages, tests: spec.Tests}, nil
}

// prove builds and runs a program that does nothing. Where the overlay names a
// file otherwise than the go command does, the build succeeds and nothing is
// replaced, so only a log shows that there is one.
func (l *stackLogJob) prove(ctx context.Context) error {
	version := l.spec.Toolchain.Version
	source, program := filepath.Join(l.dir, "empty.go"), filepath.Join(l.temp, "empty"+exe)
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		return err
	}
	args := []string{"build", "-o", program}
	if l.overlay != "" {
		args = append(args, "-overlay="+l.overlay)
	}
	what := "building an empty program with the stack log of " + version
	res, err := l.run(ctx, []string{"GOWORK=off", "GO111MODULE=on"}, append(args, source)...)
	if err == nil {
		err = res.Err(what)
	}
	if err != nil {
		return err
	}
	values, err := l.settings(ctx)
	if err != nil {
		return err
	}
	if values["GOOS"] != runtime.GOOS || values["GOARCH"] != runtime.GOARCH {
		return nil // it cannot run here; each binary is examined
	}
	res, err = l.runner.Run(ctx, proc.Cmd{Path: program, Dir: l.dir, Env: l.env})
	if err == nil {
		err = res.Err("running an empty program with the stack log of " + version)
	}
	if err != nil {
		return err
	}
	if !bytes.Contains(res.Stderr, []byte("stackalloc ")) {
		return fmt.Errorf("%s: it was built, and logs nothing: the changed runtime (%s) was not used", what, l.env[len(l.env)-1])
	}
	return nil
}

// list is `go list` of the patterns, with the flags of the build.
func (l *stackLogJob) list(ctx context.Context) ([]listed, error) {
	args := append([]string{"list", "-json"}, l.flags(0)...)
	res, err := l.runner.Run(ctx, proc.Cmd{Path: l.spec.Toolchain.GoCmd, Args: append(append(args, "--"), l.packages...), Dir: l.spec.Dir, Env: l.env, Limit: 256 << 20})
	if err != nil {
		return nil, err
	}
	if res.Err("") != nil {
		return nil, l.failure(res)
	}
	var all []listed
	for stream := json.NewDecoder(bytes.NewReader(res.Stdout)); ; {
		var p listed
		if err := stream.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("listing %s: reading the answer of go list: %w", l.spec.Pkg, err)
		}
		all = append(all, p)
	}
}

// program builds one package, and keeps the binary under its SHA-256.
func (l *stackLogJob) program(ctx context.Context, p listed) error {
	test := p.Name != "main" || l.tests
	if test && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
		l.logged.Warnings = append(l.logged.Warnings, p.ImportPath+" is no program and has no test files: left out")
		return nil
	}
	out := filepath.Join(l.temp, "program"+exe)
	args := []string{"build", "-o", out}
	if test {
		args = []string{"test", "-c", "-vet=off", "-o", out}
	}
	args = append(args, l.flags(0)...)
	if p.ImportPath == "command-line-arguments" {
		args = append(args, l.packages...)
	} else {
		args = append(args, p.ImportPath)
	}
	res, err := l.runner.Run(ctx, proc.Cmd{Path: l.spec.Toolchain.GoCmd, Args: args, Dir: l.spec.Dir, Env: l.env})
	if err != nil {
		return err
	}
	if res.Err("") != nil {
		return l.failure(res)
	}
	sum, logs, err := examine(out, stackLogText)
	if err != nil {
		return fmt.Errorf("reading the binary of %s: %w", p.ImportPath, err)
	}
	if !logs {
		return fmt.Errorf("building %s in %s with %s: the binary does not hold the stack log; does one of the flags %q choose another runtime?",
			p.ImportPath, l.spec.Dir, l.spec.Toolchain.Version, l.spec.Flags)
	}
	to := filepath.Join(l.cache, sum, "stacklog"+exe)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return fmt.Errorf("keeping the binary of %s: %w", p.ImportPath, err)
	}
	if there, _, _ := examine(to, stackLogText); there != sum {
		if err := os.Rename(out, to); err != nil {
			return fmt.Errorf("keeping the binary of %s: %w", p.ImportPath, err)
		}
	}
	l.logged.Programs = append(l.logged.Programs, LoggedProgram{p.ImportPath, p.Dir, to, test})
	return nil
}
