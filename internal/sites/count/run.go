package count

import (
	"context"
	"os"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

// Count builds packages and counts what their benchmarks, or tests, allocate. A benchmark that
// fails costs its own figures alone. An error is of what was asked, of a package that does not
// compile where there is no other, and of a ctx that was cancelled.
func Count(ctx context.Context, b *toolchain.Builder, o Options) ([]Counted, error) {
	asked, err := plan.New(o.Bench)
	if err != nil {
		return nil, hint.Usage("it is a regular expression, as of go test -bench", "-bench %q: %v", o.Bench, err)
	}
	if o.Toolchain, err = b.Outside(o.Toolchain); err != nil {
		return nil, err
	}
	pkgs, err := Packages(ctx, b, o)
	if err != nil {
		return nil, err
	}
	tell := &teller{to: o.Progress, began: time.Now()}
	targets, err := buildAll(ctx, b, o, pkgs, tell)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(targets, func(t *target) bool { return t.program != nil }) {
		return finish(targets, nil), nil
	}
	temp, err := b.Temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	for _, t := range targets {
		if t.program != nil {
			t.program.temp = temp
		}
	}
	folders := listFolders(ctx, b, o)
	defer folders.wait()
	if err := measure(ctx, targets, asked, o, tell, folders); err != nil {
		return nil, err
	}
	return finish(targets, folders), nil
}

// measure runs what was built.
func measure(ctx context.Context, targets []*target, asked plan.Pattern, o Options, tell *teller,
	folders *listing) error {
	var benches []*bench
	for _, t := range targets {
		var err error
		switch {
		case t.program == nil:
		case o.Test != "":
			err = t.tests(ctx, o, tell)
		default:
			err = t.find(ctx, asked, tell)
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			if len(targets) == 1 {
				return err
			}
			t.warn("%v", err)
		}
		benches = append(benches, t.benches...)
	}
	if o.Test != "" {
		return untested(o, targets)
	}
	if err := missing(o, targets); err != nil {
		return err
	}
	for i, b := range benches {
		tell.step("counting what "+b.Name+" allocates", i, len(benches), time.Duration(len(benches)-i)*countTime)
		if b.Err == nil {
			if err := b.look(ctx); err != nil {
				return err
			}
		}
		if b.Err == nil {
			if err := b.memory(ctx); err != nil {
				return err
			}
		}
	}
	folders.wait() // what it computes must not be in the CPU profiles
	return cpuRounds(ctx, benches, o, tell)
}

// untested is the error of a -test that names no test of any package.
func untested(o Options, targets []*target) error {
	for _, t := range targets {
		if len(t.Measured) > 0 || t.program == nil {
			return nil
		}
	}
	return hint.Usage("go test -list '^Test' lists them", "-test %q: no test matches", o.Test)
}

// finish returns what is known of each package.
func finish(targets []*target, folders *listing) []Counted {
	if folders == nil { // nothing was run, so nobody asks where something was allocated
		folders = &listing{}
	} else {
		folders.wait()
	}
	var all []Counted
	for _, t := range targets {
		for _, b := range t.benches {
			t.Measured = append(t.Measured, b.Measured)
		}
		if folders.err != nil {
			t.warn("the folders of the packages that it imports are not known: %v", folders.err)
		}
		t.Folders = folders.folders
		all = append(all, t.Counted)
	}
	return all
}
