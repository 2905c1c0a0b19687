package session

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/study/language"
)

// builds holds the binaries of a run: every suite on every configuration.
type builds struct {
	*record
	toolchains []toolchain.Toolchain // parallel to the plan's arms
	sources    *source.Set           // of the sides of a comparison; nil: all is in Question.Dir
	folders    []source.Folder       // parallel to the arms, of such sides
	// packages are those of each arm by their names; of runs without such sides all arms have
	// the same, and there is one map.
	packages []map[string]toolchain.Package
	stays    bool // what was checked out stays: the commands of a plan can be tried
	binaries map[armSuite]runBinary
	compiler toolchain.Toolchain // of the C++ programs beside Go benchmarks
	besides  map[string]string   // these programs, by suite
	links    string              // folder of this run's links; "" before the first
	recorded []plan.Build        // of a run that is gone on with
	presets  Set                 // further programs of C++ suites
}

// armSuite identifies a binary by its arm and suite.
type armSuite struct{ arm, suite int }

// A binary is the result of building a suite on an arm.
type runBinary struct {
	toolchain.Binaries
	spec     toolchain.Build   // of a Go suite
	source   fs.FS             // of a Go suite
	programs map[string]string // paths by folder
}

func newBuilds(r *record) *builds {
	return &builds{record: r, binaries: map[armSuite]runBinary{}, besides: map[string]string{},
		presets: Set{Builder: r.Builder, Files: map[string]string{}}}
}

// layouts says which links a build on an arm needs, and where they go. The pool of a run is
// its own, so that it lies in a folder that goes with the run.
func (b *builds) layouts(spec *toolchain.Build, suite, arm int) {
	p := &b.Question.Plan
	if !p.Options.FreshLayouts { // a run from before is gone on with: its links are in the cache
		for _, old := range b.recorded {
			if old.Suite == suite && old.Arm == arm {
				spec.Layouts = old.Layouts
			}
		}
		return
	}
	spec.Fresh, spec.Layouts = b.links, b.seeds()[arm][:p.Options.Layouts]
	if b.Folder == nil || b.sources != nil { // the commands of a plan need one; of sides see link
		spec.Layouts = spec.Layouts[:1]
	}
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
		spec := x.spec
		spec.Layouts = b.seeds()[at.arm][p.Options.Layouts:]
		more := unlinked(spec.Layouts)
		if b.sources == nil {
			b.Log.Step(fmt.Sprintf("linking %s with further layouts", p.Suites[c.Suite].Name))
			var err error
			if more, err = b.Builder.Link(ctx, spec); err != nil {
				return err
			}
		}
		x.Paths, x.Layouts = append(x.Paths, more.Paths...), append(x.Layouts, more.Layouts...)
		b.binaries[at] = x
		if built := b.Question.Build(at.suite, at.arm); built != nil {
			built.Layouts = x.Layouts
		}
	}
	return nil
}

// unlinked returns binaries that are not linked yet.
func unlinked(seeds []uint64) toolchain.Binaries {
	return toolchain.Binaries{Paths: make([]string, len(seeds)), Layouts: seeds}
}

// link links what the samples of a round need and is not linked yet. A comparison begins to
// measure when each side has one link, and one that is decided after eight rounds needs no
// more than eight.
func (b *builds) link(ctx context.Context, tasks []plan.Task) error {
	var specs []toolchain.Build
	var to []*string
	for _, t := range tasks {
		x := b.binaries[armSuite{t.Arm, b.Question.Plan.Cases[t.Case].Suite}]
		if len(x.Paths) == 0 {
			continue
		}
		at := t.Layout % len(x.Paths)
		if x.Paths[at] == "" && !slices.Contains(to, &x.Paths[at]) {
			x.spec.Layouts = []uint64{x.Layouts[at]}
			specs, to = append(specs, x.spec), append(to, &x.Paths[at])
		}
	}
	made, err := b.Builder.LinkAll(ctx, specs)
	for i, m := range made {
		*to[i] = m.Paths[0]
	}
	return err
}

// Close removes the run's links, and closes its folder. The commands of a plan that was only
// printed can be tried: its links stay until the next memcost begins to build.
func (b *builds) Close() {
	if b.links != "" && b.Folder != nil {
		os.RemoveAll(b.links)
	}
	if b.sources != nil {
		if err := b.sources.Close(b.stays); err != nil {
			b.Log.Note("warning: " + err.Error())
		}
	}
	b.record.Close()
}

// diagnose stores the compiler's diagnostics, and those on the functions that an
// expectation names.
func (b *builds) diagnose(built *plan.Build, x runBinary, suite plan.Suite, arm plan.Arm) error {
	if len(x.Diagnostics) == 0 {
		return nil
	}
	if b.Folder != nil {
		built.Diagnostics = path.Join(store.DiagnosticsDir, store.FileName(suite.Name+"-"+arm.Name)+".txt")
		if err := b.Folder.WriteFile(built.Diagnostics, x.Diagnostics); err != nil {
			return err
		}
	}
	st, err := language.Parse(suite.Name, suite.Directives, suite.Show)
	if err != nil {
		return err
	}
	built.Heap, err = HeapUse(st, x.Diagnostics, x.source)
	if err != nil {
		b.warn("%s on %s: the expectations on the compiler's output are not checked: %v", suite.Name, arm.Name, err)
	}
	return nil
}

// target returns the program that runs a case on an arm; of a case that names its suite
// alone, the suite's binary.
func (b *builds) target(c plan.Case, arm, layout int) (sample.Target, error) {
	suite, on := b.Question.Plan.Suites[c.Suite].Name, b.Question.Plan.Arms[arm].Name
	x, ok := b.binaries[armSuite{arm, c.Suite}]
	if !ok {
		return sample.Target{}, fmt.Errorf("no binary of %s for %s", suite, on)
	}
	if file, ok := b.besides[suite]; ok && c.CPP {
		return sample.Target{Path: file, Dir: filepath.Dir(file), Env: b.Env}, nil
	}
	if c.Program != "" {
		file, ok := x.programs[c.Program]
		if !ok {
			return sample.Target{}, fmt.Errorf("no program %s of %s for %s", c.Program, suite, on)
		}
		return sample.Target{Path: file, Dir: filepath.Dir(file), Env: b.Env}, nil
	}
	file := x.Paths[layout%len(x.Paths)]
	if c.Preset != "" {
		file = b.presets.Files[c.Preset]
	}
	dir := filepath.Dir(file)
	if pkg, ok := b.packageOn(arm, suite); ok {
		dir = pkg.Dir
	}
	t := sample.Target{Path: file, Dir: dir, Env: b.Env, Turns: x.FloatAllocs}
	if asked := b.Question.Comparison; asked != nil {
		t.Args = asked.TestArgs
	}
	return t, nil
}

// packageOn returns the package of a suite, as an arm has it.
func (b *builds) packageOn(arm int, suite string) (toolchain.Package, bool) {
	if len(b.packages) == 0 {
		return toolchain.Package{}, false
	}
	pkg, ok := b.packages[min(arm, len(b.packages)-1)][suite]
	return pkg, ok
}

// findPackages looks up the user's packages. flags are those of all arms; each side of a
// comparison has its own.
func (b *builds) findPackages(ctx context.Context, flags []string) (all []toolchain.Package, err error) {
	if b.sources != nil {
		p := &b.Question.Plan
		b.packages, all, err = source.Packages(ctx, b.Builder, p.Arms, b.folders, b.toolchains, b.Question.Packages,
			b.broken)
		return all, err
	}
	all, err = b.Packages(ctx, b.Question.Dir, b.Question.Packages, source.ListFlags(flags)...)
	b.packages = []map[string]toolchain.Package{{}}
	for _, p := range all {
		b.packages[0][p.ImportPath] = p
	}
	return all, err
}

// explain joins the cases with what the compiler said, when it built the very binary that
// is timed, about the functions that a study names for them.
func (b *builds) explain(suites []claim.Suite) {
	q := b.Question
	for i := range q.Builds {
		built := &q.Builds[i]
		x := suites[built.Suite]
		if len(x.Study.Explains) == 0 || q.Plan.Suites[built.Suite].Kind() != plan.GoTest {
			continue
		}
		arm := q.Plan.Arms[built.Arm]
		bin := b.binaries[armSuite{built.Arm, built.Suite}]
		cases := slices.DeleteFunc(slices.Clone(q.Plan.Cases), func(c plan.Case) bool { return c.Suite != built.Suite })
		found, without, unknown, err := Of(x.Study, cases, arm.Toolchain, bin.Diagnostics, bin.source)
		if err != nil {
			b.warn("%s on %s: the compiler's reasons are not shown: %v", x.Name, arm.Name, err)
			continue
		}
		if len(unknown) > 0 {
			b.warn("%s on %s: //memcost:explain names %s, and the package has no such function; memcost why finds the "+
				"allocations of others, too", x.Name, arm.Name, strings.Join(unknown, ", "))
		}
		if len(without) > 0 {
			b.warn("%s on %s: the compiler's reasons are not shown for %s: what their study names for them is not "+
				"in this build",
				x.Name, arm.Name, strings.Join(without, ", "))
		}
		built.Reasons = found
	}
}
