package session

import (
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

// A choice turns options into the suites and configurations of a plan.
type choice struct {
	*builds
	options Options
}

// suites turns the arguments into suites: names of studies, and packages.
func (c *choice) suites(ctx context.Context) error {
	studies, err := Studies()
	if err != nil {
		return err
	}
	args := c.options.Args
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
			c.addStudy(st)
			continue
		}
		if !strings.ContainsAny(arg, `./\`) {
			return unknownStudy(arg, studies)
		}
		c.Question.Packages = append(c.Question.Packages, arg)
	}
	return c.addPackages(ctx)
}

func (c *choice) addStudy(st *language.Study) {
	p := &c.Question.Plan
	if slices.ContainsFunc(p.Suites, func(x plan.Suite) bool { return x.Name == st.Name }) {
		return
	}
	x := plan.Suite{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true,
		Directives: st.Directives, Show: st.Show, Google: st.CPP, Programs: st.Programs}
	if st.Beside != "" && len(c.options.Sides) == 0 { // sides differ in Go alone
		x.Beside = &plan.Beside{Dir: st.Beside}
	}
	if st.CPP || x.Beside != nil {
		x.Variants = c.variantsHere(st, c.options.Only == "published")
	}
	if p.Options.Profile == Quick && c.options.Sample == 0 {
		x.Sample = st.Sample
	}
	p.Suites = append(p.Suites, x)
}

// addPackages finds the user's packages that have benchmarks, and their directives if they
// have any.
func (c *choice) addPackages(ctx context.Context) error {
	q := c.Question
	if len(q.Packages) == 0 {
		return nil
	}
	pkgs, err := c.findPackages(ctx, c.options.common())
	if err != nil {
		return err
	}
	var unread []error
	for _, pkg := range pkgs {
		if pkg.Broken != "" {
			c.broken("%s: %s", pkg.ImportPath, pkg.Broken)
		}
		if !pkg.HasBenchmarks || pkg.Broken != "" {
			continue
		}
		st, err := language.ReadDir(os.DirFS(pkg.Dir), ".")
		if err != nil {
			unread = append(unread, c.onSide(pkg, fmt.Errorf("%s: %w", pkg.ImportPath, err)))
			continue
		}
		for _, w := range st.Warnings {
			c.warn("%s: %v", pkg.ImportPath, w)
		}
		q.Plan.Suites = append(q.Plan.Suites, plan.Suite{Name: pkg.ImportPath, Pkg: pkg.ImportPath,
			Directives: st.Directives, Show: st.Show, Programs: st.Programs})
	}
	if len(q.Plan.Suites) == 0 && len(unread) > 0 {
		return hint.With(correct(unread[0]), unread[0])
	}
	for _, err := range unread {
		c.broken("%v", err)
	}
	if len(q.Plan.Suites) == 0 {
		return hint.Usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s",
			sample.ErrNothing, strings.Join(q.Packages, " "))
	}
	return nil
}

// onSide says of an error of a package which side it lies on, if there are several.
func (c *choice) onSide(pkg toolchain.Package, err error) error {
	for a, has := range c.packages {
		if a < len(c.Question.Plan.Arms) && c.sources != nil && has[pkg.ImportPath].Dir == pkg.Dir {
			c.Unbuilt = append(c.Unbuilt, Unbuilt{pkg.ImportPath, a})
			return &source.Error{Name: c.Question.Plan.Arms[a].Name, Err: err}
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

// kinds reports options that do not apply to the chosen suites, and adapts the others to
// them.
func (c *choice) kinds() error {
	p, o := &c.Question.Plan, c.options
	if o.Only != "" && !p.Has(plan.GoogleBenchmark) {
		return hint.Usage("memcost run malloc --only published", "--only is for the study malloc")
	}
	shipped := slices.IndexFunc(p.Suites, func(x plan.Suite) bool { return x.Shipped })
	if shipped >= 0 && slices.ContainsFunc(o.Sides, source.Side.AtRevision) {
		return hint.Usage("compare it with toolchains (go1.25.4) and settings (GOGC=off)",
			"%s is a study of memcost's own: it is the same at each revision of yours", p.Suites[shipped].Name)
	}
	if len(o.Sides) > 0 && p.Has(plan.GoogleBenchmark) {
		return hint.Usage("memcost run malloc --vary M_TOP_PAD=0 compares settings of malloc",
			"%s is a study in C++: it has no revisions, toolchains and settings of Go programs", p.Suites[0].Name)
	}
	if p.Has(plan.GoTest) {
		return nil
	}
	for _, x := range []struct {
		flag  string
		given bool
	}{{"go", o.Go != "" && o.Go != "local"}, {"cpu", len(o.CPU) > 0}, {"tags", o.Tags != ""},
		{"layouts", o.Layouts > 0}} {
		if x.given {
			return hint.Usage("settings of your own: --vary M_TOP_PAD=0, --vary LD_PRELOAD=libjemalloc.so.2, --vary -L",
				"--%s means nothing to %s, which is a study in C++", x.flag, p.Suites[0].Name)
		}
	}
	return c.ownSettings()
}

// ownSettings adds the user's settings to the default one, in place of the study's own:
// a run of C++ studies alone has no other configurations.
func (c *choice) ownSettings() error {
	if len(c.options.Vary) == 0 {
		return nil
	}
	own, err := allocator.Variants(c.options.Vary)
	if err != nil {
		return err
	}
	for i := range c.Question.Plan.Suites {
		x := &c.Question.Plan.Suites[i]
		x.Variants = own
		x.Directives, x.Show = language.WithVariants(x.Directives, x.Show, own)
	}
	return nil
}

// budget fits the budget and the length of samples to what was chosen, where the user gave
// none.
func (c *choice) budget() {
	p := &c.Question.Plan
	o := &p.Options
	if o.Profile != Quick {
		return
	}
	if c.options.Sample == 0 && !c.several() {
		o.Longest = min(plan.QuickLongest, o.Timeout/2)
	}
	given := c.options.Budget != 0
	if !p.Has(plan.GoTest) && !given {
		o.Budget = plan.GoogleBudget
	}
	if !given && !slices.ContainsFunc(p.Suites, func(x plan.Suite) bool { return x.Beside == nil }) {
		o.Budget = plan.BesideBudget
	}
	if c.several() {
		if !given {
			o.Budget = plan.AllBudget
		}
		if c.options.Sample == 0 {
			o.Sample = plan.AllSample
		}
	}
}

// several reports whether many studies or packages share a budget, as sides do not.
func (c *choice) several() bool { return len(c.Question.Plan.Suites) > 2 && len(c.options.Sides) == 0 }

// links fits the pool of random links to what was chosen, where the user did not say how many:
// several packages have a small one each, and no run has more than rounds.
func (c *choice) links() {
	o := &c.Question.Plan.Options
	if c.options.Layouts != 0 {
		return
	}
	if o.Profile == Quick && c.several() {
		o.Layouts = plan.AllLayouts
	}
	if o.Rounds > 0 {
		o.Layouts = min(o.Layouts, o.Rounds)
	}
}

// arms finds the toolchains, and multiplies them by the settings.
func (c *choice) arms(ctx context.Context) error {
	p := &c.Question.Plan
	if p.Has(plan.GoTest) && len(p.Arms) == 0 { // else those of the sides
		if err := c.goArms(ctx); err != nil {
			return err
		}
	}
	if err := c.fitSuites(); err != nil {
		return err
	}
	if err := findBesides(ctx, c.builds); err != nil {
		return err
	}
	if p.Has(plan.GoogleBenchmark) {
		return c.compilerArm(ctx)
	}
	return nil
}

// goArms adds the arms of Go. A version that cannot be had is left out, if there are
// others.
func (c *choice) goArms(ctx context.Context) error {
	var studies []string
	for _, x := range c.Question.Plan.Suites {
		studies = append(studies, x.Name)
	}
	versions, err := c.Versions(ctx, c.options.Go, studies...)
	if err != nil {
		return err
	}
	var last error
	for _, v := range versions {
		c.Log.Step("finding Go " + v)
		tc, err := c.find(ctx, v)
		if err != nil {
			if len(versions) == 1 || ctx.Err() != nil {
				return err
			}
			last = err
			c.missing(v, err)
			continue
		}
		c.addArms(tc)
	}
	if len(c.Question.Plan.Arms) == 0 {
		return last
	}
	return nil
}

// missing records a Go version that cannot be had. One that was asked for by its number is
// something that could not be measured; of all, or of the published ones, the rest will do.
func (c *choice) missing(v string, err error) {
	if slices.Contains(strings.FieldsFunc(c.options.Go, func(r rune) bool { return r == ',' || r == ' ' }), v) {
		c.broken("Go %s: %v", v, err)
		return
	}
	c.leftOut("Go %s: %v", v, err)
}

func (c *choice) find(ctx context.Context, v string) (toolchain.Toolchain, error) {
	if v == "local" {
		return c.Finder.Local(ctx)
	}
	return c.Finder.Find(ctx, v)
}

func (c *choice) addArms(tc toolchain.Toolchain) {
	p := &c.Question.Plan
	if slices.ContainsFunc(p.Arms, func(a plan.Arm) bool { return a.Name == tc.Version }) {
		return
	}
	p.Arms = append(p.Arms, plan.Arm{Name: tc.Version, Toolchain: tc.Version, Flags: c.options.common()})
	c.toolchains = append(c.toolchains, tc)
	for _, v := range c.options.Vary {
		arm := plan.Arm{Name: tc.Version + " " + v, Toolchain: tc.Version, Flags: c.options.common()}
		if strings.HasPrefix(v, "-") {
			arm.Flags = append(arm.Flags, v)
		} else {
			arm.Env = []string{v}
		}
		p.Arms = append(p.Arms, arm)
		c.toolchains = append(c.toolchains, tc)
	}
}

// fitSuites keeps each study to the toolchains that are new enough for it.
func (c *choice) fitSuites() error {
	p := &c.Question.Plan
	studies, err := Studies()
	if err != nil {
		return err
	}
	for i := range p.Suites {
		x := &p.Suites[i]
		st := find(studies, x.Name)
		if !x.Shipped || st == nil || st.OldestGo == "" {
			continue
		}
		x.Arms = []int{}
		for a, arm := range p.Arms {
			if version.Compare(arm.Toolchain, "go"+st.OldestGo) >= 0 {
				x.Arms = append(x.Arms, a)
			} else {
				c.leftOut("%s on %s: it needs Go %s", x.Name, arm.Name, st.OldestGo)
			}
		}
	}
	p.Suites = slices.DeleteFunc(p.Suites, func(x plan.Suite) bool { return x.Arms != nil && len(x.Arms) == 0 })
	if len(p.Suites) == 0 {
		return hint.Usage("memcost list says which Go each study needs",
			"none of the studies and packages can run on %s", c.options.Go)
	}
	return nil
}

// compilerArm adds the arm of the C++ studies. Where there is no compiler they are left
// out, if anything else is to be run.
func (c *choice) compilerArm(ctx context.Context) error {
	p := &c.Question.Plan
	isCPP := func(x plan.Suite) bool { return x.Kind() == plan.GoogleBenchmark }
	tc, err := c.Builder.Compiler(ctx)
	if err != nil {
		if !p.Has(plan.GoTest) || ctx.Err() != nil {
			return err
		}
		for _, x := range p.Suites {
			if isCPP(x) {
				c.leftOut("%s: %v", x.Name, err)
			}
		}
		p.Suites = slices.DeleteFunc(p.Suites, isCPP)
		return nil
	}
	p.Arms = append(p.Arms, plan.Arm{Name: tc.Version, Toolchain: tc.Version})
	c.toolchains = append(c.toolchains, tc)
	at := len(p.Arms) - 1
	for i := range p.Suites {
		switch x := &p.Suites[i]; {
		case isCPP(*x):
			x.Arms = []int{at}
		case x.Arms == nil:
			for a := range at {
				x.Arms = append(x.Arms, a)
			}
		}
	}
	return nil
}
