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

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// Package is a package of a user's module. Its test binary must run with
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

const adviceOnPackages = "packages are named like ./... or ./codec, or by import path, from a folder with a go.mod " +
	"or below one"

// A Listing says which packages are listed, and how.
type Listing struct {
	Dir      string   // from which the patterns are seen
	Patterns []string // "./..."
	Flags    []string // of the go command, by which files belong to a package: "-tags=x"
	Env      []string // variables to set
}

func (l Listing) String() string {
	return fmt.Sprintf("listing the packages %s in %s", strings.Join(l.Patterns, " "), l.Dir)
}

// List lists packages with test files, broken ones among them, and the names of those
// without.
func (b *Builder) List(ctx context.Context, tc Toolchain, l Listing) (packages []Package, without []string, err error) {
	all, err := listPackages(ctx, b, tc, l, "-e", "-json")
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		if p.Broken == "" && len(p.TestFiles) == 0 {
			without = append(without, p.ImportPath)
			continue
		}
		packages = append(packages, p)
	}
	return packages, without, nil
}

// ListAll lists all packages, those without test files and broken ones among them. It does
// not look at what they import, which is most of the time of List: that an import is missing
// is said where the package is built.
func (b *Builder) ListAll(ctx context.Context, tc Toolchain, l Listing) ([]Package, error) {
	return listPackages(ctx, b, tc, l, "-e", "-find", "-json")
}

func listPackages(ctx context.Context, b *Builder, tc Toolchain, l Listing, how ...string) ([]Package, error) {
	s, err := openSession(b.Runner, tc.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	defer s.close()
	args := slices.Concat([]string{"list"}, how, l.Flags, []string{"--"}, l.Patterns)
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: tc.GoCmd, Args: args, Dir: l.Dir,
		Env: override(s.env, append([]string{"GOROOT=" + tc.GOROOT}, l.Env...)), Limit: 256 << 20})
	if err != nil {
		return nil, err
	}
	if failure := res.Err(l.String()); failure != nil {
		return nil, hint.With(adviceOnPackages, failure)
	}
	packages, err := parsePackages(res.Stdout)
	if err != nil {
		err = fmt.Errorf("%s: %w", l, err)
	}
	return packages, err
}

// ListPackages lists the packages of the patterns with test files. Those without are left
// out, and logged. Broken ones are among them, unless all are: that is an error.
func (b *Builder) ListPackages(ctx context.Context, tc Toolchain, what Listing) ([]Package, error) {
	packages, without, err := b.List(ctx, tc, what)
	if err != nil {
		return nil, err
	}
	if len(packages) > 0 && !slices.ContainsFunc(packages, func(p Package) bool { return p.Broken == "" }) {
		return nil, hint.New(adviceOnPackages, "%s: %s", what, packages[0].Broken)
	}
	if len(without) > 0 && b.Log != nil {
		b.Log("without test files, left out: " + strings.Join(without, ", "))
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s: none of them has test files, so there are no benchmarks", what)
	}
	return packages, nil
}

func parsePackages(text []byte) (packages []Package, err error) {
	stream := json.NewDecoder(bytes.NewReader(text))
	for {
		var l listed
		if err := stream.Decode(&l); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the answer of go list: %w", err)
		}
		p := Package{ImportPath: l.ImportPath, Dir: l.Dir, Name: l.Name, TestFiles: append(l.TestGoFiles,
			l.XTestGoFiles...)}
		if l.Error != nil {
			p.Broken = l.Error.Err
			packages = append(packages, p)
			continue
		}
		if l.Module != nil {
			p.ModulePath, p.ModuleDir, p.ModuleGo = l.Module.Path, l.Module.Dir, l.Module.GoVersion
		}
		if p.HasBenchmarks, err = hasBenchmarks(p); err != nil {
			return nil, err
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
