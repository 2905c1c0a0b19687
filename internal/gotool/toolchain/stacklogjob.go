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

	"memcost/internal/base/proc"
)

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
		return nil, fmt.Errorf("building a program that records its stacks: the build flags have %s, and this needs "+
			"an -overlay of its own", spec.Flags[i])
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
		Toolchain: spec.Toolchain, Dir: spec.Dir, Pkg: strings.Join(spec.Packages, " "), Flags: spec.Flags,
		Env: spec.Env}}
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
	res, err = RunLogged(ctx, l.runner, proc.Cmd{Path: program, Dir: l.dir, Env: l.env}, func(r io.Reader) {
		log, _ = io.ReadAll(r)
	})
	if err == nil {
		err = res.Err("running an empty program with the stack log of " + version)
	}
	if err != nil {
		return err
	}
	if !bytes.Contains(log, []byte("stackalloc ")) {
		return fmt.Errorf("%s: it was built, and logs nothing: the changed runtime (%s) was not used",
			what, l.env[len(l.env)-1])
	}
	return nil
}
