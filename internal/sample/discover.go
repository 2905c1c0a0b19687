package sample

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/hint"
	"memcost/internal/plan"
)

// Discover finds the cases of every suite and calibrates them: see List and Calibrate.
// progress is called with the number of cases that are done and known so far.
func (l *Lab) Discover(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	if err := l.List(ctx, p); err != nil {
		return err
	}
	return l.Calibrate(ctx, p, 0, progress)
}

// List finds the cases of every suite by running each benchmark once on its discoveryArm. A
// benchmark that does not survive this becomes a Failure, and the others go on.
func (l *Lab) List(ctx context.Context, p *plan.Plan) error {
	for s := range p.Suites {
		for _, kind := range []plan.Kind{p.Suites[s].Kind(), plan.Program} {
			if err := harnessOf(kind).list(ctx, l, p, s); err != nil {
				return err
			}
		}
	}
	var err error
	if p.Cases, err = l.besideLoads(p.Cases); err != nil {
		return err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return l.Skip != nil && l.Skip(c) })
	return nil
}

// Calibrate finds for each case the N of a sample, without a load beside it: so the loads of a
// case run the same N.
func (l *Lab) Calibrate(ctx context.Context, p *plan.Plan, _ int, progress func(done, known int)) error {
	if err := l.calibrateAll(ctx, p, progress); err != nil {
		return err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return c.N == 0 })
	return nil
}

// besideLoads puts, in place of each case that is measured beside loads, one case for each
// of them.
func (l *Lab) besideLoads(cases []plan.Case) ([]plan.Case, error) {
	if l.Loads == nil {
		return cases, nil
	}
	var out []plan.Case
	for _, c := range cases {
		loads := l.Loads(c)
		if _, own := catalog.Keys(benchfmt.Name(c.Name)).Get(plan.BusyKey); own && len(loads) > 0 {
			return nil, hint.Usage("give the key another name, or leave the benchmark out with -b",
				"%s has a key %s= in its name, which the load beside a case is to have", c.Name, plan.BusyKey)
		}
		if len(loads) == 0 {
			out = append(out, c)
		}
		for _, load := range loads {
			out = append(out, c.Beside(load, l.CPUs))
		}
	}
	return out, nil
}

// calibrateAll calibrates the cases, where their harness allows it as many at a time as
// there are processors. Cases that differ in the load beside them are calibrated once.
func (l *Lab) calibrateAll(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	many := make(chan struct{}, runtime.NumCPU())
	var wait sync.WaitGroup
	var failed error
	done, known := 0, len(p.Failures)
	first, todo := firstOfEach(p.Cases)
	report := func(err error) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if failed == nil {
			failed = err
		}
		done++
		progress(done, len(todo))
		return failed == nil
	}
	for _, i := range todo {
		h := harnessOf(p.Kind(p.Cases[i]))
		if !h.sideBySide() {
			wait.Wait()
			if !report(h.calibrate(ctx, l, p, &p.Cases[i])) {
				return failed
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
	if failed == nil {
		failed = context.Cause(ctx)
	}
	for i := range p.Cases {
		c, as := &p.Cases[i], p.Cases[first[i]]
		c.N, c.Estimate, c.Short = as.N, as.Estimate, as.Short
	}
	slices.SortStableFunc(p.Failures[known:], func(a, b plan.Failure) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Name, b.Name))
	})
	return failed
}

// firstOfEach returns for each case the first one that differs from it in nothing but the
// load beside it, and those that are the first.
func firstOfEach(cases []plan.Case) (first, those []int) {
	type printed struct {
		suite int
		name  string
	}
	at := map[printed]int{}
	for i, c := range cases {
		key := printed{c.Suite, c.Printed()}
		if _, known := at[key]; !known {
			at[key] = i
			those = append(those, i)
		}
		first = append(first, at[key])
	}
	return first, those
}
