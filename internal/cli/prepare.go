package cli

import (
	"context"
	"fmt"
	"go/version"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/escape"
	"memcost/internal/plan"
	"memcost/internal/report"
	"memcost/internal/sample"
	"memcost/internal/series"
	"memcost/internal/store"
	"memcost/internal/toolchain"
	"memcost/published"
	"memcost/study"
)

// chooseSuites turns the arguments into suites: names of studies, and packages.
func (s *session) chooseSuites(ctx context.Context, args []string) error {
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		for _, st := range studies {
			args = append(args, st.Name)
		}
	}
	for _, arg := range args {
		if st := find(studies, arg); st != nil {
			s.addStudy(st)
			continue
		}
		if !strings.ContainsAny(arg, `./\`) {
			return unknownStudy(arg, studies)
		}
		s.question.Packages = append(s.question.Packages, arg)
	}
	return s.addPackages(ctx)
}

func (s *session) addStudy(st *catalog.Study) {
	p := &s.question.Plan
	if slices.ContainsFunc(p.Suites, func(x plan.Suite) bool { return x.Name == st.Name }) {
		return
	}
	p.Suites = append(p.Suites, plan.Suite{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Directives: st.Directives})
}

// addPackages finds the user's packages that have benchmarks, and their
// directives if they have any.
func (s *session) addPackages(ctx context.Context) error {
	q := s.question
	if len(q.Packages) == 0 {
		return nil
	}
	pkgs, err := s.listPackages(ctx)
	if err != nil {
		return err
	}
	for _, pkg := range pkgs {
		if !pkg.HasBenchmarks {
			continue
		}
		st, err := catalog.ReadDir(os.DirFS(pkg.Dir), ".")
		if err != nil {
			return withHint("correct the directive, or remove it", fmt.Errorf("%s: %w", pkg.ImportPath, err))
		}
		for _, w := range st.Warnings {
			s.warn("%s: %v", pkg.ImportPath, w)
		}
		q.Plan.Suites = append(q.Plan.Suites, plan.Suite{Name: pkg.ImportPath, Pkg: pkg.ImportPath, Directives: st.Directives})
	}
	if len(q.Plan.Suites) == 0 {
		return usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s", sample.ErrNothing, strings.Join(q.Packages, " "))
	}
	return nil
}

func (s *session) listPackages(ctx context.Context) ([]toolchain.Package, error) {
	tc, err := s.local(ctx)
	if err != nil {
		return nil, err
	}
	s.progress.step("listing packages")
	pkgs, err := s.builder.ListPackages(ctx, tc, s.question.Dir, s.question.Packages)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		s.packages[p.ImportPath] = p
	}
	return pkgs, nil
}

func (s *session) local(ctx context.Context) (toolchain.Toolchain, error) {
	tc, err := s.finder.Local(ctx)
	if err != nil {
		return tc, withHint("install Go 1.21 or newer (https://go.dev/dl/) and put it on PATH", err)
	}
	return tc, nil
}

// findSuites looks the packages of a resumed run up again.
func (s *session) findSuites(ctx context.Context) error {
	if len(s.question.Packages) == 0 {
		return nil
	}
	_, err := s.listPackages(ctx)
	return err
}

// chooseArms finds the toolchains, and multiplies them by the settings.
func (s *session) chooseArms(ctx context.Context) error {
	versions, err := s.versions(ctx)
	if err != nil {
		return err
	}
	var last error
	for _, v := range versions {
		s.progress.step("finding Go " + v)
		var tc toolchain.Toolchain
		if v == "local" {
			tc, err = s.local(ctx)
		} else {
			tc, err = s.finder.Find(ctx, v)
		}
		if err != nil {
			if len(versions) == 1 || ctx.Err() != nil {
				return err
			}
			last = err
			s.leftOut("Go %s: %v", v, err)
			continue
		}
		s.addArms(tc)
	}
	if len(s.question.Plan.Arms) == 0 {
		return last
	}
	return s.fitSuites()
}

func (s *session) addArms(tc toolchain.Toolchain) {
	p := &s.question.Plan
	if slices.ContainsFunc(p.Arms, func(a plan.Arm) bool { return a.Name == tc.Version }) {
		return
	}
	p.Arms = append(p.Arms, plan.Arm{Name: tc.Version, Toolchain: tc.Version})
	s.tools = append(s.tools, tc)
	for _, v := range s.flags.vary {
		arm := plan.Arm{Name: tc.Version + " " + v, Toolchain: tc.Version}
		if strings.HasPrefix(v, "-") {
			arm.Flags = []string{v}
		} else {
			arm.Env = []string{v}
		}
		p.Arms = append(p.Arms, arm)
		s.tools = append(s.tools, tc)
	}
}

// versions expands --go.
func (s *session) versions(ctx context.Context) ([]string, error) {
	for _, v := range s.flags.vary {
		if !strings.HasPrefix(v, "-") && !strings.Contains(v, "=") {
			return nil, usage("an environment variable (GOGC=off) or a build flag (-gcflags=-l)", "--vary %q: not a setting", v)
		}
		for _, refused := range []string{"-race", "-asan", "-msan", "-cover"} {
			if v == refused || strings.HasPrefix(v, refused+"=") || refused == "-cover" && strings.HasPrefix(v, "-cover") {
				return nil, usage("such a build changes what every memory access costs", "--vary %s: times taken with it mean nothing", v)
			}
		}
	}
	var out []string
	for v := range strings.SplitSeq(s.flags.goVersions, ",") {
		switch v = strings.TrimSpace(v); v {
		case "":
		case "published":
			sets, err := report.ReadPublished(published.FS)
			if err != nil {
				return nil, err
			}
			for _, x := range s.question.Plan.Suites {
				for _, d := range sets {
					if d.Suite == x.Name {
						out = append(out, strings.TrimPrefix(d.Toolchain, "go"))
					}
				}
			}
			if len(out) == 0 {
				return nil, usage("name a version: --go 1.25.4", "--go published: nobody published figures of what is to be run")
			}
		case "all":
			all, err := s.finder.Versions(ctx)
			if err != nil {
				return nil, err
			}
			for minor := 13; ; minor++ {
				v := toolchain.LastPatch(all, fmt.Sprintf("go1.%d", minor))
				if v == "" && minor > 20 {
					break
				}
				if v != "" {
					out = append(out, v)
				}
			}
		default:
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil, usage("for example --go 1.25.4,1.27.4", "--go %q names no version", s.flags.goVersions)
	}
	return compact(out), nil
}

func compact(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// fitSuites keeps each study to the toolchains that are new enough for it.
func (s *session) fitSuites() error {
	p := &s.question.Plan
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return err
	}
	for i := range p.Suites {
		x := &p.Suites[i]
		st := find(studies, x.Name)
		if !x.Shipped || st == nil || st.OldestGo == "" {
			continue
		}
		var arms []int
		for a, arm := range p.Arms {
			if version.Compare(arm.Toolchain, "go"+st.OldestGo) >= 0 {
				arms = append(arms, a)
			} else {
				s.leftOut("%s on %s: it needs Go %s", x.Name, arm.Name, st.OldestGo)
			}
		}
		x.Arms = arms
	}
	return s.dropEmpty()
}

// dropEmpty removes the suites that no arm can run.
func (s *session) dropEmpty() error {
	p := &s.question.Plan
	p.Suites = slices.DeleteFunc(p.Suites, func(x plan.Suite) bool { return x.Arms != nil && len(x.Arms) == 0 })
	if len(p.Suites) == 0 {
		return usage("memcost list says which Go each study needs", "no suite can run on %s", s.flags.goVersions)
	}
	return nil
}

// findTools finds the toolchains of a resumed run.
func (s *session) findTools(ctx context.Context) error {
	for _, a := range s.question.Plan.Arms {
		tc, err := s.local(ctx)
		if err != nil {
			return err
		}
		if tc.Version != a.Toolchain {
			if tc, err = s.finder.Find(ctx, a.Toolchain); err != nil {
				return err
			}
		}
		s.tools = append(s.tools, tc)
	}
	return nil
}

// build builds every suite on every arm. One that does not compile is left out
// with the compiler's words; the rest goes on.
func (s *session) build(ctx context.Context) error {
	p := &s.question.Plan
	s.question.Builds = nil
	var last error
	for i := range p.Suites {
		var arms []int
		for _, a := range p.ArmsOf(i) {
			s.progress.step(fmt.Sprintf("building %s with %s", p.Suites[i].Name, p.Arms[a].Name))
			if err := s.buildOne(ctx, i, a); err != nil {
				if ctx.Err() != nil {
					return err
				}
				last = err
				s.leftOut("%s on %s: %v", p.Suites[i].Name, p.Arms[a].Name, err)
				continue
			}
			arms = append(arms, a)
		}
		p.Suites[i].Arms = append([]int{}, arms...)
	}
	if len(s.question.Builds) == 0 {
		return last
	}
	return s.forget()
}

// forget drops the suites that no arm could build, and renumbers what names
// suites by index.
func (s *session) forget() error {
	p := &s.question.Plan
	number := map[int]int{}
	var kept []plan.Suite
	for i, x := range p.Suites {
		if len(x.Arms) > 0 {
			number[i] = len(kept)
			kept = append(kept, x)
		}
	}
	if len(kept) == len(p.Suites) {
		return nil
	}
	binaries := map[[2]int]toolchain.Binaries{}
	for k, b := range s.binaries {
		binaries[[2]int{k[0], number[k[1]]}] = b
	}
	for i := range s.question.Builds {
		s.question.Builds[i].Suite = number[s.question.Builds[i].Suite]
	}
	p.Suites, s.binaries = kept, binaries
	return nil
}

func (s *session) buildOne(ctx context.Context, suite, arm int) error {
	p := &s.question.Plan
	x, a, tc := p.Suites[suite], p.Arms[arm], s.tools[arm]
	spec := toolchain.Build{Toolchain: tc, Flags: a.Flags, Layouts: s.layouts()}
	var source fs.FS
	if x.Shipped {
		dir, err := toolchain.PrepareStudies(study.FS, filepath.Join(s.builder.CacheDir, "studies"), tc)
		if err != nil {
			return err
		}
		spec.Dir, spec.Pkg = dir, "./"+x.Name
		source = os.DirFS(filepath.Join(dir, x.Name))
	} else {
		pkg := s.packages[x.Name]
		spec.Dir, spec.Pkg = pkg.Dir, x.Pkg
		source = os.DirFS(pkg.Dir)
	}
	bin, err := s.builder.Build(ctx, spec)
	if err != nil {
		return err
	}
	s.binaries[[2]int{arm, suite}] = bin
	b := plan.Build{Suite: suite, Arm: arm, Layouts: bin.Layouts, Hash: bin.Hash, FloatAllocs: bin.FloatAllocs, Warnings: bin.Warnings}
	for _, w := range bin.Warnings {
		s.warn("%s on %s: %s", x.Name, a.Name, w)
	}
	if err := s.diagnose(&b, bin, x, a, source); err != nil {
		return err
	}
	s.question.Builds = append(s.question.Builds, b)
	return nil
}

// layouts are the seeds of the pool of random links.
func (s *session) layouts() []uint64 {
	o := s.question.Plan.Options
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	seeds := make([]uint64, o.Layouts)
	for i := range seeds {
		// The pool is a small one and the same from run to run, so that its
		// links come from the cache; which of them a round uses is the seed's.
		seeds[i] = uint64(i + 1)
	}
	rng.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
	return seeds
}

// diagnose keeps the compiler's diagnostics, and what they say of the functions
// that an expectation names.
func (s *session) diagnose(b *plan.Build, bin toolchain.Binaries, x plan.Suite, a plan.Arm, source fs.FS) error {
	if len(bin.Diagnostics) == 0 {
		return nil
	}
	if s.folder != nil {
		b.Diagnostics = path.Join(store.DiagnosticsDir, fileName(x.Name+"-"+a.Name)+".txt")
		if err := s.folder.WriteFile(b.Diagnostics, bin.Diagnostics); err != nil {
			return err
		}
	}
	st, err := catalog.Parse(x.Name, x.Directives)
	if err != nil {
		return err
	}
	b.Heap, err = heapUse(st, bin.Diagnostics, source)
	if err != nil {
		s.warn("%s on %s: the expectations on the compiler's output are not checked: %v", x.Name, a.Name, err)
	}
	return nil
}

// heapUse looks up, for each function that an expectation names, what the
// compiler put on the heap in it.
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
	for _, fn := range compact(names) {
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

func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, s)
}

// makeLab ties the plan's arms and suites to the binaries.
func (s *session) makeLab() {
	s.lab = &sample.Lab{Runner: s.runner, Target: func(arm, suite, layout int) (sample.Target, error) {
		bin, ok := s.binaries[[2]int{arm, suite}]
		if !ok {
			return sample.Target{}, fmt.Errorf("no binary of %s for %s", s.question.Plan.Suites[suite].Name, s.question.Plan.Arms[arm].Name)
		}
		path := bin.Paths[layout%len(bin.Paths)]
		dir := filepath.Dir(path)
		if pkg, ok := s.packages[s.question.Plan.Suites[suite].Name]; ok {
			dir = pkg.Dir
		}
		return sample.Target{Path: path, Dir: dir, Env: s.env}, nil
	}}
	if s.folder != nil {
		s.lab.SaveLog = func(name string, data []byte) {
			if err := s.folder.WriteFile(name, data); err != nil {
				s.progress.note("warning: " + err.Error())
			}
		}
	}
}

// pairs are the cases that must be measured side by side, as plan.Link wants
// them.
func (s *session) pairs() [][2]int {
	var out [][2]int
	for i, x := range s.suites {
		cases, index := s.emptySeries(i)
		for _, p := range claim.RatioPairs(x.Study, cases) {
			out = append(out, [2]int{index[p.Num], index[p.Den]})
		}
	}
	return out
}

// emptySeries are a suite's cases as series without samples, for matching.
func (s *session) emptySeries(suite int) ([]*series.Series, map[*series.Series]int) {
	var cases []*series.Series
	index := map[*series.Series]int{}
	for i, c := range s.question.Plan.Cases {
		if c.Suite != suite {
			continue
		}
		sr := &series.Series{ID: series.ID{Case: c.Name}, Result: &benchfmt.Result{Name: benchfmt.Name(c.Name)}}
		cases = append(cases, sr)
		index[sr] = i
	}
	return cases, index
}

// checkClaims warns of claims and expectations that select nothing, unless -b
// left their benchmarks out.
func (s *session) checkClaims() {
	if s.question.Plan.Options.Bench != "" {
		return
	}
	for i, x := range s.suites {
		cases, _ := s.emptySeries(i)
		none := func(sel catalog.Selector) bool {
			return !slices.ContainsFunc(cases, func(c *series.Series) bool { return sel.Match(c.Result) })
		}
		for _, c := range x.Study.Claims {
			for _, sel := range []catalog.Selector{c.Num, c.Den, c.Weak} {
				if !sel.IsZero() && none(sel) {
					s.warn("%s: claim %s: no benchmark matches %q", c.Pos, c.ID, sel)
				}
			}
		}
		for _, e := range x.Study.Expects {
			if none(e.Sel) {
				s.warn("%s: expectation: no benchmark matches %q", e.Pos, e.Sel)
			}
		}
	}
}
