package sample

import (
	"context"
	"runtime/debug"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
)

// Take takes one sample as an engine's Run does, and returns its record; the caller keeps it.
// Of the engine's fields it needs Plan, Lab, Sampler and Header.
func Take(ctx context.Context, e *Engine, t plan.Task) (*benchfmt.Result, error) {
	return e.take(ctx, t)
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
