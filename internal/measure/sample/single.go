package sample

import (
	"context"
	"runtime/debug"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
)

// Take takes the sample of the first task as an engine's Run does, and those of the tasks behind
// it whose processes take turns with it. It returns their records in this order; the caller keeps
// them. Of the engine's fields it needs Plan, Executor, Sampler and Header.
func (e *Engine) Take(ctx context.Context, tasks []plan.Task) ([]*benchfmt.Result, error) {
	return e.takeNext(ctx, tasks, 0, func(plan.Task) bool { return false })
}

// Quiet keeps this process's garbage collector from running while samples are taken, as Run
// does, until the function that it returns is called. The caller collects between rounds.
func Quiet() (restore func()) {
	limit, percent := debug.SetMemoryLimit(quiet), debug.SetGCPercent(-1)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}
