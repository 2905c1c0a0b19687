package session

import (
	"context"
	"fmt"
	"slices"

	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// buildFloors builds the empty loop for every configuration of a Go suite. What cannot be
// built is missing: the guards do without it, and a warning says so.
func (r *Run) buildFloors(ctx context.Context) error {
	p := &r.Question.Plan
	floors := map[int]sample.Target{}
	r.lab.Floor = func(arm int) (sample.Target, bool) { t, ok := floors[arm]; return t, ok }
	if p.Options.NoGuards {
		return nil
	}
	for i, a := range p.Arms {
		if !slices.ContainsFunc(r.Question.Builds, func(b plan.Build) bool {
			return b.Arm == i && p.Suites[b.Suite].Kind() == plan.GoTest
		}) {
			continue
		}
		r.Log.Step(fmt.Sprintf("building the empty loop with %s", a.Name))
		spec, err := toolchain.Floor(r.toolchains[i], r.Builder.CacheDir)
		if err == nil {
			spec.Flags, spec.Env = a.Flags, buildSettings(a.Env)
			var bin toolchain.Binaries
			if bin, err = r.Builder.Build(ctx, spec); err == nil {
				floors[i] = sample.Target{Path: bin.Paths[0], Dir: spec.Dir, Env: r.Env}
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			r.warnOnce(fmt.Sprintf("the empty loop was not measured on %s, so that nothing is compared with it: %v",
				a.Name, err))
		}
	}
	return nil
}
