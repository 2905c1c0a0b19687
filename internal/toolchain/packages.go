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
	"regexp"
	"slices"
	"strings"

	"memcost/internal/hint"
	"memcost/internal/proc"
)

// Package is a package with tests of a user's module. Its binary must run with
// Dir as its working directory: tests find their testdata there.
type Package struct {
	ImportPath    string
	Dir           string
	Name          string
	TestFiles     []string // names, in Dir, of the package's own and of external tests
	HasBenchmarks bool
	ModulePath    string // "" outside a module
	ModuleDir     string
	ModuleGo      string // of its go.mod: "1.24"
	Broken        string // why it cannot be built, in go list's words, or ""
}

// listed is the part of the output of `go list -json` that is used.
type listed struct {
	ImportPath, Dir, Name     string
	GoFiles, CgoFiles, Deps   []string
	TestGoFiles, XTestGoFiles []string
	Module                    *struct{ Path, Dir, GoVersion string }
	Error                     *struct{ Err string }
}

// ListPackages lists the packages of the patterns ("./...") with test files, as
// seen from dir. Those without are left out, and logged. Broken ones are among them,
// unless all are: that is an error.
func (b *Builder) ListPackages(ctx context.Context, tc Toolchain, dir string, patterns []string) ([]Package, error) {
	what := fmt.Sprintf("listing the packages %s in %s", strings.Join(patterns, " "), dir)
	s, err := openSession(b.Runner, tc.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	defer s.close()
	res, err := b.Runner.Run(ctx, proc.Cmd{
		Path: tc.GoCmd, Args: append([]string{"list", "-e", "-json", "--"}, patterns...), Dir: dir,
		Env: override(s.env, []string{"GOROOT=" + tc.GOROOT}), Limit: 256 << 20,
	})
	if err != nil {
		return nil, err
	}
	const advice = "packages are named like ./... or ./codec, or by import path, from a folder with a go.mod " +
		"or below one"
	if failure := res.Err(what); failure != nil {
		return nil, hint.With(advice, failure)
	}
	packages, without, err := parsePackages(res.Stdout)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(packages) > 0 && !slices.ContainsFunc(packages, func(p Package) bool { return p.Broken == "" }) {
		return nil, hint.New(advice, "%s: %s", what, packages[0].Broken)
	}
	if len(without) > 0 && b.Log != nil {
		b.Log("without test files, left out: " + strings.Join(without, ", "))
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s: none of them has test files, so there are no benchmarks", what)
	}
	return packages, nil
}

func parsePackages(text []byte) (packages []Package, without []string, err error) {
	stream := json.NewDecoder(bytes.NewReader(text))
	for {
		var l listed
		if err := stream.Decode(&l); errors.Is(err, io.EOF) {
			return packages, without, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("reading the answer of go list: %w", err)
		}
		p := Package{ImportPath: l.ImportPath, Dir: l.Dir, Name: l.Name, TestFiles: append(l.TestGoFiles,
			l.XTestGoFiles...)}
		if l.Error != nil {
			p.Broken = l.Error.Err
			packages = append(packages, p)
			continue
		}
		if len(p.TestFiles) == 0 {
			without = append(without, l.ImportPath)
			continue
		}
		if l.Module != nil {
			p.ModulePath, p.ModuleDir, p.ModuleGo = l.Module.Path, l.Module.Dir, l.Module.GoVersion
		}
		if p.HasBenchmarks, err = hasBenchmarks(p); err != nil {
			return nil, nil, err
		}
		packages = append(packages, p)
	}
}

var benchmarkFunc = regexp.MustCompile(`(?m)^func Benchmark(\P{Ll}\w*)?\(`)

func hasBenchmarks(p Package) (bool, error) {
	for _, name := range p.TestFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return false, err
		}
		if benchmarkFunc.Match(source) {
			return true, nil
		}
	}
	return false, nil
}
