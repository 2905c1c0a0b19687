package count

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// A target is a package under way.
type target struct {
	Counted
	program *program
	counts  bool // the binary heeds toolchain.CountVar
	benches []*bench
}

// A bench is a benchmark under way, of those without sub-benchmarks.
type bench struct {
	*target
	full  string // "BenchmarkDecode/size=4096"
	pilot pilotRun
	join.Measured
	failedRuns int // under the CPU profiler
	lastErr    error
}

// packagesAre says how many packages something is said of.
func packagesAre(n int) string {
	if n == 1 {
		return "1 package was"
	}
	return fmt.Sprintf("%d packages were", n)
}

// Packages lists the packages that the patterns name, those without tests among them. One
// that cannot be read is an error where it is the only one.
func Packages(ctx context.Context, b *toolchain.Builder, o Options) ([]toolchain.Package, error) {
	l := toolchain.Listing{Dir: o.Dir, Patterns: o.Patterns, Flags: source.ListFlags(o.Flags), Env: o.Env}
	all, err := b.ListAll(ctx, o.Toolchain, l)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, hint.Usage("name packages like ./... or ./codec, or by import path", "%s: there are none", l)
	}
	if !slices.ContainsFunc(all, func(p toolchain.Package) bool { return p.Broken == "" }) {
		return nil, hint.New("the package must be there and compile: see what go list says in that folder", "%s: %s", l,
			all[0].Broken)
	}
	return all, nil
}

// wanted leaves out the packages of which nothing would run: those without a benchmark that is asked
// for, or without tests. Where that is all, they are built for what the compiler says; unless
// benchmarks are asked for by name, which none of them has.
func wanted(pkgs []toolchain.Package, asked plan.Pattern, o Options) (some []toolchain.Package, left int, err error) {
	if o.Build {
		return pkgs, 0, nil
	}
	runs := func(p toolchain.Package) bool {
		if o.Test != "" {
			return len(p.TestFiles) > 0
		}
		return slices.ContainsFunc(p.Benchmarks, asked.Top)
	}
	for _, p := range pkgs {
		if p.Broken != "" || runs(p) {
			some = append(some, p)
		}
	}
	switch {
	case slices.ContainsFunc(some, runs):
		return some, len(pkgs) - len(some), nil
	case slices.ContainsFunc(pkgs, func(p toolchain.Package) bool { return len(p.Benchmarks) > 0 }):
		return nil, 0, missing(o, nil)
	}
	return pkgs, 0, nil
}

// buildAll builds packages. The error of one stands among its warnings, unless there is but
// one, or all fail.
func buildAll(ctx context.Context, b *toolchain.Builder, o Options, pkgs []toolchain.Package, tell *teller) (
	[]*target, error) {
	var all []*target
	var failed []error
	for i, p := range pkgs {
		tell.step("building "+p.ImportPath, i, len(pkgs), 0)
		t := &target{Counted: Counted{Package: p, Toolchain: o.Toolchain, Exact: o.Exact, asked: o, builder: b}}
		all = append(all, t)
		err := t.build(ctx, b, o)
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			failed = append(failed, err)
			text, _ := hint.Split(err)
			t.warn("%s was left out: %s", p.ImportPath, text)
		}
	}
	if len(failed) == len(pkgs) {
		return nil, failed[0]
	}
	return all, nil
}

func (t *target) build(ctx context.Context, b *toolchain.Builder, o Options) error {
	p := t.Package
	if p.Broken != "" {
		return errors.New(strings.TrimSpace(p.Broken))
	}
	if len(p.TestFiles) == 0 && o.Test != "" {
		return fmt.Errorf("%s has no test files, so no tests", p.ImportPath)
	}
	made, err := b.BuildCounted(ctx, toolchain.CountedBuild{Toolchain: o.Toolchain, Dir: o.Dir, Package: p,
		Flags: o.Flags, Env: o.Env, Exact: o.Exact})
	if err != nil {
		return err
	}
	t.Binary, t.Diagnostics, t.Warnings, t.counts = made.Path, made.Diagnostics, made.Warnings, made.Counts
	t.Exact = o.Exact && made.Counts
	switch {
	case !made.Test:
		t.warn("%s has no test files, so no benchmarks: nothing was measured", p.ImportPath)
	case len(p.Benchmarks) == 0 && o.Test == "":
		t.warn("%s has no benchmarks: nothing was measured", p.ImportPath)
	}
	if !made.Test || o.Build {
		return nil
	}
	t.program = &program{runner: b.Runner, path: made.Path, dir: p.Dir, args: o.Args, timeout: o.timeout(),
		env: proc.CleanEnv(environ(b.Env), append([]string{"PWD=" + p.Dir}, o.Vars...)...)}
	return nil
}

func (t *target) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(t.Warnings, text) {
		t.Warnings = append(t.Warnings, text)
	}
}

// A teller tells what is going on.
type teller struct {
	to    func(sites.Progress)
	began time.Time
}

// counted tells what was counted of a benchmark.
func (t *teller) counted(b *bench) {
	if t.to == nil || b.Err != nil {
		return
	}
	per := func(count uint64, unit string) string {
		return units.Quantity(float64(count)/float64(max(b.N, 1)), unit)
	}
	t.to(sites.Progress{What: fmt.Sprintf("%s: %s allocs/op, %s/op", b.Name, per(b.Mallocs, "allocs/op"),
		per(b.Bytes, "B/op")), Found: true})
}

// step tells of a step; rest is how long what follows takes.
func (t *teller) step(what string, done, of int, rest time.Duration) {
	if t.to != nil {
		t.to(sites.Progress{What: what, Done: done, Of: of, Left: rest})
	}
}
