package toolchain

import (
	_ "embed"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
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

// recordingRuntime does the work of stackLogRuntime for each kind of Recording.
func recordingRuntime(tc Toolchain, dir string, r Recording) (replace map[string]string, goroot string, err error) {
	if r != StackLog && olderThan(tc, "go1.23") {
		return nil, "", fmt.Errorf("tracing the stacks of a program with %s: traces hold stacks from Go 1.23 "+
			"on\nhint: the stack log works with every Go", tc.Version)
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
