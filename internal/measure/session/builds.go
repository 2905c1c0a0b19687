package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/malloc/settings"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/study/language"
)

// builds are sides that are built: every study and package on every configuration, which is a
// toolchain with settings, or a side of a comparison of revisions, toolchains and settings.
type builds struct {
	*record
	options    Options
	toolchains []toolchain.Toolchain // parallel to the plan's sides
	sources    *source.Set           // of the sides of a comparison; nil: all is in Question.Dir
	folders    []source.Folder       // parallel to the sides, of such sides
	// packages are those of each side by their names; of runs without such sides all sides have
	// the same, and there is one map.
	packages []map[string]toolchain.Package
	stays    bool // what was checked out stays: the commands of a plan can be tried
	binaries map[sideStudy]studyBinary
	compiler toolchain.Toolchain // of the C++ programs beside Go benchmarks
	besides  map[string]string   // these programs, by study
	links    string              // folder of this run's links; "" before the first
	recorded []plan.Build        // of a run that is gone on with
	presets  map[string]string   // by preset: further programs of C++ studies
}

// sideStudy identifies a binary by its side and study.
type sideStudy struct{ side, study int }

// A studyBinary is the result of building a study on a side.
type studyBinary struct {
	toolchain.Binaries
	spec     toolchain.Build   // of a Go study
	linked   map[int]string    // further links, by their numbers: see link
	source   fs.FS             // of a Go study
	programs map[string]string // paths by folder
}

func newBuilds(r *record) *builds {
	return &builds{record: r, binaries: map[sideStudy]studyBinary{}, besides: map[string]string{},
		presets: map[string]string{}}
}

// open builds what the plan has. Of a session that is gone on with, the binaries have to be those
// that it was begun with.
func (b *builds) open(ctx context.Context, s *Session) error {
	s.atClose = append(s.atClose, b.remove)
	s.before = func(ctx context.Context) error { return b.buildFloors(ctx, s.executor) }
	if s.resumed {
		if err := b.rebuild(ctx, s); err != nil {
			return err
		}
		b.makeExecutor(s)
		return nil
	}
	if err := b.chooseConfigurations(ctx); err != nil {
		return err
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	b.makeExecutor(s)
	if len(b.options.Vary) > 0 && !b.Question.Plan.Has(plan.GoTest) {
		return b.tryVariants(ctx, true)
	}
	return nil
}

// makeExecutor connects the plan's sides and studies with the binaries.
func (b *builds) makeExecutor(s *Session) {
	s.makeExecutor(b.target)
	s.executor.Loads, s.executor.Batches = s.loads, s.batches
	s.executor.Ready, s.executor.Draws, s.executor.LinkedAs = b.link, b.Question.DrawsLinks, b.linkedAs
	if b.sources != nil {
		s.executor.ListOn = b.listOn
		s.executor.OneSided = b.Question.Comparison.AddOneSided
	}
}

// listOn returns the sides of a study whose benchmarks need not be the same.
func (b *builds) listOn(study int) []int {
	var out []int
	seen := map[string]bool{}
	for _, a := range b.Question.Plan.SidesOf(study) {
		if key := source.Key(b.Question.Plan.Sides[a], b.folders[a]); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}

func (b *builds) list(ctx context.Context, s *Session) error {
	p := &b.Question.Plan
	if err := s.executor.List(ctx, p); err != nil {
		return err
	}
	if err := b.buildPresets(ctx, false); err != nil {
		return err
	}
	if len(b.options.Vary) > 0 || b.options.DryRun {
		return nil
	}
	return b.tryVariants(ctx, false)
}

func (b *builds) settle(ctx context.Context, s *Session, from int) error {
	s.checkLoads()
	p := &b.Question.Plan
	s.link()
	if !p.Options.NoGuards {
		if from == 0 {
			p.ChooseDoubles(doubles)
		}
		p.ChooseSuspects()
	}
	b.explain(s.studies)
	b.stays = b.options.DryRun
	return nil
}

// rebuild builds the binaries of a session that is gone on with, with the layouts that they had, and
// returns an error if they differ from those that it was begun with.
func (b *builds) rebuild(ctx context.Context, s *Session) error {
	q := b.Question
	recorded, studies := s.recorded, slices.Clone(q.Plan.Studies)
	b.recorded = recorded
	if err := b.findToolchains(ctx); err != nil {
		return err
	}
	if q.Comparison != nil {
		b.sources = source.New(b.place(), q.Dir)
		var err error
		if b.folders, err = b.sources.Again(ctx, q.Plan.Sides); err != nil {
			return err
		}
	}
	if len(q.Packages) > 0 {
		if _, err := b.findPackages(ctx, q.Plan.Sides[0].Flags); err != nil {
			return err
		}
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	if len(recorded) == 0 {
		return b.completeAttempt(ctx, s)
	}
	same := len(q.Builds) == len(recorded) // otherwise the studies are renumbered
	for _, x := range recorded {
		if now := q.Build(x.Study, x.Side); !same || now == nil || now.Hash != x.Hash {
			return otherCode(studies[x.Study].Name, q.Plan.Sides[x.Side].Name, b.Folder.Dir)
		}
	}
	q.Builds, q.Plan.Studies = recorded, studies
	return nil
}

// completeAttempt completes what was built for an attempt at a plan, on a machine that need not be
// that of the plan: the binaries differ with the folders that they were built in.
func (b *builds) completeAttempt(ctx context.Context, s *Session) error {
	if left := b.Question.LeftOut; len(left) > 0 {
		return hint.With("measure the plan where all of it can be built",
			errors.New("building what the plan has: "+left[0]))
	}
	if err := s.readStudies(); err != nil {
		return err
	}
	b.explain(s.studies)
	return b.save()
}

// layouts says which links a build on a side makes, and where they go. The links of a run are
// its own, so that they lie in a folder that goes with the run; the first shows what the linker can, and the
// others are made when a round needs them.
func (b *builds) layouts(spec *toolchain.Build, study, side int) {
	if !b.Question.Plan.Options.FreshLayouts { // a run from before is gone on with: its links are in the cache
		for _, old := range b.recorded {
			if old.Study == study && old.Side == side {
				spec.Layouts = old.Layouts
			}
		}
		return
	}
	seed := plan.LinkSeed(b.Question.Plan.Options.Seed, b.linkedAs(study, side), 0)
	for _, old := range b.recorded {
		if old.Study == study && old.Side == side && len(old.Layouts) > 0 {
			seed = old.Layouts[0]
		}
	}
	spec.Fresh, spec.Layouts = b.links, []uint64{seed}
}

// linkedAs returns the first side whose binary of a study is the very same: its links are those of this one, too, so
// that what a link does to both is no difference between them.
func (b *builds) linkedAs(study, side int) int {
	code := func(i int) string {
		var f source.Folder
		if b.sources != nil {
			f = b.folders[i]
		}
		a := b.Question.Plan.Sides[i]
		return source.Key(a, f) + fmt.Sprintf("%q", slices.Concat(buildSettings(a.Env), f.Env))
	}
	for _, other := range b.Question.Plan.SidesOf(study) {
		if other == side || code(other) == code(side) {
			return other
		}
	}
	return side
}

// seed returns that of a link of a side, by its number, and records it.
func (b *builds) seed(at sideStudy, number int) uint64 {
	built := b.Question.Build(at.study, at.side)
	for n := len(built.Layouts); n <= number; n++ {
		built.Layouts = append(built.Layouts, plan.LinkSeed(b.Question.Plan.Options.Seed, b.linkedAs(at.study, at.side), n))
	}
	return built.Layouts[number]
}

// linksKept is how many links of a binary lie on the disk, where they are drawn as the run needs them: those that are run in
// turns, with their second copies, and as many again.
const linksKept = 4 * plan.FirstLinks

// link links what the samples of a round need and is not linked yet, as many at a time as there are processors. It
// returns how many that were, and how long it took.
func (b *builds) link(ctx context.Context, tasks []plan.Task) (links int, took time.Duration, err error) {
	began := time.Now()
	var specs []toolchain.Build
	var to []func(path string)
	for _, t := range tasks {
		c := b.Question.Plan.Cases[t.Case]
		at := sideStudy{b.linkedAs(c.Study, t.Side), c.Study}
		x := b.binaries[at]
		if !x.RandLayout || t.Layout == 0 || x.linked == nil || b.Question.Plan.Kind(c) != plan.GoTest {
			continue
		}
		if t.Side != at.side {
			b.seed(sideStudy{t.Side, c.Study}, t.Layout)
		}
		if _, known := x.linked[t.Layout]; known {
			continue
		}
		x.linked[t.Layout] = "" // several cases share it
		if old := t.Layout - linksKept; b.Question.Plan.Options.DrawsLinks() && x.linked[old] != "" {
			os.Remove(x.linked[old])
			delete(x.linked, old)
		}
		spec := x.spec
		spec.Layouts = []uint64{b.seed(at, t.Layout)}
		specs, to = append(specs, spec), append(to, func(path string) {
			if x.linked[t.Layout] = path; path == "" {
				delete(x.linked, t.Layout)
			}
		})
	}
	if len(specs) == 0 {
		return 0, 0, nil
	}
	made, err := b.Builder.LinkAll(ctx, specs)
	for i, set := range to {
		path := "" // it failed, or was interrupted
		if i < len(made) {
			path = strings.Join(made[i].Paths, "") // one
		}
		set(path)
	}
	return len(specs), time.Since(began), err
}

// remove removes the links of this session. The commands of a plan that was only printed can be
// tried: its links stay until the next memcost begins to build.
func (b *builds) remove() {
	if b.links != "" && b.Folder != nil {
		os.RemoveAll(b.links)
	}
	if b.sources != nil {
		if err := b.sources.Close(b.stays); err != nil {
			b.Log.Note("warning: " + err.Error())
		}
	}
}

// diagnose stores the compiler's diagnostics, and those on the functions that an
// expectation names.
func (b *builds) diagnose(built *plan.Build, x studyBinary, study plan.Study, side plan.Side) error {
	if len(x.Diagnostics) == 0 {
		return nil
	}
	if b.Folder != nil {
		built.Diagnostics = path.Join(store.DiagnosticsDir, store.FileName(study.Name+"-"+side.Name)+".txt")
		if err := b.Folder.WriteFile(built.Diagnostics, x.Diagnostics); err != nil {
			return err
		}
	}
	st, err := language.Parse(study.Name, study.Directives, study.Show)
	if err != nil {
		return err
	}
	built.Heap, err = HeapUse(st, x.Diagnostics, x.source)
	if err != nil {
		b.warn("%s on %s: the expectations on the compiler's output are not checked: %v", study.Name, side.Name, err)
	}
	return nil
}

// target returns the program that runs a case on a side; of a case that names its study
// alone, the study's binary.
func (b *builds) target(c plan.Case, side, layout int) (sample.Target, error) {
	study, on := b.Question.Plan.Studies[c.Study].Name, b.Question.Plan.Sides[side].Name
	x, ok := b.binaries[sideStudy{side, c.Study}]
	if !ok {
		return sample.Target{}, fmt.Errorf("no binary of %s for %s", study, on)
	}
	if file, ok := b.besides[study]; ok && c.CPP {
		return sample.Target{Path: file, Dir: filepath.Dir(file), Env: b.Env}, nil
	}
	if c.Program != "" {
		file, ok := x.programs[c.Program]
		if !ok {
			return sample.Target{}, fmt.Errorf("no program %s of %s for %s", c.Program, study, on)
		}
		return sample.Target{Path: file, Dir: filepath.Dir(file), Env: b.Env}, nil
	}
	file := x.Paths[layout%len(x.Paths)] // all of a run from before; else the first
	if linked, ok := b.binaries[sideStudy{b.linkedAs(c.Study, side), c.Study}].linked[layout]; ok {
		file = linked
	} else if x.linked != nil && layout > 0 && b.Folder != nil {
		return sample.Target{}, fmt.Errorf("link %d of %s for %s was not made", layout, study, on)
	}
	if c.Preset != "" {
		file = b.presets[c.Preset]
	}
	dir := filepath.Dir(file)
	if pkg, ok := b.packageOn(side, study); ok {
		dir = pkg.Dir
	}
	t := sample.Target{Path: file, Dir: dir, Env: b.Env, Turns: x.FloatAllocs}
	if asked := b.Question.Comparison; asked != nil {
		t.Args = asked.TestArgs
	}
	return t, nil
}

// packageOn returns the package of a study, as a side has it.
func (b *builds) packageOn(side int, study string) (toolchain.Package, bool) {
	if len(b.packages) == 0 {
		return toolchain.Package{}, false
	}
	pkg, ok := b.packages[min(side, len(b.packages)-1)][study]
	return pkg, ok
}

// findPackages looks up the user's packages. flags are those of all sides; each side of a
// comparison has its own.
func (b *builds) findPackages(ctx context.Context, flags []string) (all []toolchain.Package, err error) {
	if b.sources != nil {
		p := &b.Question.Plan
		b.packages, all, err = source.Packages(ctx, b.Builder, p.Sides, b.folders, b.toolchains, b.Question.Packages,
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
func (b *builds) explain(studies []claim.Study) {
	q := b.Question
	for i := range q.Builds {
		built := &q.Builds[i]
		x := studies[built.Study]
		if len(x.Written.Explains) == 0 || q.Plan.Studies[built.Study].Kind() != plan.GoTest {
			continue
		}
		side := q.Plan.Sides[built.Side]
		bin := b.binaries[sideStudy{built.Side, built.Study}]
		cases := slices.DeleteFunc(slices.Clone(q.Plan.Cases), func(c plan.Case) bool { return c.Study != built.Study })
		found, without, unknown, err := Of(x.Written, cases, side.Toolchain, bin.Diagnostics, bin.source)
		if err != nil {
			b.warn("%s on %s: the compiler's reasons are not shown: %v", x.Name, side.Name, err)
			continue
		}
		if len(unknown) > 0 {
			b.warn("%s on %s: //memcost:explain names %s, and the package has no such function; memcost why finds the "+
				"allocations of others, too", x.Name, side.Name, strings.Join(unknown, ", "))
		}
		if len(without) > 0 {
			b.warn("%s on %s: the compiler's reasons are not shown for %s: what their study names for them is not "+
				"in this build",
				x.Name, side.Name, strings.Join(without, ", "))
		}
		built.Reasons = found
	}
}

// build builds every study on every side. One that does not compile is left out with the
// compiler's message, and the others go on.
func (b *builds) build(ctx context.Context) error {
	p := &b.Question.Plan
	b.Question.Builds = nil
	if p.Options.FreshLayouts && b.links == "" {
		var err error
		if b.links, err = b.Builder.Temporary(); err != nil {
			return err
		}
	}
	var last error
	var left []string
	for i := range p.Studies {
		if err := b.buildBeside(ctx, i); err != nil {
			return err
		}
		sides, builds := []int{}, []plan.Build{}
		for n, made := range b.buildSides(ctx, i) {
			a, built, err := p.SidesOf(i)[n], plan.Build{}, made.err
			if err == nil {
				built, err = b.built(i, a, made.studyBinary)
			}
			if err != nil {
				if ctx.Err() != nil || errors.As(err, new(*store.WriteError)) {
					return err
				}
				left = append(left, fmt.Sprintf("%s on %s: %v", p.Studies[i].Name, p.Sides[a].Name, err))
				b.Unbuilt = append(b.Unbuilt, Unbuilt{p.Studies[i].Name, a})
				if last = err; b.Question.Comparison != nil {
					last = &source.Error{Name: p.Sides[a].Name, Err: err}
				}
				continue
			}
			builds, sides = append(builds, built), append(sides, a)
		}
		if b.Question.Comparison != nil && !canCompare(sides, p.SidesOf(i)) {
			sides, builds = []int{}, nil
		}
		b.Question.Builds, p.Studies[i].Sides = append(b.Question.Builds, builds...), sides
	}
	if len(b.Question.Builds) == 0 {
		return last
	}
	for _, what := range left {
		b.broken("%s", what)
	}
	b.forget()
	return b.buildPresets(ctx, true)
}

// canCompare reports whether the sides that there are include the baseline, and another.
func canCompare(sides, asked []int) bool { return len(sides) > 1 && sides[0] == asked[0] }

// made is what building a study on a side gave.
type made struct {
	studyBinary
	err error
}

// buildSides builds a study on its sides: on one after the other, for the first compiles the
// standard library that the next ones find in the cache, and the further sides of a comparison
// two at a time, for much of a build keeps only one processor busy.
func (b *builds) buildSides(ctx context.Context, study int) []made {
	p := &b.Question.Plan
	out := make([]made, len(p.SidesOf(study)))
	many := 1
	if b.sources != nil {
		many = 2
	}
	slots, wait := make(chan struct{}, many), sync.WaitGroup{}
	for n, a := range p.SidesOf(study) {
		if n == 1 {
			wait.Wait()
		}
		slots <- struct{}{}
		b.Log.Step(fmt.Sprintf("building %s with %s", p.Studies[study].Name, p.Sides[a].Name))
		wait.Go(func() {
			out[n].studyBinary, out[n].err = b.buildOn(ctx, study, a)
			<-slots
		})
	}
	wait.Wait()
	return out
}

// built records what was built.
func (b *builds) built(study, side int, bin studyBinary) (plan.Build, error) {
	x, a := b.Question.Plan.Studies[study], b.Question.Plan.Sides[side]
	if b.Question.Plan.Options.FreshLayouts && bin.RandLayout {
		bin.linked = map[int]string{}
	}
	b.binaries[sideStudy{side, study}] = bin
	built := plan.Build{Study: study, Side: side, Layouts: bin.Layouts, Hash: bin.Hash, FloatAllocs: bin.FloatAllocs,
		Warnings: bin.Warnings}
	for _, w := range bin.Warnings {
		b.warn("%s on %s: %s", x.Name, a.Name, w)
	}
	return built, b.diagnose(&built, bin, x, a)
}

// forget drops the studies that no side could build, and renumbers the references to
// studies by index.
func (b *builds) forget() {
	p := &b.Question.Plan
	number := map[int]int{}
	var kept []plan.Study
	for i, x := range p.Studies {
		if len(x.Sides) > 0 {
			number[i] = len(kept)
			kept = append(kept, x)
		}
	}
	if len(kept) == len(p.Studies) {
		return
	}
	binaries := map[sideStudy]studyBinary{}
	for k, x := range b.binaries {
		if to, ok := number[k.study]; ok {
			binaries[sideStudy{k.side, to}] = x
		}
	}
	for i := range b.Question.Builds {
		b.Question.Builds[i].Study = number[b.Question.Builds[i].Study]
	}
	p.Studies, b.binaries = kept, binaries
}

// findToolchains finds the toolchains of a run that is gone on with.
func (b *builds) findToolchains(ctx context.Context) error {
	for i, a := range b.Question.Plan.Sides {
		study := slices.IndexFunc(b.Question.Plan.Studies, func(x plan.Study) bool {
			return x.Sides == nil || slices.Contains(x.Sides, i)
		})
		tc, err := b.toolchainOf(ctx, a.Toolchain, b.Question.Plan.Studies[max(study, 0)].Kind() == plan.GoogleBenchmark)
		if err != nil {
			return err
		}
		b.toolchains = append(b.toolchains, tc)
	}
	return b.compilerAgain(ctx)
}

// buildFloors builds the empty loop for every configuration of a Go study. What cannot be
// built is missing: the guards do without it, and a warning says so.
func (b *builds) buildFloors(ctx context.Context, executor *sample.Executor) error {
	p := &b.Question.Plan
	floors := map[int]sample.Target{}
	executor.Floor = func(side int) (sample.Target, bool) { t, ok := floors[side]; return t, ok }
	if p.Options.NoGuards {
		return nil
	}
	for i, a := range p.Sides {
		if !slices.ContainsFunc(b.Question.Builds, func(x plan.Build) bool {
			return x.Side == i && p.Studies[x.Study].Kind() == plan.GoTest
		}) {
			continue
		}
		b.Log.Step(fmt.Sprintf("building the empty loop with %s", a.Name))
		spec, err := toolchain.Floor(b.toolchains[i], b.Builder.CacheDir)
		if err == nil {
			spec.Flags, spec.Env = a.Flags, buildSettings(a.Env)
			var bin toolchain.Binaries
			if bin, err = b.Builder.Build(ctx, spec); err == nil {
				floors[i] = sample.Target{Path: bin.Paths[0], Dir: spec.Dir, Env: b.Env}
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			b.warn("the empty loop was not measured on %s, so that nothing is compared with it: %v",
				a.Name, err)
		}
	}
	return nil
}

// tryVariants tries the settings of malloc. One of the user's with which nothing can be measured is
// an error; of the study's own the cases leave the plan.
func (b *builds) tryVariants(ctx context.Context, own bool) error {
	p := &b.Question.Plan
	for i, x := range p.Studies {
		if x.Kind() != plan.GoogleBenchmark || len(x.Sides) == 0 {
			continue
		}
		t := b.trier(b.binaries[sideStudy{x.Sides[0], i}].Paths[0])
		t.Programs = b.presets
		if says := settings.LockLimit(b.Question.Machine, x.Variants, p.Cases); says != "" {
			b.warn("%s", says)
		}
		if own {
			return t.Own(ctx, x.Variants, func(says string) { b.warn("%s", says) })
		}
		if err := t.Leave(ctx, p, i, x.Sides[0]); err != nil {
			return err
		}
	}
	return nil
}
