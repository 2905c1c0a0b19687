package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/plan"
	"memcost/internal/toolchain"
	"memcost/study"
)

// libraryDirs are where distributions put the allocators.
var libraryDirs = []string{
	"/usr/local/lib", "/usr/lib/*-linux-gnu*", "/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/lib64", "/lib",
	"/usr/lib/llvm-*/lib/clang/*/lib/*", "/usr/lib/clang/*/lib/*",
}

// findLibrary is the file of a shared library, whose name may be a pattern
// ("libclang_rt.scudo_standalone*.so"); of several the last one, which is the newest.
func findLibrary(name string, dirs []string) (string, bool) {
	if strings.Contains(name, "/") {
		return name, true
	}
	for _, dir := range dirs {
		found, _ := filepath.Glob(filepath.Join(dir, name))
		if len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	return "", false
}

// variants are those of a study that this machine can run: libraries to preload are
// looked up, and a variant without its library is left out.
func (s *session) variants(st *catalog.Study) []catalog.Variant {
	var out []catalog.Variant
	for _, v := range st.Variants {
		if s.flags.only == "published" && !slices.Contains(st.Published, v.Keys) {
			continue
		}
		missing := ""
		v.Env = slices.Clone(v.Env)
		for i, kv := range v.Env {
			if name, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok {
				path, found := findLibrary(name, libraryDirs)
				if !found {
					missing = name
				}
				v.Env[i] = "LD_PRELOAD=" + path
			}
		}
		if missing != "" {
			s.leftOut("%s with %s: there is no %s here (%s)", st.Name, v.Keys, missing, v.Hint)
			continue
		}
		out = append(out, v)
	}
	return out
}

// hasGoogle and hasGo report which kinds of suites a run has.
func (s *session) hasGoogle() bool {
	return slices.ContainsFunc(s.question.Plan.Suites, func(x plan.Suite) bool { return x.Google })
}

func (s *session) hasGo() bool {
	return slices.ContainsFunc(s.question.Plan.Suites, func(x plan.Suite) bool { return !x.Google })
}

// addCompiler adds the arm of the C++ studies. Where there is no compiler they are
// left out, if anything else is to be run.
func (s *session) addCompiler(ctx context.Context) error {
	p := &s.question.Plan
	if !s.hasGoogle() {
		return nil
	}
	tc, err := s.builder.Compiler(ctx)
	if err != nil {
		if !s.hasGo() || ctx.Err() != nil {
			return err
		}
		for _, x := range p.Suites {
			if x.Google {
				s.leftOut("%s: %v", x.Name, err)
			}
		}
		p.Suites = slices.DeleteFunc(p.Suites, func(x plan.Suite) bool { return x.Google })
		return nil
	}
	p.Arms = append(p.Arms, plan.Arm{Name: tc.Version, Toolchain: tc.Version})
	s.tools = append(s.tools, tc)
	at := len(p.Arms) - 1
	for i := range p.Suites {
		x := &p.Suites[i]
		if x.Google {
			x.Arms = []int{at}
		} else if x.Arms == nil {
			for a := range at {
				x.Arms = append(x.Arms, a)
			}
		}
	}
	return nil
}

// buildGoogle builds the program of a C++ study. It is called like the study, with
// _bench at the end.
func (s *session) buildGoogle(ctx context.Context, suite, arm int) error {
	p := &s.question.Plan
	source, err := fs.Sub(study.FS, p.Suites[suite].Name)
	if err != nil {
		return err
	}
	bin, err := s.builder.BuildCMake(ctx, source, p.Suites[suite].Name+"_bench", s.tools[arm])
	if err != nil {
		return err
	}
	s.binaries[[2]int{arm, suite}] = bin
	s.question.Builds = append(s.question.Builds, plan.Build{Suite: suite, Arm: arm, Layouts: bin.Layouts, Hash: bin.Hash, FloatAllocs: bin.FloatAllocs})
	return nil
}

// isCompiler reports whether an arm is that of the C++ studies.
func (s *session) isCompiler(arm int) bool {
	return slices.ContainsFunc(s.question.Plan.Suites, func(x plan.Suite) bool { return x.Google && slices.Contains(x.Arms, arm) })
}

// compilerAgain finds the compiler of a resumed run.
func (s *session) compilerAgain(ctx context.Context, arm plan.Arm) (toolchain.Toolchain, error) {
	tc, err := s.builder.Compiler(ctx)
	if err == nil && tc.Version != arm.Toolchain {
		err = fmt.Errorf("the C++ compiler is %s now, and the run was begun with %s", tc.Version, arm.Toolchain)
	}
	return tc, err
}
