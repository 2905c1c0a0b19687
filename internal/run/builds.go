package run

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/escape"
	"memcost/internal/plan"
	"memcost/internal/sample"
	"memcost/internal/store"
	"memcost/internal/toolchain"
)

// builds holds the binaries of a run: every suite on every configuration.
type builds struct {
	*record
	toolchains []toolchain.Toolchain // parallel to the plan's arms
	packages   map[string]toolchain.Package
	binaries   map[armSuite]binary
	links      string       // folder of this run's links; "" before the first
	recorded   []plan.Build // of a run that is gone on with
}

// armSuite identifies a binary by its arm and suite.
type armSuite struct{ arm, suite int }

// A binary is the result of building a suite on an arm.
type binary struct {
	toolchain.Binaries
	spec     toolchain.Build   // of a Go suite
	source   fs.FS             // of a Go suite
	programs map[string]string // paths by folder
}

func newBuilds(r *record) *builds {
	return &builds{record: r, packages: map[string]toolchain.Package{}, binaries: map[armSuite]binary{}}
}

// layouts says which links a build on an arm needs, and where they go. The pool of a run is
// its own, so that it lies in a folder that goes with the run.
func (b *builds) layouts(spec *toolchain.Build, suite, arm int) (err error) {
	p := &b.Question.Plan
	if !p.Options.FreshLayouts { // a run from before is gone on with: its links are in the cache
		for _, old := range b.recorded {
			if old.Suite == suite && old.Arm == arm {
				spec.Layouts = old.Layouts
			}
		}
		return nil
	}
	if b.links == "" {
		if b.links, err = b.Builder.Temporary(); err != nil {
			return err
		}
	}
	spec.Fresh, spec.Layouts = b.links, b.seeds()[arm][:p.Options.Layouts]
	if b.Folder == nil { // nothing will be measured: the commands of a plan need one
		spec.Layouts = spec.Layouts[:1]
	}
	return nil
}

// seeds returns those of the links of each configuration.
func (b *builds) seeds() [][]uint64 {
	p := &b.Question.Plan
	return plan.LayoutSeeds(p.Options.Seed, p.Options.Layouts, len(p.Arms))
}

// linkCopies links the layouts of the second copies (A′), which are known when the cases are.
func (b *builds) linkCopies(ctx context.Context) error {
	p := &b.Question.Plan
	if !p.Options.FreshLayouts {
		return nil
	}
	for _, d := range p.Doubles {
		c := p.Cases[d]
		at := armSuite{p.ArmsOf(c.Suite)[0], c.Suite}
		x := b.binaries[at]
		if p.Kind(c) != plan.GoTest || !x.RandLayout || len(x.Paths) > p.Options.Layouts {
			continue
		}
		b.Log.Step(fmt.Sprintf("linking %s with further layouts", p.Suites[c.Suite].Name))
		spec := x.spec
		spec.Layouts = b.seeds()[at.arm][p.Options.Layouts:]
		more, err := b.Builder.Link(ctx, spec)
		if err != nil {
			return err
		}
		x.Paths, x.Layouts = append(x.Paths, more.Paths...), append(x.Layouts, more.Layouts...)
		b.binaries[at] = x
		if built := b.Question.Build(at.suite, at.arm); built != nil {
			built.Layouts = x.Layouts
		}
	}
	return nil
}

// Close removes the run's links, and closes its folder. The commands of a plan that was only
// printed can be tried: its links stay until the next memcost begins to build.
func (b *builds) Close() {
	if b.links != "" && b.Folder != nil {
		os.RemoveAll(b.links)
	}
	b.record.Close()
}

// diagnose stores the compiler's diagnostics, and those on the functions that an
// expectation names.
func (b *builds) diagnose(built *plan.Build, x binary, suite plan.Suite, arm plan.Arm) error {
	if len(x.Diagnostics) == 0 {
		return nil
	}
	if b.Folder != nil {
		built.Diagnostics = path.Join(store.DiagnosticsDir, store.FileName(suite.Name+"-"+arm.Name)+".txt")
		if err := b.Folder.WriteFile(built.Diagnostics, x.Diagnostics); err != nil {
			return err
		}
	}
	st, err := catalog.Parse(suite.Name, suite.Directives, suite.Show)
	if err != nil {
		return err
	}
	built.Heap, err = heapUse(st, x.Diagnostics, x.source)
	if err != nil {
		b.warn("%s on %s: the expectations on the compiler's output are not checked: %v", suite.Name, arm.Name, err)
	}
	return nil
}

// heapUse looks up, for each function that an expectation names, what the compiler put on
// the heap in it.
func heapUse(st *catalog.Study, diagnostics []byte, source fs.FS) (map[string][]string, error) {
	var names []string
	for _, e := range st.Expects {
		names = append(names, e.Funcs...)
	}
	if len(names) == 0 {
		return nil, nil
	}
	ds, err := escape.Read(strings.NewReader(string(diagnostics)))
	if err != nil {
		return nil, err
	}
	ranges, err := escape.FuncsOf(source, ".")
	if err != nil {
		return nil, err
	}
	heap := map[string][]string{}
	for _, fn := range distinct(names) {
		heap[fn] = []string{}
		lines, err := escape.HeapLines(ds, ranges, fn)
		if err != nil {
			return nil, err
		}
		for _, d := range lines {
			heap[fn] = append(heap[fn], d.String())
		}
	}
	return heap, nil
}

// target returns the program that runs a case on an arm; of a case that names its suite
// alone, the suite's binary.
func (b *builds) target(c plan.Case, arm, layout int) (sample.Target, error) {
	suite, on := b.Question.Plan.Suites[c.Suite].Name, b.Question.Plan.Arms[arm].Name
	x, ok := b.binaries[armSuite{arm, c.Suite}]
	if !ok {
		return sample.Target{}, fmt.Errorf("no binary of %s for %s", suite, on)
	}
	if c.Program != "" {
		file, ok := x.programs[c.Program]
		if !ok {
			return sample.Target{}, fmt.Errorf("no program %s of %s for %s", c.Program, suite, on)
		}
		return sample.Target{Path: file, Dir: filepath.Dir(file), Env: b.Env}, nil
	}
	file := x.Paths[layout%len(x.Paths)]
	dir := filepath.Dir(file)
	if pkg, ok := b.packages[suite]; ok {
		dir = pkg.Dir
	}
	return sample.Target{Path: file, Dir: dir, Env: b.Env, Turns: x.FloatAllocs}, nil
}

// findPackages looks up the user's packages.
func (b *builds) findPackages(ctx context.Context) ([]toolchain.Package, error) {
	pkgs, err := b.Packages(ctx, b.Question.Dir, b.Question.Packages)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		b.packages[p.ImportPath] = p
	}
	return pkgs, nil
}
