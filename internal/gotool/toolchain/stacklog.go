package toolchain

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// StackLogBuild describes programs to build that record their stacks: by default with
// the runtime's stack log on. Run by RunLogged, they write each allocation, growth,
// shrink and release of a goroutine stack to a log, which internal/gotool/stacklog reads. The
// log costs a system call for every event: such a program gives counts, no times.
type StackLogBuild struct {
	Toolchain Toolchain
	Dir       string   // directory to build in
	Packages  []string // patterns of packages ("./cmd/server", "./..."), or the Go files of one program
	Flags     []string // of the go command, one word each
	Env       []string // variables to set: CGO_ENABLED …
	Tests     bool     // the test binaries of programs too, not the programs
	Record    Recording
}

// Recording is how a program records its stacks.
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

// texts returns the strings that a correctly built binary contains.
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

// A program built with StackTrace or StackLogTrace writes an execution trace of its
// whole run to the file that TraceVar names; run it with GODEBUG=traceallocfree=1 for
// the events of stacks. With a MarksVar that is not empty it also writes the lines
// TraceBegins and TraceEnds to the stack log, so that both cover the same part of a run.
// Both variables are removed from its children's environment. On Unix it must be given
// two pipes as its files 3 and 4: when the first ends, the trace is ended, and then the
// second.
const (
	TraceVar = "MEMCOST_STACK_TRACE"
	MarksVar = "MEMCOST_STACK_MARKS"

	TraceBegins = "memcost: the trace begins"
	TraceEnds   = "memcost: the trace ends"
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

// stackLogJob is one BuildStackLog under way.
type stackLogJob struct {
	*job
	packages []string
	tests    bool
	record   Recording
	goroot   string
	replace  map[string]string // what the overlay replaces, whatever is built
	logged   StackLogged
}

func (b *Builder) openStackLog(spec StackLogBuild) (*stackLogJob, error) {
	if i := slices.IndexFunc(spec.Flags, func(f string) bool { return isFlag(f, "overlay") }); i >= 0 {
		return nil, fmt.Errorf("building a program that records its stacks: the build flags have %s, and this needs "+
			"an -overlay of its own", spec.Flags[i])
	}
	j, err := b.begin(Build{Toolchain: spec.Toolchain, Dir: spec.Dir, Pkg: strings.Join(spec.Packages, " "),
		Flags: spec.Flags, Env: spec.Env})
	if err != nil {
		return nil, err
	}
	l := &stackLogJob{job: j, packages: spec.Packages, tests: spec.Tests, record: spec.Record}
	if l.replace, l.goroot, err = recordingRuntime(spec.Toolchain, j.cache, spec.Record); err == nil {
		err = l.setOverlay(nil)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	j.set("GOROOT=" + l.goroot)
	return l, nil
}

// setOverlay makes the file for -overlay, with replacements for one program.
func (l *stackLogJob) setOverlay(more map[string]string) (err error) {
	all := maps.Clone(l.replace)
	maps.Copy(all, more)
	if l.overlay = ""; len(all) > 0 {
		l.overlay, err = overlayFile(l.temp, all)
	}
	return err
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
		return fmt.Errorf("%s: it was built, and logs nothing: the changed runtime (GOROOT=%s) was not used", what,
			l.goroot)
	}
	return nil
}

// list is `go list` of the patterns, with the flags of the build.
func (l *stackLogJob) list(ctx context.Context) ([]listed, error) {
	res, err := l.goes(ctx, slices.Concat([]string{"list", "-json"}, l.flags(0), []string{"--"}, l.packages)...)
	if err != nil {
		return nil, err
	}
	if res.Err("") != nil {
		return nil, l.notListed(res)
	}
	all, err := parseListed(res.Stdout)
	if err != nil {
		err = fmt.Errorf("listing %s: %w", l.spec.Pkg, err)
	}
	return all, err
}

// notListed is the error of a go list that found no package, with what to do.
func (l *stackLogJob) notListed(res proc.Result) error {
	err := l.failure(res)
	if strings.Contains(err.Error(), "\nhint: ") {
		return err
	}
	first := l.packages[0]
	outside := remark{[]string{"outside main module", "go.mod file not found", "not in a module"},
		"the package must be of the Go module of the folder where memcost runs: cd into it first"}
	if filepath.IsAbs(first) && strings.Contains(string(res.Stderr), "go.mod file not found") {
		outside.advice = "packages are looked up from the folder where memcost runs: cd " + first + ", then name it . " +
			"(or a folder below, ./cmd/server)"
	}
	return hint.With(advise(string(res.Stderr), []remark{outside, {[]string{"no required module provides package"},
		"have the module require it first: go get " + first + "@latest"}}), err)
}

// program builds one package, and keeps the binary under its SHA-256.
func (l *stackLogJob) program(ctx context.Context, p listed) error {
	test := p.Name != "main" || l.tests
	if test && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
		l.logged.Warnings = append(l.logged.Warnings, p.ImportPath+" is no program and has no test files: left out")
		return nil
	}
	if l.record != StackLog && !test {
		if err := l.inject(ctx, p); err != nil {
			return err
		}
	}
	out := filepath.Join(l.temp, "program"+exe)
	args := []string{"build", "-o", out}
	if test {
		args = []string{"test", "-c", "-vet=off", "-o", out}
	}
	of := []string{p.ImportPath}
	if p.ImportPath == "command-line-arguments" {
		of = l.packages
	}
	res, err := l.goes(ctx, slices.Concat(args, l.flags(0), of)...)
	if err != nil {
		return err
	}
	if res.Err("") != nil {
		return l.failure(res)
	}
	var sum string
	for what, text := range l.record.texts() {
		holds := false
		if sum, holds, err = examine(out, text); err != nil {
			return fmt.Errorf("reading the binary of %s: %w", p.ImportPath, err)
		}
		if !holds {
			return fmt.Errorf("building %s in %s with %s: the binary does not hold %s; does one of the flags %q "+
				"choose another runtime?",
				p.ImportPath, l.spec.Dir, l.spec.Toolchain.Version, what, l.spec.Flags)
		}
	}
	return l.keepProgram(p, out, sum, test)
}

// keepProgram moves a binary to its place, under a name that says what it is.
func (l *stackLogJob) keepProgram(p listed, out, sum string, test bool) error {
	name := path.Base(p.ImportPath)
	if p.ImportPath == "command-line-arguments" {
		name = strings.TrimSuffix(filepath.Base(l.packages[0]), ".go")
	}
	if test {
		name += ".test"
	}
	to, err := l.store(out, sum, name)
	if err != nil {
		return err
	}
	l.logged.Programs = append(l.logged.Programs, LoggedProgram{p.ImportPath, p.Dir, to, test})
	return nil
}

// inject makes a program import runtime/trace, if it does not: one of its files
// is replaced by one with the import, on the line of its package clause.
func (l *stackLogJob) inject(ctx context.Context, p listed) error {
	if slices.Contains(p.Deps, "runtime/trace") {
		return l.setOverlay(nil)
	}
	what := "making " + p.ImportPath + " trace itself"
	values, err := l.settings(ctx)
	if err != nil {
		return err
	}
	cache := values["GOMODCACHE"]
	inside := cache != "" && strings.HasPrefix(p.Dir, cache+string(filepath.Separator))
	if inside && !olderThan(l.spec.Toolchain, "go1.25") {
		return fmt.Errorf("%s: it lies in the module cache, where %s lets no file be replaced\nhint: the stack log "+
			"needs no such file; or get a copy of the module outside of it",
			what, l.spec.Toolchain.Version)
	}
	files := append(p.GoFiles, p.CgoFiles...)
	if len(files) == 0 {
		return fmt.Errorf("%s: it has no Go files", what)
	}
	file := filepath.Join(p.Dir, files[0])
	source, err := os.ReadFile(file)
	if err == nil {
		source, err = importTrace(source)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	changed := filepath.Join(l.temp, "main.go")
	if err := os.WriteFile(changed, source, 0o666); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return l.setOverlay(map[string]string{file: changed})
}

// What is added to the package runtime/trace. It uses the hooks that the runtime
// calls at os.Exit and at the end of main (internal/runtime/exithook, the same
// from Go 1.23 to 1.27; it serves coverage). The runtime stays as it is.
var (
	//go:embed tracer.go.txt
	tracerSource string
	//go:embed tracer_unix.go.txt
	tracerUnixSource string
	//go:embed tracer_other.go.txt
	tracerOtherSource string
	//go:embed tracer_log.go.txt
	tracerLogSource string
	//go:embed tracer_nolog.go.txt
	tracerNoLogSource string
)

// recordingRuntime writes, below dir, the files with which a program of a toolchain records its
// stacks: replacements for -overlay, and the GOROOT to run the go command with. Before Go 1.16
// there is no -overlay: the GOROOT itself is one of links, with the changed files in their places.
func recordingRuntime(tc Toolchain, dir string, r Recording) (replace map[string]string, goroot string, err error) {
	if r != StackLog && olderThan(tc, "go1.23") {
		return nil, "", fmt.Errorf("tracing the stacks of a program with %s: traces hold stacks from Go 1.23 "+
			"on\nhint: the stack log works with every Go", tc.Version)
	}
	var files map[string]string // of package runtime
	if r != StackTrace {
		if files, err = stackLogFiles(tc); err != nil {
			return nil, "", err
		}
	}
	if olderThan(tc, "go1.16") {
		goroot, err = linkedRoot(tc.GOROOT, dir, files)
	} else if tc, err = tc.OutsideModuleCache(dir); err == nil {
		goroot = tc.GOROOT
		sources := map[string]string{}
		for name, source := range files {
			sources[filepath.Join(goroot, "src", "runtime", name)] = source
		}
		for name, source := range tracers(r) {
			sources[filepath.Join(goroot, "src", "runtime", "trace", name)] = source
		}
		replace, err = replacements(dir, sources)
	}
	if err != nil {
		return nil, "", fmt.Errorf("turning on the stack log of %s: %w", tc.Version, err)
	}
	return replace, goroot, nil
}

// tracers are the files that are added to package runtime/trace.
func tracers(r Recording) map[string]string {
	if r == StackLog {
		return nil
	}
	marks := tracerLogSource
	if r == StackTrace {
		marks = tracerNoLogSource
	}
	return map[string]string{"memcost.go": tracerSource, "memcost_unix.go": tracerUnixSource,
		"memcost_other.go": tracerOtherSource, "memcost_log.go": marks}
}

// importTrace adds the import to a Go file; no line of it moves.
func importTrace(source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	at := fset.File(f.Pos()).Offset(f.Name.End())
	return slices.Concat(source[:at], []byte(`; import _ "runtime/trace"`), source[at:]), nil
}
