package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/study/language"
)

// choose turns the options into the configurations of the plan, and the studies and packages that
// are measured on them.
func (b *builds) choose(ctx context.Context, s *Session) error {
	b.options = s.options
	if len(b.options.Sides) > 0 {
		if err := b.chooseSides(ctx); err != nil {
			return err
		}
	}
	if err := b.chooseStudies(ctx); err != nil {
		return err
	}
	if err := b.keepComparable(); err != nil {
		return err
	}
	if err := b.findDifferences(ctx); err != nil {
		return err
	}
	if q := b.Question; len(q.Packages) > 0 {
		q.Source = source.Here(ctx, b.place(), q.Dir)
	}
	if err := b.kinds(); err != nil {
		return err
	}
	b.fitProfile()
	return nil
}

// chooseStudies turns the arguments into studies: names of studies, and packages.
func (b *builds) chooseStudies(ctx context.Context) error {
	studies, args := Studies(), b.options.Args
	if len(args) == 0 {
		for _, st := range studies {
			if st.Command == "" {
				args = append(args, st.Name)
			}
		}
	}
	for _, arg := range args {
		if st := find(studies, arg); st != nil {
			if st.Command != "" {
				return hint.Usage(st.Command, "study %s has no benchmarks to run: its figures are found by another "+
					"command", st.Name)
			}
			b.addStudy(st)
			continue
		}
		if !strings.ContainsAny(arg, `./\`) {
			return unknownStudy(arg)
		}
		b.Question.Packages = append(b.Question.Packages, arg)
	}
	return b.addPackages(ctx)
}

func (b *builds) addStudy(st *language.Study) {
	p := &b.Question.Plan
	if slices.ContainsFunc(p.Studies, func(x plan.Study) bool { return x.Name == st.Name }) {
		return
	}
	x := plan.Study{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true,
		Directives: st.Directives, Show: st.Show, Google: st.CPP, Programs: st.Programs}
	if st.Beside != "" && len(b.options.Sides) == 0 { // sides differ in Go alone
		x.Beside = &plan.Beside{Dir: st.Beside}
	}
	if st.CPP || x.Beside != nil {
		x.Variants = b.variantsHere(st, b.options.Only == "published")
	}
	if p.Options.Profile == Quick && b.options.Sample == 0 {
		x.Sample = st.Sample
	}
	p.Studies = append(p.Studies, x)
}

// addPackages finds the user's packages that have benchmarks, and their directives if they
// have any.
func (b *builds) addPackages(ctx context.Context) error {
	q := b.Question
	if len(q.Packages) == 0 {
		return nil
	}
	pkgs, err := b.findPackages(ctx, b.options.common())
	if err != nil {
		return err
	}
	var unread []error
	for _, pkg := range pkgs {
		if pkg.Broken != "" {
			b.broken("%s: %s", pkg.ImportPath, pkg.Broken)
		}
		if len(pkg.Benchmarks) == 0 || pkg.Broken != "" {
			continue
		}
		st, err := language.ReadDir(os.DirFS(pkg.Dir), ".")
		if err != nil {
			unread = append(unread, b.onSide(pkg, fmt.Errorf("%s: %w", pkg.ImportPath, err)))
			continue
		}
		for _, w := range st.Warnings {
			b.warn("%s: %v", pkg.ImportPath, w)
		}
		q.Plan.Studies = append(q.Plan.Studies, plan.Study{Name: pkg.ImportPath, Pkg: pkg.ImportPath,
			Directives: st.Directives, Show: st.Show, Programs: st.Programs})
	}
	if len(q.Plan.Studies) == 0 && len(unread) > 0 {
		return hint.With(correct(unread[0]), unread[0])
	}
	for _, err := range unread {
		b.broken("%v", err)
	}
	if len(q.Plan.Studies) == 0 {
		return hint.Usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s",
			sample.ErrNothing, strings.Join(q.Packages, " "))
	}
	return nil
}

// onSide says of an error of a package which side it lies on, if there are several.
func (b *builds) onSide(pkg toolchain.Package, err error) error {
	for a, has := range b.packages {
		if a < len(b.Question.Plan.Sides) && b.sources != nil && has[pkg.ImportPath].Dir == pkg.Dir {
			b.Unbuilt = append(b.Unbuilt, Unbuilt{pkg.ImportPath, a})
			return &source.Error{Name: b.Question.Plan.Sides[a].Name, Err: err}
		}
	}
	return err
}

// correct returns the advice for a package that was not understood.
func correct(err error) string {
	var syntax *language.SyntaxError
	if errors.As(err, &syntax) {
		if file := path.Base(syntax.Pos.File); slices.Contains(language.ShowFiles[:], file) {
			return "correct " + file + ", or remove what is wrong in it"
		}
	}
	return "correct the directive, or remove it"
}

// kinds reports options that do not apply to the chosen studies, and adapts the others to
// them.
func (b *builds) kinds() error {
	p, o := &b.Question.Plan, b.options
	if o.Only != "" && !p.Has(plan.GoogleBenchmark) {
		return hint.Usage("memcost run malloc --only published", "--only is for the study malloc")
	}
	shipped := slices.IndexFunc(p.Studies, func(x plan.Study) bool { return x.Shipped })
	if shipped >= 0 && slices.ContainsFunc(o.Sides, source.Side.AtRevision) {
		return hint.Usage("compare it with toolchains (go1.25.4) and settings (GOGC=off)",
			"%s is a study of memcost's own: it is the same at each revision of yours", p.Studies[shipped].Name)
	}
	if len(o.Sides) > 0 && p.Has(plan.GoogleBenchmark) {
		return hint.Usage("memcost run malloc --vary M_TOP_PAD=0 compares settings of malloc",
			"%s is a study in C++: it has no revisions, toolchains and settings of Go programs", p.Studies[0].Name)
	}
	if p.Has(plan.GoTest) || len(p.Studies) == 0 { // of sides that are the same program nothing is measured
		return nil
	}
	for _, x := range []struct {
		flag  string
		given bool
	}{{"go", o.Go != "" && o.Go != "local"}, {"cpu", len(o.CPU) > 0}, {"tags", o.Tags != ""},
		{"layouts", o.Layouts > 0}} {
		if x.given {
			return hint.Usage("settings of your own: --vary M_TOP_PAD=0, --vary LD_PRELOAD=libjemalloc.so.2, --vary -L",
				"--%s means nothing to %s, which is a study in C++", x.flag, p.Studies[0].Name)
		}
	}
	return b.ownSettings()
}

// ownSettings adds the user's settings to the default one, in place of the study's own:
// a run of C++ studies alone has no other configurations.
func (b *builds) ownSettings() error {
	if len(b.options.Vary) == 0 {
		return nil
	}
	own, err := allocator.Variants(b.options.Vary)
	if err != nil {
		return err
	}
	for i := range b.Question.Plan.Studies {
		x := &b.Question.Plan.Studies[i]
		x.Variants = own
		x.Directives, x.Show = language.WithVariants(x.Directives, x.Show, own)
	}
	return nil
}

// fitProfile fits the budget and the length of samples to what was chosen, where the user gave
// none.
func (b *builds) fitProfile() {
	p := &b.Question.Plan
	o := &p.Options
	if o.Profile != Quick {
		return
	}
	if b.options.Sample == 0 && !b.several() {
		o.Longest = min(plan.QuickLongest, o.Timeout/2)
	}
	given := b.options.Budget != 0
	if !p.Has(plan.GoTest) && !given {
		o.Budget = plan.GoogleBudget
	}
	if !given && !slices.ContainsFunc(p.Studies, func(x plan.Study) bool { return x.Beside == nil }) {
		o.Budget = plan.BesideBudget
	}
	if b.several() {
		if !given {
			o.Budget = plan.AllBudget
		}
		if b.options.Sample == 0 {
			o.Sample = plan.AllSample
		}
	}
}

// several reports whether many studies or packages share a budget, as sides do not.
func (b *builds) several() bool { return len(b.Question.Plan.Studies) > 2 && len(b.options.Sides) == 0 }

// chooseConfigurations finds the toolchains, and multiplies them by the settings.
func (b *builds) chooseConfigurations(ctx context.Context) error {
	p := &b.Question.Plan
	if p.Has(plan.GoTest) && len(p.Sides) == 0 { // else those of the sides
		if err := b.goSides(ctx); err != nil {
			return err
		}
	}
	if err := b.fitStudies(); err != nil {
		return err
	}
	if err := b.findBesides(ctx); err != nil {
		return err
	}
	if p.Has(plan.GoogleBenchmark) {
		return b.compilerSide(ctx)
	}
	return nil
}

// goSides adds the sides of Go. A version that cannot be had is left out, if there are
// others.
func (b *builds) goSides(ctx context.Context) error {
	var studies []string
	for _, x := range b.Question.Plan.Studies {
		studies = append(studies, x.Name)
	}
	versions, err := b.Versions(ctx, b.options.Go, studies...)
	if err != nil {
		return err
	}
	var last error
	for _, v := range versions {
		b.Log.Step("finding Go " + v)
		tc, err := b.find(ctx, v)
		if err != nil {
			if len(versions) == 1 || ctx.Err() != nil {
				return err
			}
			last = err
			b.missing(v, err)
			continue
		}
		b.addSides(tc)
	}
	if len(b.Question.Plan.Sides) == 0 {
		return last
	}
	return nil
}

// missing records a Go version that cannot be had. One that was asked for by its number is
// something that could not be measured; of all, or of the published ones, the rest will do.
func (b *builds) missing(v string, err error) {
	if slices.Contains(strings.FieldsFunc(b.options.Go, func(r rune) bool { return r == ',' || r == ' ' }), v) {
		b.broken("Go %s: %v", v, err)
		return
	}
	b.leftOut("Go %s: %v", v, err)
}

func (b *builds) find(ctx context.Context, v string) (toolchain.Toolchain, error) {
	if v == "local" {
		return b.Finder.Local(ctx)
	}
	return b.Finder.Find(ctx, v)
}

func (b *builds) addSides(tc toolchain.Toolchain) {
	p := &b.Question.Plan
	if slices.ContainsFunc(p.Sides, func(a plan.Side) bool { return a.Name == tc.Version }) {
		return
	}
	p.Sides = append(p.Sides, plan.Side{Name: tc.Version, Toolchain: tc.Version, Flags: b.options.common()})
	b.toolchains = append(b.toolchains, tc)
	for _, v := range b.options.Vary {
		side := plan.Side{Name: tc.Version + " " + v, Toolchain: tc.Version, Flags: b.options.common()}
		if strings.HasPrefix(v, "-") {
			side.Flags = append(side.Flags, v)
		} else {
			side.Env = []string{v}
		}
		p.Sides = append(p.Sides, side)
		b.toolchains = append(b.toolchains, tc)
	}
}

// fitStudies keeps each study to the toolchains that are new enough for it.
func (b *builds) fitStudies() error {
	p := &b.Question.Plan
	studies := Studies()
	for i := range p.Studies {
		x := &p.Studies[i]
		st := find(studies, x.Name)
		if !x.Shipped || st == nil || st.OldestGo == "" {
			continue
		}
		x.Sides = []int{}
		for a, side := range p.Sides {
			if version.Compare(side.Toolchain, "go"+st.OldestGo) >= 0 {
				x.Sides = append(x.Sides, a)
			} else {
				b.leftOut("%s on %s: it needs Go %s", x.Name, side.Name, st.OldestGo)
			}
		}
	}
	p.Studies = slices.DeleteFunc(p.Studies, func(x plan.Study) bool { return x.Sides != nil && len(x.Sides) == 0 })
	if len(p.Studies) == 0 {
		return hint.Usage("memcost list says which Go each study needs",
			"none of the studies and packages can run on %s", b.options.Go)
	}
	return nil
}

// compilerArm adds the side of the C++ studies. Where there is no compiler they are left
// out, if anything else is to be run.
func (b *builds) compilerSide(ctx context.Context) error {
	p := &b.Question.Plan
	isCPP := func(x plan.Study) bool { return x.Kind() == plan.GoogleBenchmark }
	tc, err := b.Builder.Compiler(ctx)
	if err != nil {
		if !p.Has(plan.GoTest) || ctx.Err() != nil {
			return err
		}
		for _, x := range p.Studies {
			if isCPP(x) {
				b.leftOut("%s: %v", x.Name, err)
			}
		}
		p.Studies = slices.DeleteFunc(p.Studies, isCPP)
		return nil
	}
	p.Sides = append(p.Sides, plan.Side{Name: tc.Version, Toolchain: tc.Version})
	b.toolchains = append(b.toolchains, tc)
	at := len(p.Sides) - 1
	for i := range p.Studies {
		switch x := &p.Studies[i]; {
		case isCPP(*x):
			x.Sides = []int{at}
		case x.Sides == nil:
			for a := range at {
				x.Sides = append(x.Sides, a)
			}
		}
	}
	return nil
}

// chooseSides turns the sides of a comparison into configurations, and gives each its files.
func (b *builds) chooseSides(ctx context.Context) error {
	q, o := b.Question, b.options
	q.Comparison = &plan.Comparison{TestArgs: o.TestArgs}
	b.sources = source.New(b.place(), q.Dir)
	names, found := source.Names(o.Sides), map[string]toolchain.Toolchain{}
	for i, s := range o.Sides {
		b.Log.Step("finding the files and the toolchain of " + names[i])
		flags, err := source.Absolute(q.Dir, slices.Concat(o.common(), s.Flags))
		if err != nil {
			return err
		}
		tc, ok := found[s.Go]
		if !ok {
			if tc, err = b.find(ctx, cmp.Or(strings.TrimPrefix(s.Go, "go"), "local")); err != nil {
				return &source.Error{Name: names[i], Err: err}
			}
			found[s.Go] = tc
		}
		folder := b.sources.WorkTree(ctx)
		if s.AtRevision() {
			if folder, err = b.sources.Revision(ctx, s.Revision); err != nil {
				return err
			}
		}
		b.folders, b.toolchains = append(b.folders, folder), append(b.toolchains, tc)
		q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: names[i], Toolchain: tc.Version, Flags: flags, Env: s.Env,
			Source: folder.Source})
	}
	return nil
}

// keepComparable keeps the packages that can be compared, each on the sides that have it, and notes
// the others. Claims are no question of a comparison.
func (b *builds) keepComparable() error {
	if b.sources == nil {
		return nil
	}
	p := &b.Question.Plan
	var all []int
	for a := range p.Sides {
		all = append(all, a)
	}
	var kept []plan.Study
	for _, x := range p.Studies {
		x.Show = &language.Show{}
		x.Directives = slices.DeleteFunc(slices.Clone(x.Directives), func(d language.Directive) bool {
			return d.Verb == "claim" || d.Verb == "more"
		})
		one, on := plan.OneSided{Study: x.Name}, []int{}
		for _, a := range all {
			if _, has := b.packageOn(a, x.Name); has || x.Shipped {
				on, one.On = append(on, a), append(one.On, p.Sides[a].Name)
			}
		}
		if len(on) < len(all) {
			x.Sides = on
			b.Question.Comparison.AddOneSided([]plan.OneSided{one})
		}
		if canCompare(on, all) {
			kept = append(kept, x)
		}
	}
	if one := b.Question.Comparison.OneSided; len(kept) == 0 && len(one) > 0 {
		return hint.Usage("name packages that both sides have", "no package with benchmarks is on both sides: %s is "+
			"only on %s", one[0].Study, strings.Join(one[0].On, ", "))
	}
	p.Studies = kept
	return nil
}

// findDifferences finds out what differs between the sides beside the code under test, and leaves the
// packages out of which all sides are the same program, unless the user asked for those: by naming the
// same side twice.
func (b *builds) findDifferences(ctx context.Context) error {
	p := &b.Question.Plan
	if b.sources == nil || !slices.ContainsFunc(b.folders, func(f source.Folder) bool { return f.Dir != b.folders[0].Dir }) {
		return nil
	}
	var packages []string
	for _, x := range p.Studies {
		if !x.Shipped {
			packages = append(packages, x.Name)
		}
	}
	same := map[string]int{}
	for i := 1; i < len(p.Sides); i++ {
		found, unreached, err := b.sources.Differences(ctx, b.Builder, [2]plan.Side{p.Sides[0], p.Sides[i]},
			[2]source.Folder{b.folders[0], b.folders[i]}, [2]toolchain.Toolchain{b.toolchains[0], b.toolchains[i]}, packages,
			p.Options.Bench)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil { // what does not load is told where it is built
			b.warn("what differs between %s and %s beside the code is not known: %v", p.Sides[0].Name, p.Sides[i].Name, err)
			return nil
		}
		for _, name := range packages {
			d, known := found[name]
			if d.Side = p.Sides[i].Name; known {
				b.Question.Comparison.Differs = append(b.Question.Comparison.Differs, d)
			}
			if known && d.Same {
				same[name]++
			}
		}
		if len(unreached) > 0 {
			b.Question.Comparison.Unreached = append(b.Question.Comparison.Unreached, plan.Unreached{Side: p.Sides[i].Name,
				Functions: unreached})
		}
	}
	if b.options.MeasureSame || slices.Equal(b.options.Sides[0].Words, b.options.Sides[1].Words) {
		return nil
	}
	p.Studies = slices.DeleteFunc(p.Studies, func(x plan.Study) bool { return same[x.Name] == len(p.Sides)-1 })
	return nil
}
