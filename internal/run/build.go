package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"memcost/internal/plan"
	"memcost/internal/store"
)

// language returns the language of a suite.
func (b *builds) language(suite int) language {
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
	var last error
	for i := range p.Suites {
		arms := []int{}
		for _, a := range p.ArmsOf(i) {
			b.Log.Step(fmt.Sprintf("building %s with %s", p.Suites[i].Name, p.Arms[a].Name))
			built, err := b.language(i).build(ctx, i, a)
			if err != nil {
				if ctx.Err() != nil || errors.As(err, new(*store.WriteError)) {
					return err
				}
				last = err
				b.broken("%s on %s: %v", p.Suites[i].Name, p.Arms[a].Name, err)
				continue
			}
			b.Question.Builds = append(b.Question.Builds, built)
			arms = append(arms, a)
		}
		p.Suites[i].Arms = arms
	}
	if len(b.Question.Builds) == 0 {
		return last
	}
	b.forget()
	return nil
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
	binaries := map[armSuite]binary{}
	for k, x := range b.binaries {
		binaries[armSuite{k.arm, number[k.suite]}] = x
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
	return nil
}
