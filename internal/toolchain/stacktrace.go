package toolchain

import (
	"context"
	_ "embed"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A program built with StackTrace or StackLogTrace writes an execution trace of
// its whole life to the file that TraceVar names; run it with
// GODEBUG=traceallocfree=1 for the events of stacks. With a MarksVar that is not
// empty it also writes the lines TraceBegins and TraceEnds to the stack log, so
// that both are about the same part of a run. Both variables are gone for its
// children. On Unix it must be given two pipes as its files 3 and 4: when the
// first ends, the trace is ended, and then the second.
const (
	TraceVar = "MEMCOST_STACK_TRACE"
	MarksVar = "MEMCOST_STACK_MARKS"

	TraceBegins = "memcost: the trace begins"
	TraceEnds   = "memcost: the trace ends"
)

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

// recordingRuntime is stackLogRuntime for each kind of Recording.
func recordingRuntime(tc Toolchain, dir string, r Recording) (replace map[string]string, goroot string, err error) {
	if r != StackLog && olderThan(tc, "go1.23") {
		return nil, "", fmt.Errorf("tracing the stacks of a program with %s: traces hold stacks from Go 1.23 on\nhint: the stack log works with every Go", tc.Version)
	}
	if r == StackTrace {
		tc, err = tc.OutsideModuleCache(dir)
		replace, goroot = map[string]string{}, tc.GOROOT
	} else {
		replace, goroot, err = stackLogRuntime(tc, dir)
	}
	if err != nil || r == StackLog {
		return replace, goroot, err
	}
	marks := tracerLogSource
	if r == StackTrace {
		marks = tracerNoLogSource
	}
	for name, source := range map[string]string{"memcost.go": tracerSource, "memcost_unix.go": tracerUnixSource,
		"memcost_other.go": tracerOtherSource, "memcost_log.go": marks} {
		file := filepath.Join(dir, "tracer-"+hash(source), name)
		if err := writeFile(file, []byte(source)); err != nil {
			return nil, "", fmt.Errorf("writing what lets a program trace itself: %w", err)
		}
		replace[filepath.Join(goroot, "src", "runtime", "trace", name)] = file
	}
	return replace, goroot, nil
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
	if cache := values["GOMODCACHE"]; cache != "" && strings.HasPrefix(p.Dir, cache+string(filepath.Separator)) && !olderThan(l.spec.Toolchain, "go1.25") {
		return fmt.Errorf("%s: it lies in the module cache, where %s lets no file be replaced\nhint: the stack log needs no such file; or get a copy of the module outside of it",
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
