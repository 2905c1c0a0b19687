package toolchain

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// countSource is added to the testing package as a file of its own.
//
//go:embed count.go.txt
var countSource string

// CountVar names the variable that asks a binary of BuildCounted for figures. Its value are
// lines key=value:
//
//	file=PATH    where lines of fields, separated by tabs, are appended
//	mode=MODE    list: all benchmarks; memory: the memory profile of one; cpu: its CPU profile; test: the memory
//	             profile of one test
//	name=NAME    of the benchmark ("BenchmarkDecode/size=4096") or test
//	pass=N       the first pass of the benchmark function that is counted, from 1
//	resets=N     calls of ResetTimer in a pass after which it is counted
//	cpu=PATH     of the CPU profile
//
// The lines of the file are "begin", "end" or "parent" with name=… and what was counted, and
// "done" where the process came to its end. The variable is not passed on to what the benchmark starts. Run it with
// GODEBUG=memprofilerate=0, so that nothing is recorded before.
const CountVar = "MEMCOST_COUNT"

// CountOwn is how the names of functions begin that were added to count: what they allocate
// is not the benchmark's.
const CountOwn = "testing.memcost"

// countEdits are those of package testing, by file. The statements were the same from Go 1.16 to
// 1.27.
var countEdits = map[string][]edit{
	"benchmark.go": {
		{"b.startAllocs = memStats.Mallocs\n", "b.startAllocs = memStats.Mallocs; memcostMark(b)\n", 2},
		{"runtime.ReadMemStats(&memStats)\n\t\tb.netAllocs += memStats.Mallocs - b.startAllocs\n",
			"memcostStop(b); runtime.ReadMemStats(&memStats)\n\t\tb.netAllocs += memStats.Mallocs - b.startAllocs; " +
				"memcostAdd(b)\n", 1},
		{"b.netBytes = 0\n", "b.netBytes = 0; memcostZero(b)\n", 1},
		{"\tb.N = n\n", "\tb.N = n; memcostBegin(b)\n", 1},
		{"\tb.previousN = n\n", "\tb.previousN = n; memcostEnd(b, n)\n", 1},
	},
	"testing.go": {
		{"\tfn(t)\n", "\tmemcostTest(t.name); fn(t)\n", 1},
		{"func (m *M) writeProfiles() {\n", "func (m *M) writeProfiles() { memcostTested()\n", 1},
		{"func (m *M) Run() (code int) {\n", "func (m *M) Run() (code int) { memcostDeps = m.deps\n", 1},
	},
}

// hasSubTests are the expressions that say whether a benchmark has sub-benchmarks: to Go 1.19,
// and from then on.
var hasSubTests = []string{"atomic.LoadInt32(&b.hasSub) != 0", "b.hasSub.Load()"}

// countTesting returns the changed files of package testing, by name.
func countTesting(dir string) (map[string]string, error) {
	files := map[string]string{"memcost_count.go": countSource}
	for name, edits := range countEdits {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		source, err := changed(string(text), edits)
		if err != nil {
			return nil, fmt.Errorf("%s is not as expected: %w", path, err)
		}
		if name == "benchmark.go" {
			expression := hasSubTests[1]
			if !strings.Contains(source, expression) {
				expression = hasSubTests[0]
			}
			source += "\nfunc memcostHasSub(b *B) bool { return " + expression + " } // added by memcost\n"
		}
		files[name] = source
	}
	return files, nil
}

// tinyJoins is the condition under which a small object shares a block with others that are
// there: in malloc.go from Go 1.16 to 1.27, in the functions for one size in malloc_generated.go
// of 1.26, and in both of them in 1.27.
var tinyJoins = regexp.MustCompile(`(off\+(?:const)?size <= maxTinySize && c\.tiny != 0) \{`)

// exactRuntime returns the changed files of package runtime, by name: those in which no object
// shares a block while every object is profiled, so that each has its record.
func exactRuntime(dir string) (map[string]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "malloc*.go"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		source := string(text)
		tiny := strings.Count(source, "c.tinyAllocs++")
		if tiny == 0 || strings.HasSuffix(path, "_test.go") {
			continue
		}
		if n := len(tinyJoins.FindAllString(source, -1)); n != tiny {
			return nil, fmt.Errorf("%s is not as expected: %d conditions like %q, %d objects that share a block", path,
				n, tinyJoins, tiny)
		}
		files[filepath.Base(path)] = tinyJoins.ReplaceAllString(source, "$1 && MemProfileRate != 1 {")
	}
	if files["malloc.go"] == "" {
		return nil, fmt.Errorf("%s is not as expected: no object shares a block", filepath.Join(dir, "malloc.go"))
	}
	return files, nil
}

// countOverlay writes the file for -overlay below dir, with what the user's own one replaces. The
// toolchain is one that OutsideModuleCache returned.
func countOverlay(tc Toolchain, dir string, exact bool, user map[string]string) (string, error) {
	sources := map[string]string{}
	for pkg, change := range map[string]func(dir string) (map[string]string, error){"testing": countTesting,
		"runtime": exactRuntime} {
		if pkg == "runtime" && !exact {
			continue
		}
		folder := filepath.Join(tc.GOROOT, "src", pkg)
		files, err := change(folder)
		if err != nil {
			return "", err
		}
		for name, source := range files {
			sources[filepath.Join(folder, name)] = source
		}
	}
	replace, err := replacements(dir, sources)
	if err != nil {
		return "", err
	}
	maps.Copy(replace, user)
	return overlayFile(dir, replace)
}

// userOverlay takes an -overlay out of build flags, and reads what it replaces.
func userOverlay(flags []string) (rest []string, replace map[string]string, err error) {
	for i := 0; i < len(flags); i++ {
		path, ok := flagValue(flags[i], "overlay")
		if !ok {
			rest = append(rest, flags[i])
			continue
		}
		if !strings.Contains(flags[i], "=") && i+1 < len(flags) {
			i++
			path = flags[i]
		}
		text, err := os.ReadFile(path)
		var overlay struct{ Replace map[string]string }
		if err == nil {
			err = json.Unmarshal(text, &overlay)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the file of -overlay: %w", err)
		}
		replace = overlay.Replace
	}
	return rest, replace, nil
}

// CountedBuild is a package to build with the compiler's diagnostics, and so that it counts
// what its benchmarks allocate (see CountVar).
type CountedBuild struct {
	Toolchain Toolchain // see Outside
	Dir       string    // to build in
	Package   Package
	Flags     []string // of the go command, one word each
	Env       []string // variables to set
	Exact     bool     // with a runtime in which no object shares a block while all are profiled
}

// CountedBinary is the result of BuildCounted.
type CountedBinary struct {
	Path        string // the test binary; of a package without tests the program, or "" if it is none
	Test        bool   // it is a test binary
	Diagnostics []byte // the compiler's -m=2, with absolute names of files
	Counts      bool   // it heeds CountVar
	Warnings    []string
}

// Outside returns a toolchain whose standard library BuildCounted may change: GOROOT is a link
// below the cache where it lies in the module cache. Packages must be listed with it, too, for
// their folders to be those of the build.
func (b *Builder) Outside(tc Toolchain) (Toolchain, error) {
	dir, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return tc, err
	}
	return tc.OutsideModuleCache(dir)
}

// BuildCounted builds a test binary with one compilation, which also explains what escapes. A
// package without tests is built as it is.
func (b *Builder) BuildCounted(ctx context.Context, spec CountedBuild) (CountedBinary, error) {
	flags, replace, err := userOverlay(slices.DeleteFunc(slices.Clone(spec.Flags), trims))
	if err != nil {
		return CountedBinary{}, err
	}
	j, err := b.begin(Build{Toolchain: spec.Toolchain, Dir: spec.Dir, Pkg: spec.Package.ImportPath, Flags: flags,
		Env: spec.Env})
	if err != nil {
		return CountedBinary{}, err
	}
	defer j.close()
	j.plain()
	c := &countedJob{job: j, exact: spec.Exact, user: replace, test: len(spec.Package.TestFiles) > 0,
		program: spec.Package.Name == "main"}
	c.built.Test = c.test
	if err := c.chooseCountOverlay(); err != nil {
		return CountedBinary{}, err
	}
	if b.Log != nil {
		b.Log(fmt.Sprintf("building %s with %s", j.spec.Pkg, spec.Toolchain.Version))
	}
	if err := c.build(ctx); err != nil {
		return CountedBinary{}, err
	}
	c.built.Warnings = append(c.built.Warnings, c.out.Warnings...)
	return c.built, nil
}

// trims reports whether a flag takes the folders out of the names of files: they are needed.
func trims(flag string) bool { return isFlag(flag, "trimpath") }

// plain sets the environment of a build that needs no changed testing package.
func (j *job) plain() { j.set("GOROOT="+j.spec.Toolchain.GOROOT, "PWD="+j.spec.Dir) }

// countedJob is one BuildCounted under way.
type countedJob struct {
	*job
	exact, test, program bool
	user                 map[string]string // what the user's -overlay replaces
	built                CountedBinary
}

// chooseCountOverlay finds out whether the standard library can be changed.
func (c *countedJob) chooseCountOverlay() error {
	version := c.spec.Toolchain.Version
	if olderThan(c.spec.Toolchain, "go1.16") {
		if c.exact {
			return hint.Usage("leave it out, or choose Go 1.16 or newer", "counting exactly with %s: it has no "+
				"-overlay", version)
		}
		c.warn("%s has no -overlay: what is counted is the whole process, with what the benchmark prepares", version)
		return nil
	}
	if !c.test && c.user == nil {
		return nil
	}
	path, err := countOverlay(c.spec.Toolchain, c.cache, c.exact, c.user)
	if err != nil && c.exact {
		return fmt.Errorf("counting exactly with %s: %w", version, err)
	}
	if err != nil {
		c.warn("%s's testing package stays as it is (%v): what is counted is the whole process, with what the "+
			"benchmark prepares", version, err)
		return nil
	}
	c.overlay = path
	c.built.Counts = c.test
	return nil
}

// build runs the go command once.
func (c *countedJob) build(ctx context.Context) error {
	out := filepath.Join(c.temp, "out"+exe)
	res, err := c.compile(ctx, out, addToFlag(c.flags(0), "gcflags", c.spec.Pkg, "-m=2"))
	if err != nil {
		return err
	}
	if res.Err("") != nil {
		return c.broken(ctx, out, res)
	}
	read := make(chan struct{})
	go func() { // of a large package it takes a tenth of a second, as much as keeping the binary
		defer close(read)
		c.built.Diagnostics = absolute(ownSections(res.Stderr), c.job.spec.Dir)
	}()
	var failed error
	if c.test || c.program {
		failed = c.storeCounted(out)
	}
	<-read
	c.warnOfDiagnostics(c.built.Diagnostics, res)
	return failed
}

func (c *countedJob) compile(ctx context.Context, out string, flags []string) (proc.Result, error) {
	args := []string{"build", "-o", out}
	switch {
	case c.test:
		args = []string{"test", "-c", "-vet=off", "-o", out}
	case !c.program:
		args[2] = os.DevNull
	}
	return c.goes(ctx, slices.Concat(args, flags, []string{c.spec.Pkg})...)
}

// broken is the error of a package that does not compile: the compiler's own lines, without
// its explanations of what did compile.
func (c *countedJob) broken(ctx context.Context, out string, res proc.Result) error {
	plain, err := c.compile(ctx, out, c.flags(0))
	if err != nil {
		return err
	}
	if plain.Err("") != nil {
		res = plain
	}
	err = c.failure(res)
	if !strings.Contains(err.Error(), "\nhint: ") {
		err = hint.With("the package must compile: see what go vet "+c.spec.Pkg+" says in that folder", err)
	}
	return err
}

// storeCounted keeps a binary.
func (c *countedJob) storeCounted(out string) error {
	sum, counts, err := examine(out, CountVar)
	if err != nil {
		return fmt.Errorf("building %s in %s: there is no binary: %w", c.spec.Pkg, c.spec.Dir, err)
	}
	if c.built.Counts && !counts {
		c.built.Counts = false
		c.warn("%s did not use the changed testing package: what is counted is the whole process, with what the "+
			"benchmark prepares", c.spec.Toolchain.Version)
		if c.exact {
			return fmt.Errorf("counting %s exactly: the binary was built without the changed runtime; do the build "+
				"flags %q choose another one?", c.spec.Pkg, c.spec.Flags)
		}
	}
	name := "bench.test"
	if !c.test {
		name = "program"
	}
	c.built.Path, err = c.store(out, sum, name)
	return err
}
