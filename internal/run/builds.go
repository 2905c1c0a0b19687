package run

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
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
}

// armSuite identifies a binary by its arm and suite.
type armSuite struct{ arm, suite int }

// A binary is the result of building a suite on an arm.
type binary struct {
	toolchain.Binaries
	source   fs.FS             // of a Go suite
	programs map[string]string // paths by folder
}

func newBuilds(r *record) *builds {
	return &builds{record: r, packages: map[string]toolchain.Package{}, binaries: map[armSuite]binary{}}
}

// layouts returns the seeds of the pool of random links.
func (b *builds) layouts() []uint64 {
	o := b.Question.Plan.Options
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	seeds := make([]uint64, o.Layouts)
	for i := range seeds {
		// The pool is a small one and the same from run to run, so that its links come
		// from the cache; the run's seed decides which of them a round uses.
		seeds[i] = uint64(i + 1)
	}
	rng.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
	return seeds
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
	return sample.Target{Path: file, Dir: dir, Env: b.Env}, nil
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
