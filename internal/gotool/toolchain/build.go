package toolchain

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/cache"
	"memcost/internal/base/proc"
)

// Build builds the test binary of a package, once per layout, and the
// compiler's diagnostics. A build of a study copy (PrepareStudies) that was made
// before is returned as it is, of fresh links all but the binaries; for other
// packages the go command decides.
func (b *Builder) Build(ctx context.Context, spec Build) (Binaries, error) {
	job, err := b.open(spec)
	if err != nil {
		return Binaries{}, err
	}
	defer job.close()
	if isSealed(job.spec.Dir) {
		if err := job.chooseKey(ctx); err != nil {
			return Binaries{}, err
		}
	}
	done, known := job.load()
	if known && spec.Fresh == "" {
		return done, nil
	}
	if known && !done.RandLayout {
		return b.kept(ctx, spec)
	}
	if b.Log != nil {
		b.Log(fmt.Sprintf("building %s with %s", spec.Pkg, spec.Toolchain.Version))
	}
	if err := job.binaries(ctx); err != nil {
		return Binaries{}, err
	}
	if known {
		job.out.Diagnostics, job.out.Warnings = done.Diagnostics, done.Warnings
		return job.out, nil
	}
	if !spec.Quiet || job.indexKey != "" {
		if err := job.diagnose(ctx); err != nil {
			return Binaries{}, err
		}
	}
	if err := job.save(); err != nil {
		return Binaries{}, err
	}
	if spec.Fresh != "" && job.noSeeds {
		return b.kept(ctx, spec)
	}
	return job.out, nil
}

// kept builds the one binary of a toolchain whose linker takes no seed: the same for every
// run, it is kept.
func (b *Builder) kept(ctx context.Context, spec Build) (Binaries, error) {
	wanted := len(spec.Layouts)
	spec.Fresh, spec.Layouts = "", nil
	out, err := b.Build(ctx, spec)
	if wanted > 0 && err == nil {
		out.Warnings = append(slices.Clone(out.Warnings), noRandLayout(spec.Toolchain.Version))
	}
	return out, err
}

// Link builds the binaries of fresh layouts alone, for a package that Build has built with
// the same toolchain and flags.
func (b *Builder) Link(ctx context.Context, spec Build) (Binaries, error) {
	job, err := b.open(spec)
	if err != nil {
		return Binaries{}, err
	}
	defer job.close()
	if spec.Fresh != "" {
		job.relinks = &b.relinks
		job.set("GOTMPDIR=" + spec.Fresh) // what links are made of stays as long as they do
	}
	return job.out, job.binaries(ctx)
}

// LinkAll links several packages, as many at a time as there are processors.
func (b *Builder) LinkAll(ctx context.Context, specs []Build) ([]Binaries, error) {
	made := make([]Binaries, len(specs))
	err := Parallel(len(specs), func(i int) (err error) {
		made[i], err = b.Link(ctx, specs[i])
		return err
	})
	return made, err
}

// Parallel does work for each of n, as many at a time as there are processors, and returns the
// first error in the order of the numbers.
func Parallel(n int, work func(i int) error) error {
	var all sync.WaitGroup
	failed := make([]error, n)
	many := make(chan struct{}, runtime.NumCPU())
	for i := range n {
		many <- struct{}{}
		all.Go(func() {
			failed[i] = work(i)
			<-many
		})
	}
	all.Wait()
	return cmp.Or(failed...)
}

// begin makes the folders of a build. Its go commands get an environment by set.
func (b *Builder) begin(spec Build) (*job, error) {
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, err
	}
	spec.Dir = dir
	s, err := openSession(b.Runner, spec.Toolchain.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	j := &job{session: s, spec: spec}
	if j.temp, err = b.Temporary(); err != nil {
		s.close()
		return nil, err
	}
	j.cache = filepath.Dir(j.temp)
	return j, nil
}

// set sets variables of the go commands, and those of the build after them. With GOROOT set, the
// go command names its sources by the very paths in an overlay.
func (j *job) set(variables ...string) { j.env = slices.Concat(j.env, variables, j.spec.Env) }

// open begins the build of a test binary.
func (b *Builder) open(spec Build) (*job, error) {
	if len(spec.Layouts) == 0 {
		spec.Layouts = []uint64{0}
	}
	j, err := b.begin(spec)
	if err != nil {
		return nil, err
	}
	goroot := "GOROOT=" + j.chooseOverlay()
	if !isSealed(j.spec.Dir) {
		j.set(goroot)
		return j, nil
	}
	j.set(goroot, "GOWORK=off", "GO111MODULE=on") // a go.work or GO111MODULE of the user's is not for it
	return j, nil
}

// chooseOverlay finds out whether the testing package can be changed, and
// returns the GOROOT to build with.
func (j *job) chooseOverlay() (goroot string) {
	v := j.spec.Toolchain.Version
	switch {
	case olderThan(j.spec.Toolchain, "go1.16"):
		j.warn("%s has no -overlay: %s", v, rounded)
	case slices.ContainsFunc(j.spec.Flags, func(f string) bool { return isFlag(f, "overlay") }):
		j.warn("the build flags have an -overlay of their own: %s", rounded)
	default:
		path, goroot, err := writeOverlay(j.spec.Toolchain, j.cache)
		if err == nil {
			j.overlay = path
			return goroot
		}
		j.warn("%s's testing package stays as it is (%v): %s", v, err, rounded)
	}
	return j.spec.Toolchain.GOROOT
}

// binaries builds one binary per layout, or only the default one. The first compiles, and
// shows what the linker supports; the others are links, as many at a time as there are
// processors: nothing is measured meanwhile.
func (j *job) binaries(ctx context.Context) error {
	seeds := j.spec.Layouts
	paths := make([]string, len(seeds))
	var err error
	if paths[0], err = j.binary(ctx, seeds[0]); err != nil {
		return err
	}
	if j.noSeeds {
		j.warn("%s", noRandLayout(j.spec.Toolchain.Version))
		seeds, paths = []uint64{0}, paths[:1]
		if paths[0], err = j.binary(ctx, 0); err != nil {
			return err
		}
	}
	err = Parallel(len(seeds)-1, func(i int) error {
		paths[i+1] = j.output(seeds[i+1])
		res, err := j.goTest(ctx, seeds[i+1], paths[i+1])
		if err == nil && res.Err("") != nil {
			err = j.failure(res)
		}
		return err
	})
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return err
	}
	for i, path := range paths {
		path, err := j.keep(path)
		if err != nil {
			return err
		}
		j.out.Paths, j.out.Layouts = append(j.out.Paths, path), append(j.out.Layouts, seeds[i])
		j.out.RandLayout = j.out.RandLayout || seeds[i] != 0
	}
	return nil
}

// noRandLayout is the warning about a linker that takes no seed.
func noRandLayout(version string) string {
	return fmt.Sprintf("the linker of %s has no -randlayout: one binary, with the default layout, stands for all",
		version)
}

// output is the file of a link until it is kept.
func (j *job) output(seed uint64) string {
	return filepath.Join(j.temp, fmt.Sprintf("test-%d%s", seed, exe))
}

// binary builds one binary. If the linker does not support -randlayout it builds nothing and
// sets noSeeds; if the testing package does not compile with the overlay it builds without
// the overlay.
func (j *job) binary(ctx context.Context, seed uint64) (path string, err error) {
	out := j.output(seed)
	res, err := j.goTest(ctx, seed, out)
	if err != nil {
		return "", err
	}
	if res.Err("") != nil {
		output := string(res.Stderr) + string(res.Stdout)
		switch {
		case seed != 0 && strings.Contains(output, "flag provided but not defined: -randlayout"):
			j.noSeeds = true
			return "", nil
		case j.overlay != "" && strings.Contains(output, "# testing\n"):
			j.overlay = ""
			j.warn("%s's testing package does not compile when changed: %s", j.spec.Toolchain.Version, rounded)
			return j.binary(ctx, seed)
		}
		return "", j.failure(res)
	}
	if _, err := os.Stat(out); err != nil {
		return "", fmt.Errorf("building %s in %s: the package has no test files, so no benchmarks", j.spec.Pkg,
			j.spec.Dir)
	}
	return out, nil
}

func (j *job) goTest(ctx context.Context, seed uint64, out string) (proc.Result, error) {
	if j.relinks != nil {
		if done, err := j.relink(ctx, seed, out); done || err != nil {
			return proc.Result{}, err
		}
	}
	return j.goes(ctx, slices.Concat([]string{"test", "-c", "-vet=off", "-o", out}, j.flags(seed), []string{j.spec.Pkg})...)
}

// goes runs a go command of the build in its folder, and keeps all that it prints: the compiler has
// much to say of a large package.
func (j *job) goes(ctx context.Context, args ...string) (proc.Result, error) {
	return j.runner.Run(ctx, proc.Cmd{Path: j.goCmd, Args: args, Dir: j.spec.Dir, Env: j.env, Limit: mostPrinted})
}

// mostPrinted is how much is kept of what a go command prints, in bytes.
const mostPrinted = 512 << 20

// Build is one arm's benchmark package to build.
type Build struct {
	Toolchain Toolchain
	Dir       string   // module directory to build in
	Pkg       string   // one package: "./stackheap" or an import path
	Flags     []string // of the go command, one word each: "-gcflags=-N -l", "-tags=x"
	Env       []string // variables to set: GOARCH, CGO_ENABLED …

	// Quiet leaves out the compiler's diagnostics, which take a second compilation, of a
	// package that may change.
	Quiet bool

	// Layouts are seeds for the linker's -randlayout, one binary each; 0 is the
	// default layout, and empty is just that. The linker reads 63 bits of a
	// seed: the highest is dropped.
	Layouts []uint64

	// Fresh is a folder for the binaries (see Builder.Temporary). Links of seeds that no other
	// run has are of no use later, so that none of them is kept in the cache; "" keeps them.
	Fresh string
}

// Binaries holds the result of a build.
type Binaries struct {
	Paths       []string // absolute, parallel to Layouts
	Layouts     []uint64 // as asked, or just 0 where RandLayout is false
	Diagnostics []byte   // the compiler's -m=2 of the package and its tests
	RandLayout  bool     // the linker took a seed (Go 1.23 and newer); false also if none was asked for
	FloatAllocs bool     // allocations are printed as decimals, and the figures of patch with them
	Warnings    []string
	Hash        string // SHA-256 of the first binary, in hex
}

// Temporary makes a folder in the cache for links that one run alone needs. The caller
// removes it; where it was killed before, the next memcost does (see package cache).
func (b *Builder) Temporary() (dir string, err error) {
	cache, err := filepath.Abs(b.CacheDir)
	if err == nil {
		err = os.MkdirAll(cache, 0o777)
	}
	if err == nil {
		dir, err = os.MkdirTemp(cache, ".new-")
	}
	if err != nil {
		return "", fmt.Errorf("making a folder in the build cache: %w", err)
	}
	return dir, nil
}

// Builder builds benchmark binaries. Several may share a CacheDir, also in different
// processes. A file in it is never changed once written: a binary is stored under its
// own SHA-256.
type Builder struct {
	Runner   *proc.Runner
	CacheDir string
	Env      []string     // environment of the user; nil is memcost's own
	Log      func(string) // called with what is being built; may be nil

	use     *cache.Use // see Trim
	relinks relinks
}

// job is one Build under way.
type job struct {
	*session
	spec     Build
	cache    string
	temp     string   // in cache, so that a rename is enough
	overlay  string   // file for -overlay, or ""
	noSeeds  bool     // the linker does not support -randlayout
	relinks  *relinks // nil: the go command makes all links
	indexKey string   // index key of the result; "" for a package that may change
	out      Binaries
}

func (j *job) close() {
	os.RemoveAll(j.temp)
	j.session.close()
}

func (j *job) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(j.out.Warnings, text) {
		j.out.Warnings = append(j.out.Warnings, text)
	}
}

// rounded is the consequence of a binary without the changed testing package, for the
// user.
const rounded = "B/op and allocs/op are truncated to whole numbers, and there are no GC figures"

// keep puts a finished binary under its SHA-256 into the cache, where a
// build.json per build of a study copy names its binaries.
func (j *job) keep(path string) (string, error) {
	sum, exact, err := examine(path, marker)
	if err != nil {
		return "", fmt.Errorf("reading the binary of %s: %w", j.spec.Pkg, err)
	}
	if j.out.Hash == "" {
		j.out.Hash, j.out.FloatAllocs = sum, exact
	}
	if j.overlay != "" && !exact {
		j.warn("%s did not use the changed testing package: %s", j.spec.Toolchain.Version, rounded)
	}
	if j.spec.Fresh == "" {
		return j.store(path, sum, "bench.test")
	}
	dir, err := os.MkdirTemp(j.spec.Fresh, "")
	to := filepath.Join(dir, "bench.test"+exe)
	if err == nil {
		err = os.Rename(path, to)
	}
	if err != nil {
		return "", fmt.Errorf("keeping the binary of %s: %w", j.spec.Pkg, err)
	}
	return to, nil
}

// store puts a file that was built under its SHA-256 into the cache. One that is there already is
// the same, unless it was damaged.
func (j *job) store(from, sum, name string) (path string, err error) {
	to := filepath.Join(j.cache, sum, name+exe)
	if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		if there, _, _ := examine(to, marker); there != sum { // else it runs, and this system replaces none that does
			return "", fmt.Errorf("keeping the binary of %s: %w", j.spec.Pkg, err)
		}
	}
	cache.Touch(to)
	return to, nil
}

// target are the settings of `go env`, of one Go or another, that change what
// is built.
var target = []string{
	"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOEXPERIMENT", "GOFIPS140", "CGO_ENABLED", "CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS",
	"CGO_LDFLAGS",
}

// chooseKey gives a build from a study copy the key under which it is saved:
// everything that it depends on.
func (j *job) chooseKey(ctx context.Context) error {
	content, err := HashDir(os.DirFS(j.spec.Dir))
	if err != nil {
		return fmt.Errorf("reading %s: %w", j.spec.Dir, err)
	}
	values, err := j.settings(ctx)
	if err != nil {
		return err
	}
	env := slices.Sorted(slices.Values(j.spec.Env))
	parts := []string{
		j.spec.Toolchain.Version, j.spec.Toolchain.GOROOT, content, j.spec.Dir, j.spec.Pkg,
		filepath.Base(filepath.Dir(j.overlay)),
		strings.Join(j.spec.Flags, "\x00"), strings.Join(env, "\x00"), fmt.Sprint(j.spec.Layouts),
	}
	if j.spec.Fresh != "" { // what is known of the build whatever its links
		parts[len(parts)-1] = "fresh"
	}
	for _, k := range target {
		parts = append(parts, k+"="+values[k])
	}
	j.indexKey = hash(parts...)
	return nil
}

func (j *job) index() string { return filepath.Join(j.cache, j.indexKey, "build.json") }

// load finds a build that was made before.
func (j *job) load() (Binaries, bool) {
	if j.indexKey == "" {
		return Binaries{}, false
	}
	text, err := os.ReadFile(j.index())
	if err != nil {
		return Binaries{}, false
	}
	var done Binaries
	if json.Unmarshal(text, &done) != nil || len(done.Paths) == 0 && j.spec.Fresh == "" {
		return Binaries{}, false
	}
	for _, path := range done.Paths {
		sum, _, err := examine(path, marker)
		if err != nil || sum != filepath.Base(filepath.Dir(path)) {
			return Binaries{}, false // removed or damaged: it must be rebuilt
		}
		cache.Touch(path)
	}
	cache.Touch(j.index())
	return done, true
}

func (j *job) save() error {
	if j.indexKey == "" {
		return nil
	}
	out := j.out
	if j.spec.Fresh != "" {
		out.Paths, out.Layouts, out.Hash = nil, nil, ""
	}
	text, err := json.MarshalIndent(out, "", "\t")
	if err == nil {
		err = writeFile(j.index(), text)
	}
	if err != nil {
		return fmt.Errorf("remembering the build of %s: %w", j.spec.Pkg, err)
	}
	return nil
}

// flags returns the build flags with the overlay and the layout.
func (j *job) flags(seed uint64) []string {
	var flags []string
	if j.overlay != "" {
		flags = append(flags, "-overlay="+j.overlay)
	}
	flags = append(flags, j.spec.Flags...)
	if seed &^= 1 << 63; seed != 0 {
		link := "-randlayout=" + strconv.FormatUint(seed, 10)
		if j.spec.Fresh != "" {
			link = "-w " + link // without what debuggers read, a link takes half the time; the code lies the same
		}
		flags = addToFlag(flags, "ldflags", j.spec.Pkg, link)
	}
	return flags
}

// isFlag reports whether a word is the flag, with or without a value: -name=… or
// --name=….
func isFlag(word, name string) bool {
	_, ok := flagValue(word, name)
	return ok
}

func flagValue(word, name string) (value string, ok bool) {
	word, dashed := strings.CutPrefix(word, "-")
	if !dashed {
		return "", false
	}
	key, value, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
	return value, key == name
}

// addToFlag adds an argument to a flag like -gcflags or -ldflags, whose value is
// [pattern=]arguments. For each package the last flag that matches it counts
// and the ones before are forgotten, so the flag added last repeats the
// arguments that the package had.
func addToFlag(flags []string, name, pkg, arg string) []string {
	had := ""
	for i, word := range flags {
		value, ok := flagValue(word, name)
		if ok && !strings.Contains(word, "=") && i+1 < len(flags) {
			value = flags[i+1] // "-gcflags", "-N -l"
		}
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" || strings.HasPrefix(value, "-") {
			had = value
			continue
		}
		if pattern, args, _ := strings.Cut(value, "="); matches(pattern, pkg) {
			had = args
		}
	}
	return append(flags[:len(flags):len(flags)], "-"+name+"="+strings.TrimSpace(had+" "+arg))
}

// matches reports whether a pattern of the go command covers the package that is
// named on its command line.
func matches(pattern, pkg string) bool {
	stem, tree := strings.CutSuffix(pattern, "...")
	return pattern == "all" || pattern == pkg || tree && strings.HasPrefix(pkg, stem)
}

// Trim brings the cache below its limit, unless another memcost uses it, and marks it as
// in use for as long as the Builder exists, so that no process removes files from it
// meanwhile.
func (b *Builder) Trim(now time.Time) { b.use = cache.Begin(b.CacheDir, now) }

// BuildProgram builds a main package; of spec, Layouts has no meaning. The go
// command's own cache makes a second build cheap.
func (b *Builder) BuildProgram(ctx context.Context, spec Build) (path string, err error) {
	spec.Layouts = nil
	j, err := b.open(spec)
	if err != nil {
		return "", err
	}
	defer j.close()
	j.overlay = "" // it is the testing package's
	out := filepath.Join(j.temp, "program"+exe)
	res, err := j.goes(ctx, slices.Concat([]string{"build", "-o", out}, j.flags(0), []string{spec.Pkg})...)
	if err != nil {
		return "", err
	}
	if res.Err("") != nil {
		return "", j.failure(res)
	}
	sum, _, err := examine(out, marker)
	if err != nil {
		return "", fmt.Errorf("building %s in %s: it is not a main package", spec.Pkg, spec.Dir)
	}
	return j.store(out, sum, "program")
}

//go:embed _floor
var floorFiles embed.FS

// Floor returns what to build for the empty loop with a toolchain: the package is copied
// below dir like a study. The caller adds the flags and settings of the configuration.
func Floor(tc Toolchain, dir string) (Build, error) {
	tree, err := fs.Sub(floorFiles, "_floor")
	if err != nil {
		return Build{}, err
	}
	copied, err := PrepareStudies(tree, filepath.Join(dir, "floor"), tc)
	return Build{Toolchain: tc, Dir: copied, Pkg: "./floor"}, err
}
