package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
	shipped "memcost/study"
)

// toolchainOf finds the toolchain of a recorded configuration of Go, or of C++.
func (b *builds) toolchainOf(ctx context.Context, version string, cpp bool) (tc toolchain.Toolchain, err error) {
	if cpp {
		tc, err = b.Builder.Compiler(ctx)
		if err == nil && tc.Version != version {
			err = fmt.Errorf("the C++ compiler is %s now, and the run was begun with %s", tc.Version, version)
		}
		return tc, err
	}
	tc, err = b.Finder.Local(ctx)
	if err == nil && tc.Version != version {
		tc, err = b.Finder.Find(ctx, version)
	}
	return tc, err
}

// buildCPP builds the program on Google Benchmark in a folder of the studies, which is called like the study with
// _bench at the end.
func (t *Tools) buildCPP(ctx context.Context, dir, study string, tc toolchain.Toolchain, flags ...string) (
	toolchain.Binaries, error) {
	source, err := fs.Sub(shipped.FS, dir)
	if err != nil {
		return toolchain.Binaries{}, err
	}
	return t.Builder.BuildCMake(ctx, source, study+"_bench", tc, flags...)
}

// buildOn builds a study or package on an arm: a program on Google Benchmark, or a test binary of Go and programs
// beside it. Sides may be built at the same time.
func (b *builds) buildOn(ctx context.Context, study, side int) (bin studyBinary, err error) {
	p := &b.Question.Plan
	x, a, tc := p.Studies[study], p.Sides[side], b.toolchains[side]
	if x.Kind() == plan.GoogleBenchmark {
		bin.Binaries, err = b.buildCPP(ctx, x.Name, x.Name, tc)
		return bin, err
	}
	spec := toolchain.Build{Toolchain: tc, Flags: a.Flags, Env: buildSettings(a.Env),
		Quiet: b.Question.Comparison != nil && len(x.Directives) == 0}
	b.layouts(&spec, study, side)
	bin.programs = map[string]string{}
	if x.Shipped {
		dir, err := toolchain.PrepareStudies(shipped.FS, filepath.Join(b.Builder.CacheDir, "studies"), tc)
		if err != nil {
			return bin, err
		}
		spec.Dir, spec.Pkg = dir, "./"+x.Name
		bin.source = os.DirFS(filepath.Join(dir, x.Name))
	} else {
		pkg, _ := b.packageOn(side, x.Name)
		spec.Dir, spec.Pkg = pkg.Dir, x.Pkg
		if b.sources != nil {
			spec.Env = append(spec.Env, b.folders[side].Env...)
		}
		bin.source = os.DirFS(pkg.Dir)
	}
	if bin.Binaries, bin.spec, err = b.buildWith(ctx, spec, x); err != nil {
		return bin, err
	}
	for _, program := range x.Programs {
		if bin.programs[program.Dir] != "" {
			continue
		}
		of := spec
		of.Pkg += "/" + program.Dir
		if bin.programs[program.Dir], err = b.Builder.BuildProgram(ctx, of); err != nil {
			return bin, err
		}
	}
	return bin, nil
}

// buildWith builds with the settings that the study asks for, and returns what it built. A
// toolchain without one of its experiments builds it without that.
func (b *builds) buildWith(ctx context.Context, spec toolchain.Build, x plan.Study) (toolchain.Binaries,
	toolchain.Build, error) {
	plain := spec
	st, err := language.Parse(x.Name, x.Directives, x.Show)
	if err == nil && len(st.Build) > 0 {
		spec.Env = slices.Concat(st.Build, spec.Env) // a --vary of the same variable comes last and wins
	}
	bin, err := b.Builder.Build(ctx, spec)
	if err != nil && strings.Contains(err.Error(), "unknown GOEXPERIMENT") && len(spec.Env) > len(plain.Env) {
		without := fmt.Sprintf("built without %s, which this toolchain does not know", strings.Join(st.Build, " "))
		spec = plain
		bin, err = b.Builder.Build(ctx, spec)
		bin.Warnings = append([]string{without}, bin.Warnings...)
	}
	return bin, spec, err
}

// buildSettings returns those of a side's variables that the go command reads when it
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

// findBesides finds the compiler of the C++ programs that give cases beside those in Go.
// Without one these cases are left out.
func (b *builds) findBesides(ctx context.Context) error {
	for i := range b.Question.Plan.Studies {
		x := &b.Question.Plan.Studies[i]
		if x.Beside == nil {
			continue
		}
		tc, err := b.Builder.Compiler(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			b.withoutBeside(x, err)
			continue
		}
		x.Beside.Compiler, b.compiler = tc.Version, tc
	}
	return nil
}

// withoutBeside leaves out the cases in C++ of a study.
func (b *builds) withoutBeside(x *plan.Study, err error) {
	b.leftOut("the cases of %s in C++: %v", x.Name, err)
	x.Beside, x.Variants = nil, nil
}

// buildBeside builds the C++ program beside a study's benchmarks, which all configurations
// share. Where that fails its cases are left out, but not of a run that has begun with them.
func (b *builds) buildBeside(ctx context.Context, study int) error {
	x := &b.Question.Plan.Studies[study]
	if x.Beside == nil {
		return nil
	}
	b.Log.Step(fmt.Sprintf("building %s with %s", x.Name, x.Beside.Compiler))
	made, err := b.buildCPP(ctx, path.Join(x.Name, x.Beside.Dir), x.Name, b.compiler)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	begun := x.Beside.Hash
	switch {
	case err != nil && begun != "":
		return err
	case err != nil:
		b.withoutBeside(x, err)
		return nil
	case begun != "" && begun != made.Hash:
		return otherCode(x.Name, x.Beside.Compiler, b.Folder.Dir)
	}
	x.Beside.Hash = made.Hash
	b.besides[x.Name] = made.Paths[0]
	return nil
}

// compilerAgain finds the compiler of the cases in C++ of a run that is gone on with.
func (b *builds) compilerAgain(ctx context.Context) (err error) {
	for _, x := range b.Question.Plan.Studies {
		if x.Beside != nil && err == nil {
			b.compiler, err = b.toolchainOf(ctx, x.Beside.Compiler, true)
		}
	}
	return err
}

// needs are the commands that tell whether what a preset builds with is installed.
var needs = map[string]string{"static-musl": "musl-gcc"}

// buildPresets builds further programs of studies in C++: the same source by another of its CMake presets. Those of
// the study malloc are static, so that musl's malloc, or glibc's, is in the program and no preloaded library takes
// its place. What cases run in is built, and is not built yet. A variant whose program cannot be had leaves the
// plan with its cases; of a plan that has begun that is an error.
func (b *builds) buildPresets(ctx context.Context, begun bool) error {
	p := &b.Question.Plan
	for i, x := range p.Studies {
		if x.Kind() != plan.GoogleBenchmark || len(p.SidesOf(i)) == 0 {
			continue
		}
		for _, v := range x.Variants {
			of := func(c plan.Case) bool { return c.Study == i && c.Preset == v.Preset }
			if v.Preset == "" || b.presets[v.Preset] != "" || !slices.ContainsFunc(p.Cases, of) {
				continue
			}
			file, err := b.buildPreset(ctx, x.Name, v, b.toolchains[p.SidesOf(i)[0]])
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil && begun:
				return hint.With(v.Hint, fmt.Errorf("%s with %s: %w", x.Name, v.Keys, err))
			case err != nil:
				b.leftOut("%s with %s: %v (%s)", x.Name, v.Keys, err, v.Hint)
				p.Cases = slices.DeleteFunc(p.Cases, of)
				continue
			}
			b.presets[v.Preset] = file
		}
	}
	return nil
}

func (b *builds) buildPreset(ctx context.Context, study string, v language.Variant, tc toolchain.Toolchain) (
	string, error) {
	if name := needs[v.Preset]; name != "" && !b.Builder.Has(name) {
		return "", fmt.Errorf("there is no %s here", name)
	}
	bin, err := b.buildCPP(ctx, study, study, tc, "--preset="+v.Preset)
	if err != nil {
		return "", errors.New(inOneLine(err.Error()))
	}
	return bin.Paths[0], b.proved(ctx, bin.Paths[0], v)
}

// inOneLine returns what a failed build said, with the first error of the compiler or the linker.
func inOneLine(text string) string {
	first, output, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(output) {
		if strings.Contains(strings.ToLower(line), "error") || strings.Contains(line, "cannot find") {
			return first + " " + strings.TrimSpace(line)
		}
	}
	return first
}

// proved has the program say which malloc it has: the one that the variant is named after, linked
// into it.
func (b *builds) proved(ctx context.Context, file string, v language.Variant) error {
	res, err := b.Builder.Runner.Run(ctx, proc.Cmd{Path: file, Args: []string{"--check"}, Env: b.Builder.Env,
		Timeout: time.Minute})
	if err == nil {
		err = res.Err("asking it for its malloc")
	}
	if err != nil {
		return err
	}
	var says struct {
		Library string `json:"malloc_library"`
	}
	if err := json.Unmarshal(res.Stdout, &says); err != nil {
		return fmt.Errorf("asking it for its malloc: %w", err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/")
	name, _, _ = strings.Cut(name, "-")
	if !strings.HasPrefix(says.Library, "static (") || !strings.Contains(says.Library, name) {
		return fmt.Errorf("its malloc is %s", says.Library)
	}
	return nil
}
