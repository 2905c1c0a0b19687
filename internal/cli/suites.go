package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/plan"
	"memcost/internal/sample"
	"memcost/internal/toolchain"
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
			if st.Command == "" {
				args = append(args, st.Name)
			}
		}
	}
	for _, arg := range args {
		if st := find(studies, arg); st != nil {
			if st.Command != "" {
				return usage(st.Command, "study %s has no benchmarks to run: its figures are found by another command", st.Name)
			}
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
	x := plan.Suite{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Directives: st.Directives, Show: st.Show, Google: st.CPP, Programs: st.Programs}
	if st.CPP {
		x.Variants = s.variants(st)
	}
	if p.Options.Profile == "quick" && s.flags.sample == 0 {
		x.Sample = st.Sample
	}
	p.Suites = append(p.Suites, x)
}

func unknownStudy(name string, studies []*catalog.Study) error {
	var names []string
	for _, s := range studies {
		names = append(names, s.Name)
	}
	hint := "the studies are: " + strings.Join(names, ", ") + "; a package of your own is named by a path, ./..."
	if near := catalog.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return usage(hint, "unknown study %q", name)
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
	var broken []error
	for _, pkg := range pkgs {
		if pkg.Broken != "" {
			s.leftOut("%s: %s", pkg.ImportPath, pkg.Broken)
		}
		if !pkg.HasBenchmarks {
			continue
		}
		st, err := catalog.ReadDir(os.DirFS(pkg.Dir), ".")
		if err != nil {
			broken = append(broken, fmt.Errorf("%s: %w", pkg.ImportPath, err))
			continue
		}
		for _, w := range st.Warnings {
			s.warn("%s: %v", pkg.ImportPath, w)
		}
		q.Plan.Suites = append(q.Plan.Suites, plan.Suite{Name: pkg.ImportPath, Pkg: pkg.ImportPath, Directives: st.Directives, Show: st.Show, Programs: st.Programs})
	}
	if len(q.Plan.Suites) == 0 && len(broken) > 0 {
		return withHint("correct the directive, or remove it", broken[0])
	}
	for _, err := range broken {
		s.leftOut("%v", err)
	}
	if len(q.Plan.Suites) == 0 {
		return usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s", sample.ErrNothing, strings.Join(q.Packages, " "))
	}
	return nil
}

func (s *session) listPackages(ctx context.Context) ([]toolchain.Package, error) {
	tc, err := s.finder.Local(ctx)
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

// findSuites looks the packages of a resumed run up again.
func (s *session) findSuites(ctx context.Context) error {
	if len(s.question.Packages) == 0 {
		return nil
	}
	_, err := s.listPackages(ctx)
	return err
}
