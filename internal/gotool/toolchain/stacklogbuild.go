package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/proc"
)

// list is `go list` of the patterns, with the flags of the build.
func (l *stackLogJob) list(ctx context.Context) ([]listed, error) {
	args := append([]string{"list", "-json"}, l.flags(0)...)
	res, err := l.runner.Run(ctx, proc.Cmd{Path: l.spec.Toolchain.GoCmd, Args: append(append(args, "--"),
		l.packages...), Dir: l.spec.Dir, Env: l.env, Limit: 256 << 20})
	if err != nil {
		return nil, err
	}
	if res.Err("") != nil {
		return nil, l.notListed(res)
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

// notListed is the error of a go list that found no package, with what to do.
func (l *stackLogJob) notListed(res proc.Result) error {
	err := l.failure(res)
	text := string(res.Stderr)
	first := l.packages[0]
	switch {
	case strings.Contains(err.Error(), "\nhint: "):
	case strings.Contains(text, "go.mod file not found") && filepath.IsAbs(first):
		err = fmt.Errorf("%w\nhint: packages are looked up from the folder where memcost runs: cd %s, then name it . "+
			"(or a folder below, ./cmd/server)", err, first)
	case strings.Contains(text, "outside main module") || strings.Contains(text, "go.mod file not found") ||
		strings.Contains(text, "not in a module"):
		err = fmt.Errorf("%w\nhint: the package must be of the Go module of the folder where memcost runs: cd into "+
			"it first", err)
	case strings.Contains(text, "no required module provides package"):
		err = fmt.Errorf("%w\nhint: have the module require it first: go get %s@latest", err, first)
	}
	return err
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
	to := filepath.Join(l.cache, sum, name+exe)
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
