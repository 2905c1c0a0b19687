package search

import (
	"bytes"
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memcost/internal/base/proc"
)

// Times after which a process is ended. Compiling the standard library for a cold
// cache takes a slow machine minutes; a child that has not ended by then hangs.
const (
	buildTime = 10 * time.Minute
	childTime = 2 * time.Minute
)

// finder is one call of Find.
type finder struct {
	Options
	wanted map[string]bool
	rows   []Row
}

// bench tries one toolchain.
type bench struct {
	*finder
	g              Go
	dir            string
	known          map[string]Row
	stack          string                // the built program of the run-time rows; "" before
	overflowDepths map[int]overflowDepth // by frame
}

// open reports whether a row is wanted and has still to be found.
func (b *bench) open(name string) bool {
	_, known := b.known[name]
	return b.wanted[name] && !known
}

// add hands a row on.
func (b *bench) add(r Row) error {
	if known, ok := b.known[r.Name]; ok {
		r = known
	}
	r.Version = b.g.Version
	b.rows = append(b.rows, r)
	if b.Found == nil {
		return nil
	}
	return b.Found(r, len(b.rows), len(b.wanted)*len(b.Gos))
}

func (b *bench) log(format string, args ...any) {
	if b.Log != nil {
		b.Log(b.g.Version + ": " + fmt.Sprintf(format, args...))
	}
}

// build compiles a program of one file. It returns a fresh binary, because the go
// command prints nothing when the output file is up to date, and what was printed.
func (b *bench) build(ctx context.Context, name, source string, flags ...string) (binary string, said []byte,
	err error) {
	dir := filepath.Join(b.dir, name)
	// Without a dot in its name, Go 1.20.1 looks for it in the standard library, too.
	mod := "module example.com/limits\n"
	if lang := version.Lang(b.g.Version); lang != "" { // a development version has none, and takes its own
		mod += "\ngo " + strings.TrimPrefix(lang, "go") + "\n"
	}
	if err = os.MkdirAll(dir, 0o777); err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o666)
	}
	if err != nil {
		return "", nil, fmt.Errorf("writing a program to try: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	binary = filepath.Join(dir, "try.exe")
	os.Remove(binary)
	env := proc.CleanEnv(b.Env, "GOENV=off", "GOTOOLCHAIN=local", "GO111MODULE=on", "GOWORK=off", "GOROOT="+b.g.GOROOT)
	cmd := proc.Cmd{
		Path: b.g.GoCmd, Args: append(append([]string{"build", "-o", binary}, flags...), "."), Dir: dir, Env: env,
		Timeout: buildTime, Limit: 64 << 20,
	}
	res, err := b.Runner.Run(ctx, cmd)
	if err == nil && res.ExitCode != 0 && bytes.Contains(res.Stderr, []byte("import of unknown directory")) {
		// The package index of Go 1.19 does not find the standard library of a
		// toolchain that lies in the module cache; without the index it does.
		cmd.Env = append(env, "GODEBUG=goindex=0")
		res, err = b.Runner.Run(ctx, cmd)
	}
	if err == nil {
		err = res.Err("building the generated program " + dir + " with " + b.g.Version)
	}
	return binary, res.Stderr, err
}

// overflowDepth is a recursion that overflowed the stack.
type overflowDepth struct {
	levels int     // that fitted
	bytes  float64 // of stack in use at the last level
	limit  float64 // bytes, as the dying program names it
	sizes  []float64
	runs   int
}
