package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/proc"
)

// StackLogBuild are programs to build that tell of their stacks: by default with
// the runtime's stack log on. Run by RunLogged, they write each allocation,
// growth, shrink and release of a goroutine stack to a log, which
// internal/stacklog reads. The log costs a system call for every event: such a
// program gives counts, no times.
type StackLogBuild struct {
	Toolchain Toolchain
	Dir       string   // directory to build in
	Packages  []string // patterns of packages ("./cmd/server", "./..."), or the Go files of one program
	Flags     []string // of the go command, one word each
	Env       []string // variables to set: CGO_ENABLED …
	Tests     bool     // the test binaries of programs too, not the programs
	Record    Recording
}

// Recording says how a program tells of its stacks.
type Recording uint8

const (
	StackLog      Recording = iota // the runtime's log
	StackTrace                     // an execution trace, of a runtime as it was installed (Go 1.23)
	StackLogTrace                  // both, with TraceBegins and TraceEnds in the log
)

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

// texts are what a binary that was built as it should be holds.
func (r Recording) texts() map[string]string {
	all := map[string]string{}
	if r != StackTrace {
		all["the stack log"] = stackLogText
	}
	if r != StackLog {
		all["the tracer"] = TraceVar
	}
	return all
}

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
			b.Log(fmt.Sprintf("building %s with %s, to tell of its stacks", p.ImportPath, spec.Toolchain.Version))
		}
		if err := l.program(ctx, p); err != nil {
			return StackLogged{}, err
		}
	}
	if len(l.logged.Programs) == 0 {
		return StackLogged{}, fmt.Errorf("building %s in %s to tell of its stacks: none of them is a program or has test files\n"+
			"hint: name a main package (./cmd/server), or a package with tests", strings.Join(spec.Packages, " "), l.spec.Dir)
	}
	return l.logged, nil
}

// stackLogJob is one BuildStackLog under way.
type stackLogJob struct {
	*job
	packages []string
	tests    bool
	record   Recording
	replace  map[string]string // what the overlay replaces, whatever is built
	logged   StackLogged
}

func (b *Builder) openStackLog(spec StackLogBuild) (*stackLogJob, error) {
	if i := slices.IndexFunc(spec.Flags, func(f string) bool { return isFlag(f, "overlay") }); i >= 0 {
		return nil, fmt.Errorf("building a program that tells of its stacks: the build flags have %s, and this needs an -overlay of its own", spec.Flags[i])
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
	replace, goroot, err := recordingRuntime(spec.Toolchain, cache, spec.Record)
	if err != nil {
		return nil, err
	}
	s, err := openSession(b.Runner, spec.Toolchain.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, cache: cache, spec: Build{
		Toolchain: spec.Toolchain, Dir: spec.Dir, Pkg: strings.Join(spec.Packages, " "), Flags: spec.Flags, Env: spec.Env}}
	if j.temp, err = os.MkdirTemp(cache, ".new-"); err != nil {
		j.close()
		return nil, fmt.Errorf("making a folder in the build cache: %w", err)
	}
	j.env = override(j.env, append(spec.Env[:len(spec.Env):len(spec.Env)], "GOROOT="+goroot))
	l := &stackLogJob{job: j, packages: spec.Packages, tests: spec.Tests, record: spec.Record, replace: replace}
	if err := l.setOverlay(nil); err != nil {
		j.close()
		return nil, err
	}
	return l, nil
}

// setOverlay makes the file for -overlay, with replacements for one program.
func (l *stackLogJob) setOverlay(more map[string]string) error {
	all := maps.Clone(l.replace)
	maps.Copy(all, more)
	if l.overlay = ""; len(all) == 0 {
		return nil
	}
	index, err := json.MarshalIndent(map[string]any{"Replace": all}, "", "\t")
	if err != nil {
		return err
	}
	l.overlay = filepath.Join(l.temp, "overlay.json")
	return os.WriteFile(l.overlay, index, 0o666)
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
	var log []byte
	res, err = RunLogged(ctx, l.runner, proc.Cmd{Path: program, Dir: l.dir, Env: l.env}, func(r io.Reader) { log, _ = io.ReadAll(r) })
	if err == nil {
		err = res.Err("running an empty program with the stack log of " + version)
	}
	if err != nil {
		return err
	}
	if !bytes.Contains(log, []byte("stackalloc ")) {
		return fmt.Errorf("%s: it was built, and logs nothing: the changed runtime (%s) was not used", what, l.env[len(l.env)-1])
	}
	return nil
}
