package cli

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/escape"
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/store"
	"memcost/internal/toolchain"
	"memcost/study"
)

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
	programs := map[programKey]string{}
	for k, path := range s.programs {
		programs[programKey{k.arm, number[k.suite], k.dir}] = path
	}
	binaries, sources := map[[2]int]toolchain.Binaries{}, map[[2]int]fs.FS{}
	for k, b := range s.binaries {
		binaries[[2]int{k[0], number[k[1]]}] = b
		sources[[2]int{k[0], number[k[1]]}] = s.sources[k]
	}
	for i := range s.question.Builds {
		s.question.Builds[i].Suite = number[s.question.Builds[i].Suite]
	}
	p.Suites, s.binaries, s.sources, s.programs = kept, binaries, sources, programs
	return nil
}

func (s *session) buildOne(ctx context.Context, suite, arm int) error {
	p := &s.question.Plan
	x, a, tc := p.Suites[suite], p.Arms[arm], s.tools[arm]
	if x.Google {
		return s.buildGoogle(ctx, suite, arm)
	}
	spec := toolchain.Build{Toolchain: tc, Flags: a.Flags, Env: buildSettings(a.Env), Layouts: s.layouts()}
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
	bin, err := s.buildWith(ctx, spec, x, a)
	if err != nil {
		return err
	}
	if err := s.buildPrograms(ctx, suite, arm, spec); err != nil {
		return err
	}
	s.binaries[[2]int{arm, suite}], s.sources[[2]int{arm, suite}] = bin, source
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

// buildWith builds with the settings that the study asks for. A toolchain that does
// not know one of its experiments builds it without.
func (s *session) buildWith(ctx context.Context, spec toolchain.Build, x plan.Suite, a plan.Arm) (toolchain.Binaries, error) {
	st, err := catalog.Parse(x.Name, x.Directives, x.Show)
	if err != nil || len(st.Build) == 0 {
		return s.builder.Build(ctx, spec)
	}
	plain := spec
	spec.Env = slices.Concat(st.Build, spec.Env) // a --vary of the same comes last and counts
	bin, err := s.builder.Build(ctx, spec)
	if err != nil && strings.Contains(err.Error(), "unknown GOEXPERIMENT") {
		s.warn("%s on %s: built without %s, which this toolchain does not know", x.Name, a.Name, strings.Join(st.Build, " "))
		return s.builder.Build(ctx, plain)
	}
	return bin, err
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
		b.Diagnostics = path.Join(store.DiagnosticsDir, result.FileName(x.Name+"-"+a.Name)+".txt")
		if err := s.folder.WriteFile(b.Diagnostics, bin.Diagnostics); err != nil {
			return err
		}
	}
	st, err := catalog.Parse(x.Name, x.Directives, x.Show)
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

// buildSettings are those of an arm's variables that the go command reads when
// it builds, not the program when it runs.
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
