package sample

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"memcost/internal/plan"
)

// Discover finds the cases of every suite by running each benchmark once on its
// discoveryArm, then finds for each case the N of a sample. A benchmark that does
// not survive this becomes a Failure, and the others go on. progress is called
// with the number of cases that are done and known so far.
func (l *Lab) Discover(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	for s := range p.Suites {
		for _, kind := range []plan.Kind{p.Suites[s].Kind(), plan.Program} {
			if err := harnessOf(kind).list(ctx, l, p, s); err != nil {
				return err
			}
		}
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return l.Skip != nil && l.Skip(c) })
	if err := l.calibrateAll(ctx, p, progress); err != nil {
		return err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return c.N == 0 })
	return nil
}

// calibrateAll calibrates the cases, where their harness allows it as many at a time as
// there are processors.
func (l *Lab) calibrateAll(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	many := make(chan struct{}, runtime.NumCPU())
	var wait sync.WaitGroup
	var first error
	done, known := 0, len(p.Failures)
	report := func(err error) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if first == nil {
			first = err
		}
		done++
		progress(done, len(p.Cases))
		return first == nil
	}
	for i := range p.Cases {
		h := harnessOf(p.Kind(p.Cases[i]))
		if !h.sideBySide() {
			wait.Wait()
			if !report(h.calibrate(ctx, l, p, &p.Cases[i])) {
				return first
			}
			continue
		}
		many <- struct{}{}
		wait.Go(func() {
			defer func() { <-many }()
			if ctx.Err() == nil {
				report(h.calibrate(ctx, l, p, &p.Cases[i]))
			}
		})
	}
	wait.Wait()
	if first == nil {
		first = context.Cause(ctx)
	}
	slices.SortStableFunc(p.Failures[known:], func(a, b plan.Failure) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Name, b.Name))
	})
	return first
}
