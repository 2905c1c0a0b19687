package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	ImportPath string
	Dir        string
	Name       string
	TestFiles  []string // names, in Dir, of the package's own and of external tests
	Benchmarks []string // that these hold: "BenchmarkDecode"
	ModulePath string   // "" outside a module
	ModuleDir  string
	ModuleGo   string // of its go.mod: "1.24"
	Broken     string // why it cannot be built, in go list's words, or ""
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
	text, err := b.goList(ctx, tc, l, how...)
	if err != nil {
		return nil, err
	}
	packages, err := parsePackages(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", l, err)
	}
	return packages, err
}

// goList returns what go list prints of packages.
func (b *Builder) goList(ctx context.Context, tc Toolchain, l Listing, how ...string) ([]byte, error) {
	env, err := Environ(b.Env, append([]string{"GOROOT=" + tc.GOROOT}, l.Env...)...)
	if err != nil {
		return nil, err
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: tc.GoCmd, Dir: l.Dir, Env: env, Limit: mostPrinted,
		Args: slices.Concat([]string{"list"}, how, l.Flags, []string{"--"}, l.Patterns)})
	if err != nil {
		return nil, err
	}
	return res.Stdout, hint.With(adviceOnPackages, res.Err(l.String()))
}

// parseListed reads the answer of go list -json.
func parseListed(text []byte) (all []listed, err error) {
	for stream := json.NewDecoder(bytes.NewReader(text)); stream.More(); {
		var p listed
		if err := stream.Decode(&p); err != nil {
			return nil, fmt.Errorf("reading the answer of go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
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
	all, err := parseListed(text)
	for _, l := range all {
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
		if p.Benchmarks, err = benchmarksOf(p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, err
}

var benchmarkFunc = regexp.MustCompile(`(?m)^func (Benchmark(?:\P{Ll}\w*)?)\(`)

func benchmarksOf(p Package) (all []string, err error) {
	for _, name := range p.TestFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		for _, m := range benchmarkFunc.FindAllSubmatch(source, -1) {
			all = append(all, string(m[1]))
		}
	}
	return all, nil
}

// Description is what the compiler says of a package that was compiled alone.
type Description struct {
	Dir         string // of its source
	Diagnostics []byte // nil: it says nothing
}

// Describe asks the compiler about packages, by import path: one go command, which compiles
// only those that it was not asked about before. Of a package that it cannot compile there is
// no answer; the sentence in broken says why.
func (b *Builder) Describe(ctx context.Context, tc Toolchain, dir string, flags, env, paths []string) (
	all map[string]Description, broken []string, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	flags = slices.DeleteFunc(slices.Clone(flags), trims)
	j, err := b.begin(Build{Toolchain: tc, Dir: dir, Pkg: strings.Join(paths, " "), Flags: flags, Env: env})
	if err != nil {
		return nil, nil, err
	}
	defer j.close()
	j.plain()
	args := append([]string{"list", "-e", "-export", "-json"}, flags...)
	for _, path := range paths {
		args = append(args, addToPattern(flags, "gcflags", path, "-m=2"))
	}
	res, err := j.goes(ctx, slices.Concat(args, []string{"--"}, paths)...)
	if err != nil {
		return nil, nil, err
	}
	listed, err := parseListed(res.Stdout)
	if err != nil {
		return nil, nil, fmt.Errorf("asking the compiler about %s: %w", j.spec.Pkg, err)
	}
	_, sections := sectionsOf(absolute(res.Stderr, dir))
	all = map[string]Description{}
	for _, p := range listed {
		if p.Error != nil {
			broken = append(broken, fmt.Sprintf("%s cannot be compiled alone, so that the compiler says nothing of "+
				"it: %s", p.ImportPath, strings.TrimSpace(p.Error.Err)))
		}
		all[p.ImportPath] = Description{Dir: p.Dir, Diagnostics: sections[p.ImportPath]}
	}
	if len(all) == 0 && res.Err("") != nil {
		return nil, nil, j.failure(res)
	}
	return all, broken, nil
}

// addToPattern is the flag that gives one package an argument, besides those that it had.
func addToPattern(flags []string, name, pkg, arg string) string {
	with := addToFlag(flags, name, pkg, arg)
	_, args, _ := strings.Cut(with[len(with)-1], "=")
	return "-" + name + "=" + pkg + "=" + args
}

// Folders returns the folder of each package that the tests of some packages need, by import
// path, themselves among them.
func (b *Builder) Folders(ctx context.Context, tc Toolchain, l Listing) (map[string]string, error) {
	text, err := b.goList(ctx, tc, l, "-e", "-deps", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(text)) {
		path, dir, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		path, _, _ = strings.Cut(path, " [")
		if dir != "" {
			folders[path] = dir
		}
	}
	return folders, nil
}

// A Part is a package that test binaries are made of, as go list -deps -test has it: the import path of one
// that was compiled for a test names that, too ("a.b/c [a.b/c.test]").
type Part struct {
	ImportPath, Dir string
	Standard        bool
	// Module is the module with its version, and the version of Go that it is compiled for.
	Module *struct {
		Path, Version, GoVersion string
		Replace                  *struct{ Path, Version string }
	}
	DefaultGODEBUG string // of a test binary
	// The files, by their names in Dir. Those of cgo have meaning in their comments.
	GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SysoFiles []string
	EmbedFiles                                                                     []string
	TestGoFiles, XTestGoFiles, TestEmbedFiles, XTestEmbedFiles                     []string
	Deps                                                                           []string // all packages that it needs
}

// Parts lists the packages that the test binaries of some packages are made of, themselves among them.
func (b *Builder) Parts(ctx context.Context, tc Toolchain, l Listing) (all []Part, err error) {
	text, err := b.goList(ctx, tc, l, "-deps", "-test", "-json")
	if err != nil {
		return nil, err
	}
	for stream := json.NewDecoder(bytes.NewReader(text)); stream.More(); {
		var p Part
		if err := stream.Decode(&p); err != nil {
			return nil, fmt.Errorf("reading the answer of go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}
