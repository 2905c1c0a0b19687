package session

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
	"memcost/study"
)

// A language builds the suites that are written in it.
type runLanguage interface {
	// build builds a suite on an arm. Arms may be built at the same time.
	build(ctx context.Context, suite, arm int) (runBinary, error)
	// toolchain finds the toolchain of a recorded arm.
	toolchain(ctx context.Context, a plan.Arm) (toolchain.Toolchain, error)
}

// golang is Go: test binaries, and programs beside them.
type golang struct{ *builds }

func (g golang) toolchain(ctx context.Context, a plan.Arm) (toolchain.Toolchain, error) {
	tc, err := g.Finder.Local(ctx)
	if err == nil && tc.Version != a.Toolchain {
		tc, err = g.Finder.Find(ctx, a.Toolchain)
	}
	return tc, err
}

func (g golang) build(ctx context.Context, suite, arm int) (bin runBinary, err error) {
	p := &g.Question.Plan
	x, a, tc := p.Suites[suite], p.Arms[arm], g.toolchains[arm]
	spec := toolchain.Build{Toolchain: tc, Flags: a.Flags, Env: buildSettings(a.Env),
		Quiet: g.Question.Comparison != nil && len(x.Directives) == 0}
	g.layouts(&spec, suite, arm)
	bin.programs = map[string]string{}
	if x.Shipped {
		dir, err := toolchain.PrepareStudies(study.FS, filepath.Join(g.Builder.CacheDir, "studies"), tc)
		if err != nil {
			return bin, err
		}
		spec.Dir, spec.Pkg = dir, "./"+x.Name
		bin.source = os.DirFS(filepath.Join(dir, x.Name))
	} else {
		pkg, _ := g.packageOn(arm, x.Name)
		spec.Dir, spec.Pkg = pkg.Dir, x.Pkg
		if g.sources != nil {
			spec.Env = append(spec.Env, g.folders[arm].Env...)
		}
		bin.source = os.DirFS(pkg.Dir)
	}
	if bin.Binaries, bin.spec, err = g.buildWith(ctx, spec, x); err != nil {
		return bin, err
	}
	for _, program := range x.Programs {
		if bin.programs[program.Dir] != "" {
			continue
		}
		of := spec
		of.Pkg += "/" + program.Dir
		if bin.programs[program.Dir], err = g.Builder.BuildProgram(ctx, of); err != nil {
			return bin, err
		}
	}
	return bin, nil
}

// buildWith builds with the settings that the study asks for, and returns what it built. A
// toolchain without one of its experiments builds it without that.
func (g golang) buildWith(ctx context.Context, spec toolchain.Build, x plan.Suite) (toolchain.Binaries,
	toolchain.Build, error) {
	plain := spec
	st, err := language.Parse(x.Name, x.Directives, x.Show)
	if err == nil && len(st.Build) > 0 {
		spec.Env = slices.Concat(st.Build, spec.Env) // a --vary of the same variable comes last and wins
	}
	bin, err := g.Builder.Build(ctx, spec)
	if err != nil && strings.Contains(err.Error(), "unknown GOEXPERIMENT") && len(spec.Env) > len(plain.Env) {
		without := fmt.Sprintf("built without %s, which this toolchain does not know", strings.Join(st.Build, " "))
		spec = plain
		bin, err = g.Builder.Build(ctx, spec)
		bin.Warnings = append([]string{without}, bin.Warnings...)
	}
	return bin, spec, err
}

// buildSettings returns those of an arm's variables that the go command reads when it
// builds, not the program when it runs.
func buildSettings(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GOEXPERIMENT", "GOAMD64", "GOARM64", "GOARM", "GO386", "GOPPC64", "GORISCV64", "CC", "CXX":
			out = append(out, kv)
		default:
			if strings.HasPrefix(name, "CGO_") {
				out = append(out, kv)
			}
		}
	}
	return out
}

// cpp is C++: one program on Google Benchmark, called like its study with _bench at the
// end.
type cpp struct{ *builds }

func (c cpp) toolchain(ctx context.Context, a plan.Arm) (toolchain.Toolchain, error) {
	tc, err := c.Builder.Compiler(ctx)
	if err == nil && tc.Version != a.Toolchain {
		err = fmt.Errorf("the C++ compiler is %s now, and the run was begun with %s", tc.Version, a.Toolchain)
	}
	return tc, err
}

func (c cpp) build(ctx context.Context, suite, arm int) (bin runBinary, err error) {
	name := c.Question.Plan.Suites[suite].Name
	source, err := fs.Sub(study.FS, name)
	if err == nil {
		bin.Binaries, err = c.Builder.BuildCMake(ctx, source, name+"_bench", c.toolchains[arm])
	}
	return bin, err
}
