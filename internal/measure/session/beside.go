package session

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"memcost/internal/measure/plan"
	"memcost/study"
)

// findBesides finds the compiler of the C++ programs that give cases beside those in Go.
// Without one these cases are left out.
func findBesides(ctx context.Context, b *builds) error {
	for i := range b.Question.Plan.Suites {
		x := &b.Question.Plan.Suites[i]
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

// withoutBeside leaves out the cases in C++ of a suite.
func (b *builds) withoutBeside(x *plan.Suite, err error) {
	b.leftOut("the cases of %s in C++: %v", x.Name, err)
	x.Beside, x.Variants = nil, nil
}

// buildBeside builds the C++ program beside a suite's benchmarks, which all configurations
// share. Where that fails its cases are left out, but not of a run that has begun with them.
func (b *builds) buildBeside(ctx context.Context, suite int) error {
	x := &b.Question.Plan.Suites[suite]
	if x.Beside == nil {
		return nil
	}
	b.Log.Step(fmt.Sprintf("building %s with %s", x.Name, x.Beside.Compiler))
	source, err := fs.Sub(study.FS, path.Join(x.Name, x.Beside.Dir))
	if err != nil {
		return err
	}
	made, err := b.Builder.BuildCMake(ctx, source, x.Name+"_bench", b.compiler)
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
	for _, x := range b.Question.Plan.Suites {
		if x.Beside != nil && err == nil {
			b.compiler, err = cpp{b}.toolchain(ctx, plan.Arm{Toolchain: x.Beside.Compiler})
		}
	}
	return err
}
