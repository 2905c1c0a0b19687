// Package explain does what memcost why does, without the command line: it builds and runs
// packages (count), joins what is known of their allocations (why), measures what such
// allocations cost here (price), and proposes fixes (remedy), for one source or for several
// that are compared.
package explain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/session"
	"memcost/internal/sites"
	"memcost/internal/sites/count"
	"memcost/internal/sites/join"
	"memcost/internal/sites/remedy"
)

// Explain explains packages: with one source, or with several that are compared. told is told
// how far it is.
func Explain(ctx context.Context, t *session.Tools, o Options, told func(sites.Progress)) (*Kept, error) {
	x := &explaining{tools: t, o: o, told: told}
	if o.Profile != "" {
		return x.given(ctx)
	}
	sides, done, err := x.sides(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	k := &Kept{Asked: o.Patterns}
	for _, s := range sides {
		side, err := x.side(ctx, s)
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil && len(sides) > 1:
			return nil, ctx.Err() // half of a comparison is none
		}
		if len(sides) == 1 {
			side.Name = ""
		}
		k.Sides = append(k.Sides, side)
	}
	return k, nil
}

// explaining is one Explain under way.
type explaining struct {
	tools *session.Tools
	o     Options
	told  func(sites.Progress)
}

// A version is a source to explain, and what builds it.
type version struct {
	name      string
	folder    source.Folder
	toolchain toolchain.Toolchain
	revision  string
	gone      bool // its files are removed in the end
}

// sides returns what is explained, the baseline first.
func (x *explaining) sides(ctx context.Context) (out []version, done func(), err error) {
	t := x.tools
	set := source.New(source.SidePlace{Runner: t.Runner, Env: t.Env, Cache: t.Builder.CacheDir, Note: t.Log.Note,
		Step: t.Log.Step}, x.o.Dir)
	end := func() {
		if err := set.Close(false); err != nil {
			t.Log.Note("warning: " + err.Error())
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	versions := x.o.Versions
	if len(versions) == 0 {
		versions = []string{"local"}
	}
	if x.o.Since != "" && len(versions) > 1 {
		return nil, nil, hint.Usage("leave one of them out", "--since and several versions of Go make too many sides")
	}
	here := set.WorkTree(ctx)
	for _, v := range versions {
		tc, err := t.Finder.Find(ctx, strings.TrimPrefix(v, "go"))
		if err != nil {
			return nil, nil, err
		}
		out = append(out, version{name: tc.Version, folder: here, toolchain: tc})
	}
	if x.o.Since != "" {
		f, err := set.Revision(ctx, x.o.Since)
		if err != nil {
			return nil, nil, err
		}
		out[0].name = "the files here"
		old := version{name: x.o.Since, folder: f, toolchain: out[0].toolchain, gone: true}
		if f.Source != nil {
			old.revision = f.Source.Commit
		}
		out = slices.Insert(out, 0, old)
	}
	return out, end, nil
}

// side explains one source.
func (x *explaining) side(ctx context.Context, v version) (Side, error) {
	s := Side{Name: v.name}
	counted, err := count.Count(ctx, x.tools.Builder, x.counting(v))
	if err != nil {
		return s, err
	}
	mode := "benchmarks"
	switch {
	case x.o.Static:
		mode = "static"
	case x.o.Test != "":
		mode = "tests"
	case !slices.ContainsFunc(counted, func(c count.Counted) bool { return len(c.Measured) > 0 }):
		mode = "static"
	}
	// What was counted before an interruption is joined all the same, and not priced.
	if err := x.join(context.WithoutCancel(ctx), counted, v.toolchain.Version, mode, &s); err != nil {
		return s, err
	}
	s.Report.Revision = v.revision
	if err := x.prices(ctx, s.Report, v.toolchain); err != nil && ctx.Err() == nil {
		return s, err
	}
	propose(s.Report)
	s.place()
	if v.gone {
		s.Folder = "" // its checkout is no repository
		s.keepSources()
	}
	return s, nil
}

// mostTime is what counting takes at most where nobody says: a run under the CPU profiler is as
// long as it allows, and no longer than a second.
const mostTime = 5 * time.Minute

// proposed is for how many sites an edit is looked for: it takes reading the source anew.
const proposed = 100

// propose looks for edits of the sites that cost most.
func propose(r *sites.Report) {
	top := *r
	top.Sites = r.Sites[:min(proposed, len(r.Sites))] // the report's own
	remedy.Edits(&top, os.ReadFile)
}

// priced is how many sites have what their objects cost here.
const priced = 10

// prices measures what the objects of the sites that cost most cost on this machine, and estimates
// what their usual fixes would save.
func (x *explaining) prices(ctx context.Context, r *sites.Report, tc toolchain.Toolchain) error {
	if x.o.Runs == 0 || r.Mode != "benchmarks" {
		return nil
	}
	top := slices.Clone(r.Sites[:min(priced, len(r.Sites))])
	classes, causes := remedy.Needs(slices.DeleteFunc(top, func(s sites.Site) bool { return s.Rank == 0 }))
	if len(classes) == 0 {
		return nil
	}
	found, err := remedy.Measure(ctx, x.tools.Builder, tc, classes, causes, remedy.Options{Progress: x.told})
	if err != nil {
		if ctx.Err() == nil {
			r.Warnings = append(r.Warnings, "what such objects cost here is not known: "+err.Error())
			return nil
		}
		return err
	}
	remedy.Gains(r, found)
	return nil
}

// counting returns what is to be built and run of a source.
func (x *explaining) counting(v version) count.Options {
	flags := slices.Clone(x.o.BuildFlags)
	if x.o.Tags != "" {
		flags = append(flags, "-tags="+x.o.Tags)
	}
	patterns := make([]string, len(x.o.Patterns))
	for i, p := range x.o.Patterns {
		patterns[i] = v.folder.Pattern(p)
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	return count.Options{Toolchain: v.toolchain, Dir: v.folder.Dir, Env: v.folder.Env, Patterns: patterns, Flags: flags,
		Bench: x.o.Bench, Test: x.o.Test, Args: x.o.TestArgs, Build: x.o.Static, Exact: x.o.Exact, Again: x.o.Since != "" || len(x.o.Versions) > 1, CPURuns: x.o.Runs,
		Budget: cmp.Or(x.o.Budget, mostTime), Timeout: x.o.Timeout, Progress: x.told}
}

// given explains a profile that there is already.
func (x *explaining) given(ctx context.Context) (*Kept, error) {
	g, err := count.ReadGiven(x.o.Profile, x.o.Binary)
	if err != nil {
		return nil, err
	}
	tc, err := x.tools.Finder.Find(ctx, strings.TrimPrefix(cmp.Or(g.Go, "local"), "go"))
	if err != nil {
		return nil, err
	}
	v := version{folder: source.Folder{Dir: x.o.Dir}, toolchain: tc}
	counted, err := g.Count(ctx, x.tools.Builder, x.counting(v))
	if err != nil {
		return nil, err
	}
	s := Side{}
	if err = x.join(ctx, counted, tc.Version, "profile", &s); err != nil {
		return nil, err
	}
	s.place()
	return &Kept{Asked: x.o.Patterns, Sides: []Side{s}}, nil
}

// join reads the binaries and the compiler's words, joins all that is known, and holds the budgets
// in the source against it.
func (x *explaining) join(ctx context.Context, counted []count.Counted, goVersion, mode string, side *Side) error {
	x.tools.Log.Step("joining the compiler's words, the profile and the binary")
	side.Root = rootOf(counted)
	side.Folder = inRepository(side.Root)
	in := join.Input{Go: goVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH, Mode: mode, Exact: x.o.Exact,
		ModuleDir: side.Root, Mine: mine(counted), Read: os.ReadFile}
	for i := range counted {
		c := &counted[i]
		asked, done, err := read(c)
		if err != nil {
			return err
		}
		defer done()
		in.Packages = append(in.Packages, asked)
		for _, w := range c.Warnings {
			if !strings.Contains(w, c.Package.ImportPath) {
				w = c.Package.ImportPath + ": " + w
			}
			in.Warnings = append(in.Warnings, w)
		}
	}
	var failed error
	in.Dependencies = func(paths []string) map[string]join.Described {
		x.tools.Log.Step("asking the compiler about the packages that allocate on behalf of these")
		found, err := count.Dependencies(ctx, &counted[0], paths)
		failed = err
		return found
	}
	r, err := join.Analyse(in)
	switch {
	case err != nil:
		return err
	case failed != nil && ctx.Err() != nil:
		return failed
	case failed != nil:
		r.Warnings = append(r.Warnings, "of other packages the compiler's reasons are not known: "+failed.Error())
	}
	side.Report = r
	side.place()
	return side.budgets(in.Packages)
}

// mine returns whether a package is of the module of one that was asked for: by its folder, or by its
// path where the folder is not known. The standard library has no module; what is vendored is of
// others.
func mine(counted []count.Counted) func(pkg string) bool {
	return func(pkg string) bool {
		return slices.ContainsFunc(counted, func(c count.Counted) bool {
			module := c.Package
			if module.ModulePath == "" {
				return false
			}
			dir, known := c.Folders[pkg]
			if !known {
				return c.Folders == nil && (pkg == module.ModulePath || strings.HasPrefix(pkg, module.ModulePath+"/"))
			}
			rel, err := filepath.Rel(module.ModuleDir, dir)
			return err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(filepath.ToSlash(rel)+"/", "vendor/")
		})
	}
}

// budgets holds the budgets in the source against what was found.
func (s *Side) budgets(asked []join.Asked) error {
	var all []Budget
	var from []Sources
	for _, a := range asked {
		folder, err := filepath.Rel(s.Root, a.Dir)
		if err != nil || !filepath.IsLocal(folder) {
			continue // of the standard library, or of another module: its budgets are not the user's
		}
		folder = filepath.ToSlash(folder)
		found, err := ReadBudgets(os.DirFS(s.Root), folder)
		if err != nil {
			return err
		}
		all = append(all, found...)
		from = append(from, Sources{Asked: a, Folder: folder})
	}
	if len(all) == 0 {
		return nil
	}
	var err error
	s.Findings, err = Check(all, s.Report, from)
	return err
}

// read reads what is needed of a package. done closes its binary.
func read(c *count.Counted) (asked join.Asked, done func(), err error) {
	done = func() {}
	asked = join.Asked{Path: c.Package.ImportPath, Measured: c.Measured}
	asked.Dir = c.Package.Dir
	asked.Main = c.Package.Name == "main" && len(c.Package.TestFiles) == 0
	if asked.Log, err = escape.ReadLog(bytes.NewReader(c.Diagnostics)); err != nil {
		asked.Log = nil
		asked.Partial = append(asked.Partial, fmt.Sprintf("what the compiler says is not known: %v", err))
	}
	src, err := escape.SourceOf(os.DirFS(c.Package.Dir), ".")
	if err != nil {
		asked.Partial = append(asked.Partial, fmt.Sprintf("some of the source cannot be read: %v", err))
	}
	if src != nil {
		src.Go = c.Toolchain.Version
		asked.Source = src
	}
	if c.Binary == "" {
		asked.Partial = append(asked.Partial, "it has no program: the calls of the allocator are not known")
		return asked, done, nil
	}
	f, err := os.Open(c.Binary)
	if err != nil {
		return asked, done, fmt.Errorf("reading the binary of %s: %w", asked.Path, err)
	}
	done = func() { f.Close() }
	if asked.Program, err = binary.Open(f); err != nil {
		asked.Program = nil
		asked.Partial = append(asked.Partial, fmt.Sprintf("the calls of the allocator are not known: %v", err))
		return asked, done, nil
	}
	asked.Partial = append(asked.Partial, asked.Program.Partial()...)
	return asked, done, nil
}

// keepSources keeps the source files of a side whose folder is removed.
func (s *Side) keepSources() {
	s.Sources = map[string]string{}
	for _, x := range s.Report.Sites {
		if _, ok := s.Sources[x.File]; ok || x.Rank == 0 {
			continue
		}
		if data, err := os.ReadFile(x.Path); err == nil {
			s.Sources[x.File] = string(data)
		}
	}
}

// Options say what is explained, and how.
type Options struct {
	Dir             string   // from which packages are seen
	Patterns        []string // of packages
	Bench, Test     string   // regular expressions; Test runs tests instead of benchmarks
	Static          bool     // run nothing
	Profile, Binary string   // a heap profile that there is already, and its program
	Exact           bool
	Runs            int // under the CPU profiler, of each benchmark
	Budget, Timeout time.Duration
	Tags            string
	BuildFlags      []string
	TestArgs        []string // of the test binary

	Since    string   // a revision to compare with; it is the first side
	Versions []string // of Go; the first is the baseline of the others
}

// rootOf returns the folder of the module of the first package, or one around it in which the
// others lie, too.
func rootOf(counted []count.Counted) string {
	root := moduleOf(counted[0].Package.Dir)
	for _, c := range counted {
		for {
			rel, err := filepath.Rel(root, c.Package.Dir)
			if err != nil || filepath.Dir(root) == root || filepath.IsLocal(rel) {
				break
			}
			root = filepath.Dir(root)
		}
	}
	return root
}

// moduleOf returns the folder with the go.mod of a package's folder, that itself without one.
func moduleOf(dir string) string { return cmp.Or(above(dir, "go.mod"), dir) }

// inRepository returns the path of a folder from the root of the repository around it, with
// slashes: "" for the root itself, and where there is no repository.
func inRepository(dir string) string {
	root := above(dir, ".git") // a file in a further work tree
	if rel, err := filepath.Rel(root, dir); root != "" && err == nil && rel != "." {
		return filepath.ToSlash(rel)
	}
	return ""
}

// above returns the nearest folder, from a folder upwards, that has an entry of a name; "" if none
// has.
func above(dir, name string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, name)); err == nil {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}
