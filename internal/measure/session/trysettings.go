package session

import (
	"context"

	"memcost/internal/malloc/settings"
	"memcost/internal/measure/plan"
)

// trier returns what settings are tried with.
func (r *record) trier(program string) *settings.Trier {
	return &settings.Trier{Runner: r.Runner, Program: program, Env: r.Env, Timeout: r.Question.Plan.Options.Timeout}
}

// tryVariants tries the settings of malloc. One of the user's with which nothing can be measured is
// an error; of the study's own the cases leave the plan.
func (r *Run) tryVariants(ctx context.Context, own bool) error {
	p := &r.Question.Plan
	for i, x := range p.Suites {
		if x.Kind() != plan.GoogleBenchmark || len(x.Arms) == 0 {
			continue
		}
		t := r.trier(r.binaries[armSuite{x.Arms[0], i}].Paths[0])
		defer t.Close()
		t.Programs = r.presets.Files
		if says := settings.LockLimit(r.Question.Machine, x.Variants, p.Cases); says != "" {
			r.warn("%s", says)
		}
		if own {
			return t.Own(ctx, x.Variants, func(says string) { r.warn("%s", says) })
		}
		if err := t.Leave(ctx, p, i, x.Arms[0]); err != nil {
			return err
		}
	}
	return nil
}
