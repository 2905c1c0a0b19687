package sample

import (
	"context"
	"slices"

	"memcost/internal/measure/plan"
)

// listSuite adds the cases of a suite to the plan: those that all arms have on which they are
// looked for.
func (l *Executor) listSuite(ctx context.Context, p *plan.Plan, suite int) error {
	var on []int
	if l.ListOn != nil {
		on = l.ListOn(suite)
	}
	if len(on) < 2 {
		return l.listKinds(ctx, p, suite)
	}
	var found [][]plan.Case
	for _, arm := range on {
		one := *p
		one.Cases, one.Failures = nil, nil
		one.Suites = slices.Clone(p.Suites)
		one.Suites[suite].Arms = []int{arm}
		if err := l.listKinds(ctx, &one, suite); err != nil {
			return err
		}
		found = append(found, one.Cases)
		p.Failures = append(p.Failures, one.Failures...)
	}
	both, oneSided := plan.OnAll(p, suite, on, found)
	p.Cases = append(p.Cases, both...)
	if len(oneSided) > 0 {
		l.OneSided(oneSided)
	}
	return nil
}

func (l *Executor) listKinds(ctx context.Context, p *plan.Plan, suite int) error {
	kinds := []plan.Kind{p.Suites[suite].Kind(), plan.Program}
	if p.Suites[suite].Beside != nil {
		kinds = append(kinds, plan.GoogleBenchmark)
	}
	for _, kind := range kinds {
		if err := harnessOf(kind).list(ctx, l, p, suite); err != nil {
			return err
		}
	}
	return nil
}
