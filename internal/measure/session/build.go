package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// language returns the language of a suite.
func (b *builds) language(suite int) runLanguage {
	if b.Question.Plan.Suites[suite].Kind() == plan.GoogleBenchmark {
		return cpp{b}
	}
	return golang{b}
}

// build builds every suite on every arm. One that does not compile is left out with the
// compiler's message, and the others go on.
func (b *builds) build(ctx context.Context) error {
	p := &b.Question.Plan
	b.Question.Builds = nil
	if p.Options.FreshLayouts && b.links == "" {
		var err error
		if b.links, err = b.Builder.Temporary(); err != nil {
			return err
		}
	}
	var last error
	var left []string
	for i := range p.Suites {
		if err := b.buildBeside(ctx, i); err != nil {
			return err
		}
		arms, builds := []int{}, []plan.Build{}
		for n, made := range b.buildArms(ctx, i) {
			a, built, err := p.ArmsOf(i)[n], plan.Build{}, made.err
			if err == nil {
				built, err = b.built(i, a, made.runBinary)
			}
			if err != nil {
				if ctx.Err() != nil || errors.As(err, new(*store.WriteError)) {
					return err
				}
				left = append(left, fmt.Sprintf("%s on %s: %v", p.Suites[i].Name, p.Arms[a].Name, err))
				b.Unbuilt = append(b.Unbuilt, Unbuilt{p.Suites[i].Name, a})
				if last = err; b.Question.Comparison != nil {
					last = &source.Error{Name: p.Arms[a].Name, Err: err}
				}
				continue
			}
			builds, arms = append(builds, built), append(arms, a)
		}
		if b.Question.Comparison != nil && !runComparable(arms, p.ArmsOf(i)) {
			arms, builds = []int{}, nil
		}
		b.Question.Builds, p.Suites[i].Arms = append(b.Question.Builds, builds...), arms
	}
	if len(b.Question.Builds) == 0 {
		return last
	}
	for _, what := range left {
		b.broken("%s", what)
	}
	b.forget()
	return b.presets.Build(ctx, p, b.toolchains, nil)
}

// comparable reports whether the arms that there are include the baseline, and another.
func runComparable(arms, asked []int) bool { return len(arms) > 1 && arms[0] == asked[0] }

// made is what building a suite on an arm gave.
type made struct {
	runBinary
	err error
}

// buildArms builds a suite on its arms: on one after the other, for the first compiles the
// standard library that the next ones find in the cache, and the further sides of a comparison
// two at a time, for much of a build keeps only one processor busy.
func (b *builds) buildArms(ctx context.Context, suite int) []made {
	p := &b.Question.Plan
	out := make([]made, len(p.ArmsOf(suite)))
	many := 1
	if b.sources != nil {
		many = 2
	}
	slots, wait := make(chan struct{}, many), sync.WaitGroup{}
	for n, a := range p.ArmsOf(suite) {
		if n == 1 {
			wait.Wait()
		}
		slots <- struct{}{}
		b.Log.Step(fmt.Sprintf("building %s with %s", p.Suites[suite].Name, p.Arms[a].Name))
		wait.Go(func() {
			out[n].runBinary, out[n].err = b.language(suite).build(ctx, suite, a)
			<-slots
		})
	}
	wait.Wait()
	return out
}

// built records what was built.
func (b *builds) built(suite, arm int, bin runBinary) (plan.Build, error) {
	x, a := b.Question.Plan.Suites[suite], b.Question.Plan.Arms[arm]
	if p := &b.Question.Plan; b.sources != nil && b.Folder != nil && bin.RandLayout {
		more := unlinked(b.seeds()[arm][1:p.Options.Layouts])
		bin.Paths, bin.Layouts = append(bin.Paths, more.Paths...), append(bin.Layouts, more.Layouts...)
	}
	b.binaries[armSuite{arm, suite}] = bin
	built := plan.Build{Suite: suite, Arm: arm, Layouts: bin.Layouts, Hash: bin.Hash, FloatAllocs: bin.FloatAllocs,
		Warnings: bin.Warnings}
	for _, w := range bin.Warnings {
		b.warn("%s on %s: %s", x.Name, a.Name, w)
	}
	return built, b.diagnose(&built, bin, x, a)
}

// forget drops the suites that no arm could build, and renumbers the references to
// suites by index.
func (b *builds) forget() {
	p := &b.Question.Plan
	number := map[int]int{}
	var kept []plan.Suite
	for i, x := range p.Suites {
		if len(x.Arms) > 0 {
			number[i] = len(kept)
			kept = append(kept, x)
		}
	}
	if len(kept) == len(p.Suites) {
		return
	}
	binaries := map[armSuite]runBinary{}
	for k, x := range b.binaries {
		if to, ok := number[k.suite]; ok {
			binaries[armSuite{k.arm, to}] = x
		}
	}
	for i := range b.Question.Builds {
		b.Question.Builds[i].Suite = number[b.Question.Builds[i].Suite]
	}
	p.Suites, b.binaries = kept, binaries
}

// findToolchains finds the toolchains of a run that is gone on with.
func (b *builds) findToolchains(ctx context.Context) error {
	for i, a := range b.Question.Plan.Arms {
		suite := slices.IndexFunc(b.Question.Plan.Suites, func(x plan.Suite) bool {
			return x.Arms == nil || slices.Contains(x.Arms, i)
		})
		tc, err := b.language(max(suite, 0)).toolchain(ctx, a)
		if err != nil {
			return err
		}
		b.toolchains = append(b.toolchains, tc)
	}
	return b.compilerAgain(ctx)
}
