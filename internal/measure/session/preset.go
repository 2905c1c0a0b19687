// Package preset builds further programs of a study in C++: the same source by another of its CMake
// presets. Those of the study malloc are static, so that musl's malloc, or glibc's, is in the
// program and no preloaded library takes its place.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
	"memcost/study"
)

// A Set holds the programs that are built.
type Set struct {
	Builder *toolchain.Builder
	Files   map[string]string // by preset
}

// needs are the commands that tell whether what a preset builds with is installed.
var needs = map[string]string{"static-musl": "musl-gcc"}

// Build builds the programs that cases of a plan run in, and are not built yet, with the compilers
// of its arms. leftOut is told of each variant whose program cannot be had, and its cases leave the
// plan; nil where it has begun: then that is an error.
func (s *Set) Build(ctx context.Context, p *plan.Plan, compilers []toolchain.Toolchain,
	leftOut func(format string, args ...any)) error {
	for i, x := range p.Suites {
		if x.Kind() != plan.GoogleBenchmark || len(p.ArmsOf(i)) == 0 {
			continue
		}
		source, err := fs.Sub(study.FS, x.Name)
		if err == nil {
			err = s.suite(ctx, p, i, source, compilers[p.ArmsOf(i)[0]], leftOut)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) suite(ctx context.Context, p *plan.Plan, suite int, source fs.FS, compiler toolchain.Toolchain,
	leftOut func(format string, args ...any)) error {
	x := p.Suites[suite]
	for _, v := range x.Variants {
		of := func(c plan.Case) bool { return c.Suite == suite && c.Preset == v.Preset }
		if v.Preset == "" || s.Files[v.Preset] != "" || !slices.ContainsFunc(p.Cases, of) {
			continue
		}
		file, err := s.build(ctx, source, x.Name+"_bench", v, compiler)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && leftOut == nil:
			return hint.With(v.Hint, fmt.Errorf("%s with %s: %w", x.Name, v.Keys, err))
		case err != nil:
			leftOut("%s with %s: %v (%s)", x.Name, v.Keys, err, v.Hint)
			p.Cases = slices.DeleteFunc(p.Cases, of)
			continue
		}
		s.Files[v.Preset] = file
	}
	return nil
}

func (s *Set) build(ctx context.Context, source fs.FS, program string, v language.Variant,
	compiler toolchain.Toolchain) (string, error) {
	if name := needs[v.Preset]; name != "" && !s.Builder.Has(name) {
		return "", fmt.Errorf("there is no %s here", name)
	}
	bin, err := s.Builder.BuildCMake(ctx, source, program, compiler, "--preset="+v.Preset)
	if err != nil {
		return "", errors.New(inOneLine(err.Error()))
	}
	return bin.Paths[0], s.proved(ctx, bin.Paths[0], v)
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
func (s *Set) proved(ctx context.Context, file string, v language.Variant) error {
	res, err := s.Builder.Runner.Run(ctx, proc.Cmd{Path: file, Args: []string{"--check"}, Env: s.Builder.Env,
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
